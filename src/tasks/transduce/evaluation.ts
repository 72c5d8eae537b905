// How well a transducer does on pairs; pairs with the same input are several right answers.

import { outcomesOf } from "../../confidence/conformal.js";
import {
  attributesText,
  joinSymbols,
  kindsOf,
  layoutOf,
  outputText,
  type SymbolPair,
} from "../../formats/pair-lines.js";
import { type TransductionReport, TransductionScore } from "../../metrics/transduction.js";
import { counted, duration, percent, plural, table } from "../../util/text.js";
import { answeredLines, calibrationLine } from "../report.js";
import type { Judgement, PredictionAsked, Score, ShownCase } from "../task.js";
import type { TransducedOutput, Transducer } from "./transducer.js";

/** An input with all its right answers. */
export interface TransducerCase {
  input: readonly string[];
  attributes?: readonly string[];
  outputs: (readonly string[])[];
}

/** Inputs, each with its attributes, in the order in which they come first. */
export async function* casesOf(pairs: AsyncIterable<SymbolPair>): AsyncGenerator<TransducerCase> {
  const cases = new Map<string, TransducerCase>();
  for await (const { input, output, attributes } of pairs) {
    const key = JSON.stringify([input, attributes]);
    const known = cases.get(key);
    if (known) known.outputs.push(output);
    else cases.set(key, { input, attributes, outputs: [output] });
  }
  yield* cases.values();
}

export function judgeOutput(transducer: Transducer, one: TransducerCase, asked: PredictionAsked): Judgement {
  const { answer, outcomes } = answerTo(transducer, one, asked);
  return { whole: answer, parts: [], ...(outcomes && { outcomes }) };
}

function answerTo(
  transducer: Transducer,
  { input, attributes, outputs }: TransducerCase,
  { inference, nbest }: PredictionAsked,
) {
  const found = transducer.predict(input, { attributes, inference, nbest });
  const right = new Set(outputs.map((output) => JSON.stringify(output)));
  const isRight = ({ output }: TransducedOutput): boolean => right.has(JSON.stringify(output));
  const outcomes =
    found.nbest &&
    outcomesOf(
      found.nbest.map(({ probability }) => probability),
      found.nbest.findIndex(isRight),
    );
  return { output: found.output, answer: { confidence: found.probability, correct: isRight(found) }, outcomes };
}

/** Input and outputs as the data writes them. */
export function showOutput(transducer: Transducer, one: TransducerCase, asked: PredictionAsked): ShownCase {
  const layout = layoutOf(transducer);
  const { output, answer } = answerTo(transducer, one, asked);
  const right = new Set(one.outputs.map((symbols) => outputText(symbols, layout)));
  return {
    input: [joinSymbols(one.input, kindsOf(layout).read), ...(one.attributes ? [attributesText(one)] : [])].join(" "),
    output: outputText(output, layout),
    truth: [...right].join(" or "),
    ...answer,
  };
}

export function scoreTransducer(transducer: Transducer, { inference }: PredictionAsked): Score<TransducerCase> {
  const score = new TransductionScore();
  const find = ({ input, attributes, outputs }: TransducerCase) => {
    const { output, probability } = transducer.predict(input, { attributes, inference });
    const likelihood = Math.max(...outputs.map((one) => transducer.logLikelihood(input, one, attributes)));
    return { output, probability, likelihood };
  };
  return {
    answers: score.answers,
    find,
    add(one, found) {
      const { output, probability, likelihood } = (found as ReturnType<typeof find>) ?? find(one);
      score.add(one.outputs, output, probability, likelihood);
    },
    report: () => ({ ...score.report(), alignedTrainingPairs: transducer.summary.alignedPairs }),
  };
}

type Report = TransductionReport & { alignedTrainingPairs: number; seconds: number };

export function reportText(report: Report): string {
  const lines: string[][] = [
    ["inputs", counted(report.inputs), ""],
    ["word error rate", percent(report.wordErrorRate), "inputs with a wrong output"],
    ["symbol error rate", percent(report.symbolErrorRate), "edits to the nearest right answer"],
    ...answeredLines(report.recallAtPrecision, "inputs"),
  ];
  const { logLikelihood, unwritable } = report;
  const each = logLikelihood === null ? "-∞" : (logLikelihood / (report.inputs - unwritable)).toFixed(4);
  const left =
    unwritable > 0 && logLikelihood !== null ? ` but ${counted(unwritable)} that the model cannot write` : "";
  lines.push(["log-likelihood", each, `for each input${left}`]);
  lines.push(calibrationLine(report));
  lines.push(["training pairs", counted(report.alignedTrainingPairs), "had an alignment"]);
  const speed = Math.round(report.inputs / Math.max(report.seconds, 1e-3));
  lines.push(["time", duration(report.seconds), `${plural(speed, "input")} a second`]);
  return table(lines, [0, 2]);
}

export const evaluateNotes = `
With a transducer: word and symbol error rates; any of an input's answers is right. --json: inputs, wordErrorRate,
symbolErrorRate, recallAtPrecision, alignedTrainingPairs, logLikelihood, unwritable (inputs whose answers the model cannot
write; the log-likelihood leaves them out), expectedCalibrationError, brier, aurc, seconds.`;
