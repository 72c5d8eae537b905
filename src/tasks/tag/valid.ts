// The outputs that a scheme of labels allows, as a clamp. Its state is what the label before lets follow: a *class* of labels
// after which the same may come and means the same in the data's scheme. Each arc of the clamp is a learned label, and has
// the label of the data that it stands for there. Learned outputs that are allowed and outputs in the data's scheme are one
// to one, so probabilities of the ones are those of the others; a label that the data does not have is never answered.

import type { Alphabet } from "../../engine/alphabet.js";
import type { Clamp } from "../../engine/clamp.js";
import { ClampedPass } from "../../engine/clamped-pass.js";
import type { Trellis } from "../../engine/trellis.js";
import type { Chunk } from "../../metrics/tagging.js";
import { allowedAt, type Corpus } from "./corpus.js";
import { learnedLabel } from "./possible-spans.js";
import { dataLabel, goesOn, mayFollow, type Translation } from "./scheme.js";

/** Clamps of chains up to this length are kept. */
const MOST_KEPT = 256;

export class ValidOutputs {
  private readonly classCount: number;
  /** [symbols + 1] the class of each label; the last is that of the beginning, 0. */
  private readonly classOf: Int32Array;
  /** [classCount][symbols + 1] the label of the data that a decision stands for, -1 if it is not allowed; the last is the end. */
  private readonly outer: Int32Array;
  private readonly width: number;

  /** By number of slots. */
  private readonly clamps: Clamp[] = [];
  private readonly pass = new ClampedPass();

  constructor(
    private readonly symbols: Alphabet,
    /** Those of the data. */
    labels: Alphabet,
    readonly translation: Translation,
  ) {
    const end = symbols.size;
    this.width = end + 1;
    const nameOf = (symbol: number) => (symbol === end ? undefined : symbols.nameOf(symbol));
    const after = (before: number): number[] =>
      Array.from({ length: end + 1 }, (_, symbol) => {
        if (!mayFollow(translation.learned, nameOf(before), nameOf(symbol))) return -1;
        if (symbol === end) return labels.size;
        return labels.indexOf(dataLabel(translation, nameOf(before), symbols.nameOf(symbol)));
      });
    const classes = new Map<string, number>();
    const outer: number[] = [];
    this.classOf = new Int32Array(end + 1);
    for (const symbol of [end, ...symbols.all().keys()]) {
      const row = after(symbol);
      const key = row.join();
      if (!classes.has(key)) {
        classes.set(key, classes.size);
        outer.push(...row);
      }
      this.classOf[symbol] = classes.get(key) as number;
    }
    this.classCount = classes.size;
    this.outer = Int32Array.from(outer);
  }

  /** The label of the data that a symbol stands for in a state of the clamp. */
  outerOf(state: number, symbol: number): number {
    return this.outer[(state % this.classCount) * this.width + symbol];
  }

  /** The labels of the data, for symbols in order. */
  translate(symbols: readonly number[]): number[] {
    let before = this.width - 1;
    return symbols.map((symbol) => {
      const outer = this.outer[this.classOf[before] * this.width + symbol];
      before = symbol;
      return outer;
    });
  }

  /** The clamp for a chain of slots, under the labels of the data that a corpus of one sequence has. */
  clamp(slotCount: number, corpus?: Corpus): Clamp {
    if (!corpus) {
      if (slotCount > MOST_KEPT) return this.clampIf(slotCount);
      this.clamps[slotCount] ??= this.clampIf(slotCount);
      return this.clamps[slotCount];
    }
    const allowed = Array.from({ length: slotCount - 2 }, (_, i) => allowedAt(corpus, i) as readonly number[]);
    return this.clampIf(slotCount, (slot, _, label) => allowed[slot]?.includes(label) ?? true);
  }

  /** Log-probability of the labels of a corpus of one sequence, among the outputs that the scheme allows. */
  logLikelihood(corpus: Corpus, trellis: Trellis): number {
    const { slotCount } = trellis.graph;
    const found = this.pass.forward(trellis, this.clamp(slotCount, corpus));
    return found === Number.NEGATIVE_INFINITY
      ? found
      : Math.min(0, found - this.pass.forward(trellis, this.clamp(slotCount)));
  }

  /** Log-probability that a span of an output stands where it does, among the outputs that the scheme allows. */
  logSpan(trellis: Trellis, symbols: readonly number[], { start, end }: Chunk): number {
    const { slotCount } = trellis.graph;
    const clamp = this.clampIf(slotCount, (slot, symbol) => {
      if (slot >= start && slot < end) return symbol === symbols[slot];
      return slot !== end || !this.goesOn(symbols[end - 1], symbol);
    });
    return this.pass.forward(trellis, clamp) - this.pass.forward(trellis, this.clamp(slotCount));
  }

  /** The probability of a span, in an output that is given or not; 0 if one of its labels was never learned. */
  spanProbability(trellis: Trellis, chunk: Chunk): number {
    const symbols: number[] = [];
    for (let i = chunk.start; i < chunk.end; i++) {
      symbols[i] = this.symbols.indexOf(learnedLabel(this.translation.learned, chunk, i));
      if (symbols[i] < 0) return 0;
    }
    return Math.min(1, Math.exp(this.logSpan(trellis, symbols, chunk)));
  }

  private goesOn(before: number, symbol: number): boolean {
    return goesOn(this.symbols.nameOf(before), this.symbols.nameOf(symbol));
  }

  /** `allows` may rule out more, by the symbol or by the label it stands for. */
  private clampIf(slotCount: number, allows?: (slot: number, symbol: number, label: number) => boolean): Clamp {
    const { classCount, classOf, outer, width } = this;
    const arcStart = new Int32Array(slotCount * classCount + 1);
    const arcSymbol: number[] = [];
    const arcNext: number[] = [];
    const end = width - 1;
    for (let slot = 0; slot < slotCount; slot++) {
      for (let state = 0; state < classCount; state++) {
        for (let symbol = 0; symbol <= end; symbol++) {
          const label = outer[state * width + symbol];
          if (label < 0 || (symbol === end) !== (slot === slotCount - 2)) continue;
          if (allows && symbol !== end && !allows(slot, symbol, label)) continue;
          arcSymbol.push(symbol);
          arcNext.push((slot + 1) * classCount + (symbol === end ? 0 : classOf[symbol]));
        }
        arcStart[slot * classCount + state + 1] = arcSymbol.length;
      }
    }
    return {
      stateCount: slotCount * classCount,
      arcStart,
      arcSymbol: Int32Array.from(arcSymbol),
      arcNext: Int32Array.from(arcNext),
      end: (slotCount - 1) * classCount,
      band: { low: Int32Array.from({ length: slotCount }, (_, slot) => slot * classCount), width: classCount },
    };
  }
}
