// A segmenter's predictions as text and as JSON.

import { joinLabels } from "../../formats/review-item.js";
import { probabilityText } from "../../util/text.js";
import type { Answered, PredictionAsked } from "../task.js";
import type { SegmentInput } from "./reading.js";
import type { FoundSegment, SegmentedOutput, SegmenterPrediction } from "./segmenter.js";

type Segments = readonly Omit<FoundSegment, "probability">[];

/** Whether an output reads as words with spaces between: segments without labels, and nothing outside. */
function areWords(segments: Segments): boolean {
  return segments.every(({ label }) => label === undefined);
}

/** An output on one line: words with spaces between, labels of tokens, or ranges with their labels. */
export function outputText(input: SegmentInput, segments: Segments): string {
  if (input.columns) return joinLabels(tokenLabels(input.columns, segments));
  if (areWords(segments)) return segments.map((segment) => segment.text.replaceAll(" ", "_")).join(" ");
  return segments.map(({ start, end, label }) => `${start}-${end} ${label ?? ""}`.trim()).join(", ");
}

/** [tokens] BIO labels of segments. */
function tokenLabels(columns: readonly (readonly string[])[], segments: Segments): string[] {
  const labels: string[] = [];
  let at = 0; // offset of the token in the text of the columns
  let s = 0;
  for (const [token] of columns) {
    while (s < segments.length && segments[s].end <= at) s++;
    const segment = segments[s];
    if (!segment || at < segment.start) labels.push("O");
    else labels.push(`${at === segment.start ? "B" : "I"}${segment.label ? `-${segment.label}` : ""}`);
    at += token.length + 1;
  }
  return labels;
}

/** [tokens] the probability of the segment that each is in, or of lying outside. */
function tokenProbabilities(columns: readonly (readonly string[])[], all: readonly FoundSegment[]): number[] {
  let at = 0;
  let s = 0;
  return columns.map(([token]) => {
    while (s + 1 < all.length && all[s].end <= at) s++;
    at += token.length + 1;
    return all[s]?.probability ?? 1;
  });
}

export function predictionText(input: SegmentInput, prediction: SegmenterPrediction, asked: PredictionAsked): string {
  const { nbest, segments } = prediction;
  if (nbest) {
    return nbest
      .map((one, rank) => `# ${rank + 1} ${probabilityText(one.probability)}\n${shownText(input, one)}`)
      .join("");
  }
  if (asked.offsets) {
    const lines = segments.map(({ start, end, text: part, label = "_", probability }) =>
      [start, end, part, label, probabilityText(probability)].join("\t"),
    );
    return `${lines.map((line) => `${line}\n`).join("")}\n`;
  }
  if (!input.columns) return shownText(input, prediction);
  const labels = tokenLabels(input.columns, segments);
  const probabilities = tokenProbabilities(input.columns, prediction.cover);
  const rows = input.columns.map((row, i) => [...row, labels[i], probabilityText(probabilities[i])].join("\t"));
  return `${rows.map((row) => `${row}\n`).join("")}\n`;
}

function shownText(input: SegmentInput, { segments }: { segments: Segments }): string {
  if (!input.columns) return `${outputText(input, segments)}\n`;
  const labels = tokenLabels(input.columns, segments);
  return `${input.columns.map((row, i) => `${[...row, labels[i]].join("\t")}\n`).join("")}\n`;
}

export function predictionJson(
  { id }: SegmentInput,
  { cover: _, ...prediction }: SegmenterPrediction,
): Record<string, unknown> {
  return { id, ...prediction };
}

type SegmenterAnswered = Answered<SegmenterPrediction, SegmentedOutput>;

export function answerText(
  input: SegmentInput,
  { answered, prediction }: SegmenterAnswered,
  asked: PredictionAsked,
): string {
  const { probability, calibratedProbability = probability, text } = prediction;
  const head = `# ${answered ? "answered" : "left"} ${probabilityText(probability)} calibrated ${probabilityText(calibratedProbability)}\n`;
  if (answered) return head + predictionText(input, { ...prediction, nbest: undefined }, asked);
  return `${head}${input.columns ? input.columns.map((row) => `${row.join("\t")}\t_\n`).join("") : `${text}\n`}${input.columns ? "\n" : ""}`;
}

export function answerJson(
  input: SegmentInput,
  { answered, prediction, candidates }: SegmenterAnswered,
): Record<string, unknown> {
  if (answered) return { ...predictionJson(input, prediction), answered };
  const { segments: _, ...rest } = predictionJson(input, prediction);
  return { ...rest, answered, candidates };
}

export const predictNotes = `
With a segmenter: words and sentences come out on one line, spaces between them (a space within one is written \`_\`); tokens in
columns with a label (B-TYPE, I-TYPE, O) and the probability of the segment that they are in; other labelled segments as
\`START-END LABEL\`.
  --offsets      one segment per line: START TAB END TAB text TAB label TAB probability, a blank line after each text
  --json         one object per text: text, segments [{start, end, text, label, probability}], probability of all together;
                 offsets count UTF-16 units, as JavaScript's slice does`;
