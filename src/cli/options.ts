// Options that several commands share, and readers of their values. A value that is wrong is refused by commander, which
// names the option.

import { type Command, InvalidArgumentError, Option } from "commander";
import { type TaggingFormat, taggingFormats } from "../formats/detect.js";
import { type Pixels, parseFolds, pixelChoices } from "../formats/letters.js";
import type { PredictOptions } from "../tasks/tag/tagger.js";
import { InputError } from "../util/errors.js";
import { flagOf } from "./output.js";

/** A whole number of at least `least`, and at most `most` if that is given. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[-+]?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least || value > most) {
      const lower = least === Number.MIN_SAFE_INTEGER ? "" : ` of at least ${least}`;
      const upper = most === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${most}`;
      throw new InvalidArgumentError(`A whole number${lower}${upper} is needed.`);
    }
    return value;
  };
}

/** A number of threads. Each takes some memory of its own, so a slip of the finger must not start thousands. */
export const threadCount = whole(1, 64);

/** A number of at least `least`, or above it; below `beyond` or at most `most`, if they are given. */
export function real(
  least: number,
  { above = false, beyond = Number.POSITIVE_INFINITY, most = Number.MAX_VALUE } = {},
): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!(above ? value > least : value >= least) || !(value < beyond && value <= most)) {
      const lower = above ? `above ${least}` : `of at least ${least}`;
      const upper =
        beyond < Number.POSITIVE_INFINITY
          ? ` and below ${beyond}`
          : most < Number.MAX_VALUE
            ? ` and at most ${most}`
            : "";
      throw new InvalidArgumentError(`A number ${lower}${upper} is needed.`);
    }
    return value;
  };
}

/** The former name of an option, such as `--epochs <n>` of `--passes <n>`: taken, and not shown. */
export function addFormerName(command: Command, former: string, name: string): Command {
  const option = command.options.find((known) => known.attributeName() === name);
  if (!option?.parseArg) throw new Error(`there is no option ${name} with a value`);
  const alias = new Option(former).argParser(option.parseArg).hideHelp();
  return command.addOption(alias).on(`option:${alias.name()}`, () => {
    command.setOptionValueWithSource(name, command.getOptionValue(alias.attributeName()), "cli");
  });
}

/** For options that may be given several times. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Folds as the user wrote them; checked here, so that the message names the option. */
function foldsText(text: string): string {
  try {
    parseFolds(text);
  } catch (error) {
    if (error instanceof InputError) throw new InvalidArgumentError(`${error.reason}: ${error.hint}.`);
    throw error;
  }
  return text;
}

/** How data is read. */
export interface ReadFlags {
  format?: TaggingFormat;
  pixels?: Pixels;
  folds?: string;
}

export function addReadOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "format of the data").choices(taggingFormats))
    .addOption(new Option("--pixels <size>", "letters: pixels to look at (default 16x8)").choices(pixelChoices))
    .option("--folds <list>", "letters: folds to use, such as 0,2-9 (default all)", foldsText);
}

/** Another choice of contexts than the model's own. */
export interface InferenceFlags {
  contexts?: number;
  inference?: "rcms" | "beam" | "exact";
}

export function addInferenceOptions(command: Command): Command {
  return command
    .option("--contexts <n>", "contexts to keep at each position (default: the model's)", whole(0))
    .addOption(inferenceOption());
}

export function inferenceOption(): Option {
  return new Option("--inference <mode>", "how contexts are chosen (default: the model's)").choices([
    "rcms",
    "beam",
    "exact",
  ]);
}

export function inferenceFrom({ contexts, inference }: InferenceFlags): PredictOptions["inference"] {
  const chosen: PredictOptions["inference"] = {};
  if (contexts !== undefined) chosen.contexts = contexts;
  if (inference !== undefined) chosen.inference = inference;
  return chosen;
}

/** Refuses flags that a model of the kind at hand has no use for. */
export function refuseFlags(flags: object, names: readonly string[], kind: string, file: string): void {
  for (const name of names) {
    if ((flags as Record<string, unknown>)[name] === undefined) continue;
    throw new InputError(`${flagOf(name)} is for ${kind}, and this model is none`, { file });
  }
}

/** A command that only holds others, such as `train`: made by the first that needs it. */
export function groupOf(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}

export function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  const text = lines.map(([command, meaning]) => `  ${command}\n      ${meaning}`);
  return `\nExamples:\n${text.join("\n")}`;
}

/**
 * An option that must be given. Commander's own check comes before that of unknown options, so a mistyped flag would only
 * be called missing; this one leaves the mistyped flag to be named first.
 */
export function needed<T>(value: T | undefined, flag: string): T {
  if (value === undefined) throw new InputError(`${flag} is needed`, { hint: "add --help for usage and examples" });
  return value;
}
