// How well outputs were written, where an input may have several right answers:
//   word error rate = share of inputs whose output is none of their right answers
//   symbol error rate = Σ edit distance to the nearest right answer / Σ length of that answer

import { editDistance } from "../util/edit-distance.js";
import type { AnswerColumns } from "./answers.js";
import { type Sureness, surenessOf } from "./sureness.js";

export interface TransductionReport extends Sureness {
  inputs: number;
  wordErrorRate: number;
  symbolErrorRate: number;
  /** Summed over the inputs that have a correct answer the model can write, taking the most probable one; null if none has. */
  logLikelihood: number | null;
  /** Inputs without a correct answer that the model can write: it is too long, or has unknown symbols. */
  unwritable: number;
}

export class TransductionScore {
  private readonly confidence: number[] = [];
  private readonly correct: number[] = [];
  private errors = 0;
  private symbols = 0;
  private logLikelihood = 0;
  private unwritable = 0;

  /** Adds an input: its correct answers, the output with its probability, and the log-probability of the best answer. */
  add(
    answers: readonly (readonly string[])[],
    output: readonly string[],
    probability: number,
    logLikelihood: number,
  ): void {
    if (answers.length === 0) throw new RangeError("an input without a right answer cannot be evaluated");
    let least = Number.POSITIVE_INFINITY;
    let length = 0;
    for (const answer of answers) {
      const distance = editDistance(output, answer);
      if (distance >= least) continue;
      least = distance;
      length = answer.length;
    }
    this.errors += least;
    this.symbols += length;
    if (logLikelihood === Number.NEGATIVE_INFINITY) this.unwritable++;
    else this.logLikelihood += logLikelihood;
    this.confidence.push(probability);
    this.correct.push(least === 0 ? 1 : 0);
  }

  get inputs(): number {
    return this.correct.length;
  }

  get answers(): AnswerColumns {
    return { confidence: this.confidence, correct: this.correct };
  }

  report(): TransductionReport {
    const { recallAtPrecision, ...calibration } = surenessOf(this.answers);
    const right = this.correct.reduce((sum, correct) => sum + correct, 0);
    return {
      inputs: this.inputs,
      wordErrorRate: 1 - right / this.inputs,
      symbolErrorRate: this.symbols > 0 ? this.errors / this.symbols : this.errors > 0 ? 1 : 0,
      recallAtPrecision,
      logLikelihood: this.unwritable < this.inputs ? this.logLikelihood : null,
      unwritable: this.unwritable,
      ...calibration,
    };
  }
}
