// Spans that an output may have, whether or not the best one has them. A span of type T from i to j is a candidate if at each of its
// positions all labels of type T together are probable enough: the span cannot be more probable than that.

import { type Chunk, labelParts } from "../../metrics/tagging.js";
import type { LearnedScheme } from "./scheme.js";

/** Longer spans are not looked for, and no more than so many of a sequence. */
const LONGEST = 40;
const MOST = 1000;

/** Candidates, those that may be most probable first. */
export function possibleChunks(marginals: readonly Readonly<Record<string, number>>[], least: number): Chunk[] {
  const found: (Chunk & { bound: number })[] = [];
  const masses = marginals.map(massesOf);
  masses.forEach((own, start) => {
    for (const [type, mass] of own) {
      let bound = mass;
      for (let end = start + 1; bound >= least && end - start <= LONGEST; end++) {
        found.push({ type, start, end, bound });
        bound = Math.min(bound, masses[end]?.get(type) ?? 0);
      }
    }
  });
  return found.sort((a, b) => b.bound - a.bound || a.start - b.start || a.end - b.end).slice(0, MOST);
}

/** By type, the probability that a position has a label of it. */
function massesOf(marginals: Readonly<Record<string, number>>): Map<string, number> {
  const masses = new Map<string, number>();
  for (const [label, probability] of Object.entries(marginals)) {
    const { prefix, type } = labelParts(label);
    if (prefix !== "O") masses.set(type, (masses.get(type) ?? 0) + probability);
  }
  return masses;
}

/** The label of a position of a span in a scheme that is learned. */
export function learnedLabel(scheme: LearnedScheme, { type, start, end }: Chunk, i: number): string {
  const [single, last] = scheme === "bioes" ? ["S", "E"] : scheme === "bilou" ? ["U", "L"] : ["B", "I"];
  const isLast = i === end - 1;
  const prefix = i === start ? (isLast ? single : "B") : isLast ? last : "I";
  return type === "" ? prefix : `${prefix}-${type}`;
}
