// Sentences to make promises about.

import type { TaggingSequence } from "../../src/formats/sequence.js";
import { generator, uniform } from "../../src/util/random.js";

/** Sentences with places (always told by the word), and with names that are places as often as not. */
export function sentences(count: number, seed: number): Required<Pick<TaggingSequence, "columns" | "labels">>[] {
  const random = generator(seed, 0);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(uniform(random) * list.length)];
  return Array.from({ length: count }, () => {
    const tokens: [string, string][] = [];
    for (let n = 1 + Math.floor(uniform(random) * 5); n > 0; n--) {
      const kind = uniform(random);
      if (kind < 0.5) tokens.push([pick(["saw", "in", "the", "of"]), "O"]);
      else if (kind < 0.8) tokens.push([pick(["New", "South"]), "B-LOC"], [pick(["York", "Wales"]), "I-LOC"]);
      else tokens.push([pick(["Paris", "Jordan"]), pick(["B-LOC", "B-PER"])]);
    }
    return { columns: tokens.map(([word]) => [word]), labels: tokens.map(([, label]) => label) };
  });
}
