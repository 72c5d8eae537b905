// A thread of the server: holds models and predicts for what it is given, one batch after another.

import { parentPort } from "node:worker_threads";
import { InputError } from "../../util/errors.js";
import { checkSets } from "../../workflows/coverage.js";
import { checkSpans } from "../../workflows/found-spans.js";
import { decodeModel, predictorOf } from "../../workflows/model.js";
import { collectOutput, takeOutput } from "../output.js";
import { type PredictAsked, predictInputs } from "../predicting.js";
import { ReviewDesk } from "../review-desk.js";
import { readsJsonLines } from "./asked.js";
import type { FromThread, ModelBytes, Outcome, ToThread, Work } from "./work.js";

type Loaded = ReturnType<typeof predictorOf>;

const models = new Map<number, Loaded>();
collectOutput();

let before: Promise<void> = Promise.resolve();

parentPort?.on("message", (message: ToThread) => {
  before = before.then(() => follow(message));
});

function tell(message: FromThread): void {
  parentPort?.postMessage(message);
}

async function follow(message: ToThread): Promise<void> {
  if ("load" in message) return load(message.load);
  if ("drop" in message) {
    models.get(message.drop)?.model.dispose?.();
    models.delete(message.drop);
    return;
  }
  const outcomes: Outcome[] = [];
  for (const work of message.batch) outcomes.push(await outcomeOf(work));
  tell({ outcomes });
}

function load({ number, path, bytes }: ModelBytes): void {
  try {
    const found = predictorOf(decodeModel(bytes, path), "serve", path);
    models.set(number, found);
    tell({ loaded: number, kind: found.task.kind, contents: found.task.contents(found.model) });
  } catch (error) {
    const { reason, hint } = error instanceof InputError ? error : { reason: String(error), hint: undefined };
    tell({ refused: number, reason, hint });
  }
}

async function outcomeOf(work: Work): Promise<Outcome> {
  let fault: string | undefined;
  let refused: Outcome["refused"];
  let count = 0;
  try {
    const loaded = models.get(work.model);
    if (!loaded) throw new Error("the thread has no such model");
    checkPromise(loaded, work.asked);
    count = await (work.form === "document" ? predictDocument(loaded, work) : predictValues(loaded, work));
  } catch (error) {
    if (error instanceof InputError) {
      const { reason, line, column, hint } = error;
      refused = { reason, line, column, hint };
    } else fault = error instanceof Error ? error.message : String(error);
  }
  return { ...takeOutput(), count, refused, fault };
}

function checkPromise({ task, model }: Loaded, { coverage, recall, unit = "sequence" }: PredictAsked): void {
  if (coverage !== undefined) checkSets(task, unit);
  if (recall !== undefined) checkSpans(task, model);
}

/** All inputs of a text, as `predict` reads and prints them. */
async function predictDocument({ task, model }: Loaded, { asked, lines }: Work): Promise<number> {
  const counting = { inputs: 0 };
  const blocks = lines.lines.length > 0 ? [lines] : [];
  await predictInputs(counted(task, counting), model, { blocks }, asked, await ReviewDesk.open(undefined));
  return counting.inputs;
}

/** A task that counts the inputs it reads. */
function counted(task: Loaded["task"], counting: { inputs: number }): Loaded["task"] {
  const { predicting } = task;
  async function* inputs(...given: Parameters<typeof predicting.inputs>): AsyncGenerator<unknown> {
    for await (const input of predicting.inputs(...given)) {
      counting.inputs++;
      yield input;
    }
  }
  return { ...task, predicting: { ...predicting, inputs } };
}

/** One prediction for each line. Lines of objects that follow each other are read together. */
async function predictValues(loaded: Loaded, { asked, lines: { first, lines } }: Work): Promise<number> {
  const { task, model } = loaded;
  const desk = await ReviewDesk.open(undefined);
  const counting = { inputs: 0 };
  const counts = counted(task, counting);
  for (let i = 0; i < lines.length; ) {
    let end = i + 1;
    if (lines[i].trim() === "") {
      i = end;
      continue;
    }
    const isText = lines[i].startsWith('"');
    if (!isText) while (end < lines.length && /^\s*[^"\s]/.test(lines[end])) end++;
    const expected = counting.inputs + end - i;
    if (isText) {
      const block = { first: 1, lines: textOf(lines[i], first + i).split(/\r?\n/) };
      await predictInputs(counts, model, { blocks: [block] }, asked, desk, { isByLine: false }).catch((error) => {
        throw error instanceof InputError
          ? new InputError(error.message, { line: first + i, hint: error.hint })
          : error;
      });
    } else {
      if (!readsJsonLines(task)) {
        throw new InputError(`${task.kind}s read text, not objects`, { line: first + i, hint: "give a string" });
      }
      const block = { first: first + i, lines: lines.slice(i, end) };
      const reading = { ...asked, rereading: { ...asked.rereading, format: "jsonl" } };
      await predictInputs(counts, model, { blocks: [block] }, reading, desk, { isByLine: false });
    }
    if (counting.inputs !== expected) {
      const found = counting.inputs - (expected - (end - i));
      throw new InputError(`expected one input, found ${found}`, {
        line: first + i,
        hint: "send a text with several inputs as `document`, or as text/plain",
      });
    }
    i = end;
  }
  return counting.inputs;
}

function textOf(line: string, number: number): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new InputError("not JSON", { line: number });
  }
  return String(value);
}
