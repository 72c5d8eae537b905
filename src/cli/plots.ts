// Plots of confidence as files in a folder.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileSafely } from "../formats/safe-file.js";
import { type NamedAnswers, plotsOf } from "../metrics/plots.js";
import { InputError } from "../util/errors.js";
import { say } from "./output.js";

/** Writes precision-recall.svg, risk-coverage.svg, reliability.svg and histogram.svg. */
export async function writePlots(folder: string, models: readonly NamedAnswers[], subject: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new InputError("the folder cannot be made", { file: folder, cause });
  }
  const plots = Object.entries(plotsOf(models, subject));
  for (const [name, svg] of plots) await writeFileSafely(join(folder, `${name}.svg`), new TextEncoder().encode(svg));
  say(`plots in ${folder}: ${plots.map(([name]) => `${name}.svg`).join(", ")}`);
}
