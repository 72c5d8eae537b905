// Cipher texts: how the page shows one, and finding its key with the passes of EM shown as they come.

import { Decipherer, readCipher, warnings } from "../../../src/browser.js";
import { type Expectations, LocalExpecter } from "../../../src/learn/em.js";
import type { CipherText } from "../../../src/tasks/decipher/cipher-text.js";
import type { Decipherment, Reading } from "../../../src/tasks/decipher/decipherment.js";
import { decipherShift } from "../../../src/tasks/decipher/shifted.js";
import { shiftMeanings } from "../../../src/tasks/decipher/shifts.js";
import type { CipherPiece, DecipherResult, Key } from "../protocol.js";
import type { Handler } from "./calls.js";
import { modelOf } from "./models.js";

/** Least time between the passes of EM, in ms. */
const passTime = 280;

export const cipher: Handler<"cipher"> = ({ text, spaces = true }) => {
  const found = read(text, spaces);
  const symbols = found.sequences.flat();
  const pieces: CipherPiece[] = [];
  const marked = found.render(found.sequences, (symbol, at) => `\u0000${at}:${symbol !== symbols[at] ? 1 : 0}\u0000`);
  marked.split("\u0000").forEach((part, i) => {
    if (i % 2 === 0) {
      if (part !== "") pieces.push(part);
      return;
    }
    const [at, capital] = part.split(":").map(Number);
    pieces.push({ at, capital: capital === 1 });
  });
  return { kind: found.kind, spaces: found.spaces, symbols, pieces };
};

export const decipher: Handler<"decipher"> = async (params, { progress, stopped }) => {
  const { model, text, oneToOne, contexts, known, begin } = params;
  const ofText = modelOf(model, "language");
  const enciphered = read(text, ofText.options.spaces);
  // As the command does: ciphers that count in the alphabet are read at once.
  const isOpen = begin === undefined && Object.keys(known ?? {}).length === 0;
  const shift = isOpen ? decipherShift(enciphered, ofText) : undefined;
  if (shift && shift.mapping.length > 0) return resultOf(shift, enciphered);
  const found = await new Decipherer(ofText, { oneToOne, contexts }).solve(enciphered.sequences, {
    known,
    begin,
    shouldStop: stopped,
    expecter: (cipherModel, sequences) => new UnhurriedExpecter(cipherModel, sequences),
    onSearch: (tried, score, best, key) => {
      progress({ stage: "search", tried, score, best, key: keyOf(key()) });
    },
    onWords: (share, best, key) => {
      progress({ stage: "words", share, best, key: keyOf(key()) });
    },
    onPass: ({ pass, logLikelihood, contextLength, readings }) => {
      progress({ stage: "pass", pass, logLikelihood, contextLength, key: [...readings()] });
    },
  });
  const result = resultOf(found, enciphered);
  return shift ? { ...result, warnings: [...shiftLines(shift, enciphered), ...result.warnings] } : result;
};

function resultOf(found: Decipherment, cipherText: CipherText): DecipherResult {
  return {
    key: found.mapping.map(({ cipher: x, plain, probability, others, count }) => [
      x,
      { plain, probability, others: others.slice(0, 3), count },
    ]),
    slips: found.slips,
    warnings: [...shiftLines(found, cipherText), ...warnings(found, cipherText)],
    stopped: found.stopped,
  };
}

/** What a cipher that counts in the alphabet is; and its text, if a table of signs cannot show it. */
function shiftLines({ shift, mapping, plain }: Decipherment, cipherText: CipherText): string[] {
  if (!shift) return [];
  const key = shift.key === "" ? "" : `; key: ${shift.key}`;
  const text = mapping.length > 0 ? "" : `. It reads: ${cipherText.render(plain).trim()}`;
  return [`${shiftMeanings[shift.kind]}${key}${text}`];
}

/** Counts as usual, but lets each pass be seen before the next. */
class UnhurriedExpecter extends LocalExpecter {
  private shown = 0;

  override async expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined> {
    while (performance.now() < this.shown && !shouldStop?.()) await new Promise((resolve) => setTimeout(resolve, 20));
    this.shown = performance.now() + passTime;
    return super.expect(logEmission, shouldStop);
  }
}

/** A cipher text; its spaces mean nothing to a language model without any. */
function read(text: string, spaces: boolean) {
  return readCipher(text, "char", spaces ? {} : { spaces: "unknown" });
}

/** A searched key says nothing of its doubts. */
function keyOf(key: ReadonlyMap<string, string>): Key {
  return [...key].map(([symbol, plain]): [string, Reading] => [symbol, { plain, probability: 0.5 }]);
}
