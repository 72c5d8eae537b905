// The strings that were segments: what a segmenter knows of words as a whole. For each string and label it is known how often
// it was a segment, and how often it stood in the texts at all. A text that a segmenter learns from must not tell it that its
// own words are known ones: in new texts, many are not. So what counts for an example is what the others show (leave one out).

import { Alphabet } from "../../engine/alphabet.js";

/** Strings that were segments: string n had labels[start[n]] .. labels[start[n + 1] - 1]. */
export interface SeenStrings {
  strings: Alphabet;
  /** [strings + 1] */
  start: Int32Array;
  labels: Int32Array;
  /** [labels] how often the string was a segment with the label. */
  counts: Int32Array;
  /** [strings] how often it stood in a text, as a segment or not. */
  occurrences: Int32Array;
}

/** What is known of one string. */
interface StringCount {
  byLabel: Map<number, number>;
  occurrences: number;
}

/** Counts of strings, of one text or of many. */
export class StringCounts {
  private readonly found = new Map<string, StringCount>();

  addSegment(string: string, label: number, count = 1): void {
    const own = this.made(string);
    own.byLabel.set(label, (own.byLabel.get(label) ?? 0) + count);
  }

  addOccurrence(string: string): void {
    this.made(string).occurrences++;
  }

  private made(string: string): StringCount {
    let own = this.found.get(string);
    if (!own) {
      own = { byLabel: new Map(), occurrences: 0 };
      this.found.set(string, own);
    }
    return own;
  }

  of(string: string): StringCount | undefined {
    return this.found.get(string);
  }

  /** The strings for which `keeps` says so. */
  seen(keeps: (string: string) => boolean): SeenStrings {
    const kept = [...this.found].filter(([string]) => keeps(string));
    const start = [0];
    const labels: number[] = [];
    const counts: number[] = [];
    for (const [, { byLabel }] of kept) {
      for (const [label, count] of [...byLabel].sort(([a], [b]) => a - b)) {
        labels.push(label);
        counts.push(count);
      }
      start.push(labels.length);
    }
    return {
      strings: new Alphabet(kept.map(([string]) => string)),
      start: Int32Array.from(start),
      labels: Int32Array.from(labels),
      counts: Int32Array.from(counts),
      occurrences: Int32Array.from(kept, ([, { occurrences }]) => occurrences),
    };
  }
}

/** Seen at all; how often, in three steps; how large a share of its occurrences were segments, in five. */
export const SEEN_CLASSES = 9;

/** The classes of a string that was a segment `count` times, 1 at least, in `occurrences`. */
export function seenClasses(count: number, occurrences: number): number[] {
  const often = count === 1 ? 0 : count < 5 ? 1 : 2;
  const share = count / Math.max(count, occurrences);
  const steady = share === 1 ? 4 : share > 0.8 ? 3 : share > 0.5 ? 2 : share > 0.2 ? 1 : 0;
  return [0, 1 + often, 4 + steady];
}
