// `stargram serve`: models behind HTTP, for programs in other languages and on other machines.

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { fileError } from "../../formats/lines.js";
import { InputError } from "../../util/errors.js";
import { explain } from "../help.js";
import { interruption, portNumber } from "../loopback.js";
import { real, repeated, threadCount, whole } from "../options.js";
import { CheckFailed, say, write } from "../output.js";
import { PredictServer } from "../serve/server.js";
import { byteSize } from "../sizes.js";
import { packageVersion } from "../version.js";

interface ServeFlags {
  host: string;
  port: number;
  tokenFile?: string;
  origin?: string[];
  threads: number;
  maxBody: number;
  maxRequests: number;
  timeLimit: number;
  grace: number;
}

const notes = `
  POST /predict         JSON {"inputs": […]}, JSON Lines (application/x-ndjson, streamed) or text
                        (text/plain, read and answered as by \`stargram predict\`)
  GET  /models, /health, /metrics, /openapi.json
  MODEL                 NAME=FILE sets another name than that of the file. A replaced file is loaded again
  --host                an address that other machines can reach requires a token: in the file of --token-file, or in the environment variable STARGRAM_TOKEN. Clients send \`Authorization: Bearer TOKEN\`. There is no TLS: use a TLS proxy
  SIGTERM, Ctrl-C       accepts no more connections, answers pending requests, and exits`;

export function register(program: Command): void {
  const command = program
    .command("serve")
    .summary("answer requests over HTTP")
    .description("Serve models over HTTP, only to this machine unless --host is given.")
    .argument("<models...>", "models made by `stargram train`: MODEL or NAME=MODEL")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <n>", "port to listen on; 0: any free port", portNumber, 8650)
    .option("--token-file <file>", "file with the token that requests must send")
    .option(
      "--origin <origin>",
      "origin of pages that may send requests, such as https://example.org; may be repeated",
      repeated,
    )
    .option("--threads <n>", "number of prediction threads", threadCount, 1)
    .option("--max-body <size>", "maximum size of a request, such as 500kB or 10MB", byteSize(500_000_000), 10_000_000)
    .option("--max-requests <n>", "maximum number of requests at a time; others get 503", whole(1), 1000)
    .option("--time-limit <s>", "time limit of an answer in seconds", real(0, { above: true, most: 86_400 }), 30)
    .option("--grace <s>", "seconds to wait for pending requests when stopping", real(0, { most: 86_400 }), 30)
    .action(serve);
  explain(command, {
    notes,
    examples: [
      ["stargram serve model.sg", "http://127.0.0.1:8650/predict answers"],
      ["stargram serve pos.sg g2p=cmudict.sg --threads 2", "two models on two threads"],
      ["STARGRAM_TOKEN=… stargram serve model.sg --host 0.0.0.0", "for other machines"],
    ],
  });
}

async function serve(models: string[], flags: ServeFlags): Promise<void> {
  const token = tokenOf(flags);
  if (flags.threads > availableParallelism()) say(`${flags.threads} threads, but ${availableParallelism()} cores`);
  const interrupted = interruption();
  const server = await PredictServer.start(models, {
    ...flags,
    token,
    origins: flags.origin ?? [],
    version: packageVersion(),
  });
  await write(`${server.address}\n`);
  say(`serving ${server.served.join(", ")}; press Ctrl-C to stop`);
  await interrupted;
  say("stopping: answering pending requests");
  if (!(await server.stop())) throw new CheckFailed(`some requests took longer than ${flags.grace} s (--grace)`);
}

/** The token that requests must carry; where other machines can reach the server, there must be one. */
function tokenOf({ host, tokenFile }: ServeFlags): string | undefined {
  const token = tokenFile === undefined ? process.env.STARGRAM_TOKEN : readToken(tokenFile);
  if (token !== undefined && !/^[\x21-\x7e]{8,}$/.test(token)) {
    throw new InputError("the token must have at least 8 characters, all visible ASCII", {
      file: tokenFile,
      hint: "make one: openssl rand -hex 24",
    });
  }
  const isOwn = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (!isOwn && token === undefined) {
    throw new InputError(`other machines can reach ${host}: a token is required`, {
      hint: "set STARGRAM_TOKEN, or give --token-file FILE",
    });
  }
  return token;
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw fileError(error, file);
  }
}
