// A decipherment compared with the true key or the true text.

import { InputError } from "../../util/errors.js";
import { type CipherText, readCipher } from "./cipher-text.js";
import type { Decipherment } from "./decipherment.js";
import { asInCipher, type Key } from "./known-key.js";
import { SPACE, wordsOf } from "./language.js";

export type Solution = { key: Key } | { text: readonly (readonly string[])[] };

/** A true key as a solution of a cipher. */
export function solutionOfKey(key: Key, cipher: CipherText): Solution {
  return { key: Object.fromEntries(Object.entries(key).map((pair) => pair.map((one) => asInCipher(one, cipher)))) };
}

/** The true text as a solution: it has as many symbols as the cipher. `file` is where it comes from, for messages. */
export function solutionOfText(content: string, cipher: CipherText, file?: string): Solution {
  const plain =
    cipher.kind === "words"
      ? content.split("\n").map(wordsOf)
      : readCipher(content, "char", { kind: "letters", spaces: cipher.spaces ? "known" : "unknown" }).sequences;
  const wanted = cipher.sequences.flat().length;
  if (plain.flat().length !== wanted) {
    throw new InputError(`the solution has ${plain.flat().length} symbols and the cipher text ${wanted}`, { file });
  }
  return { text: plain };
}

/** How much of a decipherment is right; spaces between words do not count. */
export interface Rightness {
  /** Share of the cipher symbols; undefined if they have no reading of their own. */
  mappingAccuracy?: number;
  /** Share of the places. */
  tokenAccuracy: number;
}

export function compareWithSolution(found: Decipherment, cipher: CipherText, solution: Solution): Rightness {
  const symbols = cipher.sequences.flat();
  const read = found.plain.flat();
  const truth = "key" in solution ? readBy(solution.key, symbols) : solution.text.flat();
  const counts = new Map<string, Map<string, number>>(); // what each cipher symbol truly stands for, and how often
  let places = 0;
  let right = 0;
  symbols.forEach((x, i) => {
    if (x === SPACE) return;
    places++;
    if (read[i] === truth[i]) right++;
    const own = counts.get(x) ?? new Map<string, number>();
    own.set(truth[i], (own.get(truth[i]) ?? 0) + 1);
    counts.set(x, own);
  });
  let mapped = 0;
  for (const { cipher: x, plain } of found.mapping) {
    const own = counts.get(x);
    if (own && own.get(plain) === Math.max(...own.values())) mapped++;
  }
  return {
    mappingAccuracy: found.mapping.length > 0 ? mapped / counts.size : undefined,
    tokenAccuracy: right / places,
  };
}

/** The plain symbols that a key gives, empty where it gives none. */
function readBy(key: Key, symbols: readonly string[]): string[] {
  return symbols.map((x) => (Object.hasOwn(key, x) ? key[x] : ""));
}
