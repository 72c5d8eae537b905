// Transduction as a task: outputs for inputs of other lengths, learned from pairs that nobody has aligned.

import * as v from "valibot";
import type { Alphabet } from "../../engine/alphabet.js";
import {
  attributesText,
  inputText,
  layoutOf,
  outputText,
  type PairLayout,
  type PairPlaces,
  pairFormats,
  pairLine,
  type SymbolPair,
} from "../../formats/pair-lines.js";
import { MOST_CANDIDATES } from "../../formats/review-item.js";
import { sourceOf } from "../../formats/review-source.js";
import { InputError } from "../../util/errors.js";
import { flag } from "../../util/options.js";
import { percent, plural } from "../../util/text.js";
import type { LearningTask, PredictionAsked } from "../task.js";
import { attributesOf } from "./attributes.js";
import { transducerCodec } from "./codec.js";
import { contents, contentsText, kindText, membersText } from "./contents.js";
import {
  casesOf,
  evaluateNotes,
  judgeOutput,
  reportText,
  scoreTransducer,
  showOutput,
  type TransducerCase,
} from "./evaluation.js";
import { type TransducerOptions, transducerOptions } from "./options.js";
import { answerJson, answerText, predictionJson, predictionText, predictNotes } from "./printing.js";
import { readGiven, readInputs, reading, writtenSymbols } from "./reading.js";
import type { Kinds } from "./symbols.js";
import { type TransducedOutput, Transducer, type TransducerPrediction } from "./transducer.js";

const trainNotes = `
PAIRS has one input and its output per line, in one or several files, gzipped or not. Formats:
  tsv        input TAB output; --columns 2,3 selects other columns. A third column may have attributes, separated by ; or spaces:
             they apply to the whole input, such as the form to write (--attributes sets the column)
  cmudict    WORD  P R O N, with variants WORD(2) and comments, as in the CMU pronouncing dictionary
Each side is split at spaces (tokens), into user-perceived characters (chars), their code points (codepoints), or those of
their canonical decomposition (decomposed: letters and accents, the sounds of Korean syllables). By default, a side
that has spaces on most lines is split into tokens, unless these are words; how to split characters is chosen by trials.
Pairs with the same input are several right answers. The alignment is learned.
Options not given are chosen from the data. Held-out pairs choose the best pass and calibrate the probabilities; they
also choose the weight of a word model, if most outputs have several words or --words is given without a number.
Give --words without a number last, or the next word is read as its number.`;

const measures = [
  ...["wordErrorRate", "symbolErrorRate"],
  ...["recallAtPrecision.0.9", "recallAtPrecision.0.95", "recallAtPrecision.0.99"],
  ...["logLikelihood", "expectedCalibrationError", "chanceCalibrationError", "brier", "aurc", "seconds"],
  ...["inputs", "unwritable", "alignedTrainingPairs"],
];

const column = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(999_999));
const sourceSchema = v.object({
  input: v.pipe(v.array(v.string()), v.minLength(1)),
  attributes: v.optional(v.array(v.string())),
  /** Where its sides stood on a line. */
  places: v.optional(
    v.object({
      format: v.picklist(pairFormats),
      columns: v.tuple([column, column]),
      reverse: v.boolean(),
      attributes: v.optional(column),
    }),
  ),
});
const usualPlaces: PairPlaces = { format: "tsv", columns: [1, 2], reverse: false };

export const transduceTask: LearningTask<
  Transducer,
  SymbolPair,
  SymbolPair,
  TransducerCase,
  TransducerPrediction,
  TransducedOutput
> = {
  name: "transduce",
  kind: "transducer",
  codec: transducerCodec,
  contents,
  contentsText,
  explorable: () => ({ readsText: true }),

  learning: {
    example: "pair",
    about: {
      description: "Learn from unaligned pairs of inputs and outputs, such as spelling and pronunciation.",
      data: "pairs",
      notes: trainNotes,
      examples: [
        ["stargram train transduce words.tsv --out g2p.sg", "spelling to pronunciation, good defaults"],
        ["stargram train transduce cmudict.dict --no-stress --out g2p.sg", "from a CMU dictionary"],
        [
          "stargram train transduce words.tsv --ensemble 4 --out g2p.sg",
          "four models that decide together: slower and better",
        ],
        ["stargram train transduce words.tsv --reverse --out p2g.sg", "pronunciation to spelling"],
        ["stargram train transduce names.tsv --input chars --output chars --out names.sg", "a name in another script"],
      ],
      common: [
        "format",
        "columns",
        "attributes",
        "reverse",
        "stress",
        "contexts",
        "maxEmit",
        "ensemble",
        "passes",
        "seed",
      ],
    },
    options: transducerOptions,
    reading,
    read: readGiven,
    decisive: ({ input, output, attributes }) => (attributes ? [input, output, attributes] : [input, output]),
    // All answers to an input are judged together.
    belongs: ({ input, attributes }, before) =>
      JSON.stringify([input, attributes]) === JSON.stringify([before.input, before.attributes]),
    takesDev: true,
    async train(pairs, { given, files: _, keep: __, dev, ...rest }) {
      const said = givenKinds(rest.note);
      const begun = await beginning(pairs);
      // By now it is known how the data is read: what is cut at spaces stays whole.
      const found = givenKinds(rest.note);
      for (const side of ["input", "output"] as const) if (found[side] === "tokens") said[side] = "tokens";
      const transducer = await Transducer.train(begun, {
        ...(rest.from ? {} : said),
        ...given,
        ...rest,
        dev: dev as AsyncIterable<SymbolPair> | undefined,
      });
      if (transducer.weights.every(Number.isFinite)) return transducer;
      throw new InputError("the weights grew without bound", { hint: "try a smaller `rate` or a larger `l2`" });
    },
    summary({ inputSymbols, outputSymbols, members, summary, options }) {
      const { pairs, inputs, alignedPairs, history, bestPass, temperature, stopped } = summary;
      return {
        inputSymbols: inputSymbols.size,
        outputSymbols: outputSymbols.size,
        weights: members.reduce((sum, { weights }) => sum + weights.length, 0),
        members: members.length,
        pairs,
        inputs,
        alignedTrainingPairs: alignedPairs,
        passes: history.length,
        bestPass,
        temperature,
        stopped,
        heldOut: history.find(({ pass }) => pass === bestPass)?.heldOut,
        history,
        options,
      };
    },
    summaryText({ members, summary, options, marks }) {
      const held = summary.history.find(({ pass }) => pass === summary.bestPass)?.heldOut;
      const judged = held ? `held out ${percent(held.exact)} of outputs right` : undefined;
      const left = summary.pairs - summary.alignedPairs;
      const warnings = left > 0 ? [`${plural(left, "pair")} had no alignment ${whyUnaligned(options)}`] : [];
      const weights = members.reduce((sum, member) => sum + member.weights.length, 0);
      const both = members.length > 1 ? `; ensemble of ${membersText(members)}` : "";
      const text = `${plural(weights, "weight")} from ${plural(summary.pairs, "pair")}${kindsText(options)}${attributesNote(marks)}${both}`;
      return { text, judged, warnings };
    },
    alwaysKeeps: true,
    readingOf: (transducer) => ({ ...layoutOf(transducer) }),
  },

  predicting: {
    options: {
      align: flag("give the alignment of each output"),
      text: flag("the input is running text: each of its words is an input"),
    },
    rereading: {},
    notes: predictNotes,
    examples: [
      ["stargram predict g2p.sg words.txt --align", "pronunciations, and which letters make which sounds"],
      ["stargram predict g2p.sg letter.txt --text", "the same for every word of a text"],
    ],
    inputs: readInputs,
    inputsOf: (pairs) => pairs as AsyncIterable<SymbolPair>,
    cutting: (_, _first, asked) => ({ ends: () => true, isByLine: !asked.text, options: {} }),
    linesOf: ({ line }) => (line === undefined ? undefined : { first: line, count: 1 }),
    keyOf: ({ text, input, attributes = [] }) => JSON.stringify([text ?? input, ...attributes]),
    predict: (transducer, { input, attributes }, asked) =>
      transducer.predict(input, { ...predictOptions(asked), attributes }),
    answer(transducer, { input, attributes }, asked) {
      const { nbest, alignment } = predictOptions(asked);
      const answer = transducer.answer(input, { attributes, nbest, alignment, precision: asked.precision });
      if (answer.answered) return { answered: true, prediction: answer, candidates: [] };
      return answer;
    },
    notices: ({ unknown, unknownAttributes = [] }) => [
      ...unknown.map((symbol) => `the symbol ${JSON.stringify(symbol)} was never seen in training`),
      ...unknownAttributes.map((name) => `the attribute ${JSON.stringify(name)} was never seen in training`),
    ],
    json: predictionJson,
    text: predictionText,
    answerJson,
    answerText,
  },

  evaluating: {
    options: {},
    notes: evaluateNotes,
    examples: [["stargram evaluate g2p.sg test.tsv --require wordErrorRate=0.3", "an error rate of 30 % at most"]],
    title: "Outputs",
    measures,
    atMost: ["wordErrorRate", "symbolErrorRate", "expectedCalibrationError", "brier", "aurc", "seconds", "unwritable"],
    cases: casesOf,
    judge: judgeOutput,
    show: showOutput,
    score: scoreTransducer,
    reportText: (report) => reportText(report as never),
  },

  distilling: {
    async distill(teacher, inputs, options) {
      // On demand: who only predicts does not load it.
      const { distill } = await import("./distill.js");
      return distill(teacher, inputs, options);
    },
  },

  reviewing: {
    /** Its source is `{"input": ["p", "h", …], "places": …}`, with attributes if there are some. */
    item(transducer, pair, candidates, number) {
      const { input, attributes } = pair;
      const layout = layoutOf(transducer);
      const { format, columns, reverse } = layout;
      const column = attributes ? { attributes: layout.attributes || Math.max(...columns) + 1 } : {};
      return {
        id: String(number),
        kind: "text",
        input: `${inputText(pair, layout)}${shownAttributes(pair)}`,
        answer: "",
        status: "",
        candidates: candidates
          .slice(0, MOST_CANDIDATES)
          .map(({ output, probability }) => ({ text: outputText(output, layout), probability })),
        source: JSON.stringify({ input, attributes, places: { format, columns, reverse, ...column } }),
      };
    },
    example(item, file, given) {
      const { input, attributes } = sourceOf(item, file, sourceSchema);
      const pair = { input, output: writtenSymbols(item, given), file, line: item.line };
      return attributes ? { ...pair, attributes } : pair;
    },
    exported(item, file) {
      const { attributes, places = usualPlaces } = sourceOf(item, file, sourceSchema);
      const shown = shownAttributes({ attributes });
      const read = item.input.endsWith(shown) ? item.input.slice(0, item.input.length - shown.length) : item.input;
      return pairLine(read, item.answer, places, attributesText({ attributes }));
    },
  },
};

/** What a reviewer sees of attributes, after the input. */
function shownAttributes(pair: Pick<SymbolPair, "attributes">): string {
  return pair.attributes ? ` ${attributesText(pair)}` : "";
}

/** What was chosen to be a symbol, if not characters. */
function kindsText({ input, output }: Kinds): string {
  const sides = [kindText(input), kindText(output)].map((kind, i) => kind && `${["inputs", "outputs"][i]}${kind}`);
  return sides.map((side) => side && `; ${side}`).join("");
}

/** How many attributes were learned from, if there were some. */
function attributesNote(marks: Alphabet): string {
  return marks.size > 0 ? `; with ${plural(attributesOf(marks).length, "attribute")} of whole inputs` : "";
}

/** What a symbol is, as far as the layout says. */
function givenKinds(note: Readonly<Record<string, unknown>>): Partial<Kinds> {
  const { input, output, reverse } = (note.input ?? {}) as Partial<PairLayout>;
  return reverse ? { input: output, output: input } : { input, output };
}

/** The same, once the first of them is there. */
async function beginning<T>(all: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const rest = all[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
}

function predictOptions({ nbest, align, contexts, inference }: PredictionAsked) {
  return { nbest, alignment: align === true, contexts, inference };
}

/** RCMS covers every alignment there can be; other strategies keep some contexts alone, with the alignments in them. */
function whyUnaligned({ strategy, maxEmit }: TransducerOptions): string {
  const short = `with at most ${plural(maxEmit, "output symbol")} for an input symbol`;
  return strategy === "rcms"
    ? `${short}; see option \`maxEmit\``
    : `in the contexts that strategy ${strategy} keeps (rcms covers every alignment), or none ${short}; see options \`strategy\` and \`maxEmit\``;
}
