// Plots of confidence as files in a folder.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { checkOverwrite, type FileKind, writeFileSafely } from "../formats/safe-file.js";
import { type NamedAnswers, plotNames, plotsOf } from "../metrics/plots.js";
import { PLOT_MARK } from "../metrics/svg.js";
import { InputError } from "../util/errors.js";
import { say } from "./output.js";

export const plotFile: FileKind = {
  name: "a plot of Stargram's",
  headBytes: 1024,
  isOurs: (head) => new TextDecoder().decode(head).includes(PLOT_MARK),
};

/** Refuses a folder where a plot would replace a picture that is not ours, before the work that the plots show. */
export async function checkPlots(folder: string, force = false): Promise<void> {
  for (const name of plotNames) await checkOverwrite(join(folder, `${name}.svg`), plotFile, force);
}

/** Writes precision-recall.svg, risk-coverage.svg, reliability.svg and histogram.svg. */
export async function writePlots(
  folder: string,
  models: readonly NamedAnswers[],
  subject: string,
  force = false,
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new InputError("the folder cannot be created", { file: folder, cause });
  }
  await checkPlots(folder, force); // all of them before the first is written
  const plots = plotsOf(models, subject);
  for (const name of plotNames) {
    const bytes = new TextEncoder().encode(plots[name]);
    await writeFileSafely(join(folder, `${name}.svg`), bytes, { kind: plotFile, force });
  }
  say(`plots in ${folder}: ${plotNames.map((name) => `${name}.svg`).join(", ")}`);
}
