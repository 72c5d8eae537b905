// A transducer's predictions as text and as JSON.
//   alignment   in two columns, a part for each input symbol between `|`; symbols written for it between `:`, `_` for none;
//               within symbols `\|`, `\:` and `\\`, and `\_` for the symbol `_`

import { breaksLines, escapeField } from "../../formats/fields.js";
import { attributesText, inputText, layoutOf, outputText, type SymbolPair } from "../../formats/pair-lines.js";
import { probabilityText } from "../../util/text.js";
import type {
  AlignedSymbol,
  TransducedOutput,
  Transducer,
  TransducerAnswered,
  TransducerPrediction,
  TransducerSlot,
} from "./transducer.js";

/** `p|h|o|n|e` and `F|_|OW|N|_` */
export function alignmentText(alignment: readonly AlignedSymbol[]): string[] {
  return alignmentParts(alignment).map((side) => side.join("|"));
}

/** The parts of both sides, one for each input symbol. */
export function alignmentParts(alignment: readonly AlignedSymbol[]): [inputs: string[], outputs: string[]] {
  return [
    alignment.map(({ input }) => escaped(input)),
    alignment.map(({ output }) => (output.length > 0 ? output.map(escaped).join(":") : "_")),
  ];
}

/** A symbol so that it cannot be taken for the signs between symbols. */
function escaped(symbol: string): string {
  return symbol === "_" ? "\\_" : symbol.replace(/[|:\\]/g, "\\$&");
}

/** How the symbols of either side are joined. `field`: so that they cannot be taken for tabs and line ends between columns. */
function joinersOf(transducer: Transducer) {
  const layout = layoutOf(transducer);
  return {
    inputText: (pair: SymbolPair): string => inputText(pair, layout),
    outputText: (output: readonly string[]): string => outputText(output, layout),
    /** A column of attributes, if the model knows any. */
    attributeColumn: (pair: SymbolPair): string[] =>
      transducer.marks.size > 0 ? [escapeField(attributesText(pair))] : [],
    field: isEscaped(transducer) ? escapeField : (text: string): string => text,
  };
}

const escapedModels = new WeakMap<Transducer, boolean>();

/** Whether a symbol of the model holds a tab or a line end: data has none, what a program gives may. */
function isEscaped(transducer: Transducer): boolean {
  let found = escapedModels.get(transducer);
  if (found === undefined) {
    found = transducer.outputSymbols.all().some(breaksLines) || transducer.inputSymbols.all().some(breaksLines);
    escapedModels.set(transducer, found);
  }
  return found;
}

/** Input TAB output (TAB attributes) TAB probability, a line for each output, and a line for each slot if contexts were asked for. */
export function predictionText(transducer: Transducer, pair: SymbolPair, prediction: TransducerPrediction): string {
  const { inputText, outputText, attributeColumn, field } = joinersOf(transducer);
  const lines = (prediction.nbest ?? [prediction]).map(({ output, probability, alignment }) =>
    [
      field(inputText(pair)),
      field(outputText(output)),
      ...attributeColumn(pair),
      probabilityText(probability),
      ...(alignment ? alignmentText(alignment).map(field) : []),
    ].join("\t"),
  );
  return `${lines.join("\n")}\n${(prediction.slots ?? []).map((slot) => slotLine(slot, field)).join("")}`;
}

/** `# 3.1 TAB F →/0.98 TAB ⋆/0.02`: position (with its part: `3/2.1`) and symbols written for it, then moves remembered; `→` goes to the next position. */
function slotLine({ position, part, written, contexts }: TransducerSlot, field: (text: string) => string): string {
  const masses = contexts.map(
    ({ suffix, probability }) =>
      `${suffix.map((move) => field(move ?? "→")).join(" ") || "⋆"}/${probabilityText(probability)}`,
  );
  const place = part === undefined ? position + 1 : `${position + 1}/${part + 1}`;
  return `# ${[`${place}.${written}`, ...masses].join("\t")}\n`;
}

export function predictionJson(
  transducer: Transducer,
  pair: SymbolPair,
  prediction: TransducerPrediction,
): Record<string, unknown> {
  const { inputText, outputText } = joinersOf(transducer);
  return {
    input: inputText(pair),
    ...attributesOf(transducer, pair),
    ...prediction,
    output: outputText(prediction.output),
    ...shownNbest(prediction.nbest, outputText),
  };
}

/** Input, output (empty if left to a person), probability, calibrated probability, `answered` or `left`. */
export function answerText(
  transducer: Transducer,
  pair: SymbolPair,
  { answered, prediction }: TransducerAnswered,
): string {
  const { inputText, outputText, attributeColumn, field } = joinersOf(transducer);
  const { probability, calibratedProbability = probability, output } = prediction;
  const probabilities = [probability, calibratedProbability].map(probabilityText);
  const shown = answered ? field(outputText(output)) : "";
  const columns = [field(inputText(pair)), shown, ...attributeColumn(pair), ...probabilities];
  return `${[...columns, answered ? "answered" : "left"].join("\t")}\n`;
}

export function answerJson(
  transducer: Transducer,
  pair: SymbolPair,
  { answered, prediction, candidates }: TransducerAnswered,
): Record<string, unknown> {
  const { inputText, outputText } = joinersOf(transducer);
  const { probability, calibratedProbability = probability, output, alignment, nbest, unknown } = prediction;
  const shown = answered
    ? { output: outputText(output), alignment, ...shownNbest(nbest, outputText) }
    : { candidates: shownNbest(candidates, outputText).nbest };
  const given = { input: inputText(pair), ...attributesOf(transducer, pair) };
  return { ...given, answered, probability, calibratedProbability, ...shown, unknown };
}

function attributesOf({ marks }: Transducer, { attributes = [] }: SymbolPair): { attributes?: readonly string[] } {
  return marks.size > 0 ? { attributes } : {};
}

function shownNbest(
  nbest: readonly TransducedOutput[] | undefined,
  outputText: (output: readonly string[]) => string,
): Record<string, unknown> {
  return nbest ? { nbest: nbest.map((one) => ({ ...one, output: outputText(one.output) })) } : {};
}

export const predictNotes = `
With a transducer: one input per line; the output is input TAB output TAB probability, with the probability summed over
alignments. If it learned from attributes, a line holds input TAB attributes, or input TAB output TAB attributes as in training;
these come out after the output. --nbest N gives N lines for each input, --align two columns more: \`p|h|o|n|e\` and \`F|_|OW|N|_\` (several
symbols for one are joined by \`:\`, none is \`_\`; symbols with these signs are written with \`\\|\`, \`\\:\`, \`\\\\\`, and \`_\`
as \`\\_\`). --contexts adds a line for each slot, \`# position.written MOVES/probability …\`, \`→\` being the move to the next
input symbol (\`# position/part.written\` where characters are taken apart). With --precision there are two columns more, the calibrated probability and \`answered\` or \`left\`, and no output
if left.`;
