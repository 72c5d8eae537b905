// A task from what is special to it: everything that can be said of any trained model has a default.
//
//   export const morseTask = learningTask({ name: "morse", kind: "morse", codec, learning: { … }, predicting: { … }, … });

import { guaranteeFor } from "../confidence/calibration.js";
import { MOST_CANDIDATES } from "../formats/review-item.js";
import type { Answer } from "../metrics/answers.js";
import { type Sureness, surenessOf } from "../metrics/sureness.js";
import { counted, duration, percent, table } from "../util/text.js";
import { heldOutOf, historyTable, passLine, promiseLines } from "./contents.js";
import { answeredLines, calibrationLine } from "./report.js";
import type {
  Evaluating,
  Judgement,
  Learning,
  LearningTask,
  Predicting,
  PredictionAsked,
  Predictor,
  Reviewing,
  Task,
} from "./task.js";

type With<T, Needed extends keyof T> = Pick<T, Needed> & Partial<T>;

type About = Learning<Predictor, unknown>["about"];

/** What the defaults need to know of a prediction: how probable it is, and the most probable outputs if asked for. */
interface Predicted<Candidate> {
  probability: number;
  nbest?: readonly Candidate[];
}

/**
 * What a task must say of itself. All else may be left out; the defaults are below. `Given` is what it learns from, and
 * without its answer what it predicts for.
 */
export type TaskParts<M extends Predictor, Given, Prediction extends Predicted<Candidate>, Candidate> = With<
  Task<M>,
  "name" | "kind" | "codec"
> & {
  learning: With<Omit<Learning<M, Given>, "about">, "example" | "options" | "read" | "train"> & {
    about: With<About, "description" | "data">;
  };
  predicting: With<
    Predicting<M, Given, Prediction, Candidate>,
    "inputs" | "predict" | "json" | "text" | "answerJson" | "answerText"
  >;
  evaluating: With<Evaluating<M, Given, Given>, "judge">;
  reviewing: Reviewing<M, Given, Given, Candidate>;
};

/** A task with the defaults of what it leaves out. */
export function learningTask<M extends Predictor, Given, Prediction extends Predicted<Candidate>, Candidate>(
  given: TaskParts<M, Given, Prediction, Candidate>,
): LearningTask<M, Given, Given, Given, Prediction, Candidate> {
  const { noun = given.kind } = given;
  const { example } = given.learning;
  return {
    contents: contentsOf,
    contentsText: (model, size) => contentsText(noun, example, model, size),
    ...given,
    learning: {
      reading: {},
      decisive: (one) => one,
      summary: summaryOf,
      summaryText: ({ summary }) => ({ text: noun, judged: judgedText(summary, `${example}s`), warnings: [] }),
      alwaysKeeps: false,
      readingOf: ({ note }) => ({ ...(note.input as object | undefined) }),
      ...given.learning,
      about: { notes: "", examples: [trainExample(given.name)], ...given.learning.about },
    },
    predicting: {
      options: {},
      rereading: {},
      notes: "",
      examples: [],
      inputsOf: (examples) => examples as AsyncIterable<Given>,
      cutting: () => ({ ends: () => true, isByLine: given.predicting.linesOf !== undefined, options: {} }),
      answer: (model, input, { precision, ...asked }) =>
        answerOf(given.predicting.predict, model, input, precision, asked),
      ...given.predicting,
    },
    evaluating: { ...evaluatingBy(given.evaluating.judge, `${example}s`), ...given.evaluating },
  };
}

function trainExample(name: string): [string, string] {
  return [`stargram train ${name} data.txt --out model.sg`, "good defaults"];
}

/** What any trained model holds. */
function contentsOf({ options, summary, note, calibration }: Predictor): Record<string, unknown> {
  return { input: note.input, options, summary, calibration };
}

function contentsText(noun: string, example: string, model: Predictor, { bytes }: { bytes: number }): string {
  const { options, summary, calibration } = model;
  const chosen = Object.entries(options).map(([name, value]) => `${name} ${value}`);
  const lines = [
    ["model", `${noun}, ${counted(bytes)} bytes`],
    ["options", chosen.join(", ")],
    ["training", passLine(summary)],
    ...promiseLines(calibration),
  ];
  const history = summary.history.length > 0 ? [historyTable(summary, "decisions", `${example}s`)] : [];
  return [table(lines, [0, 1]), ...history].join("\n");
}

/** How any training went. */
function summaryOf({ options, summary }: Predictor): Record<string, unknown> {
  const { history, bestPass, stopped } = summary;
  return { passes: history.length, bestPass, stopped, heldOut: heldOutOf(summary), history, options };
}

function judgedText(summary: Predictor["summary"], noun: string): string | undefined {
  const held = heldOutOf(summary);
  return held && `held out ${percent(held.exact)} of ${noun} right`;
}

/** Answers what is sure enough, and leaves the rest with the most probable outputs to choose from. */
function answerOf<M extends Predictor, Given, Prediction extends Predicted<Candidate>, Candidate>(
  predict: (model: M, input: Given, asked: PredictionAsked) => Prediction,
  model: M,
  input: Given,
  precision: number,
  asked: PredictionAsked,
) {
  const { threshold } = guaranteeFor(model.calibration, precision);
  const prediction = predict(model, input, asked);
  if (prediction.probability >= threshold) return { answered: true, prediction, candidates: [] };
  const { nbest = [] } = predict(model, input, { ...asked, nbest: MOST_CANDIDATES });
  return { answered: false, prediction, candidates: nbest };
}

const sureMeasures = [
  ...["recallAtPrecision.0.9", "recallAtPrecision.0.95", "recallAtPrecision.0.99"],
  ...["expectedCalibrationError", "chanceCalibrationError", "brier", "aurc", "seconds"],
];

/** Measures whole outputs, as `judge` judges them. */
function evaluatingBy<M extends Predictor, Given>(
  judge: (model: M, one: Given, asked: PredictionAsked) => Judgement | undefined,
  noun: string,
): Omit<Evaluating<M, Given, Given>, "judge"> {
  return {
    options: {},
    notes: "",
    examples: [],
    title: noun[0].toUpperCase() + noun.slice(1),
    measures: ["examples", "unknown", "accuracy", ...sureMeasures],
    atMost: ["unknown", "expectedCalibrationError", "brier", "aurc", "seconds"],
    cases: (inputs) => inputs,
    score(model, asked) {
      const answers: Answer[] = [];
      let unknown = 0;
      return {
        answers,
        find: (one) => judge(model, one, asked) ?? null,
        add(one, found) {
          const judgement = found === undefined ? judge(model, one, asked) : (found as Judgement | null);
          if (judgement) answers.push(judgement.whole);
          else unknown++;
        },
        report: () => ({ examples: answers.length, unknown, accuracy: accuracyOf(answers), ...surenessOf(answers) }),
      };
    },
    reportText: (report) => reportText(report as never, noun),
  };
}

function accuracyOf(answers: readonly Answer[]): number {
  return answers.filter(({ correct }) => correct).length / Math.max(1, answers.length);
}

type WholeReport = Sureness & { examples: number; unknown: number; accuracy: number; seconds: number };

function reportText(report: WholeReport, noun: string): string {
  const lines = [[noun, counted(report.examples), `${percent(report.accuracy)} right`]];
  if (report.unknown > 0) lines.push(["", counted(report.unknown), "without a known answer, not counted"]);
  lines.push(...answeredLines(report.recallAtPrecision, noun), calibrationLine(report));
  const speed = Math.round(report.examples / Math.max(report.seconds, 1e-3));
  lines.push(["time", duration(report.seconds), `${counted(speed)} ${noun} a second`]);
  return table(lines, [0, 2]);
}
