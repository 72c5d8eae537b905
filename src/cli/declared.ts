// Flags from declared options (src/util/options.ts): their names, values, help, and what was given on a command line.

import { type Command, Option as Flag, InvalidArgumentError } from "commander";
import { aKind, type Task } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { type Declared, defaultsOf, factsOf, type OptionFacts, usualOf } from "../util/options.js";
import { real, repeated, whole, wholeOrRange } from "./options.js";
import { flagOf, flagWord } from "./output.js";

/** Adds a flag for each option; those of earlier versions are understood and not shown. */
export function addDeclared(command: Command, declared: Declared): Command {
  for (const [name, option] of Object.entries(declared)) {
    const facts = factsOf(option);
    if (facts.flag === false) continue;
    const word = flagWord(facts.flag ?? name);
    command.addOption(flagFor(word, facts, usualOf(option)));
    if (isOpen(facts)) command.addOption(new Flag(`--no-${word}`, facts.off));
    for (const alias of aliasesOf(name, facts)) {
      command.addOption(flagFor(flagWord(alias), facts, undefined).hideHelp());
    }
  }
  return command;
}

/** Names of earlier versions that have a flag of their own. */
function aliasesOf(name: string, { aliases = [], flag }: OptionFacts): string[] {
  return aliases.filter((alias) => alias !== (flag ?? name));
}

/** The options of several tasks as one: choices are put together. */
export function unionOf(all: readonly Declared[]): Map<string, OptionFacts> {
  const union = new Map<string, OptionFacts>();
  for (const declared of all) {
    for (const [name, option] of Object.entries(declared)) {
      const facts = factsOf(option);
      const before = union.get(name);
      const choices = facts.choices && [...new Set([...(before?.choices ?? []), ...facts.choices])];
      if (facts.flag !== false) union.set(name, { ...facts, ...before, choices });
    }
  }
  return union;
}

/** Adds the flags of several tasks: which of them a model understands is known when it is loaded. */
export function addUnion(command: Command, all: readonly Declared[]): Command {
  for (const [name, facts] of unionOf(all)) command.addOption(flagFor(flagWord(facts.flag || name), facts, undefined));
  return command;
}

/** A flag that is neither on nor off by default. */
function isOpen({ type, otherwise }: OptionFacts): boolean {
  return type === "flag" && otherwise !== undefined;
}

function flagFor(word: string, facts: OptionFacts, usual: unknown): Flag {
  const { type, description, value, otherwise } = facts;
  const said = otherwise === undefined ? "" : ` (default: ${otherwise})`;
  if (type === "flag") {
    return usual === true ? new Flag(`--no-${word}`, facts.off) : new Flag(`--${word}`, `${description}${said}`);
  }
  const byDefault = usual === undefined || facts.preset !== undefined ? said : ` (default ${usual})`;
  const form = facts.preset === undefined ? `--${word} <${value}>` : `--${word} [${value}]`;
  const often = type === "files" ? "; may be repeated" : "";
  const flag = new Flag(form, `${description}${often}${byDefault}`);
  if (facts.choices) return flag.choices(facts.choices);
  if (facts.preset !== undefined) flag.preset(facts.preset);
  return flag.argParser(parserOf(facts));
}

function parserOf(facts: OptionFacts): (text: string) => unknown {
  const { type, least, above, most, below: beyond, preset } = facts;
  if (type === "whole") return whole(least ?? Number.MIN_SAFE_INTEGER, most);
  if (type === "range") return wholeOrRange(least ?? Number.MIN_SAFE_INTEGER, most);
  if (type === "list") return listOf(facts);
  if (type === "files") return repeated as (text: string) => unknown;
  if (type !== "real") return (text) => text;
  const number = real(least ?? -Number.MAX_VALUE, { above, beyond, most });
  if (preset === undefined) return number;
  return (text) => {
    if (text === preset) return text;
    if (/^[-+.\d]/.test(text)) return number(text);
    throw new InvalidArgumentError(
      "It takes a number or nothing. To choose the weight automatically, put it after the files.",
    );
  };
}

function listOf({ least = Number.MIN_SAFE_INTEGER, most }: OptionFacts): (text: string) => number[] {
  const number = whole(least, most);
  return (text) => text.split(",").map((part) => number(part.trim()));
}

/** Where commander keeps the value of a flag: --language-smoothing as languageSmoothing. */
function attributeOf(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The options given on a command line, by name. */
export function givenOf(command: Command, declared: Declared): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(declared)) {
    const facts = factsOf(option);
    if (facts.flag === false) continue;
    for (const one of [...aliasesOf(name, facts), facts.flag ?? name]) {
      const attribute = attributeOf(one);
      if (command.getOptionValueSource(attribute) === "cli") given[name] = command.getOptionValue(attribute);
    }
  }
  return given;
}

/** The defaults of all that have one. */
export function defaultsFor(all: readonly Declared[]): Record<string, unknown> {
  return Object.assign({}, ...all.map(defaultsOf));
}

/** What a task can be told in some respect. */
type Part<T extends Task> = (task: T) => readonly Declared[];

/**
 * The options of a model's task among those of all; one that its task does not have is refused, with the tasks that do.
 */
export function givenFor<T extends Task>(
  command: Command,
  task: T,
  all: readonly T[],
  part: Part<T>,
  file: string,
): Record<string, unknown> {
  const own = Object.assign({}, ...part(task)) as Declared;
  for (const [name, facts] of unionOf(all.flatMap(part))) {
    const word = facts.flag || name;
    if (Object.hasOwn(own, name) || command.getOptionValueSource(word) !== "cli") continue;
    const others = all.filter((other) => part(other).some((declared) => Object.hasOwn(declared, name)));
    throw refusal(word, others, task, file);
  }
  return givenOf(command, own);
}

/** "--marginals needs a tagger; t.sg is a transducer" */
export function refusal(name: string, wanted: readonly Task[], task: Task, file: string): InputError {
  return new InputError(`${flagOf(name)} needs ${wanted.map(aKind).join(" or ")}; ${file} is ${aKind(task)}`);
}
