// What speaks for and against a label: features of a tagger with their weights, by names that people can read.

import { BEGIN, type Trellis } from "../../engine/trellis.js";
import { unknownName } from "../../util/errors.js";
import type { Corpus } from "./corpus.js";
import { attributeRows } from "./rows.js";
import type { Tagger } from "./tagger.js";
import { vectorReasons } from "./vectors.js";

/** One reason for a decision: a feature and what it adds to the score of the label. */
export interface Contribution {
  feature: string;
  weight: number;
}

/** Where a decision is made: a position of a sequence, and the context there. */
export interface DecisionPlace {
  corpus: Corpus;
  position: number;
  trellis: Trellis;
  context: number;
  /** What the network adds to the score of the label, if there is one. */
  encoded?: number;
}

/** The number of a label; what is not one is refused. */
export function symbolOf({ symbols }: Tagger, label: string): number {
  const symbol = symbols.indexOf(label);
  if (symbol < 0) throw unknownName("label", label, symbols.all());
  return symbol;
}

/** What every feature of a position and its context adds to the score of a label, strongest first. */
export function reasonsFor(tagger: Tagger, symbol: number, place: DecisionPlace): Contribution[] {
  const { corpus, position, trellis, context, encoded = 0 } = place;
  const found: Contribution[] = [{ feature: "encoder", weight: encoded }];
  const { start, ids, values } = corpus.attributes;
  for (let a = start[position]; a < start[position + 1]; a++) {
    const row = tagger.rows.attributeRow?.[ids[a]] ?? ids[a];
    if (row < 0) continue;
    const weight = weightOf(tagger, row, symbol) * (values ? values[a] : 1);
    found.push({ feature: tagger.attributes.nameOf(ids[a]), weight });
  }
  if (tagger.rows.vectorRows) {
    const weightOfRow = (row: number): number => weightOf(tagger, row, symbol);
    found.push(...vectorReasons(corpus, position, tagger.rows.vectorRows, weightOfRow));
  }
  const names = contextRowNames(tagger);
  for (let r = trellis.rowStart[context]; r < trellis.rowStart[context + 1]; r++) {
    const row = trellis.rows[r];
    found.push({ feature: names.get(row) as string, weight: weightOf(tagger, row, symbol) });
  }
  return strongestFirst(found);
}

/** All features with a weight for or against a label, strongest first. */
export function featuresOf(tagger: Tagger, symbol: number): Contribution[] {
  const found: Contribution[] = [];
  attributeRows(tagger.rows, tagger.attributes.size).forEach((row, id) => {
    if (row >= 0) found.push({ feature: tagger.attributes.nameOf(id), weight: weightOf(tagger, row, symbol) });
  });
  for (const [row, feature] of contextRowNames(tagger)) found.push({ feature, weight: weightOf(tagger, row, symbol) });
  return strongestFirst(found);
}

function strongestFirst(found: readonly Contribution[]): Contribution[] {
  return found
    .filter(({ weight }) => weight !== 0)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || (a.feature < b.feature ? -1 : 1));
}

/** What a row adds to the score of a label: its own weight, and those of its parts. */
function weightOf({ rows, weights }: Tagger, row: number, label: number): number {
  const { table, parts } = rows;
  const { start, symbols } = table;
  const own = parts?.symbols.subarray(parts.start[label], parts.start[label + 1]);
  let sum = 0;
  for (let e = start[row]; e < start[row + 1]; e++) {
    if (symbols[e] === label || own?.includes(symbols[e])) sum += weights[e];
  }
  return sum;
}

/** Readable names of the context rows: `labels DT JJ`, `labels ⋆`, `labels ^`, `w[0]=dog after DT`. */
function contextRowNames({ rows, symbols, conjoined }: Tagger): Map<number, string> {
  const names = new Map<number, string>();
  const nameOf = (event: number): string => (event === BEGIN ? "^" : symbols.nameOf(event));
  const { labelTree, conjoinedTree } = rows;
  const suffixes = [""]; // [node]; a node's number is greater than its parent's
  for (let node = 0; node < labelTree.row.length; node++) {
    const suffix = suffixes[node];
    names.set(labelTree.row[node], `labels ${suffix || "⋆"}`);
    for (let c = labelTree.childStart[node]; c < labelTree.childStart[node + 1]; c++) {
      const name = nameOf(labelTree.childEvent[c]);
      suffixes[labelTree.childNode[c]] = suffix ? `${name} ${suffix}` : name;
    }
  }
  if (!conjoinedTree) return names;
  for (let k = conjoinedTree.childStart[0]; k < conjoinedTree.childStart[1]; k++) {
    const key = conjoinedTree.childNode[k];
    for (let c = conjoinedTree.childStart[key]; c < conjoinedTree.childStart[key + 1]; c++) {
      const attribute = conjoined.nameOf(conjoinedTree.childEvent[k]);
      const row = conjoinedTree.row[conjoinedTree.childNode[c]];
      if (row >= 0) names.set(row, `${attribute} after ${nameOf(conjoinedTree.childEvent[c])}`);
    }
  }
  return names;
}
