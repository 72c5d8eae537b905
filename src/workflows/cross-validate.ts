// Cross-validation: each part of the examples is held out once, a model that learned from the others is measured on it, and what
// `evaluate` reports is averaged: mean m = Σ x / n and spread s = √(Σ (x − m)² / (n − 1)) over the n parts.

import type { Per } from "../confidence/calibration.js";
import { crossParts, neighbours, type Part } from "../learn/held-out.js";
import type { TrainingHooks } from "../learn/training.js";
import type { Asked, LearningTask, Predictor, Report } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { evaluateInputs } from "./evaluate.js";
import { asTheyCome } from "./examples.js";
import { type Judged, judgeInto, nothingJudged } from "./judge.js";

export interface CrossValidation {
  /** Examples that were held out in turn. */
  examples: number;
  /** What was reported of each part. */
  parts: Report[];
  /** Of every number that all parts report, those inside others too. */
  mean: Record<string, unknown>;
  spread: Record<string, unknown>;
}

export interface CrossValidationOptions {
  parts: number;
  seed: number;
  /** Learns from a part of the examples. */
  train(examples: AsyncIterable<unknown>): Promise<Predictor>;
  onPart?(part: number, report: Report): void;
  /** Measures a part, from 0, where others do it; in place of `train`. */
  measure?(part: number): Promise<Report>;
}

/** Measures how well models of a task do that learn from such examples. What belongs together is held out together. */
export async function crossValidate(
  task: LearningTask,
  examples: readonly unknown[],
  { onPart, measure, ...options }: CrossValidationOptions,
): Promise<CrossValidation> {
  const parts: Report[] = [];
  if (measure) {
    const measured = divided(task, examples, options).map((_, part) => measure(part));
    for (const one of measured) one.catch(() => undefined); // heard of when its turn comes
    for (const one of measured) {
      parts.push(await one);
      onPart?.(parts.length, await one);
    }
  } else
    for await (const { model, inputs } of crossModels(task, examples, options)) {
      const { report } = await evaluateInputs(task, model, inputs, {});
      parts.push(report);
      onPart?.(parts.length, report);
    }
  const { mean, spread } = summed(parts);
  return { examples: examples.length, parts, mean, spread };
}

/** What a part is measured by, from 0, and what its model learns from. */
function divided(
  task: LearningTask,
  examples: readonly unknown[],
  { parts: count, seed }: Pick<CrossValidationOptions, "parts" | "seed">,
): Part[] {
  const found = crossParts(examples.length, { count, seed, groups: groupsOf(task, examples, count) });
  if (found.length > 0) return found;
  throw new InputError(`${examples.length} ${task.learning.example}s are too few for ${count} parts`, {
    hint: "give more examples, or fewer parts",
  });
}

/** Each part of the examples, or one of them, with a model that learned from the others; it is disposed of afterwards. */
export async function* crossModels(
  task: LearningTask,
  examples: readonly unknown[],
  { train, ...options }: Omit<CrossValidationOptions, "onPart" | "measure">,
  only?: number,
): AsyncGenerator<{ model: Predictor; inputs: AsyncIterable<unknown> }> {
  for (const [part, { training, heldOut }] of divided(task, examples, options).entries()) {
    if (only !== undefined && part !== only) continue;
    const some = (numbers: Int32Array) => asTheyCome(Array.from(numbers, (n) => examples[n]));
    const model = await train(some(training));
    yield { model, inputs: task.predicting.inputsOf(some(heldOut)) };
    model.dispose?.();
  }
}

/** Answers to the examples that a model was trained on, by models made like it without the part that an example is in. */
export async function crossJudge(
  task: LearningTask,
  model: Predictor,
  examples: readonly unknown[],
  { parts, seed = 1, per, hooks }: { parts: number; seed?: number; per?: Per; hooks: TrainingHooks },
): Promise<Judged> {
  const { learning } = task;
  const options = model.options as Asked;
  const declared = Object.keys(learning.options).filter((name) => options[name] !== undefined);
  const given = { ...Object.fromEntries(declared.map((name) => [name, options[name]])), ...learning.again?.(model) };
  const note = { input: learning.readingOf(model) };
  const judged = nothingJudged(task, model);
  const train = (some: AsyncIterable<unknown>) =>
    learning.train(some, { given, files: {}, keep: false, note, ...hooks });
  for await (const { model: other, inputs } of crossModels(task, examples, { parts, seed, train })) {
    await judgeInto(judged, task, other, inputs, { per });
  }
  return judged;
}

/** [examples] numbers what is held out together: what a task says belongs together, or else neighbours. */
function groupsOf({ learning }: LearningTask, examples: readonly unknown[], parts: number): Int32Array {
  const { belongs } = learning;
  let group = 0;
  const groups = Int32Array.from(examples, (example, i) => {
    if (i > 0 && !belongs?.(example, examples[i - 1])) group++;
    return group;
  });
  const isTold = group + 1 < examples.length && group + 1 >= 4 * parts;
  return isTold ? groups : neighbours(examples.length);
}

/** Means and spreads of the numbers that all reports have. */
function summed(reports: readonly Record<string, unknown>[]): Pick<CrossValidation, "mean" | "spread"> {
  const mean: Record<string, unknown> = {};
  const spread: Record<string, unknown> = {};
  for (const [name, first] of Object.entries(reports[0])) {
    const values = reports.map((report) => report[name]);
    if (values.every((value) => typeof value === "number")) {
      const average = values.reduce((sum, value) => sum + value, 0) / values.length;
      mean[name] = average;
      spread[name] = Math.sqrt(
        values.reduce((sum, value) => sum + (value - average) ** 2, 0) / Math.max(1, values.length - 1),
      );
    } else if (isRecord(first) && values.every(isRecord)) {
      const within = summed(values);
      if (Object.keys(within.mean).length === 0) continue;
      mean[name] = within.mean;
      spread[name] = within.spread;
    }
  }
  return { mean, spread };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
