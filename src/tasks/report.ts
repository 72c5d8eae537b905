// Lines of a report about confidence, in the words of every task.

import type { Sureness } from "../metrics/sureness.js";
import { percent } from "../util/text.js";

/** How much can be answered at each precision; `noun` is what is answered, in the plural. */
export function answeredLines(recallAtPrecision: Partial<Sureness["recallAtPrecision"]>, noun: string): string[][] {
  return Object.entries(recallAtPrecision).map(([precision, share]) => [
    "answered",
    percent(share),
    `of the ${noun} at ${100 * Number(precision)} % precision`,
  ]);
}

export function calibrationLine(report: Pick<Sureness, "expectedCalibrationError" | "brier">): string[] {
  const brier = `Brier score ${report.brier.toFixed(4)}`;
  return ["calibration", percent(report.expectedCalibrationError), `expected error; ${brier}`];
}
