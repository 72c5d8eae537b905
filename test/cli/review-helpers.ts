// Review files to test with.

import { formatReview, type ReviewItem } from "../../src/formats/review.js";
import { joinLabels } from "../../src/formats/review-item.js";

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

/** Ten types of names, one of them with a space. */
export const types = [
  ...["company", "facility", "geo-loc", "movie", "musicartist"],
  ...["other", "person", "product", "sports team", "tvshow"],
];

const wordsOfSentence = (
  "On Saturday the Rovers of Sonmarg met Lake City at the old Harbour Ground , where Ada Byron , who sings with Blue Kettle , " +
  "opened the game before nine thousand people ; later in the evening she told Radio Nine that her next record , made " +
  "with the Kestrel 9 , would be out before the Night Market film"
).split(" ");

/** A sentence of 60 tokens with labels of ten types, in doubt about a few; its names are those of earlier sentences. */
export function sentence(id: string, probability = 0.6): ReviewItem {
  const tokens = wordsOfSentence;
  const labels = tokens.map(() => "O");
  const mark = (words: string, type: string, marked = labels): void => {
    const first = tokens.indexOf(words.split(" ")[0]);
    words.split(" ").forEach((_, i) => {
      marked[first + i] = `${i === 0 ? "B" : "I"}-${type}`;
    });
  };
  mark("Rovers", "sports team");
  mark("Lake City", "geo-loc");
  mark("Harbour Ground", "facility");
  mark("Ada Byron", "person");
  mark("Blue Kettle", "musicartist");
  mark("Radio Nine", "company");
  mark("Kestrel 9", "product");
  const second = [...labels];
  mark("Sonmarg", "geo-loc", second);
  const third = [...labels];
  mark("Lake City", "sports team", third);
  const sureness: Record<string, [string, number][]> = {
    Sonmarg: [
      ["O", 0.45],
      ["B-geo-loc", 0.44],
      ["B-person", 0.11],
    ],
    Lake: [
      ["B-geo-loc", 0.8],
      ["B-sports team", 0.2],
    ],
    Night: [
      ["O", 0.97],
      ["B-movie", 0.03],
    ],
  };
  return {
    id,
    kind: "text",
    input: tokens.join(" "),
    answer: "",
    status: "",
    candidates: [
      { text: joinLabels(labels), probability },
      { text: joinLabels(second), probability: 0.2 },
      { text: joinLabels(third), probability: 0.1 },
    ],
    source: JSON.stringify({ columns: tokens.map((token) => [token]), format: "columns" }),
    task: "tag",
    tokens: {
      tokens,
      labels: ["O", ...types.flatMap((type) => [`B-${type}`, `I-${type}`])],
      choices: tokens.map((token, i) => sureness[token] ?? [[labels[i], 1]]),
    },
  };
}
