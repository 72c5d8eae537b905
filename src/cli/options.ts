// Options that several commands share, and readers of their values. A value that is wrong is refused by commander, which
// names the option.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ChosenInference } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import type { Range } from "../util/options.js";

/** A whole number of at least `least`, and at most `most` if that is given. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[-+]?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least || value > most) {
      const lower = least === Number.MIN_SAFE_INTEGER ? "" : ` of at least ${least}`;
      const upper = most === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${most}`;
      throw new InvalidArgumentError(`It takes a whole number${lower}${upper}.`);
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
      throw new InvalidArgumentError(`It takes a number ${lower}${upper}.`);
    }
    return value;
  };
}

/** A whole number, or a range such as 5..100. */
export function wholeOrRange(least: number, most?: number): (text: string) => number | Range {
  const number = whole(least, most);
  return (text) => {
    const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
    if (from === undefined) return number(text);
    const range = { least: number(from), most: number(to) };
    if (range.least <= range.most) return range;
    throw new InvalidArgumentError("The smaller number comes first.");
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

/** Another choice of contexts than the model's own. */
export interface InferenceFlags {
  contexts?: number | Range;
  sure?: number;
  mode?: ChosenInference["mode"];
  /** What `mode` was called. */
  inference?: ChosenInference["mode"];
}

export function addInferenceOptions(command: Command): Command {
  return addModeOptions(
    command.option("--contexts <n>", "contexts to keep at each position (default: the model's)", wholeOrRange(0)),
  );
}

export function addModeOptions(command: Command): Command {
  const modes = ["rcms", "beam", "exact"];
  return command
    .option(
      "--sure <share>",
      "with a range of contexts: do not search again if the output has at least this probability",
      real(0, { most: 1 }),
    )
    .addOption(new Option("--mode <mode>", "how contexts are chosen (default: the model's)").choices(modes))
    .addOption(new Option("--inference <mode>").choices(modes).hideHelp());
}

/** What was chosen, or undefined if nothing was. */
export function inferenceFrom(flags: InferenceFlags): ChosenInference | undefined {
  const { contexts, sure, inference, mode = inference } = flags;
  const given = Object.entries({ contexts, sure, mode }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** A command that only holds others, such as `train`: made by the first that needs it. */
export function groupOf(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}

export type Example = readonly [command: string, meaning: string];

export function examples(...lines: readonly Example[]): string {
  const text = lines.map(([command, meaning]) => `  ${command}\n      ${meaning}`);
  return `\nExamples:\n${text.join("\n")}`;
}

/**
 * An option that must be given. Commander's own check comes before that of unknown options, so a mistyped flag would only
 * be called missing; this one leaves the mistyped flag to be named first.
 */
export function needed<T>(value: T | undefined, flag: string): T {
  if (value === undefined) {
    throw new InputError(`missing required option ${flag}`, { hint: "add --help for usage and examples" });
  }
  return value;
}
