// A member of a transducer: rows and weights of one training, with its model of graphones. A transducer has one of them or several
// (an ensemble). A backward member reads inputs and writes outputs from right to left; whoever asks it sees neither.

import { logAdd } from "../../engine/lattice.js";
import type { Inference, Trellis } from "../../engine/trellis.js";
import type { KeptEncoder } from "../../model/encoder.js";
import { MoveEncoder } from "./encoder.js";
import { LEAST_LOG, TransducerEngine, type TransducerShape } from "./engine.js";
import { JointModel, type JointParts } from "./joint-model.js";
import type { MarkedInput } from "./pairs.js";
import type { TransducerRows } from "./rows.js";

/** What a model file holds of a member. */
export interface MemberParts {
  /** Whether it goes from right to left. */
  backward: boolean;
  rows: TransducerRows;
  weights: Float64Array;
  /** The network in place of some of the rows, if there is one. */
  encoder?: KeptEncoder;
  joint?: JointParts;
}

/** The engine of a member; inputs may have this many marks. */
export function engineOf(
  { rows, encoder }: Pick<MemberParts, "rows" | "encoder">,
  shape: TransducerShape,
  inference: Inference,
  marks: number,
): TransducerEngine {
  const { boundary } = shape;
  const made = encoder && MoveEncoder.kept(encoder, { boundary, views: rows.views, marks });
  return new TransducerEngine(rows, shape, inference, made);
}

const NO_GRAPHONES = { joint: 0, triggers: 0 };

export class Member {
  /** The latest input, in its own direction, and how contexts were chosen for it. */
  private input: MarkedInput = { symbols: new Int32Array(0), marks: new Int32Array(0) };
  private inference: Inference | undefined;

  constructor(
    readonly engine: TransducerEngine,
    readonly weights: Float64Array,
    readonly joint: JointModel | undefined,
    readonly isBackward: boolean,
  ) {}

  /** With an engine of its own. */
  static of(parts: MemberParts, shape: TransducerShape, inference: Inference, marks: number): Member {
    const engine = engineOf(parts, shape, inference, marks);
    const joint = parts.joint && new JointModel(parts.joint, shape.symbolCount - 1);
    return new Member(engine, engine.hold(parts.weights), joint, parts.backward);
  }

  get parts(): MemberParts {
    const { engine, weights, joint } = this;
    engine.check();
    const { rows, encoder } = engine;
    return { backward: this.isBackward, rows, weights, encoder: encoder?.parts, joint: joint?.parts };
  }

  /** The free forward pass of an input. */
  forward({ symbols, marks }: MarkedInput, inference?: Inference): Trellis {
    this.input = { symbols: this.isBackward ? symbols.slice().reverse() : symbols, marks };
    this.inference = inference;
    return this.again();
  }

  /** The latest pass once more. */
  again(): Trellis {
    this.engine.check();
    return this.engine.forwardFrozen(this.input, this.weights, this.inference);
  }

  /** Log of the probability of an output for the latest input, whose trellis is still as it was. */
  logProbability(output: ArrayLike<number>): number {
    return Math.min(0, this.engine.logProbability(this.turned(output), this.input.symbols.length));
  }

  /** The best alignment of an output with the latest input, if it has one. */
  bestMoves(output: ArrayLike<number>): readonly number[] | undefined {
    const moves = this.engine.bestMoves(Int32Array.from(this.turned(output)));
    return moves && this.turnedMoves(moves);
  }

  /** Both, of an output that another member found; the trellis of the latest input may be used up. */
  judged(output: readonly number[]): { log: number; moves: readonly number[] | undefined } {
    const { engine, input } = this;
    const found = engine.judged(this.turned(output), input.symbols.length);
    if (found) return { log: found.log, moves: this.turnedMoves(found.moves) };
    if (engine.kernel.trellis.hasPosteriors) this.again();
    const log = this.logProbability(output);
    return { log, moves: this.joint && log > LEAST_LOG ? this.bestMoves(output) : undefined };
  }

  /** What the model of graphones thinks of an output of the latest input, by its alignment. */
  jointLogs(moves: readonly number[]): { joint: number; triggers: number } {
    const own = this.isBackward ? this.turnedMoves(moves) : moves;
    return this.joint?.judge({ input: this.input.symbols, moves: own }) ?? NO_GRAPHONES;
  }

  /** An output in the other direction, if the member goes there; the same function leads back. */
  turned(output: ArrayLike<number>): ArrayLike<number> {
    return this.isBackward ? Array.from(output).reverse() : output;
  }

  /** The same of moves: what is written for each symbol is turned, and their order. */
  turnedMoves(moves: ArrayLike<number>): readonly number[] {
    const list = Array.from(moves);
    if (!this.isBackward) return list;
    const shift = list.pop() as number; // the last move always is
    return [...list.reverse(), shift];
  }
}

/** Log of the mean of probabilities. */
export function logMean(logs: readonly number[]): number {
  return Math.min(0, logs.reduce(logAdd) - Math.log(logs.length));
}
