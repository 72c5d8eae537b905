// The explorer as `stargram explore` serves it, for tests in a browser. The site and its models are made once and kept (see
// scripts/build-web.mjs), so only the first run of all takes long.

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { ended, Folder, type Ran, until } from "../cli/helpers.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const siteFolder = new URL("../../dist/web/", import.meta.url);
const models = fileURLToPath(new URL("models", siteFolder));

/** ms: making the models takes a minute of one core. */
export const longBuild = 600_000;

export function buildSite(): void {
  const done = spawnSync(process.execPath, [join(root, "scripts", "build-web.mjs")], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
}

/** The text of a file that comes with the site's models. */
export function modelData(name: string): string {
  return readFileSync(join(models, name), "utf8");
}

export class Explorer {
  readonly folder = new Folder();
  address = "";
  private end: Promise<Ran> | undefined;
  private child: ReturnType<Folder["start"]> | undefined;

  /** Starts the command, with models of the folder if any are named. */
  async start(...names: string[]): Promise<void> {
    const child = this.folder.start("explore", "--no-open", ...names);
    let out = "";
    child.stdout?.on("data", (text) => {
      out += text;
    });
    this.child = child;
    this.end = ended(child);
    await until(() => out.includes("/\n") || child.exitCode !== null);
    this.address = /http:\S+/.exec(out)?.[0] ?? "";
  }

  async stop(): Promise<void> {
    this.child?.kill("SIGKILL");
    await this.end;
    this.folder.remove();
  }

  /** Puts a model of the site into the folder, for the command line to use. */
  model(id: string): string {
    return this.folder.write(`${id}.sg`, gunzipSync(readFileSync(join(models, `${id}.sg.gz`))));
  }

  data(name: string): string {
    copyFileSync(join(models, name), this.folder.file(name));
    return name;
  }

  /** What a command prints as JSON. */
  async json<T>(words: string[], input?: string): Promise<T> {
    const { code, out, error } = await this.folder.run([...words, "--json"], input);
    if (code !== 0) throw new Error(error);
    return JSON.parse(out.trim().split("\n")[0]) as T;
  }
}

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** The site on a host as plain as can be, in a folder of it: no headers but the type, nothing packed. */
export class PlainHost {
  private readonly server = createServer(async ({ url = "" }, response) => {
    const path = decodeURIComponent(url.replace(/^\/some\/folder\//, "")) || "index.html";
    try {
      const content = await readFile(new URL(path, siteFolder));
      response.writeHead(200, { "Content-Type": types[extname(path)] ?? "application/octet-stream" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });

  /** Returns the address: a name that leads here in every browser, and is trusted as a host with a certificate is. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://explorer.localhost:${(this.server.address() as AddressInfo).port}/some/folder/`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
