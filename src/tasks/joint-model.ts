// A joint n-gram model of inputs and outputs, as Bisani and Ney's: an input symbol with what is written for it is one
// event, a graphone, and an aligned pair is a sequence of them,
//   q(alignment) = product over positions of P(graphone | the graphones before it), and of the end.
// It is counted, not trained, so its faults are others than the transducer's. Candidates go by p^own q^joint, with both powers
// fitted to held-out inputs.

import { type NgramModel, type NgramOptions, ngramModel, ngramScoreAt } from "../core/ngram.js";
import { BEGIN } from "../core/trellis.js";

/** Graphones as lists: which there are, and an n-gram model of their numbers. */
export interface JointParts {
  /** [graphones + 1] first symbol of each in `symbols`. */
  start: Int32Array;
  /** The input symbol of each graphone, then the symbols written for it. */
  symbols: Int32Array;
  /** Of graphones, one more symbol for all that are unknown, and the end. */
  ngram: NgramModel;
  /** The power of the transducer's own probability. */
  own: number;
  /** The power of this model's. */
  joint: number;
}

/** An input with the moves that write an output for it. */
export interface AlignedMoves {
  input: ArrayLike<number>;
  moves: ArrayLike<number>;
}

/** Leaving out what counts once makes it a third of the size, and nearly as good. */
export const jointNgrams: Omit<NgramOptions, "order"> = {
  discount: 0.75,
  smoothing: 0.01,
  ends: true,
  continuation: true,
  fewest: 2,
};

/** The number of a graphone, by its symbols as text. */
type Numbers = Map<string, number>;

export class JointModel {
  private readonly numbers: Numbers = new Map();

  constructor(
    readonly parts: JointParts,
    /** The move that goes on to the next input symbol. */
    private readonly shift: number,
  ) {
    const { start, symbols } = parts;
    for (let g = 0; g + 1 < start.length; g++) this.numbers.set(symbols.subarray(start[g], start[g + 1]).join(), g);
  }

  /** Counts graphones of aligned pairs, looking back `order` of them. */
  static count(pairs: Iterable<AlignedMoves>, order: number, shift: number): JointModel {
    const numbers: Numbers = new Map();
    const sequences: number[][] = [];
    for (const pair of pairs) {
      const sequence: number[] = [];
      eachGraphone(pair, shift, (graphone) => {
        let number = numbers.get(graphone);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(graphone, number);
        }
        sequence.push(number);
      });
      sequences.push(sequence);
    }
    const graphones = [...numbers.keys()].map((graphone) => graphone.split(",").map(Number));
    const start = new Int32Array(graphones.length + 1);
    graphones.forEach((graphone, g) => {
      start[g + 1] = start[g] + graphone.length;
    });
    const ngram = ngramModel(sequences, numbers.size + 1, { ...jointNgrams, order });
    // What is saved is single precision, and what is not saved answers alike.
    for (const numbers of [ngram.unigram, ngram.weights, ngram.space.offsets]) {
      for (let i = 0; i < numbers.length; i++) numbers[i] = Math.fround(numbers[i]);
    }
    return new JointModel({ start, symbols: Int32Array.from(graphones.flat()), ngram, own: 1, joint: 0 }, shift);
  }

  /** The same with other powers. */
  with(powers: Powers): JointModel {
    return new JointModel({ ...this.parts, ...powers }, this.shift);
  }

  /** log q of an aligned pair. */
  logProbability(pair: AlignedMoves): number {
    const { ngram } = this.parts;
    const unknown = this.numbers.size;
    const events = [BEGIN];
    eachGraphone(pair, this.shift, (graphone) => events.push(this.numbers.get(graphone) ?? unknown));
    events.push(unknown + 1);
    let sum = 0;
    for (let i = 1; i < events.length; i++) sum += ngramScoreAt(ngram, events, i, 0);
    return sum;
  }
}

/** Visits the graphones of an aligned pair, as text. */
function eachGraphone({ input, moves }: AlignedMoves, shift: number, visit: (graphone: string) => void): void {
  let j = 0;
  let graphone = `${input[0]}`;
  for (let m = 0; m < moves.length; m++) {
    if (moves[m] !== shift) graphone += `,${moves[m]}`;
    else {
      visit(graphone);
      graphone = `${input[++j]}`;
    }
  }
}

/** Candidates of a held-out input: log p, log q, and whether it is a right answer. */
export type JudgedCandidates = readonly { own: number; joint: number; right: boolean }[];

type Powers = Pick<JointParts, "own" | "joint">;

const STEPS = 30;
/** How much is staked on p alone: as much as this many inputs in which both powers make a difference of one. */
const PRIOR = 1;

/**
 * The powers of p and q under which right answers are most probable among candidates, neither below zero. Newton's method
 * with the curvature of the sums over all candidates; steps that go too far are halved.
 */
export function fitPowers(inputs: readonly JudgedCandidates[]): Powers {
  const telling = inputs.filter((candidates) => candidates.some(({ right }) => right));
  let powers: Powers = { own: 1, joint: 0 };
  let here = lookAround(telling, powers);
  for (let step = 0; step < STEPS; step++) {
    const { own, joint } = powers;
    const move = newtonStep(here, powers);
    let reached = false;
    for (let size = 1; size > 1e-6 && !reached; size /= 2) {
      const tried = { own: Math.max(0, own + size * move.own), joint: Math.max(0, joint + size * move.joint) };
      const there = lookAround(telling, tried);
      reached = there.value > here.value;
      if (reached) [powers, here] = [tried, there];
    }
    if (!reached) break;
  }
  return powers;
}

/** What is maximised at given powers, how it grows with each, and its curvature (times -1). */
interface Surroundings {
  value: number;
  own: number;
  joint: number;
  ownOwn: number;
  ownJoint: number;
  jointJoint: number;
}

function lookAround(inputs: readonly JudgedCandidates[], { own, joint }: Powers): Surroundings {
  const sum: Surroundings = {
    value: (-PRIOR / 2) * ((own - 1) ** 2 + joint ** 2),
    own: PRIOR * (1 - own),
    joint: -PRIOR * joint,
    ownOwn: PRIOR,
    ownJoint: 0,
    jointJoint: PRIOR,
  };
  for (const candidates of inputs) {
    const scores = candidates.map((one) => own * one.own + joint * one.joint);
    const most = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - most));
    const rightWeights = weights.map((weight, i) => (candidates[i].right ? weight : 0));
    const all = weights.reduce((a, b) => a + b);
    const right = Math.max(
      Number.MIN_VALUE,
      rightWeights.reduce((a, b) => a + b),
    );
    const mean = { own: 0, joint: 0 };
    candidates.forEach((one, i) => {
      const share = weights[i] / all;
      mean.own += share * one.own;
      mean.joint += share * one.joint;
      sum.own += (rightWeights[i] / right) * one.own;
      sum.joint += (rightWeights[i] / right) * one.joint;
      sum.ownOwn += share * one.own * one.own;
      sum.ownJoint += share * one.own * one.joint;
      sum.jointJoint += share * one.joint * one.joint;
    });
    sum.value += Math.log(right / all);
    sum.own -= mean.own;
    sum.joint -= mean.joint;
    sum.ownOwn -= mean.own * mean.own;
    sum.ownJoint -= mean.own * mean.joint;
    sum.jointJoint -= mean.joint * mean.joint;
  }
  return sum;
}

/** A power at zero that would go below stays there, and the other moves alone. */
function newtonStep(here: Surroundings, { own, joint }: Powers): Powers {
  if (joint === 0 && here.joint <= 0) return { own: here.own / here.ownOwn, joint: 0 };
  if (own === 0 && here.own <= 0) return { own: 0, joint: here.joint / here.jointJoint };
  const determinant = here.ownOwn * here.jointJoint - here.ownJoint * here.ownJoint;
  return {
    own: (here.jointJoint * here.own - here.ownJoint * here.joint) / determinant,
    joint: (here.ownOwn * here.joint - here.ownJoint * here.own) / determinant,
  };
}
