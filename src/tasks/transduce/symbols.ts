// What a symbol is to a transducer: a character as people count them, a code point of it, or a code point of its canonical
// decomposition. Programs and files give whole characters (or tokens) and get such; these are cut on the way in, and what is
// written is joined on the way out.

import { Alphabet } from "../../engine/alphabet.js";
import { type SymbolKind, splitSymbols } from "../../formats/pair-lines.js";
import { decomposed } from "../../util/characters.js";
import { END, START } from "./emits.js";
import type { PairCorpus } from "./pairs.js";

/** What is read, and what is written. */
export interface Kinds {
  input: SymbolKind;
  output: SymbolKind;
}

/** Nothing is cut. */
export const wholeKinds: Kinds = { input: "chars", output: "chars" };

function isWhole(kind: SymbolKind): boolean {
  return kind === "chars" || kind === "tokens";
}

/** The symbols of a character. */
export function partsOf(character: string, kind: SymbolKind): string[] {
  if (isWhole(kind)) return [character];
  return [...(kind === "decomposed" ? decomposed(character) : character)];
}

/** The symbols of characters. */
export function cut(characters: readonly string[], kind: SymbolKind): readonly string[] {
  return isWhole(kind) ? characters : characters.flatMap((character) => partsOf(character, kind));
}

/** The characters that symbols make. */
export function joined(symbols: readonly string[], kind: SymbolKind): string[] {
  return isWhole(kind) ? [...symbols] : splitSymbols(symbols.join(""), "chars");
}

/** [characters] the symbol with which each begins, of symbols that are joined. */
export function beginnings(symbols: readonly string[], kind: SymbolKind): Int32Array {
  if (isWhole(kind)) return Int32Array.from(symbols.keys());
  // Joining composes and orders accents, and so changes the number of code points; decomposed, both sides have the same.
  const length = (text: string): number => [...decomposed(text)].length;
  const characters = joined(symbols, kind);
  const begin = new Int32Array(characters.length);
  let symbol = 0;
  let end = symbols.length > 0 ? length(symbols[0]) : 0;
  let place = 0;
  characters.forEach((character, c) => {
    while (place >= end && symbol + 1 < symbols.length) end += length(symbols[++symbol]);
    begin[c] = symbol;
    place += length(character);
  });
  return begin;
}

/** A letter that only languages with two kinds of i have: there I is the capital of ı, and İ that of i. */
const DOTLESS = "ı";

/**
 * What a symbol may be read as if it was never seen: in other case, in a compatible form (full width, ligatures), without accents.
 * `known` are the symbols that were seen.
 */
export function relativesOf(symbol: string, known: Alphabet): string[] {
  const language = known.indexOf(DOTLESS) >= 0 ? "tr" : "und";
  const inCases = (text: string): string[] => [
    text,
    text.toLocaleLowerCase(language),
    text.toLocaleUpperCase(language),
  ];
  const letters = decomposed(symbol).replace(/\p{M}+/gu, "");
  const compatible = symbol.normalize("NFKC");
  return [...inCases(symbol), ...inCases(compatible), ...inCases(letters)];
}

/** The ways in which symbols of an alphabet can be cut, each into others than the ways before it; `chars` is the first. */
export function possibleKinds(alphabet: Alphabet): SymbolKind[] {
  const names = alphabet.all();
  if (!names.every((name) => splitSymbols(name, "chars").length === 1)) return ["chars"];
  const kinds: SymbolKind[] = ["chars"];
  for (const kind of ["codepoints", "decomposed"] as const) {
    const before = kinds[kinds.length - 1];
    const isOther = names.some((name) => partsOf(name, kind).join("|") !== partsOf(name, before).join("|"));
    // What is written must be what was meant: characters come back as they were.
    if (isOther && names.every((name) => joined(partsOf(name, kind), kind).join("|") === name)) kinds.push(kind);
  }
  return kinds;
}

/** A corpus and its alphabets, with symbols cut. */
export interface CutCorpus {
  corpus: PairCorpus;
  inputSymbols: Alphabet;
  outputSymbols: Alphabet;
  /** Names of what holds for whole inputs; see attributes.ts. */
  marks: Alphabet;
}

/** Cuts symbols; `edges`: the ends of inputs become symbols. */
export function cutCorpus(
  { corpus, inputSymbols, outputSymbols, marks }: CutCorpus,
  kinds: Kinds,
  edges: boolean,
): CutCorpus {
  const cutInputs = cutSide(corpus.inputs, corpus.inputStart, inputSymbols, kinds.input);
  const input = edges ? withEdges(cutInputs) : cutInputs;
  const output = cutSide(corpus.outputs, corpus.outputStart, outputSymbols, kinds.output);
  return {
    corpus: {
      ...corpus,
      inputs: input.symbols,
      inputStart: input.start,
      outputs: output.symbols,
      outputStart: output.start,
    },
    inputSymbols: input.alphabet,
    outputSymbols: output.alphabet,
    marks,
  };
}

function withEdges({ symbols, start, alphabet }: CutSide): CutSide {
  const wider = new Alphabet(alphabet.all());
  const first = wider.add(START);
  const last = wider.add(END);
  const wide = new Int32Array(symbols.length + 2 * (start.length - 1));
  for (let i = 0; i + 1 < start.length; i++) {
    const at = start[i] + 2 * i;
    wide[at] = first;
    wide.set(symbols.subarray(start[i], start[i + 1]), at + 1);
    wide[start[i + 1] + 2 * i + 1] = last;
  }
  return { symbols: wide, start: start.map((from, i) => from + 2 * i), alphabet: wider };
}

interface CutSide {
  symbols: Int32Array;
  start: Int32Array;
  alphabet: Alphabet;
}

function cutSide(symbols: Int32Array, start: Int32Array, alphabet: Alphabet, kind: SymbolKind): CutSide {
  if (isWhole(kind)) return { symbols, start, alphabet };
  const parts = new Alphabet();
  const numbers = alphabet.all().map((name) => partsOf(name, kind).map((part) => parts.add(part)));
  const list: number[] = [];
  const starts = new Int32Array(start.length);
  for (let i = 0; i + 1 < start.length; i++) {
    for (let s = start[i]; s < start[i + 1]; s++) list.push(...numbers[symbols[s]]);
    starts[i + 1] = list.length;
  }
  return { symbols: Int32Array.from(list), start: starts, alphabet: parts };
}
