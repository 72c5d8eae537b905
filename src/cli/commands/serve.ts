// `stargram serve`: models behind HTTP, for programs in other languages and on other machines.

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { fileError } from "../../formats/lines.js";
import { InputError } from "../../util/errors.js";
import { interruption, portNumber } from "../loopback.js";
import { examples, real, repeated, threadCount, whole } from "../options.js";
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
  POST /predict         JSON {"inputs": […]}, JSON Lines (application/x-ndjson, answered as they come) or text
                        (text/plain, read and answered as by \`stargram predict\`)
  GET  /models, /health, /metrics, /openapi.json
  MODEL                 NAME=FILE gives it another name than its file has. A file that is replaced is loaded again
  --host                with an address that other machines can reach, a token is required: in the file of --token-file, or
                        in the environment as STARGRAM_TOKEN. Clients send it as \`Authorization: Bearer TOKEN\`. There is no
                        TLS: put a proxy that has it in front
  SIGTERM, Ctrl-C       takes no more connections, answers what has come, and ends`;

export function register(program: Command): void {
  program
    .command("serve")
    .summary("answer requests over HTTP")
    .description("Serve models over HTTP, on this machine alone unless --host says otherwise.")
    .argument("<models...>", "models made by `stargram train`: MODEL or NAME=MODEL")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <n>", "port to listen on; 0: any that is free", portNumber, 8650)
    .option("--token-file <file>", "file with the token that requests must carry")
    .option("--origin <origin>", "pages that may ask, such as https://example.org; may be repeated", repeated)
    .option("--threads <n>", "threads to predict with", threadCount, 1)
    .option("--max-body <size>", "most bytes of a request, such as 500kB or 10MB", byteSize(500_000_000), 10_000_000)
    .option("--max-requests <n>", "most requests at a time; others get 503", whole(1), 1000)
    .option("--time-limit <s>", "seconds that an answer may take", real(0, { above: true, most: 86_400 }), 30)
    .option("--grace <s>", "seconds that requests have to end in when the server stops", real(0, { most: 86_400 }), 30)
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram serve model.sg", "http://127.0.0.1:8650/predict answers"],
        ["stargram serve pos.sg g2p=cmudict.sg --threads 2", "two models, each by its name, on two threads"],
        ["STARGRAM_TOKEN=… stargram serve model.sg --host 0.0.0.0", "for other machines"],
      ),
    )
    .action(serve);
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
  say(`serving ${server.served.join(", ")}; Ctrl-C ends it`);
  await interrupted;
  say("stopping: requests that have come are answered");
  if (!(await server.stop())) throw new CheckFailed(`some requests took longer than ${flags.grace} s (--grace) to end`);
}

/** The token that requests must carry; where other machines can reach the server, there must be one. */
function tokenOf({ host, tokenFile }: ServeFlags): string | undefined {
  const token = tokenFile === undefined ? process.env.STARGRAM_TOKEN : readToken(tokenFile);
  if (token !== undefined && !/^[\x21-\x7e]{8,}$/.test(token)) {
    throw new InputError("the token must have at least 8 characters, and none but visible ones of ASCII", {
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
