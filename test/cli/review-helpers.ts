// Review files to test with.

import { formatReview, type ReviewItem } from "../../src/formats/review.js";

/** Words with made-up pronunciations: item `i` is `word i`, its candidates `a i`, `b i` and `c i`. */
export function words(count: number): ReviewItem[] {
  return Array.from({ length: count }, (_, i) => ({
    id: String(i + 1),
    kind: "text",
    input: `word ${i}`,
    answer: "",
    status: "",
    candidates: ["a", "b", "c"].map((letter, c) => ({ text: `${letter} ${i}`, probability: 0.5 / (c + 1) })),
    source: JSON.stringify([`word ${i}`]),
  }));
}

export function wordsFile(count: number): string {
  return formatReview(words(count));
}
