// `--require MEASURE=VALUE`: what a report must reach. Measures are the numbers of the report that --json prints, those inside
// other parts by names with dots: recallAtPrecision.0.95, labels.NN.f1. Error rates, times and the like must be at most the
// value, all others at least.

import { InvalidArgumentError } from "commander";
import { InputError, unknownName } from "../util/errors.js";
import { CheckFailed } from "./output.js";

export interface Requirement {
  measure: string;
  value: number;
}

const precisions = ["0.9", "0.95", "0.99"].map((precision) => `recallAtPrecision.${precision}`);
const ofConfidence = [...precisions, "logLikelihood", "expectedCalibrationError", "brier", "aurc", "seconds"];

/** By the kind of model. */
const measures = {
  tagger: [
    ...["sequenceAccuracy", "tokenAccuracy", "chunkF1", ...ofConfidence],
    ...["sequences", "tokens", "unknownTokens", "unknownLabels", "impossibleSequences"],
  ],
  transducer: ["wordErrorRate", "symbolErrorRate", ...ofConfidence, "inputs", "unwritable", "alignedTrainingPairs"],
} as const;

/** Those of which less is better. */
const atMost: readonly string[] = [
  ...["wordErrorRate", "symbolErrorRate", "expectedCalibrationError", "brier", "aurc", "seconds"],
  ...["unknownTokens", "unknownLabels", "impossibleSequences", "unwritable"],
];

function isMeasure(kind: keyof typeof measures, name: string): boolean {
  return measures[kind].includes(name) || (kind === "tagger" && /^(?:labels|chunks)\../s.test(name));
}

/** Reads an option that may be repeated. */
export function requirement(text: string, before: Requirement[] = []): Requirement[] {
  const [, measure, given] = /^(.+)=([^=]+)$/s.exec(text) ?? [];
  const value = Number(given);
  if (measure === undefined || given.trim() === "" || !Number.isFinite(value)) {
    throw new InvalidArgumentError("Write MEASURE=VALUE.");
  }
  if (!isMeasure("tagger", measure) && !isMeasure("transducer", measure)) {
    const known = [...new Set([...measures.tagger, ...measures.transducer])];
    throw new InvalidArgumentError(unknownName("measure", measure, known).reason);
  }
  return [...before, { measure, value }];
}

/** Refuses measures that models of this kind do not have, before anything is measured. */
export function checkRequired(
  kind: keyof typeof measures,
  required: readonly Requirement[] | undefined,
  file: string,
): void {
  for (const { measure } of required ?? []) {
    if (isMeasure(kind, measure)) continue;
    const other = kind === "tagger" ? "transducers" : "taggers";
    throw new InputError(`--require ${measure} is for ${other}, and this model is none`, {
      file,
      hint: `a ${kind} has ${measures[kind].join(", ")}`,
    });
  }
}

/** Fails unless a report reaches all that is required. */
export function holdTo(required: readonly Requirement[] | undefined, report: object): void {
  const failed: string[] = [];
  for (const { measure, value } of required ?? []) {
    const found = numberIn(report, measure);
    const isLess = atMost.includes(measure);
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
