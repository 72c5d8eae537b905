// The decisions of a segmenter: a symbol is a segment's length and label. Slots are the gaps between positions, and symbol
// (length, label) leads from gap i to gap i + length. A label has symbols up to the longest segment that it was seen on; those
// of one length follow one another, so that they are one branch of the slot graph.

import { type Branch, type SlotGraph, slotGraph } from "../../engine/slots.js";

/** Lengths of segments, summed over labels, that there may be: memory grows with this times the length of a text. */
export const MOST_SYMBOLS = 1 << 16;

export interface SegmentSymbols {
  /** [labels] the longest segment of each. */
  longest: Int32Array;
  /** [symbols] */
  labelOf: Int32Array;
  /** [symbols] */
  lengthOf: Int32Array;
  /** [longest of all + 2] symbols of length n are first[n] .. first[n + 1] - 1; there are none of length 0. */
  first: Int32Array;
  /** [labels] place of a label among the symbols of a length: labels of longer segments come first. */
  rank: Int32Array;
}

/** The symbols of labels with segments of up to these lengths, 1 at least. */
export function segmentSymbols(longestOf: ArrayLike<number>): SegmentSymbols {
  const longest = Int32Array.from(longestOf);
  const byLength = Array.from(longest, (_, label) => label).sort((a, b) => longest[b] - longest[a] || a - b);
  const rank = new Int32Array(longest.length);
  byLength.forEach((label, place) => {
    rank[label] = place;
  });
  const most = longest.reduce((a, b) => Math.max(a, b), 0);
  const first = new Int32Array(most + 2);
  const labelOf: number[] = [];
  const lengthOf: number[] = [];
  for (let length = 1; length <= most; length++) {
    for (const label of byLength) {
      if (longest[label] < length) break;
      labelOf.push(label);
      lengthOf.push(length);
    }
    first[length + 1] = labelOf.length;
  }
  return { longest, labelOf: Int32Array.from(labelOf), lengthOf: Int32Array.from(lengthOf), first, rank };
}

/** The symbol of a segment, or -1 if it is longer than those of its label. */
export function symbolOf({ longest, first, rank }: SegmentSymbols, label: number, length: number): number {
  return length <= longest[label] ? first[length] + rank[label] : -1;
}

export function longestSegment({ first }: SegmentSymbols): number {
  return first.length - 2;
}

/**
 * The slots of a text: gap i leads to gap i + n by the symbols of length n, but across no known boundary: `breaks`,
 * [length], is 1 for a position that begins a segment whatever happens.
 */
export function segmentGraph(
  { first, labelOf }: SegmentSymbols,
  length: number,
  breaks?: ArrayLike<number>,
): SlotGraph {
  const most = first.length - 2;
  const branches: Branch[][] = [];
  for (let gap = 0; gap < length; gap++) {
    const out: Branch[] = [];
    for (let n = 1; n <= most && gap + n <= length; n++) {
      if (n > 1 && breaks?.[gap + n - 1]) break;
      out.push({ first: first[n], end: first[n + 1], next: gap + n });
    }
    branches.push(out);
  }
  return slotGraph(labelOf.length, branches);
}
