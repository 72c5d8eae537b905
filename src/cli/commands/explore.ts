// `stargram explore`: the explorer on this machine, with the models that come with it and those given. The page is built
// beforehand (scripts/build-web.mjs) and computes in the browser; here it is only served.

import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { readModelBytes } from "../../model/file.js";
import { aKind, type Explorable } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { plural } from "../../util/text.js";
import { decodeModel, taskOf } from "../../workflows/model.js";
import {
  addPageOptions,
  allow,
  headers,
  interruption,
  LoopbackServer,
  nothingHere,
  openBrowser,
  type PageFlags,
  sendJson,
} from "../loopback.js";
import { examples } from "../options.js";
import { say, write } from "../output.js";

/** Where the build puts the site, beside the compiled command. */
const site = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "web");

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".tsv": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

const policy = [
  "default-src 'none'",
  // The kernel is WebAssembly, which counts as evaluated code.
  "script-src 'self' 'wasm-unsafe-eval'",
  // Charts carry styles of their own.
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function register(program: Command): void {
  const command = program
    .command("explore")
    .summary("see how models decide, in a browser")
    .description(
      "Open a page that shows models at work: reading, pronouncing, tagging, deciphering, and how far to trust them.\n" +
        "The page is reachable only from this machine and computes in the browser. It offers MODELS besides its own.",
    )
    .argument("[models...]", "models made by `stargram train`, or language models of `stargram decipher`");
  addPageOptions(command)
    .addHelpText(
      "after",
      examples(
        ["stargram explore", "the models that come with the page"],
        ["stargram explore model.sg", "and your own model"],
        ["stargram explore --no-open --port 8000", "only print the address, for a browser of your choice"],
      ),
    )
    .action(explore);
}

async function explore(paths: string[], flags: PageFlags): Promise<void> {
  const files = await siteFiles();
  const given = await Promise.all(givenNames(paths).map(([path, name], i) => readGiven(path, name, i)));
  const server = await LoopbackServer.start(flags.port, async (path, request, response) => {
    allow(request, "GET");
    if (path === "models/given.json")
      return sendJson(
        response,
        200,
        given.map(({ bytes: _, ...entry }) => entry),
      );
    const model = given.find(({ file }) => `models/${file}` === path);
    if (model) return send(response, "", model.bytes);
    const file = files.get(path === "" ? "index.html" : path);
    if (file === undefined) throw nothingHere();
    send(response, extname(file), await readFile(file));
  });
  try {
    const interrupted = interruption();
    await write(`${server.address}\n`);
    if (given.length > 0) say(`${plural(given.length, "model")} beside those of the page`);
    if (flags.open && process.stdout.isTTY) openBrowser(server.addressOnce);
    say("press Ctrl-C to stop");
    await interrupted;
  } finally {
    await server.close();
  }
}

/** The files of the site by their path in an address. Only these can be asked for. */
async function siteFiles(): Promise<Map<string, string>> {
  let found: Dirent[];
  try {
    found = await readdir(site, { recursive: true, withFileTypes: true });
  } catch (cause) {
    throw new InputError("the page is not built", { hint: "in a clone of the repository: npm run build:web", cause });
  }
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(site, file).split(sep).join("/"), file]));
}

interface Given extends Explorable {
  id: string;
  name: string;
  kind: string;
  /** In models/. */
  file: string;
  bytes: Uint8Array;
}

/** The files given, each once, by a name that no other has: that of the file, or where two have the same, the path. */
function givenNames(paths: readonly string[]): [path: string, name: string][] {
  const names = [...new Set(paths)].map((path): [string, string] => [path, basename(path)]);
  return names.map(([path, name]) => [path, names.filter((other) => other[1] === name).length > 1 ? path : name]);
}

/** Reads a model once, to refuse here what the page would have to refuse. */
async function readGiven(path: string, name: string, index: number): Promise<Given> {
  const bytes = await readModelBytes(path);
  const model = decodeModel(bytes, path);
  const task = taskOf(model);
  task.checkUsable?.(model, path);
  if (!task.explorable) throw new InputError(`the page has no view for ${aKind(task)}`, { file: path });
  let found: Explorable;
  try {
    found = task.explorable(model);
  } catch (error) {
    throw error instanceof InputError ? new InputError(error.reason, { file: path, hint: error.hint }) : error;
  }
  return { id: `given:${name}`, name, file: `given-${index + 1}.sg`, bytes, kind: task.kind, ...found };
}

function send(response: ServerResponse, extension: string, content: Uint8Array): void {
  response
    .writeHead(200, {
      ...headers,
      "Content-Type": types[extension] ?? "application/octet-stream",
      "Content-Length": content.length,
      "Content-Security-Policy": policy,
    })
    .end(content);
}
