// The strings that were segments, with their labels: what a segmenter knows of words as a whole. A text that a segmenter learns
// from must not tell it that its own words are known ones: in new texts, many are not. So a string counts as seen in an
// example only if it was a segment of another one (leave one out).

import { Alphabet } from "../../engine/alphabet.js";

/** Strings that were segments: string n had labels[start[n]] .. labels[start[n + 1] - 1]. */
export interface SeenStrings {
  strings: Alphabet;
  /** [strings + 1] */
  start: Int32Array;
  labels: Int32Array;
}

/** Whether a string that was a segment with a label counts as seen, in the text at hand. */
export type CountsAsSeen = (string: string, label: number) => boolean;

/** In how many examples strings were segments. */
export class StringCounts {
  private readonly counts = new Map<string, Map<number, number>>();

  /** Counts the segments of one example, each string and label once. */
  addExample(segments: Iterable<readonly [string: string, label: number]>): void {
    const own = new Set<string>();
    for (const [string, label] of segments) {
      const key = keyOf(string, label);
      if (own.has(key)) continue;
      own.add(key);
      this.add(string, label, 1);
    }
  }

  /** Counts a string that was a segment in so many examples. */
  add(string: string, label: number, count: number): void {
    let labels = this.counts.get(string);
    if (!labels) {
      labels = new Map();
      this.counts.set(string, labels);
    }
    labels.set(label, (labels.get(label) ?? 0) + count);
  }

  /** By label, the examples in which a string was a segment. */
  of(string: string): ReadonlyMap<number, number> {
    return this.counts.get(string) ?? new Map();
  }

  /** What counts as seen in an example that has these segments. */
  withoutExample(segments: Iterable<readonly [string: string, label: number]>): CountsAsSeen {
    const own = new Set<string>();
    for (const [string, label] of segments) own.add(keyOf(string, label));
    return (string, label) => (this.of(string).get(label) ?? 0) > (own.has(keyOf(string, label)) ? 1 : 0);
  }

  /** The strings for which `keeps` says so. */
  seen(keeps: (string: string) => boolean): SeenStrings {
    const kept = [...this.counts].filter(([string]) => keeps(string));
    const start = [0];
    const labels: number[] = [];
    for (const [, byLabel] of kept) {
      for (const label of [...byLabel.keys()].sort((a, b) => a - b)) labels.push(label);
      start.push(labels.length);
    }
    return {
      strings: new Alphabet(kept.map(([string]) => string)),
      start: Int32Array.from(start),
      labels: Int32Array.from(labels),
    };
  }
}

function keyOf(string: string, label: number): string {
  return `${label} ${string}`;
}
