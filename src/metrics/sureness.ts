// How far confidences can be trusted, in the numbers that every report has.

import type { Answers } from "./answers.js";
import { brier, chanceCalibrationError, expectedCalibrationError } from "./calibration.js";
import { aurc, recallAtPrecision } from "./precision-recall.js";

export interface Sureness {
  /** Shares that can be answered with an accuracy of at least 0.9, 0.95, 0.99. */
  recallAtPrecision: Record<"0.9" | "0.95" | "0.99", number>;
  /** In 15 bins of equal size. */
  expectedCalibrationError: number;
  /** Its expected value if all confidences were exact: with few answers, some difference is due to chance. */
  chanceCalibrationError: number;
  brier: number;
  /** Area under the risk-coverage curve. */
  aurc: number;
}

export function surenessOf(answers: Answers): Sureness {
  return {
    recallAtPrecision: {
      "0.9": recallAtPrecision(answers, 0.9),
      "0.95": recallAtPrecision(answers, 0.95),
      "0.99": recallAtPrecision(answers, 0.99),
    },
    expectedCalibrationError: expectedCalibrationError(answers),
    chanceCalibrationError: chanceCalibrationError(answers),
    brier: brier(answers),
    aurc: aurc(answers),
  };
}
