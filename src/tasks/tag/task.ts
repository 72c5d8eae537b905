// Tagging as a task: a label for every position of a sequence.

import type { TaggingSequence } from "../../formats/sequence.js";
import { InputError } from "../../util/errors.js";
import { flag, model, type NamedText } from "../../util/options.js";
import { percent, plural } from "../../util/text.js";
import { heldOutOf, nonZero } from "../contents.js";
import type { Asked, LearningTask, PredictionAsked } from "../task.js";
import type { TaggerPartsAnswer } from "./answer-parts.js";
import { bytePredictor } from "./bytes/predictor.js";
import { taggerCodec } from "./codec.js";
import { contents, contentsText, looks } from "./contents.js";
import { evaluateNotes, judgeSequence, reportText, scoreTagger, showSequence } from "./evaluation.js";
import { cutting, inputNoteOf, readInputs, reading, readLabelled, rereading, type TaggerInput } from "./inputs.js";
import { attributeOptions, taggerOptions } from "./options.js";
import type { PredictOptions, TaggedOutput, TaggerPrediction } from "./prediction.js";
import {
  answerJson,
  answerText,
  labelSetsText,
  partsJson,
  partsText,
  predictionJson,
  predictionText,
  predictNotes,
} from "./printing.js";
import { sequenceItem, sequenceOf, sequenceText } from "./review.js";
import { translationText } from "./scheme.js";
import { Tagger, type TrainTaggerOptions } from "./tagger.js";

const trainNotes = `
DATA has labelled sequences, in one or several files, gzipped or not. The format is detected from the
first lines if unambiguous:
  columns    one token per line, columns separated by spaces or tabs, the label last, a blank line between sequences
  conllu     CoNLL-U: the words of sentences; --column upos+feats selects the label
  crfsuite   CRFsuite's attributes: label TAB attribute[:value] TAB …
  jsonl      {"tokens": ["the", "dog"], "labels": ["DT", "NN"]} per line; or "columns", or "attributes"
  letters    the handwritten letters of \`stargram data get letters\`
The label \`_\` means unknown: the position is used only through its neighbours.
Attributes of columns come from --template, or are built in (--features):
  text       the word, its lower case, affixes, shape and neighbours; n-grams of further columns (default)
  chunking   words and parts of speech in a window of five, as in CRFsuite's chunking example`;

const measures = [
  ...["sequenceAccuracy", "tokenAccuracy", "chunkF1"],
  ...["recallAtPrecision.0.9", "recallAtPrecision.0.95", "recallAtPrecision.0.99"],
  ...["logLikelihood", "expectedCalibrationError", "chanceCalibrationError", "brier", "aurc", "seconds"],
  ...["sequences", "tokens", "unknownTokens", "unknownLabels", "impossibleSequences"],
];

export const tagTask: LearningTask<Tagger, TaggingSequence, TaggerInput, TaggerInput, TaggerPrediction, TaggedOutput> =
  {
    name: "tag",
    kind: "tagger",
    codec: taggerCodec,
    contents,
    contentsText,
    looks,
    explorable: (tagger) => ({
      readsText: tagger.source.kind !== "given",
      ...(inputNoteOf(tagger).format === "letters" && { readsDrawings: true }),
    }),
    checkUsable({ source }, file) {
      if (source.kind !== "function") return;
      throw new InputError("the model uses a feature function of the program that trained it", {
        file,
        hint: "use it from that program: loadModel, then setFeatures",
      });
    },

    learning: {
      example: "sequence",
      about: {
        description: "Learn to label the positions of sequences from labelled data.",
        data: "labelled data",
        notes: trainNotes,
        examples: [
          ["stargram train tag train.txt --out model.sg", "built-in attributes, good defaults"],
          ["stargram train tag train.txt --template chunk.tpl --order 3 --out model.sg", "a CRF++ template"],
          ["stargram train tag letter.data.gz --folds 0,2-9 --order 4 --contexts 40 --out letters.sg", "handwriting"],
        ],
        common: ["format", "column", "template", "lexicon", "order", "contexts", "l2", "passes", "seed"],
      },
      options: { ...taggerOptions, ...attributeOptions },
      reading,
      read: readLabelled,
      decisive: ({ columns, attributes, values, labels, document }) => [columns, attributes, values, labels, document],
      belongs: (one, before) =>
        one.document !== undefined && one.document === before.document && one.file === before.file,
      takesDev: true,
      takesScratch: true,
      train(sequences, { given, files, keep, from, dev, ...rest }) {
        const attributes: Partial<TrainTaggerOptions> = { templateFile: files.template };
        // One that is kept makes attributes as it did.
        if (keep && from?.source.kind === "template") attributes.template = from.source.text;
        if (keep && (from?.source.kind === "text" || from?.source.kind === "chunking")) {
          attributes.features = from.source.kind;
        }
        const lexicon = (given.lexicon as NamedText[] | undefined)?.map((one) => ({
          ...one,
          file: files[`lexicon.${one.name}`],
        }));
        return Tagger.train(sequences, {
          ...attributes,
          ...given,
          lexicon,
          ...{ keep, from, ...rest },
          dev: dev as AsyncIterable<TaggingSequence> | undefined,
        });
      },
      summary({ labels, translation, attributeCount, weights, summary, options, source }) {
        const { sequences, positions, history, bestPass, stopped, chosen } = summary;
        return {
          labels: labels.size,
          scheme: translation,
          attributes: attributeCount,
          weights: nonZero(weights),
          sequences,
          tokens: positions,
          passes: history.length,
          bestPass,
          stopped,
          heldOut: heldOutOf(summary),
          chosen,
          history,
          options,
          source: source.kind,
        };
      },
      summaryText({ labels, translation, attributes, attributeCount, weights, summary }, from) {
        const scheme = translation ? ` (${translationText(translation)})` : "";
        const size = `${plural(labels.size, "label")}${scheme}, ${plural(attributeCount, "attribute")}, ${plural(nonZero(weights), "weight")}`;
        const held = heldOutOf(summary);
        const isKnown = (_: unknown, id: number): boolean =>
          (from?.attributes.indexOf(attributes.nameOf(id)) ?? -1) >= 0;
        const isForeign = from && !new Uint8Array(attributes.size).some(isKnown);
        const warnings = isForeign ? ["the data has none of the attributes of the model given with option `from`"] : [];
        const then = summary.chosen?.refit ? ", then trained on everything" : "";
        const judged = held ? `held out ${percent(held.accuracy)} of labels right${then}` : undefined;
        return { text: `${size} from ${plural(summary.sequences, "sequence")}`, judged, warnings };
      },
      alwaysKeeps: false,
      readingOf: (tagger) => ({ ...inputNoteOf(tagger) }),
      again: trainedAgain,
    },

    predicting: {
      options: {
        marginals: flag("print the probability of every label at every position"),
        labelsOnly: flag("do not print probabilities"),
        known: flag("keep the labels of the input and fill in those that are `_`"),
        text: flag("the input is running text, to be split into sentences and tokens; with --json, offsets of spans"),
        tokenizer: model("with --text: a model made by `train segment` that splits sentences into tokens", {
          otherwise: "Unicode words",
        }),
        spans: flag("with --json: spans marked by labels such as B-PER, I-PER, O, with probabilities"),
      },
      rereading,
      notes: predictNotes,
      examples: [
        ["stargram predict model.sg new.txt --json --marginals", "everything, for programs"],
        ["stargram predict model.sg partly.txt --known", "fill in the labels that are `_`"],
        ["stargram predict names.sg letter.txt --text --json", "names in running text, with offsets"],
        ["stargram predict pos.sg letter.txt --text --tokenizer words.sg", "the same, split into words by a model"],
      ],
      inputs: readInputs,
      async *inputsOf(sequences) {
        for await (const sequence of sequences) yield { sequence: sequence as TaggingSequence, shown: [] };
      },
      cutting,
      linesOf: ({ sequence: { line, columns, attributes, source }, isByLine }) =>
        isByLine && line !== undefined
          ? {
              first: line,
              count: (source?.lines ?? columns ?? attributes ?? []).length + 1,
              isKept: source !== undefined,
            }
          : undefined,
      bytes: bytePredictor,
      predict: (tagger, { sequence }, asked) =>
        tagger.predict(
          sequence,
          asked.known ? { ...predictOptions(asked, tagger), known: sequence.labels } : predictOptions(asked, tagger),
        ),
      answer(tagger, { sequence }, asked) {
        const { inference: _, ...options } = predictOptions(asked, tagger);
        const answer = tagger.answer(sequence, { ...options, precision: asked.precision });
        if (answer.answered) return { answered: true, prediction: answer, candidates: [] };
        return answer;
      },
      json: (_, input, prediction) => predictionJson(input, prediction),
      text: (_, input, prediction, asked) => predictionText(input, prediction, asked),
      answerJson: (_, input, answer) => answerJson(input, answer),
      answerText: (_, input, answer, asked) => answerText(input, answer, asked),
      parts: {
        units: (tagger) => (tagger.marksSpans ? ["token", "span"] : ["token"]),
        answer(tagger, { sequence }, asked) {
          const { inference: _, ...options } = predictOptions(asked, tagger);
          return tagger.answerParts(sequence, { ...options, precision: asked.precision, unit: asked.unit });
        },
        json: (_, input, answer) => partsJson(input, answer as TaggerPartsAnswer),
        text: (_, input, answer, asked) => partsText(input, answer as TaggerPartsAnswer, asked),
        sets: {
          choices(tagger, { sequence }) {
            const { marginals: choices = [], ...prediction } = tagger.predict(sequence, { marginals: true });
            return { prediction, choices };
          },
          text: (_, input, sets) => labelSetsText(input, sets),
        },
        possible: {
          find(tagger, { sequence }) {
            const words = (from: number, to: number): string =>
              (sequence.columns ?? [])
                .slice(from, to)
                .map(([word]) => word)
                .join(" ");
            const spans = tagger.possibleSpans(sequence).map((span) => ({ ...span, words: words(span.from, span.to) }));
            return { prediction: tagger.predict(sequence, { confidences: true }), spans };
          },
        },
      },
    },

    evaluating: {
      options: {
        allowUnknown: flag("count unknown labels as wrong, even if the first sequence has no known ones"),
      },
      notes: evaluateNotes,
      examples: [
        ["stargram evaluate letters.sg letter.data.gz --folds 1", "one fold of the handwritten letters"],
        ["stargram evaluate model.sg test.txt --require tokenAccuracy=0.96", "a check for scripts: at least 96 %"],
      ],
      title: "Sequences",
      measures,
      measuresWithin: ["labels.", "chunks.", "tokenSureness.", "spanSureness."],
      atMost: [
        "expectedCalibrationError",
        "brier",
        "aurc",
        "seconds",
        "unknownTokens",
        "unknownLabels",
        "impossibleSequences",
      ],
      cases: (inputs) => inputs,
      judge: judgeSequence,
      show: showSequence,
      score: scoreTagger,
      reportText: (report) => reportText(report as never),
    },

    reviewing: {
      item: sequenceItem,
      example: sequenceOf,
      exported: sequenceText,
    },
  };

function predictOptions(asked: PredictionAsked, { marksSpans }: Tagger): PredictOptions {
  const { nbest, contexts, inference, json, marginals, spans, text } = asked;
  return {
    nbest,
    confidences: true,
    // The probabilities of labels of further outputs are found among all.
    marginals: marginals === true || (nbest !== undefined && !json),
    contexts,
    spans: spans === true || (text === true && json === true && marksSpans),
    inference,
  };
}

/** What makes attributes of a model's kind. */
function trainedAgain({ source, lexicons }: Tagger): Asked {
  if (source.kind === "function") {
    throw new InputError("the model uses a feature function, which is not saved in the file", {
      hint: "calibrate it on held-out data",
    });
  }
  const texts = lexicons.map(({ name, entries, classes }) => ({
    name,
    text: entries.map((entry, i) => (classes[i] ? `${entry}\t${classes[i]}` : entry)).join("\n"),
  }));
  return {
    ...(source.kind === "template" && { template: source.text }),
    ...(source.kind === "chunking" && { features: source.kind }),
    ...(texts.length > 0 && { lexicon: texts }),
  };
}
