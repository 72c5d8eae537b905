// A tagger's predictions as text and as JSON.

import { type LabelField, withLabels } from "../../formats/conllu-tagging.js";
import { escapeField } from "../../formats/fields.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { probabilityText } from "../../util/text.js";
import type { PredictionAsked } from "../task.js";
import type { TaggerPartsAnswer } from "./answer-parts.js";
import type { TaggerInput } from "./inputs.js";
import type { ContextMass, TaggerAnswered, TaggerPrediction } from "./prediction.js";

export function predictionJson(
  { sequence, given }: TaggerInput,
  prediction: TaggerPrediction,
): Record<string, unknown> {
  const { labels, probability, confidences, nbest, marginals, contexts } = prediction;
  const { calibratedProbability, calibratedConfidences } = prediction;
  const { id, fold, columns } = sequence;
  // The column of a letter is its picture, which says little in JSON.
  const input = columns && fold === undefined ? tokensOf(columns) : {};
  return {
    id,
    ...input,
    offsets: prediction.tokens?.map(({ start, end }) => [start, end]),
    given,
    labels,
    probability,
    calibratedProbability,
    confidences,
    calibratedConfidences,
    nbest,
    marginals,
    spans: prediction.spans,
    contexts,
    spent: prediction.spent,
  };
}

function tokensOf(columns: readonly (readonly string[])[]): Record<string, unknown> {
  return columns.every((row) => row.length === 1) ? { tokens: columns.map((row) => row[0]) } : { columns };
}

export function answerJson(input: TaggerInput, answer: TaggerAnswered): Record<string, unknown> {
  if (answer.answered) return { ...predictionJson(input, answer.prediction), answered: true };
  const { labels: _, ...rest } = predictionJson(input, answer.prediction);
  return { ...rest, answered: false, candidates: answer.candidates };
}

export function answerText(
  input: TaggerInput,
  { answered, prediction }: TaggerAnswered,
  asked: PredictionAsked,
): string {
  const { probability, calibratedProbability = probability, labels } = prediction;
  const head = `# ${answered ? "answered" : "left"} ${probabilityText(probability)} calibrated ${probabilityText(calibratedProbability)}\n`;
  const shown = answered ? prediction : { ...prediction, labels: labels.map(() => "_"), nbest: undefined };
  return head + predictionText(input, shown, asked);
}

/** Labels that are left, or belong to spans that are, are null. */
export function partsJson(input: TaggerInput, answer: TaggerPartsAnswer): Record<string, unknown> {
  const { unit, prediction, answered, candidates, labels } = answer;
  const spans = prediction.spans?.map((span, i) => (unit === "span" ? { ...span, answered: answered[i] } : span));
  const tokens = unit === "token" ? { answered } : {};
  const left = candidates.length > 0 ? { candidates } : {};
  return { ...predictionJson(input, { ...prediction, spans }), unit, labels, ...tokens, ...left };
}

/** The same on as many lines as a prediction; `_` for what is left. */
export function partsText(
  input: TaggerInput,
  { prediction, labels }: TaggerPartsAnswer,
  asked: PredictionAsked,
): string {
  return predictionText(input, { ...prediction, labels: labels.map((label) => label ?? "_"), nbest: undefined }, asked);
}

/** Labels of a token with `|` between, the most probable first: data that is read with `labelSets`. */
export function labelSetsText(input: TaggerInput, sets: readonly (readonly string[])[]): string {
  const labels = sets.map((set) => set.join("|"));
  return predictionText(input, { labels, probability: 1, logProbability: 0 }, { labelsOnly: true });
}

export function predictionText(
  { sequence, shown, column, isEscaped }: TaggerInput,
  prediction: TaggerPrediction,
  asked: PredictionAsked,
): string {
  const { labels, confidences = [], marginals, nbest } = prediction;
  if (sequence.source) return conlluText(sequence.source, prediction, column);
  const field = isEscaped ? escapeField : (text: string) => text;
  // Labels of a context stand between spaces.
  const word = isEscaped ? (text: string) => escapeField(text).replaceAll(" ", "\\ ") : field;
  const contexts = (prediction.contexts ?? []).map((kept, i) => contextLine(kept, i, word)).join("");
  const all = marginals && asked.marginals ? marginals.map((row) => marginalText(row, field)) : undefined;
  const lines = (further: (i: number) => readonly string[]): string =>
    shown.map((columns, i) => `${[...columns.map(field), ...further(i)].join("\t")}\n`).join("");
  const sure = (probability: number): string[] => (asked.labelsOnly ? [] : [probabilityText(probability)]);
  const labelled = (i: number): string[] => [field(labels[i]), ...sure(confidences[i])];
  if (!nbest || !marginals) return `${lines((i) => [...labelled(i), ...(all?.[i] ?? [])])}${contexts}\n`;
  const blocks = nbest.map((output, rank) => {
    const labelledHere = (i: number) => [field(output.labels[i]), ...sure(marginals[i][output.labels[i]])];
    return `# ${rank + 1} ${probabilityText(output.probability)}\n${lines(labelledHere)}`;
  });
  // Marginals belong to the sequence, not to one of its outputs.
  if (all) blocks.push(`# marginals\n${lines((i) => all[i])}`);
  return `${blocks.join("\n")}${contexts}\n`;
}

/** CoNLL-U with labels in their places; of several outputs each has its rank and probability in a comment. */
function conlluText(
  source: NonNullable<TaggingSequence["source"]>,
  { labels, nbest }: TaggerPrediction,
  column: LabelField | undefined,
): string {
  const written = (own: readonly string[]): string => `${withLabels(source, own, column).join("\n")}\n\n`;
  if (!nbest) return written(labels);
  const head = (rank: number, probability: number): string => `# ${rank + 1} ${probabilityText(probability)}\n`;
  return nbest.map((output, rank) => head(rank, output.probability) + written(output.labels)).join("");
}

/** `# 2 DT/0.98 NN DT/0.01 ⋆/0.01` */
function contextLine(contexts: readonly ContextMass[], i: number, word: (text: string) => string): string {
  const masses = contexts.map(
    ({ suffix, probability }) => `${suffix.map(word).join(" ") || "⋆"}/${probabilityText(probability)}`,
  );
  return `# ${[i + 1, ...masses].join("\t")}\n`;
}

function marginalText(marginals: Readonly<Record<string, number>>, field: (text: string) => string): string[] {
  return Object.entries(marginals)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([label, probability]) => `${field(label)}/${probabilityText(probability)}`);
}

export const predictNotes = `
With a tagger: the columns of the input, then the label and its probability at that position; a blank line ends a sequence.
  Input in columns may have labels in one more column than the model was trained on; they are copied. Blank lines
  are kept, so that output lines match input lines. Tokens from JSON, and labels if one contains
  a tab or a line end, are written with \`\\t\`, \`\\n\`, \`\\r\` and \`\\\\\`.
  CoNLL-U is printed with the labels filled in and nothing else changed; probabilities are in --json.
  --labels-only  no probabilities: if the data has labels, \`conlleval -d '\\t'\` reads the output
  --nbest N      before each output a line \`# rank probability\`, the probability being that of the whole output, and a
                 blank line after it
  --marginals    after the probability every label, \`LABEL/probability\`, the most probable first; with --nbest they stand
                 once, after the outputs, below a line \`# marginals\`
  --known        the label given, \`_\` where it is open, stands before the label found; probabilities hold given these
  --json         JSON Lines: one object for each sequence with labels, confidences (of each label at its position),
                 probability (of all labels together), nbest and marginals if asked for, and given (the labels of a
                 label column, or those taken as known; null where open)
  --contexts     without a number: after each sequence a line for each position, \`# position CONTEXT/probability …\`: what
                 the model kept in mind there, the labels just before; ⋆ is everything else. --json: contexts
                 [{suffix, probability}] for each position, with an empty suffix for ⋆
  --spans        --json: spans [{label, from, to, probability}] that labels such as B-PER, I-PER mark, by positions from 0;
                 the probability is exact: that of all outputs with just this span
  --text         the input is running text; a blank line ends a sentence. --json: offsets, the [start, end] of each token, and
                 spans [{label, start, end, text, probability}]; places count UTF-16 units, with one for each line end
  --unit         with --precision: labels (token) or spans (span) are answered one by one; what is left has \`_\`. --json:
                 unit, labels (null where left), answered for each token or span, candidates if something is left
  --coverage     --unit token: in place of the label those that it may be, \`A|B\`, the most probable first
  --precision    a sequence is preceded by \`# answered P calibrated Q\` or \`# left P calibrated Q\`, P and Q being the
                 probability of all labels as the model has it and after its calibration map; what is left has \`_\` for
                 labels`;
