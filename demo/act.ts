// What the acts of the demo share: an act learns something from data that comes as an npm package, and gives what it
// measured twice, as text for a reader and as values for a program.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { styleText } from "node:util";
import { ProgressLine } from "#stargram/cli/progress.js";
import type { TrainingProgress } from "#stargram/learn/training.js";
import { InputError } from "#stargram/util/errors.js";

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
  /** The npm package that holds its data. */
  data: string;
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

/** Says which data the acts lack, if any: before the first begins, not in the middle of the show. */
export function requireData(acts: readonly Pick<Act, "data">[]): void {
  const missing = acts.map((act) => act.data).filter((name) => packageFolder(name) === undefined);
  if (missing.length > 0) throw missingData(missing);
}

/** The text of a file in an npm package that holds data. */
export async function packageFile(name: string, path: string): Promise<string> {
  const folder = packageFolder(name);
  if (folder === undefined) throw missingData([name]);
  return readFile(join(folder, path), "utf8");
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function missingData(names: readonly string[]): InputError {
  const list = names.join(" ");
  return new InputError(`this needs data that does not come with Stargram, in the form of npm packages: ${list}`, {
    hint: `in a clone of the repository \`npm start\` fetches them; elsewhere, \`npm install ${list}\` in the folder where stargram was installed`,
  });
}
