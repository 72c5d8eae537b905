// `--require MEASURE=VALUE`: what a report must reach. Measures are the numbers of the report that --json prints, those inside
// other parts by names with dots: recallAtPrecision.0.95, labels.NN.f1. Error rates, times and the like must be at most the
// value, all others at least.

import { InvalidArgumentError } from "commander";
import { aKind, type LearningTask, learningTasks } from "../tasks/task.js";
import { InputError, unknownName } from "../util/errors.js";
import { CheckFailed } from "./output.js";

export interface Requirement {
  measure: string;
  value: number;
}

function isMeasure({ evaluating }: LearningTask, name: string): boolean {
  const { measures, measuresWithin = [] } = evaluating;
  return (
    measures.includes(name) || measuresWithin.some((start) => name.startsWith(start) && name.length > start.length)
  );
}

/** Reads an option that may be repeated. */
export function requirement(text: string, before: Requirement[] = []): Requirement[] {
  const [, measure, given] = /^(.+)=([^=]+)$/s.exec(text) ?? [];
  const value = Number(given);
  if (measure === undefined || given.trim() === "" || !Number.isFinite(value)) {
    throw new InvalidArgumentError("Write MEASURE=VALUE.");
  }
  if (!learningTasks().some((task) => isMeasure(task, measure))) {
    const known = [...new Set(learningTasks().flatMap(({ evaluating }) => evaluating.measures))];
    throw new InvalidArgumentError(unknownName("measure", measure, known).reason);
  }
  return [...before, { measure, value }];
}

/** Refuses measures that models of a task do not have, before anything is measured. */
export function checkRequired(task: LearningTask, required: readonly Requirement[] | undefined, file: string): void {
  for (const { measure } of required ?? []) {
    if (isMeasure(task, measure)) continue;
    const others = learningTasks()
      .filter((other) => isMeasure(other, measure))
      .map(aKind);
    throw new InputError(`--require ${measure} needs ${others.join(" or ")}; ${file} is ${aKind(task)}`, {
      hint: `${aKind(task)} has ${task.evaluating.measures.join(", ")}`,
    });
  }
}

/** Fails unless a report reaches all that is required. */
export function holdTo(task: LearningTask, required: readonly Requirement[] | undefined, report: object): void {
  const failed: string[] = [];
  for (const { measure, value } of required ?? []) {
    const found = numberIn(report, measure);
    // The sureness of tokens and spans is measured as that of whole outputs.
    const isLess = task.evaluating.atMost.includes(measure.replace(/^(?:token|span)Sureness\./, ""));
    if (found === undefined) failed.push(`${measure} is not known`);
    else if (isLess ? !(found <= value) : !(found >= value)) {
      failed.push(`${measure} is ${found}, not ${value} or ${isLess ? "less" : "more"}`);
    }
  }
  if (failed.length > 0) throw new CheckFailed(failed.join("; "));
}

/** The number of a name with dots; parts of the name may have dots of their own, as labels do. */
function numberIn(report: object, name: string): number | undefined {
  for (const [key, value] of Object.entries(report)) {
    if (key === name && typeof value === "number") return value;
    if (!name.startsWith(`${key}.`) || typeof value !== "object" || value === null) continue;
    const found = numberIn(value, name.slice(key.length + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
