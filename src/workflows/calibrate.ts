// How sure is sure enough: a threshold above which a model keeps a promised precision, found on held-out examples and kept in
// the model with its evidence and calibration maps. The promise is about whole outputs, or about their tokens or spans.

import type {
  Calibration,
  Estimate,
  Guarantee,
  PartGuarantee,
  PartUnit,
  Per,
  Unit,
} from "../confidence/calibration.js";
import { units } from "../confidence/calibration.js";
import { chooseMap } from "../confidence/calibration-map.js";
import { type Cluster, findClusteredThreshold } from "../confidence/clustered.js";
import { confidenceQuantiles } from "../confidence/drift.js";
import { findGroupedThresholds } from "../confidence/grouped.js";
import { findRecallThreshold, type RecallGuarantee } from "../confidence/recall.js";
import { findThreshold, type NoThreshold, whyNoThreshold } from "../confidence/threshold.js";
import type { TrainingHooks } from "../learn/training.js";
import type { Asked, LearningTask, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { choice, readOptions, real, text, whole } from "../util/options.js";
import { askedFor, type Covered, checkSets, coverOn, type SetUnit } from "./coverage.js";
import { crossJudge } from "./cross-validate.js";
import { asTheyCome, type Examples } from "./examples.js";
import { checkSpans } from "./found-spans.js";
import { allOf, type Judged, judge, partsOf } from "./judge.js";
import { learningTaskOf } from "./model.js";
import { type NoPartThreshold, whyNoParts } from "./no-promise.js";
import { withMeanContexts } from "./steer.js";

const openShare = (description: string) => real(description, { least: 0, above: true, below: 1, value: "share" });

export const unitOption = {
  unit: choice("unit of the promise: whole outputs, labels of tokens, or spans such as entities", units, {
    usual: "sequence",
  }),
};

export const calibrateOptions = {
  precision: openShare("share of the answers that must be right"),
  coverage: openShare("instead: probability that a set of outputs contains the right one"),
  recall: openShare("instead: share of the spans that must be found, on average over sequences"),
  ...unitOption,
  per: text("separate promises for each label, or for each value of the column with this number", {
    value: "label|column",
    otherwise: "one promise for all",
  }),
  confidence: real("probability that the promise is true", {
    least: 0,
    above: true,
    below: 1,
    value: "share",
    usual: 0.95,
  }),
  meanContexts: real(
    "with a range of contexts: choose option `sure` so that the search uses this many per decision, on average",
    { least: 0, above: true, value: "n", otherwise: "that of the model" },
  ),
  seed: whole("random seed for choosing the examples that place the thresholds", { least: 0, usual: 1 }),
  crossValidate: whole(
    "estimate the threshold from the training data instead, with models trained without each of n parts",
    {
      least: 2,
      most: 100,
      value: "n",
      otherwise: "off",
    },
  ),
};

export interface CalibrateOptions {
  /** Share of the answers that is to be right, between 0 and 1. */
  precision: number;
  /**
   * What the promise is about.
   * @default "sequence"
   */
  unit?: Unit;
  /** Make a separate promise for each label of tokens or spans, or for each value of a column (counted from 1). */
  per?: Per;
  /** Probability, over random draws of the examples, that the promise is true. @default 0.95 */
  confidence?: number;
  /** First choose `sure` so that searches use this many contexts per decision on average. */
  meanContexts?: number;
  /** @default 1 */
  seed?: number;
}

/** The result. If the promise can be made, the model has it from now on; if not, it is unchanged. */
export type Calibrated = { examples: number; partial: number } & (
  | { promised: true; unit: "sequence"; guarantee: Guarantee; chosen: ReturnType<typeof chooseMap> }
  | { promised: true; unit: PartUnit; guarantee: PartGuarantee; chosen: ReturnType<typeof chooseMap> }
  | { promised: false; unit: "sequence"; why: NoThreshold }
  | { promised: false; unit: PartUnit; why: NoPartThreshold }
);

/** A threshold from the training data alone: an estimate, not a promise. */
export interface EstimateOptions extends CalibrateOptions {
  /** Number of parts that the training data is divided into. */
  crossValidate: number;
}

/** What came of it. If there is a threshold, the model has it from now on; `guarantee.crossValidated` marks it. */
export type Estimated = { examples: number; partial: number; crossValidated: number } & (
  | { estimated: true; unit: "sequence"; guarantee: Guarantee; chosen: ReturnType<typeof chooseMap> }
  | { estimated: true; unit: PartUnit; guarantee: PartGuarantee; chosen: ReturnType<typeof chooseMap> }
  | { estimated: false; unit: "sequence"; why: NoThreshold }
  | { estimated: false; unit: PartUnit; why: NoPartThreshold }
);

/** Sets of outputs that contain the right one, in place of single answers that are right. */
export interface CoverOptions {
  /** Probability with which a set must contain the truth, between 0 and 1. */
  coverage: number;
  /**
   * Whether sets are of whole outputs, or of the labels of each token.
   * @default "sequence"
   */
  unit?: SetUnit;
  /** First choose `sure` so that searches use this many contexts per decision on average. */
  meanContexts?: number;
  /** @default 1 */
  seed?: number;
}

/** Spans that are found, in place of answers that are right. */
export interface RecallOptions {
  /** Share of a sequence's spans that must be reported, on average over the sequences that have spans; between 0 and 1. */
  recall: number;
  /** Probability, over random draws of the examples, that the promise is true. @default 0.95 */
  confidence?: number;
  /** First choose `sure` so that searches use this many contexts per decision on average. */
  meanContexts?: number;
  /** @default 1 */
  seed?: number;
}

/** What came of it. If the promise can be made, the model has it from now on. */
export interface Recalled {
  promised: boolean;
  recall: number;
  confidence: number;
  examples: number;
  partial: number;
  /** True spans of the examples, and the share of them that are candidates at all. */
  spans: number;
  reachable: number;
  /** If the promise can be made, with the number of spans reported per true span. */
  guarantee?: RecallGuarantee;
  reported?: number;
}

/**
 * Calibrates a model on examples that it was not trained on, drawn like the data it will be used on; with `crossValidate`, on
 * those that it was trained on.
 */
export async function calibrate(
  model: Predictor,
  examples: Examples<unknown>,
  options: EstimateOptions,
): Promise<Estimated>;
export async function calibrate(
  model: Predictor,
  examples: Examples<unknown>,
  options: CalibrateOptions,
): Promise<Calibrated>;
export async function calibrate(model: Predictor, examples: Examples<unknown>, options: CoverOptions): Promise<Covered>;
export async function calibrate(
  model: Predictor,
  examples: Examples<unknown>,
  options: RecallOptions,
): Promise<Recalled>;
export async function calibrate(
  model: Predictor,
  examples: Examples<unknown>,
  options: CalibrateOptions | EstimateOptions | CoverOptions | RecallOptions,
): Promise<Calibrated | Estimated | Covered | Recalled> {
  const task = learningTaskOf(model, "calibrate");
  checkOnePromise(options);
  if ("crossValidate" in options && options.crossValidate !== undefined) {
    const all: unknown[] = [];
    for await (const example of examples) all.push(example);
    return estimateOn(task, model, all, options);
  }
  const inputs = task.predicting.inputsOf(asTheyCome(examples));
  return withMeanContexts<Calibrated | Covered | Recalled>(
    task,
    model,
    inputs,
    options.meanContexts,
    async (inputs) => {
      if ("coverage" in options) return cover(task, model, inputs, options);
      if ("recall" in options) return recallSpans(task, model, inputs, options);
      return calibrateOn(model, await judge(task, model, inputs, { per: perOf(options) }), options);
    },
  );
}

/** Refuses options of several promises at once. */
export function checkOnePromise(options: object): void {
  const given = ["precision", "coverage", "recall"].filter((name) => (options as Asked)[name] !== undefined);
  if (given.length > 1) {
    throw new InputError(`options \`${given.join("` and `")}\` cannot be combined`, {
      hint: "give one of them",
    });
  }
  const { crossValidate, meanContexts } = options as Asked;
  if (crossValidate !== undefined && meanContexts !== undefined) {
    throw new InputError("option `meanContexts` needs held-out data, and cannot be given with `crossValidate`");
  }
  if (crossValidate !== undefined && given[0] !== "precision") {
    throw new InputError("option `crossValidate` works only with option `precision`", {
      hint: "give option `precision`, or held-out data",
    });
  }
}

/** A threshold from the examples that a model was trained on; `hooks` of the trainings without each part. */
export async function estimateOn(
  task: LearningTask,
  model: Predictor,
  examples: readonly unknown[],
  given: EstimateOptions,
  hooks: TrainingHooks = {},
): Promise<Estimated> {
  const { crossValidate: parts, ...options } = given;
  checkNotPromised(model, options);
  const judged = await crossJudge(task, model, examples, { parts, seed: given.seed, per: perOf(options), hooks });
  const { promised, ...found } = calibrateOn(model, judged, options, parts);
  return { ...found, estimated: promised, crossValidated: parts } as Estimated;
}

/** Refuses to put an estimate in the place of a promise. */
function checkNotPromised({ calibration }: Predictor, { precision, unit = "sequence" }: CalibrateOptions): void {
  const own = (calibration?.partGuarantees ?? []).filter((one) => one.unit === unit);
  const known = unit === "sequence" ? (calibration?.guarantees ?? []) : own;
  if (!known.some((one) => one.precision === precision && one.crossValidated === undefined)) return;
  throw new InputError("the model has this promise from held-out data; an estimate would replace it", {
    hint: "keep it, or estimate another precision",
  });
}

/** The same for spans that are found, with inputs as a task reads them. */
export async function recallSpans(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  given: RecallOptions,
  asked: Asked = {},
): Promise<Recalled> {
  const { recall, confidence, seed } = readOptions(calibrateOptions, given) as Required<RecallOptions>;
  checkSpans(task, model);
  const judged = await judge(task, model, inputs, { ...asked, possible: true });
  const truths = judged.possible.map((one) => one.truths);
  const all = truths.flat();
  const { answers, partial } = judged;
  const reachable = all.filter((p) => p > 0).length / Math.max(1, all.length);
  const counts = { recall, confidence, examples: answers.length, partial, spans: all.length, reachable };
  const guarantee = findRecallThreshold(truths, { recall, confidence, seed });
  if (!guarantee) return { ...counts, promised: false };
  const others = model.calibration?.recalls?.filter((old) => old.recall !== recall) ?? [];
  model.calibration = calibrationOf(model, judged, seed, { recalls: [...others, guarantee] });
  const shown = judged.possible.flatMap(({ candidates }) => candidates.filter((p) => p >= guarantee.threshold));
  return { ...counts, promised: true, guarantee, reported: shown.length / Math.max(1, all.length) };
}

/** The same for sets, with inputs as a task reads them. */
export async function cover(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  given: CoverOptions,
  asked: Asked = {},
): Promise<Covered> {
  const { coverage, unit, seed } = readOptions(calibrateOptions, given) as Required<CoverOptions>;
  checkSets(task, unit);
  const judged = await judge(task, model, inputs, { ...asked, ...askedFor(unit) });
  const found = coverOn(judged, coverage, unit);
  if (!found.guarantee) return found;
  const others = model.calibration?.coverages?.filter((old) => old.unit !== unit || old.coverage !== coverage) ?? [];
  model.calibration = calibrationOf(model, judged, seed, { coverages: [...others, found.guarantee] });
  return found;
}

/** The same with answers that were judged before; `crossValidated`: by other models, of so many parts of the training data. */
export function calibrateOn(
  model: Predictor,
  judged: Judged,
  given: CalibrateOptions,
  crossValidated?: number,
): Calibrated {
  const per = perOf(given);
  const read = readOptions(calibrateOptions, { ...given, per: undefined }) as Required<CalibrateOptions>;
  const options = { ...read, per, crossValidated };
  const { unit } = options;
  if (per !== undefined && unit === "sequence") {
    throw new InputError("option `per` needs promises about tokens or spans", {
      hint: "set option `unit`",
    });
  }
  return unit === "sequence" ? calibrateWhole(model, judged, options) : calibrateParts(model, judged, unit, options);
}

/** What parts are grouped by, as a program or a flag gives it. */
export function perOf({ per }: { per?: unknown }): Per | undefined {
  if (per === undefined || per === "label") return per;
  if (/^[1-9]\d{0,5}$/.test(String(per))) return Number(per);
  throw new InputError(`option \`per\` takes \`label\` or the number of a column, not \`${per}\``);
}

type Chosen = Omit<Required<CalibrateOptions>, "per"> & Pick<CalibrateOptions, "per"> & Estimate;

/** What marks an estimate. */
function markOf({ crossValidated }: Estimate): Estimate {
  return crossValidated === undefined ? {} : { crossValidated };
}

function calibrateWhole(model: Predictor, judged: Judged, options: Chosen): Calibrated {
  const { answers, partial } = judged;
  const counts = { examples: answers.length, partial, unit: "sequence" as const };
  const found = findThreshold(answers, options);
  if (!found) return { ...counts, promised: false, why: whyNoThreshold(answers, options) };
  const guarantee = { ...found, ...markOf(options) };
  const guarantees = replaced(model.calibration?.guarantees, guarantee);
  const chosen = chooseMap(answers, options.seed);
  model.calibration = calibrationOf(model, judged, options.seed, { guarantees, map: chosen.map }, options);
  return { ...counts, promised: true, guarantee, chosen };
}

function calibrateParts(model: Predictor, judged: Judged, unit: PartUnit, options: Chosen): Calibrated {
  const { answers, partial } = judged;
  const clusters = partsOf(judged, unit, model);
  const counts = { examples: answers.length, partial, unit };
  const all = allOf(clusters);
  const { per } = options;
  const found =
    per === undefined ? findClusteredThreshold(clusters, options) : findGroupedThresholds(clusters, options);
  if (!found || all.confidence.length === 0) return { ...counts, promised: false, why: whyNoParts(clusters, options) };
  const guarantee: PartGuarantee = { unit, ...found, ...(per !== undefined && { per }), ...markOf(options) };
  const others = model.calibration?.partGuarantees?.filter((old) => old.unit !== unit) ?? [];
  const own = model.calibration?.partGuarantees?.filter((old) => old.unit === unit);
  const partGuarantees = [...others, ...replaced(own, guarantee)];
  model.calibration = calibrationOf(model, judged, options.seed, { partGuarantees }, options);
  return { ...counts, promised: true, guarantee, chosen: chooseMap(all, options.seed) };
}

/** What the model knows from now on: its earlier promises with the new ones, and maps from these answers. */
function calibrationOf(
  { calibration }: Predictor,
  { answers, parts }: Judged,
  seed: number,
  found: Partial<Calibration>,
  { crossValidated }: Estimate = {},
): Calibration {
  // What is known from held-out data is better than what other models say.
  if (crossValidated !== undefined && calibration) return { ...calibration, ...found, map: calibration.map };
  const mapOf = (clusters: readonly Cluster[] | undefined) => {
    const all = allOf(clusters ?? []);
    return all.confidence.length > 0 ? chooseMap(all, seed).map : undefined;
  };
  return {
    guarantees: calibration?.guarantees ?? [],
    partGuarantees: calibration?.partGuarantees,
    coverages: calibration?.coverages,
    recalls: calibration?.recalls,
    map: found.map ?? chooseMap(answers, seed).map,
    positionMap: mapOf(parts.token),
    spanMap: mapOf(parts.span),
    ...found,
    // Other models are sure in other ways.
    ...(crossValidated === undefined && {
      quantiles: confidenceQuantiles(answers.map(({ confidence }) => confidence)),
    }),
    examples: answers.length,
  };
}

/** Promises with a new one in the place of one for the same precision, by precision. */
function replaced<G extends { precision: number }>(before: readonly G[] = [], guarantee: G): G[] {
  const others = before.filter((old) => old.precision !== guarantee.precision);
  return [...others, guarantee].sort((a, b) => a.precision - b.precision);
}
