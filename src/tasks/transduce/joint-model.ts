// A joint n-gram model of inputs and outputs, as Bisani and Ney's: an input symbol with what is written for it is one
// event, a graphone, and an aligned pair is a sequence of them,
//   q(alignment) = product over positions of P(graphone | the graphones before it), and of the end.
// It is counted, not trained, so its faults are others than the transducer's.

import { type NgramModel, type NgramOptions, ngramModel, ngramScoreAt } from "../../engine/ngram.js";
import { BEGIN } from "../../engine/trellis.js";
import { countTriggers, type TriggerParts, triggerScore } from "./triggers.js";

/** Graphones as lists: which there are, and an n-gram model of their numbers. */
export interface JointParts {
  /** [graphones + 1] first symbol of each in `symbols`. */
  start: Int32Array;
  /** The input symbol of each graphone, then the symbols written for it. */
  symbols: Int32Array;
  /** Of graphones, one more symbol for all that are unknown, and the end. */
  ngram: NgramModel;
  /** Which of them call for each other; undefined in older models, and if every symbol has one graphone. */
  triggers?: TriggerParts;
}

/** An input with the moves that write an output for it. */
export interface AlignedMoves {
  input: ArrayLike<number>;
  moves: ArrayLike<number>;
}

export const jointNgrams: Omit<NgramOptions, "order"> = {
  discount: 0.75,
  smoothing: 0.01,
  ends: true,
  continuation: true,
};

/**
 * From so many pairs on, n-grams that count once are kept. Of 28,718 pairs of the CMU dictionary, outputs of other words were wrong in
 * 31.7 % with them and in 32.3 % without; with 100 and 300 pairs of seven languages, and 3,600 of two, they did not help.
 */
const MANY_PAIRS = 5_000;

/** The number of a graphone, by its symbols as text. */
type Numbers = Map<string, number>;

/** What symbols of graphones lead to, one after another. */
interface GraphoneNode {
  /** Of the graphone that ends here, -1 if there is none. */
  number: number;
  next: Map<number, GraphoneNode>;
}

export class JointModel {
  private readonly root: GraphoneNode = { number: -1, next: new Map() };
  /** The graphones of the latest pair, and the score of each. */
  private readonly latest = { events: [BEGIN], scores: [0] };

  constructor(
    readonly parts: JointParts,
    /** The move that goes on to the next input symbol. */
    private readonly shift: number,
  ) {
    const { start, symbols } = parts;
    for (let g = 0; g + 1 < start.length; g++) {
      let node = this.root;
      for (let i = start[g]; i < start[g + 1]; i++) {
        let next = node.next.get(symbols[i]);
        if (!next) {
          next = { number: -1, next: new Map() };
          node.next.set(symbols[i], next);
        }
        node = next;
      }
      node.number = g;
    }
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
    const fewest = sequences.length < MANY_PAIRS ? 2 : 1;
    const ngram = ngramModel(sequences, numbers.size + 1, { ...jointNgrams, order, fewest });
    // What is saved is single precision, and what is not saved answers alike.
    for (const numbers of [ngram.unigram, ngram.weights, ngram.space.offsets]) {
      for (let i = 0; i < numbers.length; i++) numbers[i] = Math.fround(numbers[i]);
    }
    const triggers = countTriggers(
      sequences,
      graphones.map(([symbol]) => symbol),
    );
    return new JointModel({ start, symbols: Int32Array.from(graphones.flat()), ngram, triggers }, shift);
  }

  /** log q of an aligned pair, and how well its graphones go together. */
  judge(pair: AlignedMoves): { joint: number; triggers: number } {
    const events = this.eventsOf(pair);
    const { triggers } = this.parts;
    // The first and the last event are no graphones.
    const score = triggers ? triggerScore(triggers, events.slice(1, -1)) : 0;
    return { joint: this.scoreOf(events), triggers: score };
  }

  /** log q of events. */
  private scoreOf(events: number[]): number {
    const { ngram } = this.parts;
    const { order } = ngram.options;
    const { events: before, scores } = this.latest;
    let sum = 0;
    let alike = 1; // events up to the one at hand that are those of the pair before
    for (let i = 1; i < events.length; i++) {
      alike = events[i] === before[i] ? alike + 1 : 0;
      // Candidates of an input differ in few places: an event that follows the same ones has the same score.
      if (alike <= Math.min(i, order)) scores[i] = ngramScoreAt(ngram, events, i, 0);
      sum += scores[i];
    }
    this.latest.events = events;
    return sum;
  }

  /** The graphones of an aligned pair by number, with what stands before and after them. */
  private eventsOf({ input, moves }: AlignedMoves): number[] {
    const unknown = this.parts.start.length - 1;
    const events = [BEGIN];
    let j = 0;
    let node = this.root.next.get(input[0]);
    for (let m = 0; m < moves.length; m++) {
      if (moves[m] !== this.shift) {
        node = node?.next.get(moves[m]);
        continue;
      }
      events.push(node && node.number >= 0 ? node.number : unknown);
      node = this.root.next.get(input[++j]);
    }
    events.push(unknown + 1);
    return events;
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
