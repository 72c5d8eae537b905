// POST /predict: JSON, JSON Lines or text, answered in the same form.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { LineBlock } from "../../formats/line-blocks.js";
import { InputError } from "../../util/errors.js";
import { headers, Refused } from "../loopback.js";
import type { PredictAsked } from "../predicting.js";
import { askedFrom, optionsFromQuery } from "./asked.js";
import { type BodyLimits, lineBlocks, linesOf, wholeBody, writePiece } from "./body.js";
import type { Metrics } from "./metrics.js";
import type { Models, ServedModel } from "./models.js";
import { type Pool, TookTooLong } from "./pool.js";
import type { Outcome, Refusal, Work } from "./work.js";

export interface Desk {
  models: Models;
  pool: Pool;
  metrics: Metrics;
  limits: BodyLimits;
}

/** A refusal with the place of what is wrong. */
export class RefusedInput extends Refused {
  constructor(
    readonly details: { error: string; hint?: string; input?: number; line?: number; column?: number },
    status = 400,
  ) {
    super(status, details.error);
  }
}

/** Lines of a stream that go to a thread together, and such parts that are under way at a time. */
const PART_LINES = 64;
const PARTS_AHEAD = 4;

/** One request at one model, replaced meanwhile or not. */
class Predicting {
  constructor(
    private readonly desk: Desk,
    readonly model: ServedModel,
    private readonly asked: PredictAsked,
  ) {}

  async outcome(form: Work["form"], lines: LineBlock): Promise<Outcome> {
    const { pool, metrics } = this.desk;
    const outcome = await pool.predict({ model: this.model.number, asked: this.asked, form, lines }).catch((error) => {
      if (!(error instanceof TookTooLong)) throw error;
      const seconds = this.desk.limits.milliseconds / 1000;
      throw new Refused(503, `the answer took longer than ${seconds} s (--time-limit): send less at a time, or later`);
    });
    if (outcome.fault !== undefined) throw new Error(outcome.fault);
    metrics.predicted(this.model.name, outcome.count);
    return outcome;
  }
}

export async function predict(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const type = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") throw new Refused(415, "send the body uncompressed");
  switch (type) {
    case "application/json":
      return predictJson(desk, request, response, query);
    case "application/x-ndjson":
    case "application/jsonl":
    case "application/x-jsonlines":
      return predictStream(desk, request, response, query);
    case "text/plain":
      return predictText(desk, request, response, query);
    default:
      throw new Refused(415, "send application/json, application/x-ndjson or text/plain as Content-Type");
  }
}

async function predictJson(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const given = bodyObject(await wholeBody(request, desk.limits));
  if ([...query].length > 0) throw new Refused(400, "with JSON, put options into the body");
  const { model: name, inputs, document, ...options } = given;
  if (name !== undefined && typeof name !== "string") throw new Refused(400, "`model` must be a string");
  if ((inputs === undefined) === (document === undefined)) throw new Refused(400, "give `inputs` or `document`");
  if (inputs !== undefined) checkInputs(inputs);
  else if (typeof document !== "string") throw new Refused(400, "`document` must be a string");
  await withModel(desk, name, async (model) => {
    const predicting = new Predicting(
      desk,
      model,
      refusing(() => askedFrom(model.task, options, true)),
    );
    const lines =
      inputs !== undefined
        ? { first: 1, lines: inputs.map((input) => JSON.stringify(input)) }
        : await linesOf(Buffer.from(document as string));
    const empty: Outcome = { out: "", said: [], count: 0 };
    const outcome = inputs?.length === 0 ? empty : await predicting.outcome(inputs ? "values" : "document", lines);
    if (outcome.refused) throw inputRefused(outcome.refused, inputs !== undefined);
    const predictions = outcome.out.split("\n").filter((line) => line !== "");
    const notices = outcome.said.length > 0 ? `,"notices":${JSON.stringify([...new Set(outcome.said)])}` : "";
    const about = `"model":${JSON.stringify(model.name)},"version":"${model.version}"`;
    send(response, model, "application/json", `{${about},"predictions":[${predictions.join(",")}]${notices}}\n`);
  });
}

function bodyObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Refused(400, `the body is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refused(400, "the body must be an object with `inputs` or `document`");
}

function checkInputs(inputs: unknown): asserts inputs is (string | object)[] {
  if (!Array.isArray(inputs)) throw new Refused(400, "`inputs` must be an array");
  inputs.forEach((input, i) => {
    if (typeof input === "string" || (typeof input === "object" && input !== null && !Array.isArray(input))) return;
    throw new RefusedInput({ error: `inputs[${i}] must be a string or an object`, input: i });
  });
}

/** A text as `predict` reads it, answered as it prints. */
async function predictText(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const wanted = query.get("json");
  query.delete("json");
  const accepts = (request.headers.accept ?? "").includes("application/x-ndjson");
  const json = wanted === null ? accepts : wanted !== "false";
  const bytes = await wholeBody(request, desk.limits);
  await withModel(desk, takeModel(query), async (model) => {
    const asked = refusing(() => askedFrom(model.task, optionsFromQuery(model.task, query), json));
    const outcome = await new Predicting(desk, model, asked).outcome("document", await readLines(bytes));
    if (outcome.refused) throw inputRefused(outcome.refused, false);
    send(response, model, json ? "application/x-ndjson" : "text/plain", outcome.out);
  });
}

/** JSON Lines, answered as they come: a few parts are under way at a time, and no more are read before one is out. */
async function predictStream(
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  await withModel(desk, takeModel(query), async (model) => {
    const asked = refusing(() => askedFrom(model.task, optionsFromQuery(model.task, query), true));
    const predicting = new Predicting(desk, model, asked);
    const { milliseconds } = desk.limits;
    const waiting: Promise<Outcome>[] = [];
    const begin = (): void => {
      if (!response.headersSent) response.writeHead(200, answerHeaders(model, "application/x-ndjson"));
    };
    const printNext = async (): Promise<void> => {
      const { out, refused } = (await waiting.shift()) as Outcome;
      if (refused && !response.headersSent && out === "") throw inputRefused(refused, false);
      begin();
      if (out !== "") await writePiece(response, out, milliseconds);
      if (refused) throw inputRefused(refused, false);
    };
    try {
      for await (const part of parts(lineBlocks(request, desk.limits))) {
        const outcome = predicting.outcome("values", part);
        outcome.catch(() => undefined); // heard of when its turn comes
        waiting.push(outcome);
        if (waiting.length >= PARTS_AHEAD) await printNext();
      }
      while (waiting.length > 0) await printNext();
      begin();
      response.end();
    } catch (error) {
      if (!response.headersSent || response.destroyed) throw refusedOf(error) ?? error;
      response.end(`${JSON.stringify(errorJson(error))}\n`);
    }
  });
}

async function* parts(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  for await (const { first, lines } of blocks) {
    for (let i = 0; i < lines.length; i += PART_LINES) {
      yield { first: first + i, lines: lines.slice(i, i + PART_LINES) };
    }
  }
}

function takeModel(query: URLSearchParams): string | undefined {
  const name = query.get("model") ?? undefined;
  query.delete("model");
  return name;
}

/** Runs with a model that stays until the answer is out. */
async function withModel(
  { models }: Desk,
  name: string | undefined,
  run: (model: ServedModel) => Promise<void>,
): Promise<void> {
  const model = refusing(() => models.get(name), name === undefined ? 400 : 404);
  const use = models.use(model);
  try {
    await run(model);
  } finally {
    use.done();
  }
}

async function readLines(bytes: Buffer): Promise<LineBlock> {
  try {
    return await linesOf(bytes);
  } catch (error) {
    throw refusedOf(error) ?? error;
  }
}

/** What is wrong with what was asked for becomes a refusal. */
function refusing<T>(run: () => T, status = 400): T {
  try {
    return run();
  } catch (error) {
    throw refusedOf(error, status) ?? error;
  }
}

function refusedOf(error: unknown, status = 400): Refused | undefined {
  if (error instanceof Refused) return error;
  if (!(error instanceof InputError)) return undefined;
  const { reason, line, column, hint } = error;
  return new RefusedInput({ error: placed(reason, line), line, column, hint }, status);
}

/** With `inputs`, lines are their places. */
function inputRefused({ reason, line, column, hint }: Refusal, isInputs: boolean): RefusedInput {
  if (!isInputs || line === undefined) return new RefusedInput({ error: placed(reason, line), line, column, hint });
  return new RefusedInput({ error: `inputs[${line - 1}]: ${reason}`, input: line - 1, column, hint });
}

function placed(reason: string, line: number | undefined): string {
  return line === undefined ? reason : `line ${line}: ${reason}`;
}

export function errorJson(error: unknown): Record<string, unknown> {
  const known = refusedOf(error);
  if (known instanceof RefusedInput) return known.details;
  if (known) return { error: known.message };
  return { error: `internal error in Stargram: ${error instanceof Error ? error.message : String(error)}` };
}

function answerHeaders({ name, version }: ServedModel, type: string): Record<string, string> {
  return { ...headers, "Content-Type": `${type}; charset=utf-8`, "Stargram-Model": `${name}@${version}` };
}

function send(response: ServerResponse, model: ServedModel, type: string, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(200, { ...answerHeaders(model, type), "Content-Length": bytes.length }).end(bytes);
}
