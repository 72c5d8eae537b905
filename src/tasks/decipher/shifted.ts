// A text that is read by counting in the alphabet (shifts.ts), as a decipherment like others: where each letter has one sign, with
// a table of signs; where the letters of a key take turns, without.

import type { CipherText } from "./cipher-text.js";
import type { Decipherment, MappedSymbol } from "./decipherment.js";
import { type LanguageModel, SPACE } from "./language.js";
import { bestShift, countingAlphabet, isRead, type ShiftKind, type SolvedShift } from "./shifts.js";
import { redundancy } from "./unicity.js";

/** The decipherment of a text that counts in the alphabet; undefined if none is convincing, unless the best is `wanted` anyway. */
export function decipherShift(cipher: CipherText, language: LanguageModel, wanted = false): Decipherment | undefined {
  const shift = bestShift(cipher, language);
  if (!shift || !(wanted || isRead(shift))) return undefined;
  const probability = 1 / (1 + Math.exp(-shift.odds));
  return {
    shift: { kind: shift.kind, key: shift.key },
    mapping: isInTurn(shift.kind) ? [] : mappingOf(cipher, shift, probability),
    plain: shift.plain,
    slips: [],
    logLikelihood: [],
    contextLength: [],
    drawn: true,
    expectedAccuracy: probability,
    likeness: shift.likeness,
    unicity: keyBits(shift, countingAlphabet(language).length) / redundancy(language),
    oneToOne: !isInTurn(shift.kind),
    restarts: 1,
    recurrences: 1,
    stopped: false,
  };
}

/** Whether the letters of a key take turns, so that a sign stands for several letters. */
function isInTurn(kind: ShiftKind): boolean {
  return kind === "vigenere" || kind === "beaufort";
}

function keyBits({ kind, key }: SolvedShift, size: number): number {
  if (isInTurn(kind)) return key.length * Math.log2(size);
  return kind === "atbash" ? 1 : (kind === "caesar" ? 1 : 2) * Math.log2(size);
}

function mappingOf(cipher: CipherText, { plain }: SolvedShift, probability: number): MappedSymbol[] {
  const read = plain.flat();
  const mapping = new Map<string, MappedSymbol>();
  for (const [at, symbol] of cipher.sequences.flat().entries()) {
    const own = mapping.get(symbol);
    if (own) own.count++;
    else {
      const isSure = symbol === SPACE;
      mapping.set(symbol, {
        cipher: symbol,
        plain: read[at],
        probability: isSure ? 1 : probability,
        count: 1,
        others: [],
      });
    }
  }
  return [...mapping.values()].sort((a, b) => b.count - a.count || (a.cipher < b.cipher ? -1 : 1));
}
