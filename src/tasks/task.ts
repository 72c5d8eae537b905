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
  /** Further looks into a model, by flags of `inspect`. */
  readonly looks?: Looks<M>;
  /** Whether the explorer's page can show a model, and if it takes plain text; throws an InputError that says why not. */
  explorable?(model: M): { readsText: boolean };
  /** Refuses a model that cannot be used from the command line, such as one that needs a function of the user's. */
  checkUsable?(model: M, file: string): void;
}

/** What a model says of itself beyond its contents: its weights, or the reasons for a prediction. */
export interface Looks<M extends Model = Model> {
  readonly options: Declared;
  /** How options and positions are written, for help. */
  readonly notes: string;
  readonly examples: readonly Example[];
  /** What was asked for, or undefined if nothing was; `open` gives the lines of a file. */
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
  /** What was measured on held-out data, if it was. */
  calibration: Calibration | undefined;
  /** Where there may be a range of contexts: takes outputs of this probability as sure from now on. */
  setSure?(sure: number): void;
  /** Gives back the memory that it has of the kernel; it must not be used afterwards. */
  dispose?(): void;
  [Symbol.dispose]?(): void;
}

/** An answer that keeps a promised precision, or candidates for a person to choose from. */
export interface Answered<Prediction, Candidate> {
  answered: boolean;
  prediction: Prediction;
  /** None if it is answered. */
  candidates: readonly Candidate[];
}

/** The parts of an output, and which of them keep a promised precision. */
export interface PartsAnswered<Prediction, Candidate> {
  unit: PartUnit;
  prediction: Prediction;
  /** [parts] */
  answered: readonly boolean[];
  /** For a person to choose from; none if all parts are answered. */
  candidates: readonly Candidate[];
}

/** How contexts are chosen, if not in the model's own way. */
export interface ChosenInference {
  mode?: "rcms" | "beam" | "exact";
  contexts?: number | Range;
  /** With a range: an output this probable is sure enough. */
  sure?: number;
}

/** What a prediction may be asked for in every task; a task's own options (`predicting`) come beside these. */
export interface PredictionAsked extends Asked {
  nbest?: number;
  /** The contexts that were kept. */
  contexts?: boolean;
  inference?: ChosenInference;
  /** Whether it is to be printed as JSON. */
  json?: boolean;
  /** The probability of every label at every position, where there are such. */
  marginals?: boolean;
  /** All spans that an output may have, where there are such. */
  possible?: boolean;
  /** In a judgement, what parts and spans are grouped by. */
  per?: Per;
}

/** What decides how data for a model is read. */
export interface InputUse {
  /**
   * `needed`: data without right answers is refused, and so are answers that the model cannot give. `judged`: these are
   * wrong answers, no more. `ignored`: answers in the data are passed through, if at all.
   */
  answers: "needed" | "judged" | "ignored";
  /** Whether a source without inputs is fine, as a part of another may be. */
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
  /** Where a slow model can teach a fast one. */
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
  /** What can be chosen of a training. */
  readonly options: Declared;
  /** How data is read. What was chosen or found out is kept in the model. */
  readonly reading: Declared;
  /**
   * The examples of several sources, one after the other. `reading` holds what was given; what is found out from the first
   * lines is added to it and holds for all.
   */
  read(sources: Iterable<Lines>, reading: Record<string, unknown>): AsyncIterable<Given>;
  /** What decides an example, and nothing else: told by it, a training is resumed with the same data only. */
  decisive(example: Given): unknown;
  /** Whether an example belongs together with the one before, such as the sentences of a document: they are held out together. */
  belongs?(example: Given, before: Given): boolean;
  train(examples: AsyncIterable<Given>, options: LearningOptions<M>): Promise<M>;
  /** How a training went, for `--json`. */
  summary(model: M): Record<string, unknown>;
  /** The same in words: what came out of what, how it was judged on what was held out, and warnings. `from` is what it began with. */
  summaryText(model: M, from?: M): { text: string; judged?: string; warnings: readonly string[] };
  /**
   * Whether a training that begins with a model always keeps what it is made of. Else it does so only where there are no
   * examples but answers to what the model left open.
   */
  readonly alwaysKeeps: boolean;
  /** Whether `train` takes examples to choose by (`dev`). */
  readonly takesDev?: boolean;
  /** Whether `train` can keep its examples on disk (`scratch`). */
  readonly takesScratch?: boolean;
  /** Reading options of a model, for more examples of the same kind. */
  readingOf(model: M): Record<string, unknown>;
  /** What beside `options` a training needs to make a model like this one again, such as its lexicon; may refuse. */
  again?(model: M): Asked;
}

/** What a training gets. */
export interface LearningOptions<M extends Predictor> extends TrainingHooks {
  /** Options as they were given. */
  given: Asked;
  /** The files that options of the type `file` came from, by name of the option. */
  files: Readonly<Record<string, string>>;
  /** A model to begin with. */
  from?: M;
  /** Whether `from` is kept as it is, and learns a little more. */
  keep: boolean;
  /** Examples to choose by, read when the others are. */
  dev?: AsyncIterable<unknown>;
  checkpoint?: Checkpoint;
  note: Record<string, unknown>;
}

/** Inputs, predictions, and how they are printed. */
export interface Predicting<M extends Predictor, Input, Prediction, Candidate> {
  /** What a prediction can be asked for beside what every task has. */
  readonly options: Declared;
  /** Options of reading that may be given again for data that a model is to predict or to be judged on. */
  readonly rereading: Declared;
  /** For the help of `predict`: what is printed. */
  readonly notes: string;
  readonly examples: readonly Example[];
  /** The inputs of a source, read as the model's training data was. */
  inputs(model: M, lines: Lines, use: InputUse): AsyncIterable<Input>;
  /** Inputs of what a program has: the examples that a model is trained on, with or without their answers. */
  inputsOf(examples: AsyncIterable<unknown>): AsyncIterable<Input>;
  /** Where inputs end, so that lines can be cut into parts. */
  cutting(model: M, first: LineBlock, asked: Asked, file: string): Cutting;
  /**
   * `inputs`, `predict` and `text` in one, for speed: from the bytes of lines to the bytes of what is printed. Undefined where
   * that cannot be, for this model, what is asked for, or lines that begin with these. `settled`: for parts of a source that
   * another predictor, which has said so, began with.
   */
  bytes?(model: M, first: ByteBlock, use: InputUse, file?: string, settled?: unknown): BytePredictor | undefined;
  predict(model: M, input: Input, asked: PredictionAsked): Prediction;
  answer(model: M, input: Input, asked: PredictionAsked & { precision: number }): Answered<Prediction, Candidate>;
  /**
   * The lines of the source that an input stands on, with the one that ends it, where a prediction is printed on as many: then
   * blank lines are printed for all others, and what is printed can be pasted beside the source. `isKept`: the others are
   * printed as they are, and lines end as those of the source do.
   */
  linesOf?(input: Input): LinesOfInput | undefined;
  /** What a person should hear about a prediction, whatever is printed: each line is said once. */
  notices?(prediction: Prediction): readonly string[];
  json(model: M, input: Input, prediction: Prediction): Record<string, unknown>;
  text(model: M, input: Input, prediction: Prediction, asked: PredictionAsked): string;
  answerJson(model: M, input: Input, answer: Answered<Prediction, Candidate>): Record<string, unknown>;
  answerText(model: M, input: Input, answer: Answered<Prediction, Candidate>, asked: PredictionAsked): string;
  /** Promises about parts, where outputs have parts. */
  readonly parts?: AnsweringParts<M, Input, Prediction, Candidate>;
}

/** Predicts for lines as bytes. */
export interface BytePredictor {
  /** Predicts for the inputs that are complete with these lines. */
  take(block: ByteBlock): void;
  /** There are no more lines. */
  end(): void;
  /** What a predictor for later parts of the source must be told, if nothing that comes can change it; else undefined. */
  settled(): unknown;
  /** Where the last line ends after which a source can be cut into parts; -1 if there is none. */
  cut(bytes: Uint8Array): number;
  /** Predicts for lines that end where a source can be cut, or at its end. */
  takePart(block: ByteBlock): void;
  /** What is to be printed since the last time, also where one of the above threw an InputError. */
  taken(): Uint8Array;
}

/** Answers part by part. */
export interface AnsweringParts<M extends Predictor, Input, Prediction, Candidate> {
  /** Parts that outputs of a model have. The first is what `parts` of a judgement are. */
  units(model: M): readonly PartUnit[];
  answer(
    model: M,
    input: Input,
    asked: PredictionAsked & { precision: number; unit: PartUnit },
  ): PartsAnswered<Prediction, Candidate>;
  json(model: M, input: Input, answer: PartsAnswered<Prediction, Candidate>): Record<string, unknown>;
  text(model: M, input: Input, answer: PartsAnswered<Prediction, Candidate>, asked: PredictionAsked): string;
  /** Sets of labels, where parts are labels. */
  readonly sets?: LabelSets<M, Input, Prediction>;
  /** All spans that an output may have, where there are spans. */
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
  /** Whether `linesOf` knows the lines of inputs. */
  isByLine: boolean;
  /** Whether it says that other lines are kept. */
  isKept?: boolean;
  /** To be given with each part. */
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
  /** Numbers of the report, by name; names with a dot are looked for inside. */
  readonly measures: readonly string[];
  /** Beginnings of names that hold more numbers, one for each label for example. */
  readonly measuresWithin?: readonly string[];
  /** Those of which less is better. */
  readonly atMost: readonly string[];
  /** What a model is judged on: inputs with their right answers, those of one input together. */
  cases(inputs: AsyncIterable<Input>): AsyncIterable<Case>;
  /** Whether a model is right, and how sure it was; undefined if the data does not say what is right. */
  judge(model: M, one: Case, asked: PredictionAsked): Judgement | undefined;
  /** The same for people to look at; what is not known of the right answer is left out. */
  show?(model: M, one: Case, asked: PredictionAsked): ShownCase | undefined;
  /** Measures a model case by case. */
  score(model: M, asked: PredictionAsked): Score<Case>;
  reportText(report: Report): string;
}

export interface Judgement {
  /** Of the whole output. */
  whole: Answer;
  /** Of its parts, such as the labels of tokens; segments, where these are the parts. */
  parts: readonly Answer[];
  /** Of the spans that its parts make up, such as entities, where there are such. */
  spans?: readonly Answer[];
  /** How many spans there are in truth, where outputs have spans. */
  trueSpans?: number;
  /** With `nbest`: what the whole output may be, with any other output as the last possibility. */
  outcomes?: Outcomes;
  /** With `marginals`, where parts are labels: what each of them may be. */
  partOutcomes?: readonly Outcomes[];
  /** With `possible`: probabilities of the true spans, 0 for those that are no candidates; and of all candidates. */
  possible?: { truths: readonly number[]; candidates: readonly number[] };
}

/** A case as text, with the model's answer. */
export interface ShownCase extends Answer {
  input: string;
  output: string;
  truth: string;
  /** What a person should hear, such as a label that the model does not know: each line is said once. */
  notices?: readonly string[];
}

export type Report = Record<string, unknown> & { seconds: number };

export interface Score<Case> {
  /** Counts a case; `found` is what `find` found, here or elsewhere. */
  add(one: Case, found?: unknown): void;
  /** What takes the time: what the model says to a case, as plain data. Another machine can find it. */
  find?(one: Case): unknown;
  /** Of all whole outputs so far. */
  readonly answers: Answers;
  /** Of their tokens or spans one by one, where they have such. */
  parts?(): Partial<Record<PartUnit, Answers>>;
  report(): Record<string, unknown>;
  /** Messages for the user, such as labels that the model does not know. */
  warnings?(): readonly string[];
}

/** What is left to a person, and what comes back. */
export interface Reviewing<M extends Predictor, Given, Input, Candidate> {
  /**
   * The item of an input; `number` names it where it has no name of its own. If answers label tokens, it has `tokens`, and a
   * person can label them one by one.
   */
  item(model: M, input: Input, candidates: readonly Candidate[], number: number): ReviewItem;
  /** The example of an answered item, read in the way of the data before it. */
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
