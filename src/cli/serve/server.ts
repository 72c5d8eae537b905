// `stargram serve`: models behind HTTP.
//   POST /predict        see predict-request.ts
//   GET  /models         what is served
//   GET  /health         whether it answers; needs no token
//   GET  /metrics        for Prometheus
//   GET  /openapi.json   all of this for programs
// Without a token, it answers only to the names of this machine's loopback, so that a page elsewhere whose name is made to point
// here gets nothing; pages of other origins than those allowed get nothing in any case.

import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import { nothingHere, portError, Refused, sendJson } from "../loopback.js";
import { Metrics, one } from "./metrics.js";
import { Models } from "./models.js";
import { openApi } from "./openapi.js";
import { Pool } from "./pool.js";
import { errorJson, predict } from "./predict-request.js";

export interface ServeOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  token?: string;
  /** Origins of pages that may ask; `*` for all. */
  origins: readonly string[];
  threads: number;
  /** Bytes of a body. */
  maxBody: number;
  /** Requests that are answered at a time. */
  maxRequests: number;
  /** Seconds for an answer, for a body to come and for an answer to be read. */
  timeLimit: number;
  /** Seconds that requests have to end in when the server stops. */
  grace: number;
  version: string;
}

/** Connections at a time: idle ones cost some kilobytes. */
const MOST_CONNECTIONS = 10_000;
/** How long a connection may be idle between requests. */
const KEPT_ALIVE = 65_000; // ms
/** While the server stops, connections that are idle stay for a moment: a request may be on its way. */
const LAST_REQUESTS = 500; // ms
/** How long the rest of a refused body is read and forgotten, so that the client gets to the answer. */
const LINGER = 1000; // ms

const getPaths = ["/models", "/health", "/metrics", "/openapi.json"];

export class PredictServer {
  private readonly server: Server;
  private readonly metrics = new Metrics();
  private inProgress = 0;
  private isStopping = false;

  private constructor(
    private readonly options: ServeOptions,
    private readonly models: Models,
    private readonly pool: Pool,
  ) {
    const { timeLimit } = options;
    this.server = createServer(
      {
        maxHeaderSize: 16 * 1024,
        headersTimeout: 20_000, // ms
        requestTimeout: 0, // bodies have limits of their own: see body.ts
        keepAliveTimeout: KEPT_ALIVE,
        connectionsCheckingInterval: 5_000, // ms
      },
      (request, response) => void this.answer(request, response),
    );
    this.server.on("checkContinue", (request, response) => void this.answer(request, response));
    this.server.maxConnections = MOST_CONNECTIONS;
    this.server.timeout = 2 * KEPT_ALIVE + timeLimit * 1000; // ms without a byte either way
  }

  static async start(words: readonly string[], options: ServeOptions): Promise<PredictServer> {
    const pool = new Pool(options.threads, options.timeLimit * 1000);
    let models: Models | undefined;
    try {
      models = await Models.open(words, pool);
      const server = new PredictServer(options, models, pool);
      await server.listen();
      return server;
    } catch (error) {
      models?.close();
      await pool.close();
      throw error;
    }
  }

  private listen(): Promise<void> {
    const { host, port } = this.options;
    return new Promise((resolve, reject) => {
      this.server.once("error", (error: NodeJS.ErrnoException) => reject(portError(error, port, host)));
      this.server.listen({ host, port, backlog: 2048 }, resolve);
    });
  }

  get address(): string {
    const { address, family, port } = this.server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`;
  }

  get served(): readonly string[] {
    return this.models.all().map(({ name }) => name);
  }

  /** Takes no more connections, answers what has come, and ends. False if some requests had to be left. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    this.models.close();
    // http's own close() would cut connections on which a request may be on its way.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(this.server, resolve));
    const began = performance.now();
    const isOver = () => performance.now() - began > this.options.grace * 1000;
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
    while ((this.inProgress > 0 || performance.now() - began < LAST_REQUESTS) && !isOver()) await pause();
    const isDone = this.inProgress === 0;
    this.server.closeIdleConnections();
    if (isDone) await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LINGER))]);
    this.server.closeAllConnections();
    await this.pool.close();
    return isDone;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    const [path = "", query] = (request.url ?? "").split("?", 2);
    this.inProgress++;
    if (this.isStopping) response.setHeader("Connection", "close");
    response.once("close", () => {
      this.inProgress--;
      const isKnown = path === "/predict" || getPaths.includes(path);
      const code = response.headersSent ? response.statusCode : 499; // the client has gone
      this.metrics.request(isKnown ? path : "other", code, (performance.now() - began) / 1000);
    });
    try {
      await this.route(path, new URLSearchParams(query), request, response);
      this.watchReader(response);
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  private async route(
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.checkOrigin(request, response);
    if (request.method === "OPTIONS") return preflight(response);
    if (path !== "/health") this.checkToken(request);
    if (path === "/predict") {
      allow(request, response, ["POST"]);
      if (this.inProgress > this.options.maxRequests) throw this.tooMany(response);
      if (request.headers.expect !== undefined) response.writeContinue();
      const limits = { bytes: this.options.maxBody, milliseconds: this.options.timeLimit * 1000 };
      await predict({ models: this.models, pool: this.pool, metrics: this.metrics, limits }, request, response, query);
      return;
    }
    if (!getPaths.includes(path)) throw nothingHere();
    allow(request, response, ["GET", "HEAD"]);
    if (path === "/metrics") sendText(response, this.metricsText());
    else if (path === "/health") {
      sendJson(response, this.isStopping ? 503 : 200, { status: this.isStopping ? "stopping" : "ok" });
    } else if (path === "/models") sendJson(response, 200, { models: this.models.all().map(modelJson) });
    else sendJson(response, 200, openApi(this.models.all(), this.options.version, this.options.token !== undefined));
  }

  /** Refuses names that are not this machine's, unless a token shows who asks, and pages of other origins. */
  private checkOrigin({ headers: { host = "", origin } }: IncomingMessage, response: ServerResponse): void {
    const { token, origins } = this.options;
    if (token === undefined && !/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)) {
      throw new Refused(403, "this server answers only to its own address");
    }
    if (origin === undefined || origin === `http://${host}`) return;
    if (!origins.includes(origin) && !origins.includes("*")) {
      throw new Refused(403, `pages of ${origin} may not use this server (--origin)`);
    }
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Expose-Headers", "Stargram-Model, Retry-After");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    response.setHeader("Vary", "Origin");
  }

  private checkToken({ headers: { authorization = "" } }: IncomingMessage): void {
    const { token } = this.options;
    if (token === undefined) return;
    const hash = (text: string) => createHash("sha256").update(text).digest();
    if (timingSafeEqual(hash(authorization), hash(`Bearer ${token}`))) return;
    throw new Refused(401, "send the server's token: `Authorization: Bearer TOKEN`");
  }

  private tooMany(response: ServerResponse): Refused {
    response.setHeader("Retry-After", "1");
    return new Refused(
      503,
      `more than ${this.options.maxRequests} requests at a time (--max-requests): try again later`,
    );
  }

  /** A client that does not read its answer is left. */
  private watchReader(response: ServerResponse): void {
    if (response.writableFinished) return;
    const slow = setTimeout(() => response.destroy(), this.options.timeLimit * 1000);
    response.once("close", () => clearTimeout(slow));
  }

  private fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const status = error instanceof Refused ? error.status : 500;
    if (status === 401) response.setHeader("WWW-Authenticate", "Bearer");
    if (request.complete) {
      sendJson(response, status, errorJson(error));
      return;
    }
    // The client is still sending: closed at once, its connection would be reset before it has read the answer.
    response.setHeader("Connection", "close");
    const text = JSON.stringify(errorJson(error));
    response.writeHead(status, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(text),
    });
    response.write(text);
    const end = () => response.end();
    const timer = setTimeout(end, LINGER);
    request.once("end", end).once("error", end).resume();
    response.once("close", () => clearTimeout(timer));
  }

  private metricsText(): string {
    const { batches, batched, replaced } = this.pool.counts;
    const { done, refused } = this.models.reloads;
    return this.metrics.text([
      one("stargram_requests_in_progress", "gauge", "Requests that are being answered.", this.inProgress),
      one("stargram_work_waiting", "gauge", "Requests, or blocks of them, waiting for a thread.", this.pool.waiting),
      one("stargram_batches_total", "counter", "Batches sent to threads.", batches),
      one("stargram_batched_total", "counter", "Requests, or blocks of them, in these batches.", batched),
      one("stargram_threads_replaced_total", "counter", "Threads that stopped or took too long.", replaced),
      {
        name: "stargram_reloads_total",
        type: "counter",
        help: "Model files that were replaced.",
        values: [
          [{ result: "loaded" }, done],
          [{ result: "refused" }, refused],
        ],
      },
      {
        name: "stargram_model_info",
        type: "gauge",
        help: "Models served.",
        values: this.models.all().map(({ name, version, task }) => [{ model: name, version, kind: task.kind }, 1]),
      },
    ]);
  }
}

function modelJson({ name, task, version, bytes, loaded, contents }: ReturnType<Models["get"]>): object {
  return { name, kind: task.kind, version, bytes, loaded: loaded.toISOString(), contents };
}

function preflight(response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Methods", "GET, POST");
  response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.setHeader("Access-Control-Max-Age", "600");
  response.writeHead(204).end();
}

function allow(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): void {
  if (methods.includes(request.method ?? "")) return;
  response.setHeader("Allow", methods.join(", "));
  throw new Refused(405, `only ${methods[0]} is answered here`);
}

function sendText(response: ServerResponse, text: string): void {
  response
    .writeHead(200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store" })
    .end(text);
}
