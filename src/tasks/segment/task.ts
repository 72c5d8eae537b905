// Segmenting as a task: texts cut into segments, with labels or without.

import { flag } from "../../util/options.js";
import { percent, plural } from "../../util/text.js";
import { heldOutOf, nonZero } from "../contents.js";
import { learningTask } from "../learning-task.js";
import { segmenterCodec } from "./codec.js";
import { contents, contentsText } from "./contents.js";
import {
  evaluateNotes,
  judgeText,
  lessIsBetter,
  measures,
  reportText,
  scoreSegmenter,
  showText,
} from "./evaluation.js";
import type { SegmentedText } from "./example.js";
import { cutting, inputKind, readInputs, reading, readingOf, readSegmented, rereading } from "./inputs.js";
import { lexiconOptions, segmenterOptions } from "./options.js";
import {
  answerJson,
  answerText,
  partsJson,
  partsText,
  predictionJson,
  predictionText,
  predictNotes,
} from "./printing.js";
import { exportedText, textItem, textOf } from "./review.js";
import { type SegmentedOutput, Segmenter, type SegmenterPrediction } from "./segmenter.js";

const trainNotes = `
DATA has texts with their segments, in one or several files, gzipped or not. The format is detected
from the first lines if unambiguous, except for \`lines\`:
  words      one text per line, spaces between its words (they are not part of the text)
  lines      one segment per line, a blank line between texts: sentences of documents
  columns    one token per line, columns separated by spaces or tabs, the last one labels (B-PER, I-PER, O; also IOB1, BIOES)
  conllu     CoNLL-U: the tokens are the segments of the text; --labels upos labels them
  jsonl      {"text": "…", "segments": [{"start": 0, "end": 2, "label": "LOC"}]} per line; or "tokens" and "labels"
No segment is longer than the longest in the data. White space is a boundary unless a segment of the data contains some.`;

export const segmentTask = learningTask<Segmenter, SegmentedText, SegmenterPrediction, SegmentedOutput>({
  name: "segment",
  kind: "segmenter",
  codec: segmenterCodec,
  contents,
  contentsText,
  explorable: ({ parts }) => ({ readsText: parts.input === "chars" }),

  learning: {
    example: "text",
    about: {
      description: "Learn to split texts into segments, such as words, names or sentences.",
      data: "texts with their segments",
      notes: trainNotes,
      examples: [
        ["stargram train segment words.txt --out words.sg", "words separated by spaces, good defaults"],
        ["stargram train segment train.conllu --lexicon words.txt --out words.sg", "CoNLL-U and a list of words"],
        ["stargram train segment names.txt --out names.sg", "names in columns with BIO labels"],
        ["stargram train segment sentences.txt --format lines --out sentences.sg", "one sentence per line"],
      ],
      common: ["format", "labels", "lexicon", "order", "contexts", "l2", "passes", "seed"],
    },
    options: { ...segmenterOptions, ...lexiconOptions },
    reading,
    read: readSegmented,
    decisive: ({ text, columns, segments, labels }) => [text, columns, segments, labels],
    train(texts, { given, files, note, ...rest }) {
      const input = inputKind(readingOf({ note }));
      return Segmenter.train(texts, { input, lexiconFile: files.lexicon, ...given, note, ...rest });
    },
    summary({ labels, parts, weights, summary, options }) {
      const { texts, positions, segments, history, bestPass, stopped, chosen } = summary;
      return {
        labels: labels.length,
        attributes: parts.attributes.size,
        weights: nonZero(weights),
        ...{ texts, positions, segments },
        passes: history.length,
        bestPass,
        stopped,
        heldOut: heldOutOf(summary),
        chosen,
        history,
        options,
      };
    },
    summaryText({ parts, weights, summary }, from) {
      const size = `${plural(parts.attributes.size, "attribute")}, ${plural(nonZero(weights), "weight")}`;
      const held = heldOutOf(summary);
      const isForeign = from && !parts.attributes.all().some((name) => from.parts.attributes.indexOf(name) >= 0);
      const isUseless = parts.lexicon.size > 0 && !parts.wholes.all().some((name) => name.startsWith("lexicon["));
      return {
        text: `${size} from ${plural(summary.segments, "segment")} in ${plural(summary.texts, "text")}`,
        judged: held && `held out F1 ${percent(held.accuracy)}`,
        warnings: [
          ...(isForeign ? ["the data has none of the attributes of the model given with option `from`"] : []),
          ...(isUseless ? ["no segment of the data is in the lexicon"] : []),
        ],
      };
    },
    readingOf: (segmenter) => ({ ...readingOf(segmenter) }),
    again: ({ parts }) => (parts.lexicon.size > 0 ? { lexicon: parts.lexicon.all().join("\n") } : {}),
  },

  predicting: {
    options: {
      marginals: flag("print every segment with a probability of 0.001 or more"),
      offsets: flag("print one segment per line, with its offsets and probability"),
    },
    rereading,
    notes: predictNotes,
    examples: [["stargram predict words.sg new.txt --offsets", "offsets and probability of each word"]],
    inputs: readInputs,
    cutting,
    predict: (segmenter, text, { nbest, contexts, inference, marginals }) =>
      segmenter.predict(text, { nbest, contexts, inference, marginals: marginals === true }),
    json: (_, text, prediction) => predictionJson(text, prediction),
    text: predictionText,
    answerJson: (_, text, answer) => answerJson(text, answer),
    answerText,
    parts: {
      units: () => ["span"],
      answer: (segmenter, text, { precision, unit }) => segmenter.answerParts(text, { precision, unit }),
      json: (_, text, answer) => partsJson(text, answer),
      text: (_, __, answer) => partsText(answer),
      possible: {
        find(segmenter, text) {
          const { marginals = [], ...prediction } = segmenter.predict(text, { marginals: true });
          const spans = marginals.map(({ start, end, text: words, label, probability }) => ({
            ...{ from: start, to: end, words, probability },
            ...(label !== undefined && { label }),
          }));
          return { prediction, spans: spans.sort((a, b) => b.probability - a.probability) };
        },
      },
    },
  },

  evaluating: {
    options: {
      allowUnknown: flag("count unknown labels as wrong answers instead of rejecting them"),
    },
    notes: evaluateNotes,
    examples: [["stargram evaluate words.sg test.conllu --require segmentF1=0.9", "a check for scripts"]],
    measures,
    measuresWithin: ["labels.", "spanSureness."],
    atMost: lessIsBetter,
    judge: judgeText,
    show: showText,
    score: scoreSegmenter,
    reportText: (report) => reportText(report as never),
  },

  reviewing: {
    item: textItem,
    example: textOf,
    exported: exportedText,
  },
});
