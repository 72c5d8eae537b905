// What pairs need of a transducer: how many symbols it must be able to write for one, at the ends of inputs and within, and
// whether rows of copies would help. All of it is seen in the pairs, or in a rough alignment of some of them.

import type { Alphabet } from "../../engine/alphabet.js";
import { Aligner } from "./aligner.js";
import { type Emits, isEdge } from "./emits.js";
import { LEAST_LOG } from "./engine.js";
import { answerOf, inputOf, type PairCorpus } from "./pairs.js";
import type { CutCorpus } from "./symbols.js";

/** How far anything may look, and how much may be written for one symbol: what a model file may ask for, too. */
export const FURTHEST = 1_000;

/** [inputs + 2] the output symbol of the same name for each input symbol, or -1; none for what is unknown or outside. */
export function copiesOf(inputs: Alphabet, outputs: Alphabet): Int32Array {
  const copies = new Int32Array(inputs.size + 2).fill(-1);
  inputs.all().forEach((name, symbol) => {
    if (!isEdge(name)) copies[symbol] = outputs.indexOf(name);
  });
  return copies;
}

/** Where more than this share of the written symbols are among those of their input, it is likely that many are copied. */
const MOSTLY_COPIED = 0.7;

/** Whether outputs are made of the symbols of their inputs, for the most part. */
export function isMostlyCopied({ corpus, inputSymbols, outputSymbols }: CutCorpus): boolean {
  const copies = copiesOf(inputSymbols, outputSymbols);
  let shared = 0;
  for (let i = 0; i < corpus.inputCount; i++) {
    const own = new Set(inputOf(corpus, i).map((symbol) => copies[symbol]));
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      for (const symbol of answerOf(corpus, a)) if (own.has(symbol)) shared++;
    }
  }
  return shared > MOSTLY_COPIED * corpus.outputs.length;
}

/** Of pairs that can be aligned: as many of 1,000 should be. */
const COVERED = 0.999;

function covering(needed: number[]): number {
  needed.sort((a, b) => a - b);
  return needed[Math.max(0, Math.ceil(needed.length * COVERED) - 1)] ?? 0;
}

/** The least number of symbols per input symbol, at least 2, that lets 999 of 1,000 pairs be aligned, if it may be so large. */
export function neededEmit(corpus: PairCorpus): number {
  const needed: number[] = [];
  for (let i = 0; i < corpus.inputCount; i++) {
    const length = corpus.inputStart[i + 1] - corpus.inputStart[i];
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      needed.push(Math.ceil((corpus.outputStart[a + 1] - corpus.outputStart[a]) / length));
    }
  }
  return Math.min(mostWritten(corpus), Math.max(2, covering(needed)));
}

/** Pairs that are aligned to see what they need, at most, and passes of EM over them. */
const LOOKED_AT = 2_000;
const PASSES = 6;
/** What may be written at an end while looking. */
const WIDEST_EDGE = 24;

/** The same where the ends of inputs are symbols: what rough alignments write there, and between. */
export function neededEdges(data: CutCorpus): Emits {
  const { corpus, inputSymbols, outputSymbols } = data;
  const most = mostWritten(corpus);
  const copies = isMostlyCopied(data) ? copiesOf(inputSymbols, outputSymbols) : undefined;
  const wide: Emits = { maxEmit: Math.min(3, most), edgeEmit: Math.min(WIDEST_EDGE, most) };
  const aligner = new Aligner(inputSymbols.size + 2, outputSymbols.size + 1, wide, copies);
  const some = Int32Array.from({ length: Math.min(LOOKED_AT, corpus.inputCount) }, (_, i) => i);
  aligner.fit(corpus, some, PASSES);
  const edges: number[] = [];
  const within: number[] = [];
  for (const i of some) {
    const input = inputOf(corpus, i);
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      const moves = aligner.best(input, answerOf(corpus, a));
      if (!moves) continue;
      const need = { edge: 0, within: 0 };
      let j = 0;
      let written = 0;
      for (const move of moves) {
        if (move !== outputSymbols.size) {
          written++;
          continue;
        }
        const side = j === 0 || j === input.length - 1 ? "edge" : "within";
        need[side] = Math.max(need[side], written);
        written = 0;
        j++;
      }
      edges.push(need.edge);
      within.push(need.within);
    }
  }
  return { maxEmit: Math.min(most, Math.max(2, covering(within))), edgeEmit: Math.max(1, covering(edges)) };
}

/**
 * So many symbols may be written for one input symbol that before anything is learned, when all are equally probable, the mass
 * of writing none is still a number beside the mass of writing them all.
 */
export function mostWritten(corpus: PairCorpus): number {
  const symbols = corpus.outputs.reduce((most, symbol) => Math.max(most, symbol), 1) + 1;
  return Math.min(FURTHEST, Math.floor(-LEAST_LOG / Math.log(symbols)));
}
