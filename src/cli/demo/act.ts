// What the acts of the demo share: an act learns something from data that comes as an npm package, and gives what it
// measured twice, as text for a reader and as values for a program.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { styleText } from "node:util";
import { InputError } from "../../core/errors.js";
import type { TrainingProgress } from "../../learn/train.js";
import { ProgressLine } from "../progress.js";

export interface Stage {
  seed: number;
  /** A tenth of the data or less: to see that all works, not how well. */
  small: boolean;
  /** Whether progress is shown, on standard error. */
  progress: boolean;
  /** Whether text may carry colours. */
  colour: boolean;
}

export interface Act {
  /** Its name in JSON. */
  name: string;
  title: string;
  perform(stage: Stage): Promise<Performance>;
}

export interface Performance {
  text: string;
  /** The same as plain values. */
  report: object;
}

/** Runs a training with its progress shown, if it is to be shown. */
export async function withProgress<T>(
  stage: Pick<Stage, "progress">,
  what: string,
  training: (onProgress: (progress: TrainingProgress) => void) => Promise<T>,
): Promise<T> {
  if (stage.progress) process.stderr.write(`${what}\n`);
  const line = new ProgressLine(stage.progress);
  try {
    return await training((progress) => line.training(progress));
  } finally {
    line.end();
  }
}

/** Text in a style of `node:util`, where colours are allowed. */
export function painter({ colour }: Pick<Stage, "colour">): (style: "bold" | "dim" | "yellow", text: string) => string {
  // Whether the terminal shows colours is the caller's question; asked again, styleText might see another stream.
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
}

/** The text of a file in an npm package that holds data. */
export async function packageFile(name: string, path: string): Promise<string> {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return await readFile(join(folder, path), "utf8");
  } catch (cause) {
    throw new InputError(`the demo needs ${path} of the npm package \`${name}\`, which is not here`, {
      hint: "run the demo from a clone of the repository, after `npm ci --include=dev`",
      cause,
    });
  }
}
