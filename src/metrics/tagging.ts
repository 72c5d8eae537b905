// How well a tagger does, counted as it goes: sequences, tokens, labels, chunks, confidence. Chunks are counted as the
// conlleval script of the CoNLL shared tasks counts them: a chunk is right when its first position, its last position
// and its type are; precision = right / found, recall = right / true, F1 = their harmonic mean; 0 / 0 counts as 0.
// All rates lie between 0 and 1.

import type { Answer } from "./answers.js";
import { type Sureness, surenessOf } from "./sureness.js";

export interface Rates {
  precision: number;
  recall: number;
  f1: number;
  /** How many there are in the correct labels. */
  support: number;
  /** How many were predicted. */
  predicted: number;
  /** How many were predicted correctly. */
  correct: number;
}

export interface ChunkRates extends Rates {
  types: Record<string, Rates>;
}

export interface TaggingReport extends Partial<Sureness> {
  /** Sequences with at least one known label. */
  sequences: number;
  /** Positions with a known label. */
  tokens: number;
  /** Positions whose true label is unknown; they are not counted anywhere else. */
  unknownTokens: number;
  /** The share of sequences in which all known labels are right. */
  sequenceAccuracy: number;
  tokenAccuracy: number;
  labels: Record<string, Rates>;
  /** The F1 of `chunks`, under its common name. */
  chunkF1?: number;
  /** Only if the labels are chunk labels, such as `B-NP`, `I-NP`, `O`. */
  chunks?: ChunkRates;
  /** The sum of the sequences' log-probabilities; `null` if one has probability 0, because JSON has no infinity. */
  logLikelihood?: number | null;
  /** Sequences whose true labels have probability 0 under the model. */
  impossibleSequences?: number;
}

export interface Chunk {
  type: string;
  /** The first position. */
  start: number;
  /** The position after the last. */
  end: number;
}

/** What is counted for a label or a chunk type. */
interface Tally {
  support: number;
  predicted: number;
  correct: number;
}

export class TaggingScore {
  private sequences = 0;
  private correctSequences = 0;
  private tokens = 0;
  private correctTokens = 0;
  private unknownTokens = 0;
  private readonly labels = new Map<string, Tally>();
  private readonly chunkTypes = new Map<string, Tally>();
  /** Of the sequences whose confidence was given. */
  readonly answers: Answer[] = [];
  private logProbabilities = 0;
  private logLikelihood = 0;
  private impossibleSequences = 0;

  /**
   * `isKnown` says which labels the model can give. Only these decide whether labels mark chunks: a label that the model has
   * never seen counts as one error and does not change the kind of labels.
   */
  constructor(private readonly isKnown: (label: string) => boolean = () => true) {}

  /**
   * Counts one sequence. `null` in `gold` is a position whose label is not known: it is skipped, and it separates chunks.
   * `confidence` is the probability of the prediction, `logProbability` that of the gold labels.
   */
  add(
    gold: readonly (string | null)[],
    predicted: readonly string[],
    confidence?: number,
    logProbability?: number,
  ): void {
    if (gold.length !== predicted.length) {
      throw new RangeError(`${predicted.length} predicted labels for ${gold.length} positions`);
    }
    let known = 0;
    let correct = 0;
    for (let i = 0; i < gold.length; i++) {
      const label = gold[i];
      if (label === null) continue;
      known++;
      tallyOf(this.labels, label).support++;
      tallyOf(this.labels, predicted[i]).predicted++;
      if (label === predicted[i]) {
        correct++;
        tallyOf(this.labels, label).correct++;
      }
    }
    this.unknownTokens += gold.length - known;
    if (known === 0) return;
    this.tokens += known;
    this.correctTokens += correct;
    this.sequences++;
    if (correct === known) this.correctSequences++;
    this.addChunks(gold, predicted);
    if (confidence !== undefined) this.answers.push({ confidence, correct: correct === known });
    if (logProbability !== undefined) {
      this.logProbabilities++;
      this.logLikelihood += logProbability;
      if (logProbability === -Infinity) this.impossibleSequences++;
    }
  }

  /** Everything counted so far, ready for JSON. Fields that were not given for every sequence are left out. */
  report(): TaggingReport {
    const report: TaggingReport = {
      sequences: this.sequences,
      tokens: this.tokens,
      unknownTokens: this.unknownTokens,
      sequenceAccuracy: ratio(this.correctSequences, this.sequences),
      tokenAccuracy: ratio(this.correctTokens, this.tokens),
      labels: ratesByName(this.labels),
    };
    if (areChunkLabels([...this.labels.keys()].filter(this.isKnown))) {
      const total: Tally = { support: 0, predicted: 0, correct: 0 };
      for (const tally of this.chunkTypes.values()) {
        total.support += tally.support;
        total.predicted += tally.predicted;
        total.correct += tally.correct;
      }
      report.chunks = { ...ratesOf(total), types: ratesByName(this.chunkTypes) };
      report.chunkF1 = report.chunks.f1;
    }
    if (this.sequences > 0 && this.logProbabilities === this.sequences) {
      report.logLikelihood = this.impossibleSequences ? null : this.logLikelihood;
      report.impossibleSequences = this.impossibleSequences;
    }
    if (this.sequences > 0 && this.answers.length === this.sequences) {
      Object.assign(report, surenessOf(this.answers));
    }
    return report;
  }

  private addChunks(gold: readonly (string | null)[], predicted: readonly string[]): void {
    const goldChunks = chunksOf(gold.map((label) => label ?? "O"));
    const predictedChunks = chunksOf(predicted.map((label, i) => (gold[i] === null ? "O" : label)));
    for (const { type } of goldChunks) tallyOf(this.chunkTypes, type).support++;
    for (const { type } of predictedChunks) tallyOf(this.chunkTypes, type).predicted++;
    // Both lists run from left to right, and no two chunks of a list start at the same position.
    let g = 0;
    for (const chunk of predictedChunks) {
      while (g < goldChunks.length && goldChunks[g].start < chunk.start) g++;
      if (isSame(chunk, goldChunks[g])) tallyOf(this.chunkTypes, chunk.type).correct++;
    }
  }
}

/**
 * The chunks that labels such as `B-NP`, `I-NP`, `O` mark, by conlleval's rules: a chunk starts at `B`, after `O`, after
 * `E`, or where the type changes, whatever the prefix; `I` or `E` of the same type go on with it. So IOB1, IOB2, IOE1 and
 * IOE2 are all read rightly. Beyond conlleval, which knows no chunks of one position: `S` is such a chunk, and `B` after
 * `E` starts a new one; `L` and `U` (BILOU) are other names for `E` and `S`.
 */
export function chunksOf(labels: readonly string[]): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Chunk | undefined;
  let previousEnds = false; // The label before closes its chunk, whatever follows.
  for (let i = 0; i < labels.length; i++) {
    const { prefix, type } = labelParts(labels[i]);
    if (prefix === "O") {
      open = undefined;
      continue;
    }
    const single = prefix === "S" || prefix === "U";
    if (!open || previousEnds || prefix === "B" || single || open.type !== type) {
      open = { type, start: i, end: i };
      chunks.push(open);
    }
    open.end = i + 1;
    previousEnds = single || prefix === "E" || prefix === "L";
  }
  return chunks;
}

/** `B-NP` is the prefix `B` and the type `NP`. */
export function labelParts(label: string): { prefix: string; type: string } {
  const hyphen = label.indexOf("-");
  if (hyphen < 0) return { prefix: label, type: "" };
  return { prefix: label.slice(0, hyphen), type: label.slice(hyphen + 1) };
}

/** How many chunks the right labels have, how many were found, and how many of these are right. */
export function countChunks(
  gold: readonly string[],
  predicted: readonly string[],
): { wanted: number; found: number; matched: number } {
  const goldChunks = chunksOf(gold);
  const foundChunks = chunksOf(predicted);
  let matched = 0;
  let g = 0;
  for (const chunk of foundChunks) {
    while (g < goldChunks.length && goldChunks[g].start < chunk.start) g++;
    if (isSame(chunk, goldChunks[g])) matched++;
  }
  return { wanted: goldChunks.length, found: foundChunks.length, matched };
}

function isSame(chunk: Chunk, other: Chunk | undefined): boolean {
  return other?.start === chunk.start && other.end === chunk.end && other.type === chunk.type;
}

/** Whether labels mark chunks: all are `O` or `B`, `I`, `E`, `S`, `L`, `U`, with a type; or without one, `B` and `I` among them. */
export function areChunkLabels(labels: readonly string[]): boolean {
  if (!labels.every((label) => /^(?:O|[BIESLU](?:-.*)?)$/s.test(label))) return false;
  return labels.some((label) => label.includes("-")) || (labels.includes("B") && labels.includes("I"));
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  let tally = tallies.get(name);
  if (!tally) {
    tally = { support: 0, predicted: 0, correct: 0 };
    tallies.set(name, tally);
  }
  return tally;
}

function ratesByName(tallies: ReadonlyMap<string, Tally>): Record<string, Rates> {
  const names = [...tallies].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return Object.fromEntries(names.map(([name, tally]) => [name, ratesOf(tally)]));
}

function ratesOf({ support, predicted, correct }: Tally): Rates {
  return {
    precision: ratio(correct, predicted),
    recall: ratio(correct, support),
    f1: ratio(2 * correct, predicted + support),
    support,
    predicted,
    correct,
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
