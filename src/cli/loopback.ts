// A server for pages that are on this machine alone. It listens on 127.0.0.1 and answers only requests that name it as their
// host (a page elsewhere whose name is made to point here does not) and whose path begins with a secret, made anew each time:
//   /SECRET/PATH   what the page's own `handle` answers
//   /open/KEY      leads there, once: other users can see what a browser is started with, so that must be of no further use
// Everything else is refused. Also what such a page needs around it: opening a browser, and waiting for Ctrl-C.

import { spawn } from "node:child_process";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Command, InvalidArgumentError } from "commander";
import { InputError } from "../util/errors.js";
import { whole } from "./options.js";

const loopback = "127.0.0.1";

/** Connections at a time. Browsers keep six; when there are too many, those that wait for nothing make room. */
const mostConnections = 64;

/** Answers a request to a path below the secret: `""` is the page. What it throws as `Refused` is told to the browser. */
export type Handle = (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export class LoopbackServer {
  private readonly secret = randomBytes(24).toString("base64url");
  private readonly key = randomBytes(24).toString("base64url");
  private keyIsFresh = true;
  private readonly server: Server;
  /** In the order of their last use. `isGuest`: has not shown the secret; `isBusy`: a request is being answered. */
  private readonly connections = new Map<Socket, { isGuest: boolean; isBusy: boolean }>();

  private constructor(private readonly answer: Handle) {
    this.server = createServer(
      { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000 }, // bytes, ms, ms
      (request, response) => {
        this.handle(request, response).catch((error) => fail(response, error));
      },
    );
    this.server.on("connection", (socket: Socket) => this.admit(socket));
  }

  private admit(socket: Socket): void {
    if (this.connections.size >= mostConnections) {
      const idle = [...this.connections].filter(([, { isBusy }]) => !isBusy);
      const [leaving] = idle.find(([, { isGuest }]) => isGuest) ?? idle[0] ?? [socket];
      this.connections.delete(leaving);
      leaving.destroy();
      if (leaving === socket) return;
    }
    this.connections.set(socket, { isGuest: true, isBusy: false });
    socket.once("close", () => this.connections.delete(socket));
  }

  /** Notes that a request with the secret has come, and when its answer is out. */
  private welcome(socket: Socket, response: ServerResponse): void {
    if (!this.connections.delete(socket)) return; // it is gone
    const state = { isGuest: false, isBusy: true };
    this.connections.set(socket, state);
    response.once("close", () => {
      state.isBusy = false;
    });
  }

  /** Port 0: any that is free. */
  static async start(port: number, answer: Handle): Promise<LoopbackServer> {
    const server = new LoopbackServer(answer);
    await new Promise<void>((resolve, reject) => {
      server.server.once("error", (error: NodeJS.ErrnoException) => reject(portError(error, port)));
      server.server.listen(port, loopback, resolve);
    });
    return server;
  }

  /** Where the page is, for the person who started the server. */
  get address(): string {
    return `http://${loopback}:${this.port}/${this.secret}/`;
  }

  /** Leads to the page the first time it is asked for. */
  get addressOnce(): string {
    return `http://${loopback}:${this.port}/open/${this.key}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin } = request.headers;
    const hosts = [`${loopback}:${this.port}`, `localhost:${this.port}`];
    if (!hosts.includes(host)) throw new Refused(403, "this server answers only to its own address");
    if (origin !== undefined && origin !== `http://${host}`)
      throw new Refused(403, "the request came from another page");

    const [path, query] = (request.url ?? "").split("?", 2);
    const [, first, ...rest] = path.split("/");
    if (first === "open" && rest.length === 1 && this.keyIsFresh && isSame(rest[0], this.key)) {
      allow(request, "GET");
      this.keyIsFresh = false;
      response.writeHead(303, { ...headers, Location: `/${this.secret}/` }).end();
      return;
    }
    if (first === undefined || !isSame(first, this.secret)) {
      throw new Refused(403, "open the address that the terminal shows");
    }
    this.welcome(request.socket, response);
    if (rest.length === 0 || query !== undefined) throw nothingHere();
    await this.answer(rest.join("/"), request, response);
  }
}

/** A request that is not granted. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(reason);
  }
}

export function nothingHere(): Refused {
  return new Refused(404, "there is nothing here");
}

/** What every answer carries. */
export const headers = {
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

export function sendJson(response: ServerResponse, status: number, value: object): void {
  response
    .writeHead(status, { ...headers, "Content-Type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value));
}

export function allow(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new Refused(405, `only ${method} is answered here`);
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
  } else if (error instanceof Refused) {
    response.setHeader("Connection", "close"); // what is left of the request is not read
    sendJson(response, error.status, { error: error.message });
  } else {
    const message = error instanceof InputError ? error.message : `internal error in Stargram: ${String(error)}`;
    sendJson(response, 500, { error: message });
  }
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function portError(error: NodeJS.ErrnoException, port: number, host = loopback): InputError {
  const hint = "--port 0 uses any free port";
  if (error.code === "EADDRINUSE") return new InputError(`port ${port} is in use`, { hint, cause: error });
  if (error.code === "EACCES") return new InputError(`port ${port} is reserved`, { hint, cause: error });
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new InputError(`${host} is not an address of this machine`, { cause: error });
  }
  return new InputError(`cannot listen on ${host}:${port} (${error.code})`, { hint, cause: error });
}

export interface PageFlags {
  port: number;
  open: boolean;
}

export function addPageOptions(command: Command): Command {
  return command
    .option("--port <n>", "port to listen on (default: any free port)", portNumber, 0)
    .option("--no-open", "print the address; do not open a browser");
}

export function portNumber(text: string): number {
  const value = whole(0)(text);
  if (value > 65535) throw new InvalidArgumentError("A port is at most 65535.");
  return value;
}

/** Ctrl-C, or the terminal is closed. A second Ctrl-C ends the program at once. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve();
      });
    }
  });
}

/** Starts the user's browser; where there is none, the printed address is there. */
export function openBrowser(address: string): void {
  const [program, ...words] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : ["xdg-open"];
  // Without a display, xdg-open would start a browser for terminals, in this one.
  if (program === "xdg-open" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return;
  spawn(program, [...words, address], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
