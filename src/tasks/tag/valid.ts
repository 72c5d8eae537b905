// The outputs that a scheme of labels allows, as a clamp. Its state is what the label before lets follow: a *class* of labels
// after which the same may come and means the same in the data's scheme. Each arc of the clamp is a learned label, and has
// the label of the data that it stands for there. Learned outputs that are allowed and outputs in the data's scheme are one
// to one, so probabilities of the ones are those of the others; a label that the data does not have is never answered.

import type { Alphabet } from "../../engine/alphabet.js";
import type { Clamp } from "../../engine/clamp.js";
import { ClampedPass } from "../../engine/clamped-pass.js";
import type { SlotGraph } from "../../engine/slots.js";
import type { Trellis } from "../../engine/trellis.js";
import { type Chunk, labelParts } from "../../metrics/tagging.js";
import { allowedAt, type Corpus } from "./corpus.js";
import { learnedLabel } from "./possible-spans.js";
import { dataLabel, goesOn, mayFollow, type Translation } from "./scheme.js";
import type { ListRules } from "./shortlist.js";

/** Clamps of chains up to this length are kept. */
const MOST_KEPT = 256;

/** Tells which learned label (or the end) a symbol of a trellis stands for at a slot. */
interface SlotLabels {
  /** Whether that differs from slot to slot. */
  readonly hasList: boolean;
  labelAt(slot: number, symbol: number): number;
}

export class ValidOutputs implements ListRules {
  private readonly classCount: number;
  /** [symbols + 1] the class of each label; the last is that of the beginning, 0. */
  private readonly classOf: Int32Array;
  /** [classCount][symbols + 1] the label of the data that a decision stands for, -1 if it is not allowed; the last is the end. */
  private readonly outer: Int32Array;
  private readonly width: number;
  readonly mates: readonly Int32Array[];
  /** [labels of the data] what each may stand for. */
  private readonly standFor: readonly Int32Array[];
  /** Whether there is a label outside of spans, of which an output can always be made. */
  private readonly hasOutside: boolean;
  /** By number of slots. */
  private readonly clamps: Clamp[] = [];
  private readonly pass = new ClampedPass();

  constructor(
    private readonly symbols: Alphabet,
    /** Those of the data. */
    labels: Alphabet,
    readonly translation: Translation,
    /** Of the trellises that outputs are found in. */
    private readonly slots: SlotLabels,
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
    this.mates = matesOf(symbols.all());
    this.hasOutside = symbols.all().some((name, symbol) => this.outer[symbol] >= 0 && labelParts(name).prefix === "O");
    this.standFor = labels
      .all()
      .map((_, label) => numbersWhere(end, (y) => outer.some((o, n) => o === label && n % this.width === y)));
  }

  learnedFor(given: ArrayLike<number>): readonly number[] {
    return Array.from(given).flatMap((label) => [...this.standFor[label]]);
  }

  hasOutput(length: number, start: Int32Array, listed: Int32Array): boolean {
    if (this.hasOutside) return true;
    const { outer, width, classOf, classCount } = this;
    let states = new Uint8Array(classCount);
    states[classOf[width - 1]] = 1;
    const follows = (symbol: number): boolean => states.some((is, state) => is && outer[state * width + symbol] >= 0);
    for (let i = 0; i < length; i++) {
      const next = new Uint8Array(classCount);
      for (let n = start[i]; n < start[i + 1]; n++) if (follows(listed[n])) next[classOf[listed[n]]] = 1;
      states = next;
    }
    return follows(width - 1);
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
  clamp(graph: SlotGraph, corpus?: Corpus): Clamp {
    const { slotCount } = graph;
    if (!corpus) {
      if (slotCount > MOST_KEPT || this.slots.hasList) return this.clampIf(graph);
      this.clamps[slotCount] ??= this.clampIf(graph);
      return this.clamps[slotCount];
    }
    const allowed = Array.from({ length: slotCount - 2 }, (_, i) => allowedAt(corpus, i) as readonly number[]);
    return this.clampIf(graph, (slot, _, label) => allowed[slot]?.includes(label) ?? true);
  }

  /** Log-probability of the labels of a corpus of one sequence, among the outputs that the scheme allows. */
  logLikelihood(corpus: Corpus, trellis: Trellis): number {
    const found = this.pass.forward(trellis, this.clamp(trellis.graph, corpus));
    return found === Number.NEGATIVE_INFINITY
      ? found
      : Math.min(0, found - this.pass.forward(trellis, this.clamp(trellis.graph)));
  }

  /** Log-probability that a span of an output stands where it does, among the outputs that the scheme allows. */
  logSpan(trellis: Trellis, symbols: readonly number[], { start, end }: Chunk): number {
    const clamp = this.clampIf(trellis.graph, (slot, symbol) => {
      if (slot >= start && slot < end) return symbol === symbols[slot];
      return slot !== end || !this.goesOn(symbols[end - 1], symbol);
    });
    return this.pass.forward(trellis, clamp) - this.pass.forward(trellis, this.clamp(trellis.graph));
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

  /** `allows` may rule out more, by the learned label or by the label it stands for. */
  private clampIf(graph: SlotGraph, allows?: (slot: number, learned: number, label: number) => boolean): Clamp {
    const { classCount, classOf, outer, width, slots } = this;
    const { slotCount, branchStart, branchFirst, branchEnd } = graph;
    const arcStart = new Int32Array(slotCount * classCount + 1);
    const arcSymbol: number[] = [];
    const arcNext: number[] = [];
    const end = width - 1;
    for (let slot = 0; slot < slotCount; slot++) {
      const branch = branchStart[slot];
      const [first, last] = slot < slotCount - 1 ? [branchFirst[branch], branchEnd[branch]] : [0, 0];
      for (let state = 0; state < classCount; state++) {
        for (let symbol = first; symbol < last; symbol++) {
          const learned = slots.labelAt(slot, symbol);
          const label = outer[state * width + learned];
          if (label < 0 || (allows && learned !== end && !allows(slot, learned, label))) continue;
          arcSymbol.push(symbol);
          arcNext.push((slot + 1) * classCount + (learned === end ? 0 : classOf[learned]));
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

/** [labels] those listed with each: all of its type, and those outside of spans. */
function matesOf(names: readonly string[]): Int32Array[] {
  const parts = names.map(labelParts);
  return parts.map(({ type }) => numbersWhere(names.length, (y) => parts[y].prefix === "O" || parts[y].type === type));
}

function numbersWhere(end: number, isMeant: (number: number) => boolean): Int32Array {
  return Int32Array.from(Array.from({ length: end }, (_, n) => n).filter(isMeant));
}
