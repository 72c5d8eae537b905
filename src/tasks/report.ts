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

/** Where chance alone makes as much of a calibration error, that is said. */
const BY_CHANCE = 0.03;

export function calibrationLine(
  report: Pick<Sureness, "expectedCalibrationError" | "chanceCalibrationError" | "brier">,
): string[] {
  const { chanceCalibrationError: chance } = report;
  const byChance = chance < BY_CHANCE ? "" : ` (with so few, ${percent(chance)} by chance alone)`;
  const brier = `Brier score ${report.brier.toFixed(4)}`;
  return ["calibration", percent(report.expectedCalibrationError), `expected error${byChance}; ${brier}`];
}
