// The server of the review page: on this machine alone, behind a secret (see loopback.ts).
//   GET  ""        the page
//   GET  item      the item to begin with
//   POST answer    an action (see protocol.ts)
// Nothing in a request names a file, and everything else is refused.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as v from "valibot";
import { allow, headers, LoopbackServer, nothingHere, Refused, sendJson } from "../loopback.js";
import { filledPage, type PageText } from "./page.js";
import type { ReviewAction } from "./protocol.js";
import { OutOfDate, type ReviewSession } from "./session.js";

const mostBodyBytes = 64 * 1024;

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const revision = v.optional(index);
const actionSchema: v.GenericSchema<unknown, ReviewAction> = v.variant("action", [
  v.strictObject({ action: v.literal("answer"), index, text: v.string(), again: v.boolean(), revision }),
  v.strictObject({ action: v.literal("skip"), index, again: v.boolean(), revision }),
  v.strictObject({ action: v.literal("draft"), index, text: v.string(), revision }),
  v.strictObject({ action: v.literal("undo"), revision }),
  v.strictObject({ action: v.literal("again"), revision }),
]);

export interface ReviewServerOptions {
  session: ReviewSession;
  /** 0: any that is free. */
  port: number;
  /** The page, and what it says beside the items. */
  page: string;
  text: PageText;
  /** Called after each action. */
  onAction(): void;
}

export function startReviewServer(options: ReviewServerOptions): Promise<LoopbackServer> {
  const { session } = options;
  return LoopbackServer.start(options.port, async (path, request, response) => {
    switch (path) {
      case "":
        allow(request, "GET");
        return sendPage(response, options);
      case "item":
        allow(request, "GET");
        return sendJson(response, 200, session.first());
      case "answer": {
        allow(request, "POST");
        const action = await readAction(request);
        if ("index" in action && action.index >= session.total) {
          throw new Refused(404, `there is no item ${action.index + 1}`);
        }
        const view = await session.perform(action).catch((error) => {
          throw error instanceof OutOfDate ? new Refused(409, error.message) : error;
        });
        options.onAction();
        return sendJson(response, 200, view);
      }
      default:
        throw nothingHere();
    }
  });
}

function sendPage(response: ServerResponse, { page, text }: ReviewServerOptions): void {
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
    .end(filledPage(page, { ...text, nonce }));
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
