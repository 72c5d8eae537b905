// Segmenting as a task: words of a text without spaces, names in a sentence, sentences of a text.

import * as v from "valibot";
import { MOST_CANDIDATES, type ReviewItem, splitLabels } from "../../formats/review-item.js";
import { ANSWER_COLUMN, sourceOf } from "../../formats/review-source.js";
import { InputError } from "../../util/errors.js";
import { flag } from "../../util/options.js";
import { counted, percent, plural, table } from "../../util/text.js";
import { historyTable, nonZero, passLine, promiseLines, someOf } from "../contents.js";
import { learningTask } from "../learning-task.js";
import { segmenterCodec } from "./codec.js";
import { evaluateNotes, judgeText, reportText, scoreSegmenter } from "./evaluation.js";
import type { SegmentedText } from "./example.js";
import { listOptions, segmenterOptions } from "./options.js";
import { answerJson, answerText, outputText, predictionJson, predictionText, predictNotes } from "./printing.js";
import { endsText, readGiven, readInputs, reading, readingOf, rereading, type SegmentInput } from "./reading.js";
import { type SegmentedOutput, Segmenter, type SegmenterPrediction } from "./segmenter.js";
import { longestSegment } from "./symbols.js";

const trainNotes = `
DATA holds texts with their segments; several files are read one after the other, gzip is unpacked. The format is detected
from the first lines if --format does not say it:
  words      one sentence per line, spaces between its words (the answer key of word segmentation)
  lines      one segment per line, such as a sentence; a blank line ends a text
  conllu     CoNLL-U; the words of each sentence
  columns    one token per line, the label last (O, B-TYPE, I-TYPE; also IOB1 and BIOES), a blank line between texts
  jsonl      {"text": "…", "segments": [{"start": 0, "end": 2, "label": "LOC"}]} per line
Attributes are those of whole segments (the string, whether it was a segment elsewhere, in --lexicon, length, shape) and of their
positions (what stands there and around).`;

const measures = [
  ...["textAccuracy", "segmentF1", "segmentPrecision", "segmentRecall", "texts", "segments"],
  ...["recallAtPrecision.0.9", "recallAtPrecision.0.95", "recallAtPrecision.0.99"],
  ...["expectedCalibrationError", "brier", "aurc", "seconds"],
];

export const segmentTask = learningTask<Segmenter, SegmentInput, SegmenterPrediction, SegmentedOutput>({
  name: "segment",
  kind: "segmenter",
  codec: segmenterCodec,
  contents,
  contentsText,

  learning: {
    example: "text",
    about: {
      description: "Learn to cut texts into words or sentences, or to find names in them.",
      data: "segmented data",
      notes: trainNotes,
      examples: [
        ["stargram train segment words.txt --out words.sg", "word segmentation, from sentences with spaces"],
        ["stargram train segment zh.conllu --lexicon words.txt --out words.sg", "from CoNLL-U, with a list of words"],
        ["stargram train segment ner.txt --out names.sg", "names, from tokens and BIO labels in columns"],
      ],
    },
    options: { ...segmenterOptions, ...listOptions },
    reading,
    read: readGiven,
    decisive: ({ text, columns, segments, labels }) => [text, columns, segments, labels],
    train(texts, { given, files: _, keep: __, from, note, ...rest }) {
      if (from) throw new InputError("a segmenter cannot go on with another yet", { hint: "train on all texts" });
      const { input } = note.input as { input?: "chars" | "tokens" };
      return Segmenter.train(texts, { ...given, input, note, ...rest });
    },
    summaryText({ summary, labels, weights }) {
      const held = summary.history.find(({ pass }) => pass === summary.bestPass)?.heldOut;
      const named = labels.some((label) => label !== "") ? `${plural(labels.length, "label")}, ` : "";
      return {
        text: `${named}${plural(nonZero(weights), "weight")} from ${plural(summary.texts, "text")}`,
        judged: held && `held out ${percent(held.accuracy)} of segments right`,
        warnings: [],
      };
    },
    readingOf: (segmenter) => ({ ...readingOf(segmenter) }),
  },

  predicting: {
    options: { offsets: flag("print one segment per line, with its offsets and probability") },
    rereading,
    notes: predictNotes,
    examples: [["stargram predict words.sg new.txt --offsets", "where each word begins and ends, and how sure it is"]],
    inputs: readInputs,
    cutting: (segmenter, _, asked) => ({ ends: endsText(segmenter, asked), isByLine: false, options: {} }),
    predict: (segmenter, input, { nbest, inference }) => segmenter.predict(input, { nbest, inference }),
    json: (_, input, prediction) => predictionJson(input, prediction),
    text: (_, input, prediction, asked) => predictionText(input, prediction, asked),
    answerJson: (_, input, answer) => answerJson(input, answer),
    answerText: (_, input, answer, asked) => answerText(input, answer, asked),
  },

  evaluating: {
    notes: evaluateNotes,
    examples: [["stargram evaluate words.sg test.txt --require segmentF1=0.95", "an F1 of segments of at least 95 %"]],
    measures,
    measuresWithin: ["labels."],
    judge: judgeText,
    score: scoreSegmenter,
    reportText: (report) => reportText(report as never),
  },

  reviewing: {
    item(_, input, candidates, number) {
      const { id = String(number), text, columns } = input;
      return {
        id,
        kind: "text",
        input: text ?? (columns ?? []).map((row) => row.join("/")).join(" "),
        answer: "",
        status: "",
        candidates: candidates.slice(0, MOST_CANDIDATES).map(({ segments, probability }) => ({
          text: outputText(input, segments),
          probability,
        })),
        source: JSON.stringify({ id, text, columns }),
      };
    },
    example: answeredText,
  },
});

const sourceSchema = v.object({
  id: v.optional(v.string()),
  text: v.optional(v.string()),
  columns: v.optional(v.array(v.array(v.string()))),
});

/** The text of an answered item: words with spaces between, labels of tokens, or ranges with labels. */
function answeredText(item: ReviewItem, file: string): SegmentedText {
  const source = sourceOf(item, file, sourceSchema);
  const place = { file, line: item.line };
  if (source.columns) return { ...source, labels: splitLabels(item.answer, source.columns.length), ...place };
  const text = source.text ?? "";
  const ranges = [...item.answer.matchAll(/(\d+)-(\d+)(?: ([^,]+))?(?:, |$)/g)];
  if (ranges.length > 0 && ranges.map(([part]) => part).join("") === item.answer) {
    const segments = ranges.map(([, start, end, label]) => ({ start: Number(start), end: Number(end), label }));
    return { ...source, segments, ...place };
  }
  return { ...source, segments: wordSegments(text, item.answer, place), ...place };
}

/** Where the words of an answer stand in a text; anything but the text with other spaces is refused. */
function wordSegments(text: string, answer: string, place: { file: string; line?: number }) {
  let at = 0;
  const segments = answer
    .trim()
    .split(/\s+/)
    .map((word) => {
      while (/\s/.test(text[at] ?? "")) at++;
      const start = at;
      for (const character of word) {
        if (character === "_" && text[at] === " ") at++;
        else if (text.startsWith(character, at)) at += character.length;
        else at = Number.NaN;
      }
      return { start, end: at };
    });
  if (Number.isNaN(at) || text.slice(at).trim() !== "") {
    throw new InputError("the answer is not the text with spaces between its words", {
      ...place,
      column: ANSWER_COLUMN,
    });
  }
  return segments;
}

function contents({ attributes, rows, weights, options, summary, note, labels, calibration }: Segmenter) {
  return {
    labels,
    segmentsOf: attributes.input,
    longestSegment: longestSegment(rows.symbols),
    attributes: attributes.attributes.size,
    segmentAttributes: attributes.wholes.size,
    strings: attributes.seen.strings.size,
    lexicon: attributes.lexicon.size,
    weights: nonZero(weights),
    input: note.input,
    options,
    summary,
    calibration,
  };
}

function contentsText(segmenter: Segmenter, { bytes }: { bytes: number }): string {
  const { options, summary, ...found } = contents(segmenter);
  const named = found.labels.filter((label) => label !== "");
  const lines = [
    ["model", `segmenter of ${found.segmentsOf === "chars" ? "characters" : "tokens"}, ${counted(bytes)} bytes`],
    ...(named.length > 0 ? [["labels", someOf(named)]] : []),
    ["longest segment", counted(found.longestSegment)],
    ["attributes", `${counted(found.attributes)} of positions, ${counted(found.segmentAttributes)} of segments`],
    [
      "strings seen",
      `${counted(found.strings)}${found.lexicon > 0 ? `, and a list of ${counted(found.lexicon)}` : ""}`,
    ],
    ["weights", `${counted(found.weights)} that are not zero`],
    ["inference", `${options.mode}, ${plural(options.contexts, "context")}, order ${options.order}`],
    ["trained on", `${plural(summary.texts, "text")}, seed ${options.seed}`],
    ["", passLine(summary)],
    ...promiseLines(found.calibration),
  ];
  const history = summary.history.length > 0 ? [historyTable(summary, "segments", "texts")] : [];
  return [table(lines, [0, 1]), ...history].join("\n");
}
