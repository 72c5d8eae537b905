// What is in a tagger, the strongest weights of a label, and the reasons for a prediction.

import type { Lines } from "../../formats/line-blocks.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { InputError } from "../../util/errors.js";
import { type GivenOptions, rangeText, text, whole } from "../../util/options.js";
import { counted, percent, plural, probabilityText, table } from "../../util/text.js";
import {
  chosenLines,
  encoderText,
  heldOutOf,
  historyTable,
  nonZero,
  passLine,
  promiseLines,
  someOf,
} from "../contents.js";
import type { Asked, Looks, Shown } from "../task.js";
import { inputNoteOf, readInputs } from "./inputs.js";
import type { Contribution } from "./reasons.js";
import { translationText } from "./scheme.js";
import type { Tagger } from "./tagger.js";

export function contents(tagger: Tagger) {
  const { rows, options, source, summary, weights } = tagger;
  return {
    labels: tagger.labels.all(),
    scheme: tagger.translation,
    labelParts: rows.parts?.names,
    attributes: tagger.attributeCount,
    labelNgrams: rows.labelTree.row.length,
    conjunctions: rows.conjoinedTree ? rows.conjoinedTree.row.filter((row) => row >= 0).length : 0,
    weights: nonZero(weights),
    features: source.kind,
    template: source.kind === "template" ? source.text : undefined,
    lexicons: tagger.lexicons.map(({ name, entries, isTable }) => ({ name, entries: entries.length, isTable })),
    encoder: tagger.encoder && { ...tagger.encoder.shape, parameters: tagger.encoder.parameters.length },
    vectors: tagger.vectors && { words: tagger.vectors.words.size, dimension: tagger.vectors.dimension },
    input: inputNoteOf(tagger),
    options,
    summary,
    calibration: tagger.calibration,
  };
}

const features: Record<string, string> = {
  text: "made from text by the built-in set",
  chunking: "made from word and part of speech by the built-in set",
  given: "given with the data",
  template: "made by a template",
};

export function contentsText(tagger: Tagger, { bytes }: { bytes: number }): string {
  const { labels, options, summary, input, ...found } = contents(tagger);
  const read = [input.format, input.columns && plural(input.columns, "column"), input.pixels]
    .filter(Boolean)
    .join(", ");
  const lines = [
    ["model", `tagger, ${counted(bytes)} bytes`],
    ["labels", someOf(labels)],
    ...(found.scheme ? [["scheme", translationText(found.scheme)]] : []),
    ...labelLines(tagger),
    ["attributes", `${counted(found.attributes)}, ${features[tagger.source.kind]}`],
    ["label n-grams", `${counted(found.labelNgrams)}, order ${options.order}`],
  ];
  for (const { name, entries, isTable } of found.lexicons) {
    lines.push(["lexicon", `${name}: ${counted(entries)} ${isTable ? "words with classes" : "entries"}`]);
  }
  if (found.encoder) lines.push(["encoder", encoderText(found.encoder)]);
  if (found.vectors)
    lines.push(["vectors", `${counted(found.vectors.words)} words, ${found.vectors.dimension} numbers each`]);
  if (found.conjunctions > 0) lines.push(["conjunctions", counted(found.conjunctions)]);
  lines.push(["weights", `${counted(found.weights)} that are not zero`]);
  lines.push(["inference", `${options.mode}, ${rangeText(options.contexts)} contexts, rows ${options.rows}`]);
  if (read) lines.push(["input", read]);
  const trained = `${plural(summary.sequences, "sequence")}, ${plural(summary.positions, "token")}, seed ${options.seed}`;
  lines.push(["trained on", trained], ["", passLine(summary)]);
  lines.push(...chosenLines(summary.chosen, "sequences"), ...promiseLines(found.calibration));
  const parts = [table(lines, [0, 1])];
  if (summary.history.length > 0) parts.push(historyTable(summary, "labels", "sequences"));
  if (found.template !== undefined) parts.push(`template\n${found.template.replace(/^/gm, "  ").trimEnd()}\n`);
  return parts.join("\n");
}

/** The parts of labels, and how many labels are considered. */
function labelLines({ rows, options, summary }: Tagger): string[][] {
  const lines: string[][] = [];
  if (rows.parts) lines.push(["label parts", `${someOf(rows.parts.names)}, between ${options.labelParts}`]);
  const { unlisted } = heldOutOf(summary) ?? {};
  const lost = unlisted === undefined ? "" : `; ${percent(unlisted)} of the correct held-out labels were not on it`;
  if (options.shortlist > 0) lines.push(["shortlist", `at most ${options.shortlist} labels per position${lost}`]);
  return lines;
}

const lookOptions = {
  label: text("show the strongest weights for this label; with --explain, the reasons for it", { value: "label" }),
  top: whole("how many weights to show, for and against", { least: 1, usual: 10 }),
  explain: text("explain the labels of these tokens; columns as word/POS"),
  explainFrom: text("explain the labels of a sequence of this file (`-`: standard input)", { value: "file" }),
  sequence: whole("which sequence of the file", { least: 1, usual: 1 }),
  position: whole("explain only this position", { least: 1 }),
};

type LookAsked = Omit<GivenOptions<typeof lookOptions>, "top" | "sequence"> & { top: number; sequence: number } & Asked;

export const looks: Looks<Tagger> = {
  options: lookOptions,
  notes: `
Positions and sequences count from 1. Features are attributes, \`labels DT NN\` for the weight of a label after DT NN (\`⋆\` after
anything, \`^\` at the beginning), and \`attribute after LABEL\`. A weight above 0 speaks for the label, below 0 against it.`,
  examples: [
    ["stargram inspect model.sg --explain-from test.txt --sequence 7", "why a sequence of a file got its labels"],
    ["stargram inspect letters.sg --explain-from letter.data.gz --folds 1 --position 2", "any format works"],
    ["stargram inspect pos.sg --label NN --top 20", "the evidence for and against a label (here a part of speech)"],
    ['stargram inspect pos.sg --explain "the dog barks" --position 2', "why `dog` got its label"],
    ['stargram inspect chunks.sg --explain "the/DT dog/NN barks/VBZ"', "the same with two columns per token"],
  ],
  async look(tagger, asked, open) {
    const { label, top, explain, explainFrom, position } = asked as LookAsked;
    if (explain !== undefined && explainFrom !== undefined) {
      throw new InputError("option `explain` cannot be used with option `explainFrom`");
    }
    if (explain !== undefined || explainFrom !== undefined) return explained(tagger, asked as LookAsked, open);
    if (position !== undefined) {
      throw new InputError("option `position` needs option `explain` or `explainFrom`", {
        hint: "such as `the dog barks`",
      });
    }
    if (label === undefined) return undefined;
    const all = tagger.strongest(label, Number.MAX_SAFE_INTEGER);
    const speaking = (sign: 1 | -1) => all.filter(({ weight }) => Math.sign(weight) === sign).slice(0, top);
    const [pro, contra] = [speaking(1), speaking(-1)];
    const text = `for ${label}\n${weightsText(pro)}\nagainst ${label}\n${weightsText(contra)}`;
    return { json: { label, weights: all.slice(0, top), for: pro, against: contra }, text };
  },
};

function weightsText(weights: readonly Contribution[]): string {
  return table(
    weights.map(({ feature, weight }) => [`${weight >= 0 ? "+" : ""}${weight.toFixed(4)}`, feature]),
    [1],
  );
}

async function explained(tagger: Tagger, asked: LookAsked, open: (file: string) => Lines): Promise<Shown> {
  const { explain, explainFrom, position, label: wanted, top } = asked;
  const sequence =
    explain === undefined
      ? await sequenceFrom(tagger, open(explainFrom as string), asked)
      : sequenceOfText(explain, tagger);
  const { labels, confidences = [], probability } = tagger.predict(sequence, { confidences: true });
  if (position !== undefined && position > labels.length) {
    throw new InputError(`the sequence has ${labels.length} positions, there is no position ${position}`);
  }
  const at = position === undefined ? labels.map((_, i) => i) : [position - 1];
  const positions = at.map((i) => {
    const { label, contributions } = tagger.explain(sequence, i, wanted);
    return {
      position: i + 1,
      token: sequence.columns && sequence.fold === undefined ? sequence.columns[i].join(" ") : undefined,
      predicted: labels[i],
      confidence: confidences[i],
      label,
      score: contributions.reduce((sum, { weight }) => sum + weight, 0),
      contributions: contributions.slice(0, top),
      more: Math.max(0, contributions.length - top),
    };
  });
  return { json: { labels, probability, positions }, text: positions.map(reasonsText).join("\n") };
}

interface Reasons {
  position: number;
  token?: string;
  predicted: string;
  confidence: number;
  label: string;
  score: number;
  contributions: readonly Contribution[];
  more: number;
}

function reasonsText({ position, token, predicted, confidence, label, score, contributions, more }: Reasons): string {
  const head = `${position}${token === undefined ? "" : ` ${token}`}: ${predicted} (${probabilityText(confidence)})`;
  const about = label === predicted ? "" : `; for ${label}`;
  const rest = more > 0 ? `  … and ${plural(more, "weaker reason")}\n` : "";
  const reasons = weightsText(contributions).replace(/^(?=.)/gm, "  ");
  return `${head}${about}; score ${score.toFixed(4)}\n${reasons}${rest}`;
}

/** Tokens between spaces; with several columns, those of a token are joined by `/`. */
function sequenceOfText(given: string, tagger: Tagger): TaggingSequence {
  if (tagger.source.kind === "given") {
    throw new InputError("the model was trained on attributes, which cannot be written as text", {
      hint: "give a file, with option `explainFrom`",
    });
  }
  const tokens = given.split(/\s+/).filter((token) => token !== "");
  if (tokens.length === 0) throw new InputError("there is no token to explain");
  const width = inputNoteOf(tagger).columns ?? 1;
  const columns = tokens.map((token) => {
    if (width === 1) return [token];
    const parts = token.split("/");
    if (parts.length < width) {
      throw new InputError(`\`${token}\` should have ${width} columns joined by \`/\``, {
        hint: "such as the/DT dog/NN",
      });
    }
    // A word may hold a slash: what is left over belongs to the first column.
    return [parts.slice(0, parts.length - width + 1).join("/"), ...parts.slice(parts.length - width + 1)];
  });
  return { columns };
}

async function sequenceFrom(tagger: Tagger, lines: Lines, asked: LookAsked): Promise<TaggingSequence> {
  const use = { answers: "ignored", asked: { ...asked, allowUnknown: true } } as const;
  let count = 0;
  for await (const { sequence } of readInputs(tagger, lines, use)) {
    if (++count === asked.sequence) return sequence;
  }
  throw new InputError(`there are ${plural(count, "sequence")}, no sequence ${asked.sequence}`, { file: lines.file });
}
