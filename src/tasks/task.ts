// What a task is, and the one list of tasks. Commands, explorer, review page, threads and model files are written against
// this contract; nothing outside a task's folder knows which tasks there are. To add one: a folder, and its line in `tasks`.

/// <reference lib="esnext.disposable" preserve="true" />

import type { Calibration, PartUnit, Per } from "../confidence/calibration.js";
import type { Outcomes } from "../confidence/conformal.js";
import type { ByteBlock, LineBlock, Lines } from "../formats/line-blocks.js";
import type { ReviewItem } from "../formats/review-item.js";
import type { Checkpoint, Pass, TrainingHooks } from "../learn/training.js";
import type { Answer, Answers } from "../metrics/answers.js";
import type { Codec, Model } from "../model/kind.js";
import { InputError } from "../util/errors.js";
import type { Declared, Range } from "../util/options.js";
import { decipherTask } from "./decipher/task.js";
import { segmentTask } from "./segment/task.js";
import { tagTask } from "./tag/task.js";
import { transduceTask } from "./transduce/task.js";

export type { Codec, Model } from "../model/kind.js";

/** A job, with everything that is special to it. */
export interface Task<M extends Model = Model> {
  /** The job in one word, as in `stargram train tag`. */
  readonly name: string;
  /** What its models are: in model files, and in sentences such as "a tagger". */
  readonly kind: string;
  /** The kind in a sentence, where that is another: "language model". */
  readonly noun?: string;
  readonly codec: Codec<M>;
  /** What is in a model, for `inspect`: an object for programs, and the same as text for people. */
  contents(model: M): Record<string, unknown>;
  contentsText(model: M, size: { bytes: number }): string;
  /** More views of a model, chosen by flags of `inspect`. */
  readonly looks?: Looks<M>;
  /** What the explorer can show of a model. Throws an InputError with the reason if it cannot show it. */
  explorable?(model: M): Explorable;
  /** Throws if a model cannot be used from the command line, such as one that needs a function of the user's program. */
  checkUsable?(model: M, file: string): void;
}

/** What the explorer can give to a model. */
export interface Explorable {
  /** Plain text. */
  readsText: boolean;
  /** Letters drawn by hand. */
  readsDrawings?: boolean;
}

/** What a model says of itself beyond its contents: its weights, or the reasons for a prediction. */
export interface Looks<M extends Model = Model> {
  readonly options: Declared;
  /** How options and positions are written, for help. */
  readonly notes: string;
  readonly examples: readonly Example[];
  /** What was requested, or undefined; `open` gives the lines of a file. */
  look(model: M, asked: Asked, open: (file: string) => Lines): Promise<Shown | undefined>;
}

/** A result as an object for programs and as text for people. */
export interface Shown {
  json: unknown;
  text: string;
}

/** A command and what it does, for help. */
export type Example = readonly [command: string, meaning: string];

/** Options by name, as they were given. */
export type Asked = Readonly<Record<string, unknown>>;

/** A model that was trained, and answers. */
export interface Predictor extends Model {
  readonly options: object;
  readonly summary: { readonly stopped: boolean; readonly history: readonly Pass[]; readonly bestPass: number };
  /** Kept with the model: how its training data was read, as `input`. */
  readonly note: Record<string, unknown>;
  /** Result of calibration on held-out data, if any. */
  calibration: Calibration | undefined;
  /** Where there may be a range of contexts: takes outputs of this probability as sure from now on. */
  setSure?(sure: number): void;
  /** Frees its kernel memory; the model must not be used afterwards. */
  dispose?(): void;
  [Symbol.dispose]?(): void;
}

/** An answer that keeps a promised precision, or candidates for a person to choose from. */
export interface Answered<Prediction, Candidate> {
  answered: boolean;
  prediction: Prediction;
  /** Empty if it is answered. */
  candidates: readonly Candidate[];
}

/** The parts of an output, and which of them keep a promised precision. */
export interface PartsAnswered<Prediction, Candidate> {
  unit: PartUnit;
  prediction: Prediction;
  /** [parts] */
  answered: readonly boolean[];
  /** Candidates for a person to choose from; empty if all parts are answered. */
  candidates: readonly Candidate[];
}

/** How contexts are chosen, if not in the model's own way. */
export interface ChosenInference {
  mode?: "rcms" | "beam" | "exact";
  contexts?: number | Range;
  /** With a range: an output this probable is not searched again with more contexts. */
  sure?: number;
}

/** What a prediction may be asked for in every task; a task's own options (`predicting`) come beside these. */
export interface PredictionAsked extends Asked {
  nbest?: number;
  /** The contexts that were kept. */
  contexts?: boolean;
  inference?: ChosenInference;
  /** Whether to print JSON. */
  json?: boolean;
  /** The probability of every label at every position, if outputs have labels. */
  marginals?: boolean;
  /** All spans that an output may have, if outputs have spans. */
  possible?: boolean;
  /** When evaluating: what parts and spans are grouped by. */
  per?: Per;
}

/** What decides how data for a model is read. */
export interface InputUse {
  /**
   * `needed`: data without correct answers is refused, and so are answers that the model cannot give. `judged`: answers that the
   * model cannot give count as wrong. `ignored`: answers in the data are not used; they may be passed through.
   */
  answers: "needed" | "judged" | "ignored";
  /** Whether a source may have no inputs, such as one part of a larger source. */
  mayBeEmpty?: boolean;
  /** Options of `rereading`, `predicting` and `evaluating`. */
  asked: Asked;
}

/** A task that learns from examples and predicts: what most are. */
export interface LearningTask<
  M extends Predictor = Predictor,
  Given = unknown,
  Input = unknown,
  Case = unknown,
  Prediction extends { probability: number } = { probability: number },
  Candidate = unknown,
> extends Task<M> {
  readonly learning: Learning<M, Given>;
  readonly predicting: Predicting<M, Input, Prediction, Candidate>;
  readonly evaluating: Evaluating<M, Input, Case>;
  readonly reviewing: Reviewing<M, Given, Input, Candidate>;
  /** Defined if a slow model can teach a fast one. */
  readonly distilling?: Distilling<M, Input>;
}

/** A model that answers inputs, and one that learns from the answers. */
export interface Distilling<M extends Predictor, Input> {
  distill(
    teacher: M,
    inputs: AsyncIterable<Input>,
    options: TrainingHooks & { seed?: number; onAnswer?(count: number): void },
  ): Promise<M>;
}

/** Examples, and learning from them. */
export interface Learning<M extends Predictor, Given> {
  /** One example: "sequence", "pair". */
  readonly example: string;
  /** For the help of `train`. */
  readonly about: {
    description: string;
    data: string;
    notes: string;
    examples: readonly Example[];
    /** Names of the options that `--help` shows; left out: all of them. */
    common?: readonly string[];
  };
  /** Training options. */
  readonly options: Declared;
  /** How data is read. What was given or detected is kept in the model. */
  readonly reading: Declared;
  /**
   * The examples of several sources, one after the other. `reading` holds what was given; what is detected from the first lines
   * is added to it and applies to all sources.
   */
  read(sources: Iterable<Lines>, reading: Record<string, unknown>): AsyncIterable<Given>;
  /**
   * Everything that an example consists of, and nothing else. It is used to check that a training run is resumed with the same
   * data.
   */
  decisive(example: Given): unknown;
  /**
   * Whether an example belongs to the same group as the one before, such as sentences of one document. Groups are held out as a
   * whole.
   */
  belongs?(example: Given, before: Given): boolean;
  train(examples: AsyncIterable<Given>, options: LearningOptions<M>): Promise<M>;
  /** The result of a training run, for `--json`. */
  summary(model: M): Record<string, unknown>;
  /**
   * The same as text: what was trained on what, how it did on the held-out part, and warnings. `from` is the model that training
   * started from.
   */
  summaryText(model: M, from?: M): { text: string; judged?: string; warnings: readonly string[] };
  /**
   * Whether training that starts from a model always keeps that model's features. Otherwise it does so only if the only examples
   * are answers to items the model left open.
   */
  readonly alwaysKeeps: boolean;
  /** Whether `train` accepts development examples (`dev`). */
  readonly takesDev?: boolean;
  /** Whether `train` can keep its examples on disk (`scratch`). */
  readonly takesScratch?: boolean;
  /** The reading options of a model, to read more examples of the same kind. */
  readingOf(model: M): Record<string, unknown>;
  /** What else, besides `options`, is needed to train a model like this one again, such as its lexicon. May throw. */
  again?(model: M): Asked;
}

/** What a training gets. */
export interface LearningOptions<M extends Predictor> extends TrainingHooks {
  /** Options as they were given. */
  given: Asked;
  /** The files that options of the type `file` came from, by name of the option. */
  files: Readonly<Record<string, string>>;
  /** A model to start from. */
  from?: M;
  /** Whether to keep `from` as it is and only continue its training. */
  keep: boolean;
  /** Development examples, read along with the others. */
  dev?: AsyncIterable<unknown>;
  checkpoint?: Checkpoint;
  note: Record<string, unknown>;
}

/** Inputs, predictions, and how they are printed. */
export interface Predicting<M extends Predictor, Input, Prediction, Candidate> {
  /** Options of predictions beyond those that every task has. */
  readonly options: Declared;
  /** Reading options that may be set again for data to predict or evaluate on. */
  readonly rereading: Declared;
  /** For the help of `predict`: what is printed. */
  readonly notes: string;
  readonly examples: readonly Example[];
  /** The inputs of a source, read as the model's training data was. */
  inputs(model: M, lines: Lines, use: InputUse): AsyncIterable<Input>;
  /** Inputs from values in a program: examples as for training, with or without their answers. */
  inputsOf(examples: AsyncIterable<unknown>): AsyncIterable<Input>;
  /** Where inputs end, so that lines can be cut into parts. */
  cutting(model: M, first: LineBlock, asked: Asked, file: string): Cutting;
  /**
   * `inputs`, `predict` and `text` in one, for speed: from the bytes of lines to the bytes that are printed. Undefined if this is
   * not possible for the model, the options or data that begins with these lines. `settled` is for later parts of a source, and
   * comes from the predictor of its first part.
   */
  bytes?(model: M, first: ByteBlock, use: InputUse, file?: string, settled?: unknown): BytePredictor | undefined;
  predict(model: M, input: Input, asked: PredictionAsked): Prediction;
  answer(model: M, input: Input, asked: PredictionAsked & { precision: number }): Answered<Prediction, Candidate>;
  /**
   * The source lines of an input, including the line that ends it, if a prediction is printed on the same number of lines. Blank
   * lines are then printed for all other lines, so that the output can be pasted beside the source. With `isKept`, the other
   * lines are printed unchanged, with the line endings of the source.
   */
  linesOf?(input: Input): LinesOfInput | undefined;
  /** A text that identifies an input, for short inputs that may occur again: the printed prediction is then stored for reuse. */
  keyOf?(input: Input): string;
  /** Messages about a prediction for the user, independent of the output; each line is shown once. */
  notices?(prediction: Prediction): readonly string[];
  json(model: M, input: Input, prediction: Prediction): Record<string, unknown>;
  text(model: M, input: Input, prediction: Prediction, asked: PredictionAsked): string;
  answerJson(model: M, input: Input, answer: Answered<Prediction, Candidate>): Record<string, unknown>;
  answerText(model: M, input: Input, answer: Answered<Prediction, Candidate>, asked: PredictionAsked): string;
  /** Promises about parts, if outputs have parts. */
  readonly parts?: AnsweringParts<M, Input, Prediction, Candidate>;
}

/** Predicts for lines as bytes. */
export interface BytePredictor {
  /** Predicts for the inputs that are complete with these lines. */
  take(block: ByteBlock): void;
  /** Called after the last line. */
  end(): void;
  /** What a predictor for later parts of the source needs to know, once nothing can change it; undefined before. */
  settled(): unknown;
  /** Where the last line ends after which a source can be cut into parts; -1 if there is none. */
  cut(bytes: Uint8Array): number;
  /** Predicts for lines that end where a source can be cut, or at its end. */
  takePart(block: ByteBlock): void;
  /** The output since the last call, even if one of the methods above threw an InputError. */
  taken(): Uint8Array;
}

/** Answers part by part. */
export interface AnsweringParts<M extends Predictor, Input, Prediction, Candidate> {
  /** Kinds of parts that outputs of a model have. The first is the kind of `parts` in an evaluation. */
  units(model: M): readonly PartUnit[];
  answer(
    model: M,
    input: Input,
    asked: PredictionAsked & { precision: number; unit: PartUnit },
  ): PartsAnswered<Prediction, Candidate>;
  json(model: M, input: Input, answer: PartsAnswered<Prediction, Candidate>): Record<string, unknown>;
  text(model: M, input: Input, answer: PartsAnswered<Prediction, Candidate>, asked: PredictionAsked): string;
  /** Sets of labels, if parts are labels. */
  readonly sets?: LabelSets<M, Input, Prediction>;
  /** All spans that an output may have, if outputs have spans. */
  readonly possible?: PossibleSpans<M, Input, Prediction>;
}

/** A span of an output that may be: its first position and the one after the last, in tokens or in units of a text. */
export interface PossibleSpan {
  from: number;
  to: number;
  label?: string;
  /** What it covers. */
  words: string;
  probability: number;
}

/** Spans that outputs may have, the most probable first; they may overlap. */
export interface PossibleSpans<M extends Predictor, Input, Prediction> {
  find(model: M, input: Input): { prediction: Prediction; spans: readonly PossibleSpan[] };
}

/** What labels of tokens may be. */
export interface LabelSets<M extends Predictor, Input, Prediction> {
  /** A prediction, and for each token its labels with their probabilities. */
  choices(model: M, input: Input): { prediction: Prediction; choices: readonly Readonly<Record<string, number>>[] };
  /** [tokens][labels] as text, on as many lines as a prediction. */
  text(model: M, input: Input, sets: readonly (readonly string[])[]): string;
}

export interface LinesOfInput {
  first: number;
  count: number;
  isKept?: boolean;
}

export interface Cutting {
  ends(line: string): boolean;
  /** Whether `linesOf` can find the lines of inputs. */
  isByLine: boolean;
  /** Whether other lines are kept. */
  isKept?: boolean;
  /** Must be passed with each part. */
  options: Asked;
}

/** How well a model does. */
export interface Evaluating<M extends Predictor, Input, Case> {
  readonly options: Declared;
  /** For the help of `evaluate`. */
  readonly notes: string;
  readonly examples: readonly Example[];
  /** What is counted, in the plural and as a title: "Sequences". */
  readonly title: string;
  /** Names of numbers in the report; a dot leads to a nested one. */
  readonly measures: readonly string[];
  /** Prefixes of names that hold several numbers, such as one per label. */
  readonly measuresWithin?: readonly string[];
  /** Measures for which lower is better. */
  readonly atMost: readonly string[];
  /** What a model is evaluated on: inputs with their correct answers, grouped by input. */
  cases(inputs: AsyncIterable<Input>): AsyncIterable<Case>;
  /** Whether a model's answer is correct, and its confidence; undefined if the data has no correct answer. */
  judge(model: M, one: Case, asked: PredictionAsked): Judgement | undefined;
  /** The same in readable form; unknown parts of the correct answer are left out. */
  show?(model: M, one: Case, asked: PredictionAsked): ShownCase | undefined;
  /** Measures a model case by case. */
  score(model: M, asked: PredictionAsked): Score<Case>;
  reportText(report: Report): string;
}

export interface Judgement {
  /** Of the whole output. */
  whole: Answer;
  /** Of its parts: labels of tokens, or segments. */
  parts: readonly Answer[];
  /** Of the spans that its parts form, such as entities, if there are any. */
  spans?: readonly Answer[];
  /** The number of true spans, if outputs have spans. */
  trueSpans?: number;
  /** With `nbest`: the candidates for the whole output; the last stands for all other outputs. */
  outcomes?: Outcomes;
  /** With `marginals`, if parts are labels: the candidates for each part. */
  partOutcomes?: readonly Outcomes[];
  /** With `possible`: the probabilities of the true spans, 0 for those that are not candidates; and of all candidates. */
  possible?: { truths: readonly number[]; candidates: readonly number[] };
}

/** A case as text, with the model's answer. */
export interface ShownCase extends Answer {
  input: string;
  output: string;
  truth: string;
  /** Messages for the user, such as a label that the model does not know; each line is shown once. */
  notices?: readonly string[];
}

export type Report = Record<string, unknown> & { seconds: number };

export interface Score<Case> {
  /** Counts a case; `found` is the result of `find`, which may come from another machine. */
  add(one: Case, found?: unknown): void;
  /** The slow part: the model's answer to a case, as plain data. Another machine can compute it. */
  find?(one: Case): unknown;
  /** Of all whole outputs so far. */
  readonly answers: Answers;
  /** Of their tokens or spans, if they have any. */
  parts?(): Partial<Record<PartUnit, Answers>>;
  report(): Record<string, unknown>;
  /** Messages for the user, such as labels that the model does not know. */
  warnings?(): readonly string[];
}

/** What is left to a person, and what comes back. */
export interface Reviewing<M extends Predictor, Given, Input, Candidate> {
  /**
   * The review item of an input; `number` is its name if it has no id. If answers label tokens, the item has `tokens`, so that a
   * person can label them one by one.
   */
  item(model: M, input: Input, candidates: readonly Candidate[], number: number): ReviewItem;
  /** The example of an answered item, read in the same way as the data before it. */
  example(item: ReviewItem, file: string, reading: Asked): Given;
  /** An answered item as training data, in the format that its input was read in. */
  exported?(item: ReviewItem, file: string): string;
}

/** Every task there is. */
const list: Task[] = [tagTask, segmentTask, transduceTask, decipherTask];

export function tasks(): readonly Task[] {
  return list;
}

/** Makes models of one more task known: they can then be saved, loaded, evaluated, calibrated, like those of any other. */
export function addTask(task: Task): void {
  if (list.some(({ name, kind }) => name === task.name || kind === task.kind)) {
    throw new InputError(`there is a task \`${task.name}\` of kind \`${task.kind}\` already`);
  }
  list.push(task);
}

export function isLearningTask(task: Task): task is LearningTask {
  return "learning" in task;
}

/** The tasks that learn from examples. */
export function learningTasks(): readonly LearningTask[] {
  return list.filter(isLearningTask);
}

/** "a tagger", "a language model" */
export function aKind({ kind, noun = kind }: Task): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
