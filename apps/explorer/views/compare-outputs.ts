// What two models made of the same input, as items that can be compared: words with their tags, segments, or candidates.

import { percentText } from "../parts/common.js";
import type { PronounceResult, SegmentResult, TagResult } from "../protocol.js";

/** A part of an output: a word with its tag, a segment, a pronunciation. */
export interface Item {
  /** What it stands for in the input; the same for both models if they read the input in the same way. */
  key: string;
  text: string;
  label: string;
  probability: number;
}

export interface Output {
  items: Item[];
  /** Of the whole output. */
  probability: number;
}

export function taggedOutput(results: readonly TagResult[], sentences: readonly string[][][]): Output {
  const items = results.flatMap(({ labels, confidences }, s) =>
    labels.map((label, i) => ({
      key: `${s} ${i}`,
      text: sentences[s]?.[i]?.[0] ?? "",
      label,
      probability: confidences[i],
    })),
  );
  return { items, probability: results.reduce((product, { probability }) => product * probability, 1) };
}

export function segmentedOutput({ segments, probability }: SegmentResult): Output {
  const items = segments.map(({ start, end, text, label = "", probability: own }) => ({
    key: `${start} ${end}`,
    text,
    label,
    probability: own,
  }));
  return { items, probability };
}

/** The candidates, best first: one differs if the other model does not list it. */
export function writtenOutput({ nbest }: PronounceResult): Output {
  const items = nbest.map(({ output, probability }) => ({
    key: output.join(" "),
    text: output.join(" "),
    label: "",
    probability,
  }));
  return { items, probability: nbest[0]?.probability ?? 0 };
}

function isSame(one: Item, other: Item | undefined): boolean {
  return other !== undefined && other.label === one.label && other.text === one.text;
}

/** Whether each item is answered otherwise by the other model. */
export function differences(own: Output, other: Output): boolean[] {
  const others = new Map(other.items.map((item) => [item.key, item]));
  return own.items.map((item) => !isSame(item, others.get(item.key)));
}

/** The comparison in a sentence; of candidates, the best ones count. */
export function summaryText(first: Output, second: Output, noun: string): string {
  const [a, b] = [first, second].map(({ probability }) => percentText(probability));
  if (noun === "candidate") {
    const isSameBest = first.items[0]?.text === second.items[0]?.text;
    return `A and B ${isSameBest ? "prefer the same candidate" : "prefer different candidates"}: A with ${a}, B with ${b}.`;
  }
  const differ = differences(first, second).filter(Boolean).length;
  const count = first.items.length;
  const same =
    differ === 0 && count === second.items.length
      ? `A and B agree on ${count === 1 ? `the ${noun}` : `all ${count} ${noun}s`}.`
      : `A and B differ in ${differ} of ${count} ${noun}${count === 1 ? "" : "s"}.`;
  return `${same} A gives its answer ${a}, B ${b}.`;
}
