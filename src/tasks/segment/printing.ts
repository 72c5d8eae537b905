// A segmenter's predictions as text and as JSON.

import { probabilityText } from "../../util/text.js";
import type { Answered, PartsAnswered, PredictionAsked } from "../task.js";
import { OUTSIDE, type SegmentedText } from "./example.js";
import { readingOf } from "./inputs.js";
import type { Segment, SegmentContext, SegmentedOutput, Segmenter, SegmenterPrediction } from "./segmenter.js";

type SegmenterAnswered = Answered<SegmenterPrediction, SegmentedOutput>;
type SegmenterPartsAnswered = PartsAnswered<SegmenterPrediction, SegmentedOutput>;

/**
 * How outputs are written. `words`: with spaces between, a text a line. `lines`: a segment a line, a blank line after the text.
 * `columns`: a token a line with its label. `table`: a segment a line with its offsets, label and probability.
 */
export type Style = "words" | "lines" | "columns" | "table";

export function styleOf(segmenter: Segmenter, { columns }: SegmentedText): Style {
  if (columns) return "columns";
  if (segmenter.isLabelled || segmenter.parts.labels.indexOf(OUTSIDE) >= 0) return "table";
  if (readingOf(segmenter).format === "lines" || segmenter.parts.mayHoldSpaces) return "lines";
  return segmenter.parts.input === "chars" ? "words" : "lines";
}

/** A segment in one line. */
function flat({ text }: Segment): string {
  return text.replace(/\s+/gu, " ");
}

export function predictionJson(
  { id, columns }: SegmentedText,
  prediction: SegmenterPrediction,
): Record<string, unknown> {
  const { text, segments, probability, calibratedProbability, labels, confidences, nbest, marginals, contexts } =
    prediction;
  const tokens = columns?.map(([token]) => token);
  const whole = { probability, calibratedProbability };
  return {
    id,
    text,
    tokens,
    segments,
    ...whole,
    labels,
    confidences,
    nbest,
    marginals,
    contexts,
    spent: prediction.spent,
  };
}

export function answerJson(input: SegmentedText, { answered, prediction, candidates }: SegmenterAnswered) {
  if (answered) return { ...predictionJson(input, prediction), answered };
  const { segments: _, labels: __, ...rest } = predictionJson(input, prediction);
  return { ...rest, answered, candidates };
}

export function predictionText(
  segmenter: Segmenter,
  input: SegmentedText,
  prediction: SegmenterPrediction,
  { marginals, offsets }: PredictionAsked,
): string {
  const style = offsets ? "table" : styleOf(segmenter, input);
  const contexts = (prediction.contexts ?? []).map(contextLine).join("");
  const all = marginals ? `# marginals\n${(prediction.marginals ?? []).map(tableLine).join("")}` : "";
  const { nbest } = prediction;
  const end = style === "words" ? "" : "\n";
  if (!nbest) return `${outputText(style, input, prediction)}${all}${contexts}${end}`;
  const blocks = nbest.map(
    (output, rank) => `# ${rank + 1} ${probabilityText(output.probability)}\n${outputText(style, input, output)}`,
  );
  return `${blocks.join("")}${all}${contexts}\n`;
}

export function answerText(
  segmenter: Segmenter,
  input: SegmentedText,
  { answered, prediction }: SegmenterAnswered,
  asked: PredictionAsked,
): string {
  const { probability, calibratedProbability = probability } = prediction;
  const head = `# ${answered ? "answered" : "left"} ${probabilityText(probability)} calibrated ${probabilityText(calibratedProbability)}\n`;
  return answered ? head + predictionText(segmenter, input, prediction, asked) : `${head}\n`;
}

export function partsJson(input: SegmentedText, { unit, prediction, answered, candidates }: SegmenterPartsAnswered) {
  const segments = prediction.segments.map((segment, i) => ({ ...segment, answered: answered[i] }));
  const left = candidates.length > 0 ? { candidates } : {};
  return { ...predictionJson(input, { ...prediction, segments, labels: undefined }), unit, ...left };
}

/** A segment a line, with its offsets, and `answered` or `left`. */
export function partsText({ prediction, answered }: SegmenterPartsAnswered): string {
  const lines = prediction.segments.map(
    (segment, i) => `${tableLine(segment).trimEnd()}\t${answered[i] ? "answered" : "left"}\n`,
  );
  return `${lines.join("")}\n`;
}

function outputText(style: Style, { columns = [], labels: given }: SegmentedText, output: SegmentedOutput): string {
  if (style === "words") return `${output.segments.map(flat).join(" ")}\n`;
  if (style === "lines") return output.segments.map((segment) => `${flat(segment)}\n`).join("");
  if (style === "table") return output.segments.map(tableLine).join("");
  const { labels, confidences } = output as SegmenterPrediction;
  const found = labels ?? labelsOf(columns, output);
  return columns
    .map((row, i) => {
      const before = given ? [...row, given[i] ?? "_"] : row;
      return `${[...before, found[i], ...(confidences ? [probabilityText(confidences[i])] : [])].join("\t")}\n`;
    })
    .join("");
}

/** `3 TAB 5 TAB 北京 TAB LOC TAB 0.98` */
function tableLine(segment: Segment): string {
  const { start, end, label = "_", probability } = segment;
  return `${[start, end, flat(segment), label, probabilityText(probability)].join("\t")}\n`;
}

/** The labels `B-TYPE`, `I-TYPE`, `O` of tokens, from segments by offsets in their text. */
export function labelsOf(columns: readonly (readonly string[])[], { segments }: SegmentedOutput): string[] {
  let at = 0;
  let s = 0;
  return columns.map(([token]) => {
    const start = at;
    at += token.length + 1;
    while (s < segments.length && segments[s].end <= start) s++;
    const segment = segments[s];
    if (!segment || segment.start > start) return OUTSIDE;
    return `${segment.start === start ? "B" : "I"}${segment.label === undefined ? "" : `-${segment.label}`}`;
  });
}

/** `# 2 PER/2 O/1/0.98 ⋆/0.01` */
function contextLine(contexts: readonly SegmentContext[], gap: number): string {
  const masses = contexts.map(
    ({ suffix, probability }) => `${suffix.join(" ") || "⋆"} ${probabilityText(probability)}`,
  );
  return `# ${[gap, ...masses].join("\t")}\n`;
}

export const predictNotes = `
With a segmenter: segments without labels are printed with spaces between, one text per line; if they may contain spaces, one
  per line with a blank line after each text. Columns are printed with the label (B-TYPE, I-TYPE, O) and the probability of
  the segment. Labelled segments of texts are printed as with --offsets.
  --offsets      one segment per line: START TAB END TAB text TAB label TAB probability, a blank line after each text
  --nbest N      before each output a line \`# rank probability\`, the probability being that of the whole output
  --unit span    with --precision: as with --offsets, plus a column \`answered\` or \`left\`; --json: answered for each
                 segment
  --marginals    after the output, below a line \`# marginals\`, every segment with a probability of 0.001 or more
  --json         JSON Lines: one object for each text with text, segments [{start, end, text, label, probability}] (offsets in UTF-16 units; the probability sums over all outputs with this segment), probability (of the whole output), nbest and
                 marginals if requested; with columns also tokens, labels, confidences`;
