// The server of the review page. It listens on 127.0.0.1 alone and answers only requests that name it as their host (a page
// elsewhere whose name is made to point here does not) and whose path begins with a secret, made anew each time:
//   GET  /SECRET/          the page            GET /open/KEY    leads there, once: other users can see what a browser is
//   GET  /SECRET/item      the item to begin with               started with, so that must be of no further use
//   POST /SECRET/answer    an action (see protocol.ts)
// Nothing in a request names a file, and everything else is refused.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { InputError } from "../../core/errors.js";
import { type PageText, pageHtml } from "./page.js";
import type { Refusal, ReviewAction } from "./protocol.js";
import type { ReviewSession } from "./session.js";

const loopback = "127.0.0.1";
const mostBodyBytes = 64 * 1024;

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const actionSchema: v.GenericSchema<unknown, ReviewAction> = v.variant("action", [
  v.strictObject({ action: v.literal("answer"), index, text: v.string(), again: v.boolean() }),
  v.strictObject({ action: v.literal("skip"), index, again: v.boolean() }),
  v.strictObject({ action: v.literal("draft"), index, text: v.string() }),
  v.strictObject({ action: v.literal("undo") }),
  v.strictObject({ action: v.literal("again") }),
]);

export interface ReviewServerOptions {
  session: ReviewSession;
  /** 0: any that is free. */
  port: number;
  /** What the page says beside the items. */
  text: PageText;
  /** The page's program. */
  script: string;
  /** Called after each action. */
  onAction(): void;
}

export class ReviewServer {
  private readonly secret = randomBytes(24).toString("base64url");
  private readonly key = randomBytes(24).toString("base64url");
  private keyIsFresh = true;
  private readonly server: Server;

  private constructor(private readonly options: ReviewServerOptions) {
    this.server = createServer(
      { maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000 }, // bytes, ms, ms
      (request, response) => {
        this.handle(request, response).catch((error) => this.fail(response, error));
      },
    );
    this.server.maxConnections = 64;
  }

  static async start(options: ReviewServerOptions): Promise<ReviewServer> {
    const server = new ReviewServer(options);
    await new Promise<void>((resolve, reject) => {
      server.server.once("error", (error: NodeJS.ErrnoException) => reject(portError(error, options.port)));
      server.server.listen(options.port, loopback, resolve);
    });
    return server;
  }

  /** Where the page is, for the person who started the review. */
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
    if (!hosts.includes(host)) throw new Refused(403, "this server answers to its own address alone");
    if (origin !== undefined && origin !== `http://${host}`) throw new Refused(403, "asked from another page");

    const [path, query] = (request.url ?? "").split("?", 2);
    const [, first, second, ...rest] = path.split("/");
    if (first === "open" && second !== undefined && this.keyIsFresh && isSame(second, this.key) && rest.length === 0) {
      allow(request, "GET");
      this.keyIsFresh = false;
      response.writeHead(303, { ...headers, Location: `/${this.secret}/` }).end();
      return;
    }
    if (first === undefined || !isSame(first, this.secret)) {
      throw new Refused(403, "open the address that the terminal shows");
    }
    if (rest.length > 0 || query !== undefined) throw new Refused(404, "there is nothing here");
    switch (second) {
      case "":
        allow(request, "GET");
        return this.sendPage(response);
      case "item":
        allow(request, "GET");
        return sendJson(response, 200, this.options.session.first());
      case "answer": {
        allow(request, "POST");
        const view = await this.options.session.perform(await readAction(request));
        this.options.onAction();
        return sendJson(response, 200, view);
      }
      default:
        throw new Refused(404, "there is nothing here");
    }
  }

  private sendPage(response: ServerResponse): void {
    const nonce = randomBytes(16).toString("base64url");
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ];
    response
      .writeHead(200, {
        ...headers,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy.join("; "),
      })
      .end(pageHtml({ ...this.options.text, nonce, script: this.options.script }));
  }

  private fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
    } else if (error instanceof Refused) {
      response.setHeader("Connection", "close"); // what is left of the request is not read
      sendJson(response, error.status, { error: error.message } satisfies Refusal);
    } else {
      const message = error instanceof InputError ? error.message : `a fault in Stargram: ${String(error)}`;
      sendJson(response, 500, { error: message } satisfies Refusal);
    }
  }
}

/** A request that is not granted. */
class Refused extends Error {
  constructor(
    readonly status: number,
    reason: string,
  ) {
    super(reason);
  }
}

const headers = {
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

function sendJson(response: ServerResponse, status: number, value: object): void {
  response
    .writeHead(status, { ...headers, "Content-Type": "application/json; charset=utf-8" })
    .end(JSON.stringify(value));
}

function allow(request: IncomingMessage, method: string): void {
  if (request.method !== method) throw new Refused(405, `only ${method} is answered here`);
}

async function readAction(request: IncomingMessage): Promise<ReviewAction> {
  if (request.headers["content-type"] !== "application/json") throw new Refused(415, "JSON is expected");
  const chunks: Uint8Array[] = [];
  let length = 0; // bytes
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > mostBodyBytes) throw new Refused(413, "too long for an answer");
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refused(400, "not JSON");
  }
  const action = v.safeParse(actionSchema, value);
  if (!action.success) throw new Refused(400, "not an action of the review page");
  return action.output;
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function portError(error: NodeJS.ErrnoException, port: number): InputError {
  const hint = "leave --port out to take any that is free";
  if (error.code === "EADDRINUSE") return new InputError(`port ${port} is in use`, { hint, cause: error });
  if (error.code === "EACCES") return new InputError(`port ${port} is reserved`, { hint, cause: error });
  return new InputError(`cannot listen on ${loopback}:${port} (${error.code})`, { hint, cause: error });
}
