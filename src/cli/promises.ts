// The promises of a calibrated model as rows of a table.

import type { Calibration } from "../confidence/calibration.js";
import { counted, percent, probabilityText } from "../util/text.js";

export function promiseLines(calibration: Calibration | undefined): string[][] {
  return (calibration?.guarantees ?? []).map(({ precision, confidence, threshold, answered, wrong, tested }) => [
    "promise",
    `precision ${precision} (confidence ${confidence}) from probability ${probabilityText(threshold)}: ` +
      `${percent(answered / tested)} of ${counted(tested)} tested examples answered, ${counted(wrong)} wrong`,
  ]);
}
