// Options, declared once: type, range, default and meaning stand in one place, and everything else is made from them: the
// types of a program's options, the checks, the flags of the command line, its help and the reference pages.
//
//   const options = { order: whole("how many labels back a decision looks", { least: 0, usual: 2 }) };
//   type Options = OptionsOf<typeof options>;                    // { order: number }
//   readOptions(options, { order: -1 });                         // option `order` must be a whole number of at least 0, not -1

import * as v from "valibot";
import { InputError, unknownName } from "./errors.js";

/** What is known of an option beside its type. */
export interface OptionFacts {
  /** Its meaning, as shown in help: begins in lower case and has no full stop. */
  description: string;
  /** `whole`, `range`, `real`, `choice`, `flag`, `text`, `file`, `files`, `lines`, `model`, `list`. */
  type: "whole" | "range" | "real" | "choice" | "flag" | "text" | "file" | "files" | "lines" | "model" | "list";
  /** What the value is called in help: `n` in `--order <n>`. */
  value?: string;
  /** If there is no default: what happens instead, such as "chosen on held-out data". */
  otherwise?: string;
  /** Other names that programs may use, from earlier versions. */
  aliases?: readonly string[];
  /** The flag, if it is not the name in lower case with hyphens; false if the command line has none. */
  flag?: string | false;
  /** For a flag that is on by default: what `--no-…` does. */
  off?: string;
  /** A word that may be given instead of a number; also the meaning of the flag without a value. */
  preset?: string;
  choices?: readonly string[];
  least?: number;
  /** Numbers must be above `least`, not equal to it. */
  above?: boolean;
  most?: number;
  /** Numbers must be below this. */
  below?: number;
}

/** An option: a valibot schema with its default and, as metadata, its facts. */
export type Option<T, D extends T | undefined = T | undefined> = v.OptionalSchema<
  v.BaseSchema<T, T, v.BaseIssue<unknown>>,
  D
>;
// biome-ignore lint/suspicious/noExplicitAny: options of any type
export type Declared = Readonly<Record<string, Option<any, any>>>;

/** The values of declared options. What has no default may be open. */
export type OptionsOf<D extends Declared> = {
  [K in keyof D]: D[K] extends Option<infer T, infer U> ? (undefined extends U ? T | undefined : T) : never;
};

/** Options as they are given: each may be left out. */
export type GivenOptions<D extends Declared> = Partial<OptionsOf<D>>;

type Common = Pick<OptionFacts, "value" | "otherwise" | "aliases" | "flag">;
type WholeFacts = Common & { least?: number; most?: number };
type RealFacts = WholeFacts & { above?: boolean; below?: number };
type ListFacts = WholeFacts & { longest?: number };

/** A whole number. */
export function whole(description: string, facts: WholeFacts & { usual: number }): Option<number, number>;
export function whole(description: string, facts?: WholeFacts): Option<number, undefined>;
export function whole(
  description: string,
  { usual, ...facts }: WholeFacts & { usual?: number } = {},
): Option<number, number | undefined> {
  const { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER } = facts;
  const isFine = (x: number): boolean => Number.isSafeInteger(x) && x >= least && x <= most;
  return made(v.number(), isFine, { description, type: "whole", value: "n", ...facts }, usual);
}

/** From one whole number to another. */
export interface Range {
  least: number;
  most: number;
}

/** A whole number, or a range from one to another, which the command line writes as 5..100. */
export function wholeOrRange(
  description: string,
  { usual, ...facts }: WholeFacts & { usual: number },
): Option<number | Range, number> {
  const { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER } = facts;
  const isFine = (x: number | Range): boolean => {
    const [first, last] = typeof x === "number" ? [x, x] : [x.least, x.most];
    return Number.isSafeInteger(first) && Number.isSafeInteger(last) && least <= first && first <= last && last <= most;
  };
  const schema = v.union([v.number(), v.strictObject({ least: v.number(), most: v.number() })]);
  return made<number | Range>(schema, isFine, { description, type: "range", value: "n", ...facts }, usual);
}

/** `20`, `5..100` */
export function rangeText(value: number | Range): string {
  return typeof value === "number" ? String(value) : `${value.least}..${value.most}`;
}

/** A number. */
export function real(description: string, facts: RealFacts & { usual: number }): Option<number, number>;
export function real(description: string, facts?: RealFacts): Option<number, undefined>;
export function real(
  description: string,
  { usual, ...facts }: RealFacts & { usual?: number } = {},
): Option<number, number | undefined> {
  const { least = -Number.MAX_VALUE, above = false, most = Number.MAX_VALUE, below = Number.POSITIVE_INFINITY } = facts;
  const isFine = (x: number): boolean => (above ? x > least : x >= least) && x <= most && x < below;
  return made(v.number(), isFine, { description, type: "real", value: "x", ...facts }, usual);
}

/** A number, or a word in its place that leaves the choice to something else. */
export function realOr<const P extends string>(
  preset: P,
  description: string,
  facts: RealFacts & { usual: number },
): Option<number | P, number | P>;
export function realOr<const P extends string>(
  preset: P,
  description: string,
  facts: RealFacts,
): Option<number | P, undefined>;
export function realOr<const P extends string>(
  preset: P,
  description: string,
  { usual, ...facts }: RealFacts & { usual?: number },
): Option<number | P, number | P | undefined> {
  const { least = -Number.MAX_VALUE, most = Number.MAX_VALUE } = facts;
  const isFine = (x: number | P): boolean => x === preset || (Number(x) >= least && Number(x) <= most);
  const schema = v.union([v.number(), v.literal(preset)]);
  return made<number | P>(schema, isFine, { description, type: "real", value: "x", preset, ...facts }, usual);
}

/** A share from 0 to below 1. */
export function share(description: string, facts: Common & { usual: number }): Option<number, number>;
export function share(description: string, facts?: Common): Option<number, undefined>;
export function share(
  description: string,
  facts: Common & { usual?: number } = {},
): Option<number, number | undefined> {
  return real(description, { value: "share", least: 0, below: 1, ...facts } as RealFacts);
}

/** One of some texts. */
export function choice<const T extends string>(
  description: string,
  choices: readonly T[],
  facts: Common & { usual: NoInfer<T> },
): Option<T, T>;
export function choice<const T extends string>(
  description: string,
  choices: readonly T[],
  facts?: Common,
): Option<T, undefined>;
export function choice<const T extends string>(
  description: string,
  choices: readonly T[],
  { usual, ...facts }: Common & { usual?: NoInfer<T> } = {},
): Option<T, T | undefined> {
  return made(
    v.picklist(choices),
    () => true,
    { description, type: "choice", value: "which", choices, ...facts },
    usual,
  );
}

/** On or off; off by default, unless `usual` is true, or neither, if `otherwise` says what is done then. */
export function flag(
  description: string,
  facts: Common & { otherwise: string; off?: string },
): Option<boolean, undefined>;
export function flag(description: string, facts?: Common & { usual?: boolean; off?: string }): Option<boolean, boolean>;
export function flag(
  description: string,
  { usual, ...facts }: Common & { usual?: boolean; off?: string } = {},
): Option<boolean, boolean | undefined> {
  const byDefault = facts.otherwise === undefined ? (usual ?? false) : undefined;
  return made(v.boolean(), () => true, { description, type: "flag", ...facts }, byDefault);
}

/** Any text. */
export function text(description: string, facts: Common = {}): Option<string, undefined> {
  return made(v.string(), () => true, { description, type: "text", value: "text", ...facts }, undefined);
}

/** The text of a file: programs give the text, the command line the name of the file. */
export function file(description: string, facts: Common = {}): Option<string, undefined> {
  return made(v.string(), () => true, { description, type: "file", value: "file", ...facts }, undefined);
}

/** A file that may be too large for one text: programs give a text or its lines, the command line the name of the file. */
export function lines(description: string, facts: Common = {}): Option<unknown, undefined> {
  return made<unknown>(v.unknown(), () => true, { description, type: "lines", value: "file", ...facts }, undefined);
}

/** Another model: programs give it, the command line the name of its file. */
export function model(description: string, facts: Common = {}): Option<unknown, undefined> {
  return made<unknown>(v.unknown(), () => true, { description, type: "model", value: "model", ...facts }, undefined);
}

/** A text with a name. */
export interface NamedText {
  name: string;
  text: string;
  /** The file it comes from, named in errors. */
  file?: string;
}

const namedTexts = v.pipe(
  v.array(v.object({ name: v.string(), text: v.string(), file: v.optional(v.string()) })),
  v.readonly(),
);

/** The texts of files, each with a name: programs give both, the command line `FILE` or `FILE=NAME`, as often as wanted. */
export function files(description: string, facts: Common = {}): Option<readonly NamedText[], undefined> {
  return made<readonly NamedText[]>(
    namedTexts,
    () => true,
    { description, type: "files", value: "file[=name]", ...facts },
    undefined,
  );
}

/** Whole numbers, one after the other. */
export function numbers(
  description: string,
  facts: ListFacts & { usual: readonly number[] },
): Option<readonly number[], readonly number[]>;
export function numbers(description: string, facts?: ListFacts): Option<readonly number[], undefined>;
export function numbers(
  description: string,
  { usual, ...facts }: ListFacts & { usual?: readonly number[] } = {},
): Option<readonly number[], readonly number[] | undefined> {
  const { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER, longest = 1_000 } = facts;
  const isFine = (list: readonly number[]): boolean =>
    list.length <= longest && list.every((x) => Number.isSafeInteger(x) && x >= least && x <= most);
  const schema = v.pipe(v.array(v.number()), v.readonly());
  return made(schema, isFine, { description, type: "list", value: "list", ...facts }, usual);
}

function made<T>(
  schema: v.GenericSchema<unknown, T>,
  isFine: (value: T) => boolean,
  facts: OptionFacts,
  usual: T | undefined,
): never {
  const described = v.pipe(schema, v.check(isFine), v.description(facts.description), v.metadata({ facts }));
  return v.optional(described as never, usual as never) as never;
}

/** What is known of an option. */
export function factsOf(option: Option<unknown>): OptionFacts {
  return (v.getMetadata(option.wrapped) as { facts: OptionFacts }).facts;
}

/** The default of an option; undefined if it has none. */
export function usualOf(option: Option<unknown>): unknown {
  return option.default;
}

/** The defaults of all that have one. */
export function defaultsOf<D extends Declared>(declared: D): { [K in keyof D]: D[K]["default"] } {
  const found = Object.entries(declared).filter(([, option]) => option.default !== undefined);
  return Object.fromEntries(found.map(([name, option]) => [name, option.default])) as never;
}

/** Those of some options that are declared. */
export function declaredOf<D extends Declared, O extends object>(declared: D, options: O): Pick<O, keyof D & keyof O> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(declared, name))) as never;
}

/** Options by their present names: those of earlier versions are translated. */
export function presentNames<G extends object>(declared: Declared, given: G): G {
  let renamed: Record<string, unknown> | undefined;
  const all = given as Record<string, unknown>;
  for (const [name, option] of Object.entries(declared)) {
    for (const alias of factsOf(option).aliases ?? []) {
      if (!Object.hasOwn(given, alias)) continue;
      const copy: Record<string, unknown> = renamed ?? { ...all };
      copy[name] ??= copy[alias];
      delete copy[alias];
      renamed = copy;
    }
  }
  return (renamed ?? given) as G;
}

/**
 * Checks options by name and range and fills in defaults, or those of `instead`. Names in `others` are somebody else's to
 * check and are left alone.
 */
export function readOptions<D extends Declared>(
  declared: D,
  given: object,
  { others = [], instead }: { others?: readonly string[]; instead?: Partial<OptionsOf<D>> } = {},
): OptionsOf<D> {
  if (typeof given !== "object" || given === null) throw new InputError(`options must be an object, not ${given}`);
  const named = presentNames(declared, given) as Record<string, unknown>;
  const known = Object.keys(declared);
  for (const name of Object.keys(named)) {
    if (!Object.hasOwn(declared, name) && !others.includes(name))
      throw unknownName("option", name, [...known, ...others]);
  }
  const options: Record<string, unknown> = {};
  for (const name of known) {
    const value = named[name] ?? (instead && Object.hasOwn(instead, name) ? instead[name] : declared[name].default);
    if (value !== undefined) checkOption(declared[name], name, value);
    options[name] = value;
  }
  return options as OptionsOf<D>;
}

/**
 * The options that a model file holds. Names that are not known any more are left out, those that came after the file was
 * written have their defaults, or those of `instead`.
 */
export function storedOptions<D extends Declared>(
  declared: D,
  found: Readonly<Record<string, unknown>>,
  instead: Partial<OptionsOf<D>> = {},
): { [K in keyof D]: NonNullable<OptionsOf<D>[K]> } {
  const named = presentNames(declared, found);
  const known = Object.entries(named).filter(([name]) => Object.hasOwn(declared, name));
  return readOptions(declared, Object.fromEntries(known), { instead }) as never;
}

/** Refuses a value that an option cannot have, by the option's name. */
export function checkOption(option: Option<unknown>, name: string, value: unknown): void {
  if (v.is(option.wrapped, value)) return;
  const facts = factsOf(option);
  if (facts.choices) throw unknownName(`${name} setting`, String(value), facts.choices);
  const shown = typeof value === "object" ? JSON.stringify(value) : value;
  throw new InputError(`option \`${name}\` must be ${wantedText(facts)}, not ${shown}`);
}

/** "a whole number of at least 0 and at most 10" */
export function wantedText(facts: OptionFacts): string {
  switch (facts.type) {
    case "whole":
      return `a whole number${boundsText(facts)}`;
    case "range":
      return `a whole number${boundsText(facts)}, or a range of them`;
    case "real":
      return facts.below === 1 && facts.least === 0 && !facts.above
        ? "a share from 0 to below 1"
        : `a number${boundsText(facts)}`;
    case "list":
      return `a list of whole numbers${boundsText(facts)}`;
    case "files":
      return "a list of texts with names, such as { name, text }";
    case "flag":
      return "true or false";
    case "choice":
      return `one of ${facts.choices?.join(", ")}`;
    default:
      return "text";
  }
}

function boundsText({ least, above, most, below }: OptionFacts): string {
  const parts = [];
  if (least !== undefined && least > Number.MIN_SAFE_INTEGER)
    parts.push(above ? `above ${least}` : `of at least ${least}`);
  if (below !== undefined) parts.push(`below ${below}`);
  else if (most !== undefined && most < Number.MAX_SAFE_INTEGER) parts.push(`at most ${most}`);
  return parts.length > 0 ? ` ${parts.join(" and ")}` : "";
}
