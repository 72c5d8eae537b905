// Pairs of an input and an output of different lengths as they come; the lines themselves are read by pair-lines.ts.

import { InputError, unknownName } from "../util/errors.js";
import type { Lines } from "./line-blocks.js";
import { detectLayout, type PairLayout, pairFormats, parsePair, type SymbolPair, symbolKinds } from "./pair-lines.js";

export interface ParsePairsOptions extends Partial<PairLayout> {
  /** Whether lines without an output are accepted, as inputs only. */
  inputsOnly?: boolean;
  /** Whether a source may have no pairs, such as one part of a larger source. Default false. */
  mayBeEmpty?: boolean;
  /** Called before the first pair with how the data is read, as given or detected. */
  onLayout?: (layout: PairLayout) => void;
}

/** The pairs of some lines. */
export async function* parsePairs(
  { file, blocks }: Lines,
  options: ParsePairsOptions = {},
): AsyncGenerator<SymbolPair> {
  checkChoices(options);
  let layout: PairLayout | undefined;
  let found = false;
  for await (const { first, lines } of blocks) {
    if (!layout) {
      if (lines.every((line) => line.trim() === "")) continue;
      layout = detectLayout(lines, options);
      options.onLayout?.(layout);
    }
    for (let i = 0; i < lines.length; i++) {
      const place = { file, line: first + i };
      const pair = parsePair(lines[i], layout, options.inputsOnly === true, place);
      if (!pair) continue;
      found = true;
      yield pair;
    }
  }
  if (found || options.mayBeEmpty) return;
  if (options.inputsOnly) throw new InputError("no inputs", { file, hint: "a line holds an input" });
  throw new InputError("no pairs", { file, hint: "a line holds an input, a tab and an output" });
}

function checkChoices(options: ParsePairsOptions): void {
  const oneOf = (name: string, value: string | undefined, known: readonly string[]): void => {
    if (value !== undefined && !known.includes(value)) throw unknownName(name, value, known);
  };
  oneOf("format", options.format, pairFormats);
  oneOf("kind of symbols", options.input, symbolKinds);
  oneOf("kind of symbols", options.output, symbolKinds);
  for (const column of options.columns ?? []) {
    if (!Number.isInteger(column) || column < 1) throw new InputError(`columns are counted from 1, not ${column}`);
  }
}
