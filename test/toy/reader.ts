// The class that programs use:
//   const reader = await MorseReader.train([{ signs: "...---...", word: "sos" }, …]);
//   reader.predict("...---...").word

import {
  backend,
  bestPaths,
  type Calibration,
  type Checkpoint,
  calibrated,
  declaredOf,
  goOnOptions,
  type Inference,
  InputError,
  type OptionsOf,
  type PredictionAsked,
  type Predictor,
  type RowSpace,
  readOptions,
  real,
  type Trained,
  type TrainingHooks,
  train,
  trainingOptions,
  trellisLattice,
  whole,
  withContexts,
} from "stargram/engine";
import { graphOf, wordOf } from "./code.js";
import { MorseEngine, type MorseExample, MorseLearner, rowsOf } from "./learner.js";

export const morseOptions = {
  order: whole("how many letters back a decision looks", { least: 1, most: 20, usual: 4 }),
  contexts: whole("contexts to keep at each slot, beside `⋆`", { least: 0, usual: 20 }),
  ...trainingOptions,
  l2: real("strength of L2 regularisation", { least: 0, most: 1e6, usual: 0.1 }),
};
export type MorseOptions = OptionsOf<typeof morseOptions>;

export interface MorseOutput {
  word: string;
  probability: number;
}

export interface MorsePrediction extends MorseOutput {
  calibratedProbability?: number;
  nbest?: MorseOutput[];
}

interface PredictOptions {
  nbest?: number;
  inference?: PredictionAsked["inference"];
}

interface TrainOptions extends TrainingHooks {
  from?: MorseReader;
  checkpoint?: Checkpoint;
  note?: Record<string, unknown>;
}

type Parts = Pick<MorseReader, "space" | "weights" | "options" | "summary" | "note"> & { calibration?: Calibration };

export class MorseReader implements Predictor {
  readonly kind = "morse";
  readonly space: RowSpace;
  readonly weights: Float64Array;
  readonly options: MorseOptions;
  readonly summary: Omit<Trained, "weights">;
  readonly note: Record<string, unknown>;
  calibration: Calibration | undefined;
  private readonly engine: MorseEngine;

  constructor(parts: Parts) {
    ({ space: this.space, options: this.options, summary: this.summary, note: this.note } = parts);
    this.calibration = parts.calibration;
    this.weights = backend().arrays.placed(parts.weights);
    this.engine = new MorseEngine(parts.space, inferenceOf(parts.options));
  }

  static async train(
    given: Iterable<MorseExample> | AsyncIterable<MorseExample>,
    chosen: Partial<MorseOptions> = {},
    { from, checkpoint, note = {}, ...hooks }: TrainOptions = {},
  ): Promise<MorseReader> {
    const instead = from && { ...goOnOptions(from.options), l2: 0 };
    const options = readOptions(morseOptions, chosen, { instead });
    if (from && options.order !== from.options.order) {
      throw new InputError("option `order` must be that of the reader that training begins with, whose rows it keeps");
    }
    const examples: Required<MorseExample>[] = [];
    for await (const { signs, word } of given) {
      if (word === undefined) throw new InputError(`there is no word for ${signs}`);
      examples.push({ signs, word });
    }
    if (examples.length === 0) throw new InputError("there are no words to learn from");
    const words = examples.map(({ word }) => word);
    const space = from?.space ?? rowsOf(words, options.order);
    const learner = new MorseLearner(new MorseEngine(space, inferenceOf(options)), examples);
    const begin = { start: from?.weights, checkpoint };
    const trained = await train(learner, declaredOf(trainingOptions, options), hooks, begin);
    // Files hold single precision: rounded here, a loaded reader answers exactly as this one.
    const weights = trained.weights.map(Math.fround);
    const { history, bestPass, stopped } = trained;
    return new MorseReader({ space, weights, options, summary: { history, bestPass, stopped }, note });
  }

  predict(signs: string, { nbest, inference }: PredictOptions = {}): MorsePrediction {
    const { contexts = this.engine.inference.contexts, ...others } = inference ?? {};
    const chosen = withContexts({ ...this.engine.inference, ...others }, contexts);
    const trellis = this.engine.forward(graphOf(signs), this.weights, chosen);
    const outputs: MorseOutput[] = [];
    for (const { symbols, score } of bestPaths(trellisLattice(trellis))) {
      outputs.push({ word: wordOf(symbols), probability: Math.exp(score - trellis.logPartition) });
      if (outputs.length >= (nbest ?? 1)) break;
    }
    const prediction: MorsePrediction = { ...outputs[0] };
    if (this.calibration && !inference) {
      prediction.calibratedProbability = calibrated(this.calibration.map, prediction.probability);
    }
    return nbest === undefined ? prediction : { ...prediction, nbest: outputs };
  }

  dispose(): void {
    this.engine.kernel.dispose();
  }
}

function inferenceOf({ order, contexts }: MorseOptions): Inference {
  return { mode: "rcms", contexts, order, recombine: true, rows: "all" };
}
