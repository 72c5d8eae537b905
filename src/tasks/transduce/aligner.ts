// A first, rough alignment of pairs, by EM on the smallest model that has one: at input symbol x, after k symbols were
// written for it,
//   p(move | x, min(k, 2)),   a move being a symbol to write or *shift*.
// It is used to decide which rows a transducer has (n-grams of aligned pairs that plausibly occur), and what it learns from in
// its first pass.

import { logAdd } from "../../engine/lattice.js";
import { type RandomGenerator, uniform } from "../../util/random.js";
import { type Emits, emitAt, longestOutput, mostEmit } from "./emits.js";
import { answerOf, inputOf, type PairCorpus } from "./pairs.js";

/** Numbers of written symbols that are told apart: 0, 1, and more. */
export const COUNT_CLASSES = 3;

export function countClass(written: number): number {
  return written < COUNT_CLASSES ? written : COUNT_CLASSES - 1;
}

/** Outputs may be this far from the diagonal where all alignments would be too many to look at. */
const WIDE_BAND = 128;
/** Nodes of a pair's lattice up to which all alignments are looked at. */
const MOST_NODES = 4_000_000;

/** How much more probable than another symbol a copy is before anything is counted. */
const COPY_BELIEF = 10;

export class Aligner {
  /** [inputSymbols][COUNT_CLASSES][symbolCount] */
  private probability: Float64Array;
  private readonly counts: Float64Array;
  private readonly size: number;
  // The lattice of a pair: node (j, k, n) is at (j * (maxEmit + 1) + k) * width + n - low[j].
  private log = new Float64Array(1024);
  private low = new Int32Array(64);
  private width = 0;

  constructor(
    inputSymbols: number,
    readonly symbolCount: number,
    readonly emits: Emits,
    /** [inputSymbols] the output symbol that copies each, or -1: if given, EM begins with the belief that it is likely. */
    copies?: Int32Array,
  ) {
    this.size = inputSymbols * COUNT_CLASSES * symbolCount;
    this.probability = new Float64Array(this.size).fill(1 / symbolCount);
    this.counts = new Float64Array(this.size);
    copies?.forEach((symbol, input) => {
      if (symbol >= 0) this.probability[this.place(input, 0, symbol)] *= COPY_BELIEF;
    });
  }

  /** Passes of EM over the answers of some inputs. */
  fit(corpus: PairCorpus, inputs: Int32Array, passes: number): void {
    for (let pass = 0; pass < passes; pass++) {
      this.counts.fill(0);
      for (const i of inputs) {
        for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
          this.addCounts(inputOf(corpus, i), answerOf(corpus, a));
        }
      }
      this.maximise();
    }
  }

  private maximise(): void {
    const { counts, symbolCount, size } = this;
    const smoothing = 0.1 / symbolCount;
    for (let row = 0; row < size; row += symbolCount) {
      let total = 0;
      for (let e = row; e < row + symbolCount; e++) total += counts[e] + smoothing;
      for (let e = row; e < row + symbolCount; e++) this.probability[e] = (counts[e] + smoothing) / total;
    }
  }

  private place(input: number, written: number, symbol: number): number {
    return (input * COUNT_CLASSES + countClass(written)) * this.symbolCount + symbol;
  }

  /** Logs of the sums over the ways from each node to the end; false if the output is too long for the input. */
  private backward(input: Int32Array, output: Int32Array): boolean {
    const J = input.length;
    const L = output.length;
    const K = mostEmit(this.emits);
    if (L > longestOutput(this.emits, J)) return false;
    const band = J * (K + 1) * (L + 1) > MOST_NODES ? WIDE_BAND : L;
    this.width = Math.min(L + 1, 2 * band + 1 + K);
    if (this.low.length < J + 1) this.low = new Int32Array(2 * J + 1);
    for (let j = 0; j <= J; j++) {
      this.low[j] = Math.max(0, Math.min(L + 1 - this.width, Math.floor((j * L) / J) - band));
    }
    const { width, low } = this;
    const size = (J + 1) * (K + 1) * width;
    if (this.log.length < size) this.log = new Float64Array(size * 2);
    const { log, probability } = this;
    log.fill(Number.NEGATIVE_INFINITY, 0, size);
    log[J * (K + 1) * width + L - low[J]] = 0;
    const shift = this.symbolCount - 1;
    for (let j = J - 1; j >= 0; j--) {
      const after = (j + 1) * (K + 1) * width - low[j + 1];
      const most = emitAt(this.emits, j, J);
      for (let k = most; k >= 0; k--) {
        const base = (j * (K + 1) + k) * width - low[j];
        const shiftLog = Math.log(probability[this.place(input[j], k, shift)]);
        for (let n = low[j]; n < Math.min(L + 1, low[j] + width); n++) {
          let value = Number.NEGATIVE_INFINITY;
          if (n >= low[j + 1] && n < low[j + 1] + width) value = shiftLog + log[after + n];
          if (k < most && n < L && n + 1 < low[j] + width) {
            const rest = log[base + width + n + 1];
            if (rest > Number.NEGATIVE_INFINITY) {
              value = logAdd(value, Math.log(probability[this.place(input[j], k, output[n])]) + rest);
            }
          }
          log[base + n] = value;
        }
      }
    }
    return log[0] > Number.NEGATIVE_INFINITY;
  }

  private addCounts(input: Int32Array, output: Int32Array): void {
    if (!this.backward(input, output)) return;
    const { log, low, width, probability, counts } = this;
    const K = mostEmit(this.emits);
    const shift = this.symbolCount - 1;
    // Posteriors forward from the start: `log` gives way to them node by node, each read before it is overwritten.
    const J = input.length;
    const L = output.length;
    const node = this.posterior(J * (K + 1) * width + width);
    node[0] = 1;
    for (let j = 0; j < J; j++) {
      const after = (j + 1) * (K + 1) * width - low[j + 1];
      const most = emitAt(this.emits, j, J);
      for (let k = 0; k <= most; k++) {
        const base = (j * (K + 1) + k) * width - low[j];
        for (let n = low[j]; n < Math.min(L + 1, low[j] + width); n++) {
          const own = node[base + n];
          if (own < 1e-12) continue;
          const ownLog = log[base + n];
          if (n >= low[j + 1] && n < low[j + 1] + width) {
            const place = this.place(input[j], k, shift);
            const part = own * Math.exp(Math.log(probability[place]) + log[after + n] - ownLog);
            counts[place] += part;
            node[after + n] += part;
          }
          if (k < most && n < L && n + 1 < low[j] + width) {
            const place = this.place(input[j], k, output[n]);
            const part = own * Math.exp(Math.log(probability[place]) + log[base + width + n + 1] - ownLog);
            counts[place] += part;
            node[base + width + n + 1] += part;
          }
        }
      }
    }
  }

  private nodes = new Float64Array(0);
  private posterior(size: number): Float64Array {
    if (this.nodes.length < size) this.nodes = new Float64Array(size * 2);
    this.nodes.fill(0, 0, size);
    return this.nodes;
  }

  /** Moves of an alignment drawn with its probability; undefined if the output is too long for the input. */
  sample(input: Int32Array, output: Int32Array, random: RandomGenerator): Int32Array | undefined {
    return this.walk(input, output, () => uniform(random));
  }

  /** The alignment that is more probable than all others together, if there is one. */
  certain(input: Int32Array, output: Int32Array): Int32Array | undefined {
    return this.walk(input, output, () => 0.5, 0.5);
  }

  /** A probable alignment: at each move the more probable way. */
  best(input: Int32Array, output: Int32Array): Int32Array | undefined {
    return this.walk(input, output, () => 0.5);
  }

  /** Moves of an alignment, writing where that is more probable than a number; undefined if it has less than `least`. */
  private walk(input: Int32Array, output: Int32Array, draw: () => number, least = 0): Int32Array | undefined {
    if (!this.backward(input, output)) return undefined;
    const { log, low, width, probability } = this;
    const K = mostEmit(this.emits);
    const shift = this.symbolCount - 1;
    const moves = new Int32Array(input.length + output.length);
    let n = 0;
    let k = 0;
    let j = 0;
    let probable = 1;
    for (let m = 0; m < moves.length; m++) {
      const here = log[(j * (K + 1) + k) * width - low[j] + n];
      let write = 0;
      if (k < emitAt(this.emits, j, input.length) && n < output.length && n + 1 < low[j] + width) {
        const rest = log[(j * (K + 1) + k + 1) * width - low[j] + n + 1];
        write = Math.exp(Math.log(probability[this.place(input[j], k, output[n])]) + rest - here);
      }
      const inBand = n >= low[j + 1] && n < low[j + 1] + width;
      const canShift = inBand && log[(j + 1) * (K + 1) * width - low[j + 1] + n] > Number.NEGATIVE_INFINITY;
      const writes = !canShift || draw() < write;
      if (canShift) probable *= writes ? write : 1 - write;
      if (writes) {
        moves[m] = output[n++];
        k++;
      } else {
        moves[m] = shift;
        k = 0;
        j++;
      }
      if (probable < least) return undefined;
    }
    return moves;
  }
}
