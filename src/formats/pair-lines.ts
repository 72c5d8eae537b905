// The lines of pairs of an input and an output of different lengths, a pair a line; nothing here needs a file system.
//   tsv       input TAB output; `columns` says which two. A third column may hold attributes: what holds for the whole input,
//             separated by `;` or spaces; further columns are left alone
//   cmudict   WORD  P R O N; `WORD(2)` is another pronunciation of WORD, `;;;` and ` #` begin comments
// A side is cut at spaces (tokens) or into characters as people count them: grapheme clusters in Unicode's composed form, so
// that é is one character however it was typed. Whether a transducer takes characters apart is its own choice.

import * as v from "valibot";
import { composed, decomposed, graphemesOf } from "../util/characters.js";
import { InputError, type Place } from "../util/errors.js";
import { checkSideLength, LONGEST_SIDE } from "./limits.js";

/** A pair of sequences as data gives it: an input and an output of any lengths, not aligned. */
export interface SymbolPair {
  input: readonly string[];
  output: readonly string[];
  /** Attributes of the whole input, such as its part of speech or the form to write. */
  attributes?: readonly string[];
  /** The input as written, if it was read from text. */
  text?: string;
  file?: string;
  line?: number;
}

export const pairFormats = ["tsv", "cmudict"] as const;
export type PairFormat = (typeof pairFormats)[number];

/**
 * What a symbol is: a character, a code point of it, a code point of its canonical decomposition (a letter and its accents,
 * the sounds of a Korean syllable), or what stands between spaces.
 */
export const symbolKinds = ["chars", "codepoints", "decomposed", "tokens"] as const;
export type SymbolKind = (typeof symbolKinds)[number];

/** The kinds that leave characters whole. */
export const wholeSymbols = ["chars", "tokens"] as const satisfies readonly SymbolKind[];
export type WholeSymbol = (typeof wholeSymbols)[number];

/** Unicode's forms of the same text: composed, decomposed. */
export const textForms = ["NFC", "NFD"] as const;
export type TextForm = (typeof textForms)[number];

/** How pairs are written: all that is needed to read more of the same kind. */
export interface PairLayout {
  format: PairFormat;
  input: SymbolKind;
  output: SymbolKind;
  /** The columns of input and output, counted from 1. */
  columns: readonly [input: number, output: number];
  /** The column of attributes, counted from 1; 0 or undefined if there is none. */
  attributes?: number;
  /** Learn the reverse: from outputs to inputs. */
  reverse: boolean;
  /** cmudict: keep the stress of vowels, the digit in `AH0`. */
  stress: boolean;
  /** The Unicode form of the outputs in the data, and of the answers. Default NFC. */
  form?: TextForm;
}

const layoutSchema = v.object({
  format: v.picklist(pairFormats),
  input: v.picklist(symbolKinds),
  output: v.picklist(symbolKinds),
  columns: v.tuple([v.number(), v.number()]),
  attributes: v.optional(v.number()),
  reverse: v.boolean(),
  stress: v.boolean(),
  form: v.optional(v.picklist(textForms)),
});

/** How a transducer's training data was read; kept in its note as `input`. */
export function layoutOf({ note }: { note: Readonly<Record<string, unknown>> }): PairLayout {
  const parsed = v.safeParse(layoutSchema, note.input);
  if (parsed.success) return parsed.output;
  return { format: "tsv", input: "chars", output: "tokens", columns: [1, 2], reverse: false, stress: true };
}

/** The kinds of symbols as the transducer reads and writes them. */
export function kindsOf(layout: PairLayout): { read: SymbolKind; written: SymbolKind } {
  return layout.reverse
    ? { read: layout.output, written: layout.input }
    : { read: layout.input, written: layout.output };
}

/** What is not given is found out from the first lines. */
export function detectLayout(lines: readonly string[], options: Partial<PairLayout>): PairLayout {
  const columns = options.columns ?? [1, 2];
  const full = lines.filter((line) => line.trim() !== "" && !line.startsWith(";;;"));
  const isDictionary =
    lines.some((line) => line.startsWith(";;;")) ||
    full.every((line) => /^\S+ {1,2}[A-Z]+\d?( [A-Z]+\d?)*( #.*)?$/.test(line));
  const format = options.format ?? (isDictionary && full.length > 0 ? "cmudict" : "tsv");
  const sideOf = (column: number): string[] => full.map((line) => line.split("\t")[column - 1] ?? "");
  const input = options.input ?? (format === "cmudict" ? "chars" : kindIn(sideOf(columns[0])));
  const output = options.output ?? (format === "cmudict" ? "tokens" : kindIn(sideOf(columns[1])));
  const reverse = options.reverse ?? false;
  const form = options.form ?? formIn(sideOf(columns[reverse ? 0 : 1]));
  const attributes = options.attributes ?? (format === "tsv" ? attributeColumn(full, columns) : undefined);
  const layout = { format, input, output, columns, reverse, stress: options.stress ?? true, form };
  return attributes === undefined ? layout : { ...layout, attributes };
}

/** Where a column after two others may hold attributes. */
const THIRD = 3;

/**
 * The third column, if every line has one and it holds attributes: few that come again and again, and not numbers. 0 if it holds
 * something else, undefined if there is none.
 */
function attributeColumn(lines: readonly string[], columns: readonly number[]): number | undefined {
  const texts = lines.map((line) => line.split("\t")[THIRD - 1]);
  if (columns.includes(THIRD) || texts.every((text) => text === undefined)) return undefined;
  if (texts.some((text) => text === undefined || text.trim() === "")) return 0;
  const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));
  if (texts.every(isNumber)) return 0;
  const counts = new Map<string, number>();
  const all = texts.flatMap(attributesIn);
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  // By how many come once: forms may be listed in turn, so halves of the lines could hold different ones.
  const once = [...counts.values()].filter((count) => count === 1).length;
  const comeAgain = once <= all.length * mostUnseen(texts.length);
  const areLists = 2 * texts.filter((text) => text.includes(";")).length > texts.length;
  return comeAgain && (areLists || 2 * new Set(texts).size <= texts.length) ? THIRD : 0;
}

/** The attributes of a text. */
export function attributesIn(text: string): string[] {
  return text.split(/[;\s]+/).filter((attribute) => attribute !== "");
}

/** The attributes of a pair as text, which `attributesIn` takes apart again. */
export function attributesText({ attributes = [] }: Pick<SymbolPair, "attributes">): string {
  return attributes.join(";");
}

/**
 * A side with spaces on most lines is made of tokens, unless these are words rather than symbols: of symbols, half of the
 * lines hold nearly all that occur in the other half.
 */
function kindIn(texts: readonly string[]): SymbolKind {
  const spaced = texts.filter((text) => text.trim().includes(" ")).length;
  if (2 * spaced <= texts.length) return "chars";
  const seen = new Set<string>();
  const others: string[] = [];
  texts.forEach((text, i) => {
    const tokens = splitSymbols(text, "tokens");
    if (i % 2 === 0) for (const token of tokens) seen.add(token);
    else others.push(...tokens);
  });
  const unseen = others.filter((token) => !seen.has(token)).length;
  return unseen > others.length * mostUnseen(texts.length) ? "chars" : "tokens";
}

/**
 * The share of symbols in one half of some lines that the other half may lack. With 50 lines of pronunciations it is up to
 * 10 %, with 500 below 1 %; of words or syllables about 50 and 15 %.
 */
function mostUnseen(lines: number): number {
  return 0.05 + 4 / lines;
}

/** The form of more of the texts, as far as that makes a difference. */
function formIn(texts: readonly string[]): TextForm {
  let balance = 0;
  for (const text of texts) {
    const [nfc, nfd] = [composed(text), decomposed(text)];
    if (nfc !== nfd) balance += text === nfc ? 1 : text === nfd ? -1 : 0;
  }
  return balance < 0 ? "NFD" : "NFC";
}

/** Where the two sides of a pair stand on a line. */
export type PairPlaces = Pick<PairLayout, "format" | "columns" | "reverse" | "attributes">;

/** The line of a pair, with its end: what is read and what is written, as texts. Further columns of a table are empty. */
export function pairLine(
  read: string,
  written: string,
  { format, columns, reverse, attributes: column = 0 }: PairPlaces,
  attributes = "",
): string {
  const [left, right] = reverse ? [written, read] : [read, written];
  if (format === "cmudict") return `${left}  ${right}\n`;
  const fields: string[] = Array(Math.max(...columns, column)).fill("");
  fields[columns[0] - 1] = left;
  fields[columns[1] - 1] = right;
  if (column > 0) fields[column - 1] = attributes;
  return `${fields.join("\t")}\n`;
}

/** The pair of a line, or undefined if the line holds none. */
export function parsePair(line: string, layout: PairLayout, inputsOnly: boolean, place: Place): SymbolPair | undefined {
  if (line.trim() === "") return undefined;
  const sides =
    layout.format === "cmudict" ? dictionarySides(line, layout) : tableSides(line, layout, inputsOnly, place);
  if (!sides) return undefined;
  const [left, right, attributes] = sides;
  const alone = left === undefined || right === undefined;
  if (alone && !inputsOnly) {
    throw new InputError("expected an input and an output, found only one", {
      ...place,
      hint: layout.format === "cmudict" ? "a line holds a word, spaces and its sounds" : "put a tab between them",
    });
  }
  const { reverse } = layout;
  const given = alone ? (left ?? right ?? "") : reverse ? right : left;
  const wanted = alone ? "" : reverse ? left : right;
  const { read, written } = kindsOf(layout);
  const input = splitSide(given, read, "input", place);
  if (input.length === 0) throw new InputError("the input is empty", place);
  const pair: SymbolPair = { input, output: splitSide(wanted, written, "output", place), text: given, ...place };
  return attributes === undefined ? pair : { ...pair, attributes: attributesIn(attributes) };
}

type Sides = [left: string | undefined, right: string | undefined, attributes?: string];

function tableSides(line: string, { columns, attributes = 0 }: PairLayout, inputsOnly: boolean, place: Place): Sides {
  const fields = line.split("\t");
  // What is to be predicted may have the input alone, in whatever column the training data had it, or with its attributes.
  if (fields.length === 1) return [fields[0], undefined];
  if (attributes === 0) return [fields[columns[0] - 1], fields[columns[1] - 1]];
  if (fields.length === 2 && inputsOnly) return [fields[0], undefined, fields[1]];
  if (fields.length < attributes) {
    throw new InputError(`attributes are expected in column ${attributes}, found ${fields.length} columns`, {
      ...place,
      hint: "a line has an input, an output and attributes, separated by tabs; option `attributes` sets the column, 0 for none",
    });
  }
  return [fields[columns[0] - 1], fields[columns[1] - 1], fields[attributes - 1]];
}

function dictionarySides(line: string, { stress }: PairLayout): Sides | undefined {
  if (line.startsWith(";;;")) return undefined;
  const text = line.replace(/\s#.*$/, "").trim();
  const space = text.search(/\s/);
  if (space < 0) return [text.replace(/\(\d+\)$/, ""), undefined];
  const word = text.slice(0, space).replace(/\(\d+\)$/, "");
  const sounds = text.slice(space).trim();
  return [word, stress ? sounds : sounds.replace(/(?<=[A-Z])\d\b/g, "")];
}

/** More characters of a text than any that is short enough as symbols; cutting it would take as long as it is. */
const mostCharacters = 100 * LONGEST_SIDE;

function splitSide(text: string, kind: SymbolKind, side: "input" | "output", place: Place): string[] {
  if (text.length > mostCharacters) checkSideLength(text.length, side, place);
  const symbols = splitSymbols(text, kind);
  checkSideLength(symbols.length, side, place);
  return symbols;
}

/** A text as tokens or as characters, whatever these are made of. */
export function splitSymbols(text: string, kind: SymbolKind): string[] {
  if (kind === "tokens") return text.split(/[ \t]+/).filter((token) => token !== "");
  return graphemesOf(composed(text));
}

/** Symbols as a text that `splitSymbols` takes apart again. */
export function joinSymbols(symbols: readonly string[], kind: SymbolKind): string {
  return symbols.join(kind === "tokens" ? " " : "");
}

/** The input of a pair as it was written. */
export function inputText({ input, text }: SymbolPair, layout: PairLayout): string {
  return text ?? joinSymbols(input, kindsOf(layout).read);
}

/** The text of an output, in the form of the data. */
export function outputText(output: readonly string[], layout: PairLayout): string {
  const { written } = kindsOf(layout);
  const text = joinSymbols(output, written);
  return layout.form === "NFD" && written !== "tokens" ? decomposed(text) : text;
}
