// What models of all learning tasks have in common: options, what is known of their training, what calibration found, and
// numbers in the kernel's memory, which they give back when they are disposed of.

import { type Calibration, type Guarantee, guaranteeFor } from "../confidence/calibration.js";
import type { Holder } from "../engine/holder.js";

/** What the model file of any of them holds. */
export interface TrainedParts<Options, Summary> {
  weights: Float64Array;
  options: Options;
  summary: Summary;
  note: Record<string, unknown>;
  calibration?: Calibration;
}

/** An answer that keeps the promised precision, or candidates for a person to choose from. */
export type AnswerOrCandidates<Prediction, Candidate> =
  | ({ answered: true; guarantee: Guarantee } & Prediction)
  | { answered: false; guarantee: Guarantee; candidates: Candidate[]; prediction: Prediction };

export abstract class TrainedModel<Options, Summary, Rows> {
  readonly options: Options;
  readonly summary: Summary;
  readonly note: Record<string, unknown>;
  /** Result of calibration on held-out data, if any. */
  calibration: Calibration | undefined;
  private readonly holder: Holder & { readonly rows: Rows };
  private readonly ownWeights: Float64Array;

  constructor(
    { weights, options, summary, note, calibration }: TrainedParts<Options, Summary>,
    holder: Holder & { readonly rows: Rows },
  ) {
    this.options = options;
    this.summary = summary;
    this.note = note;
    this.calibration = calibration;
    this.holder = holder;
    this.ownWeights = holder.hold(weights);
  }

  get rows(): Rows {
    this.holder.check();
    return this.holder.rows;
  }

  get weights(): Float64Array {
    this.holder.check();
    return this.ownWeights;
  }

  /** The prediction as an answer if that keeps the promised precision, and otherwise candidates for a person to choose from. */
  protected answerIfSure<Prediction extends { probability: number }, Candidate>(
    precision: number,
    predict: () => Prediction,
    candidates: () => Candidate[] | undefined,
  ): AnswerOrCandidates<Prediction, Candidate> {
    const guarantee = guaranteeFor(this.calibration, precision);
    const prediction = predict();
    if (prediction.probability >= guarantee.threshold) return { answered: true, guarantee, ...prediction };
    return { answered: false, guarantee, candidates: candidates() ?? [], prediction };
  }

  /** Frees its kernel memory at once; it cannot be used afterwards. Otherwise this happens on garbage collection. */
  dispose(): void {
    this.holder.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
