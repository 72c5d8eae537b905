// What was seen in training is remembered: the answers of each input, and how often it had them. For an input that was seen N
// times, and had the output y n(y) times, they are mixed with what the model thinks of it, which counts as much as a part of
// a pair:
//   p(y) = (n(y) + STRENGTH · p_model(y)) / (N + STRENGTH)

import type { Inference } from "../../engine/trellis.js";
import { logMean, type Member } from "./member.js";
import { answerOf, inputKey, type MarkedInput, markedInputOf, type PairCorpus } from "./pairs.js";
import type { Found } from "./search.js";

/** As many pairs as the model's own opinion counts. Below 1, so that no answer that was seen comes after one that was not. */
const STRENGTH = 0.2;

interface Remembered {
  output: Int32Array;
  count: number;
}

export class Memory {
  /** The number of an input by its symbols as text; made when it is first asked for. */
  private numbers: Map<string, number> | undefined;

  constructor(readonly corpus: PairCorpus) {}

  /** The answers that an input had; none if it is new. */
  answers({ symbols, marks }: MarkedInput): Remembered[] {
    this.numbers ??= this.index();
    const i = this.numbers.get(inputKey(symbols, marks));
    if (i === undefined) return [];
    const { answerStart, answerCount } = this.corpus;
    const found: Remembered[] = [];
    for (let a = answerStart[i]; a < answerStart[i + 1]; a++) {
      found.push({ output: answerOf(this.corpus, a), count: answerCount[a] });
    }
    return found;
  }

  private index(): Map<string, number> {
    const numbers = new Map<string, number>();
    for (let i = 0; i < this.corpus.inputCount; i++) {
      const { symbols, marks } = markedInputOf(this.corpus, i);
      numbers.set(inputKey(symbols, marks), i);
    }
    return numbers;
  }

  /** The answers that an input had, with what the members of a model think of them. */
  judged(input: MarkedInput, members: readonly Member[], inference?: Inference): Judged[] {
    const answers = this.answers(input);
    if (answers.length === 0) return [];
    const opinions = members.map((member) => {
      member.forward(input, inference);
      return answers.map(({ output }) => member.logProbability(output));
    });
    return answers.map(({ output, count }, a) => ({
      output: [...output],
      count,
      log: logMean(opinions.map((logs) => logs[a])),
      moves: movesOf(members[members.length - 1], output, input.symbols.length),
    }));
  }
}

/** An answer that was seen, with the model's opinion of it. */
export interface Judged extends Found {
  count: number;
}

/** Outputs of the model, mixed with the answers that the input had. */
export function mixed(found: readonly Found[], known: readonly Judged[]): readonly Found[] {
  if (known.length === 0) return found;
  const total = STRENGTH + known.reduce((sum, { count }) => sum + count, 0);
  const mix = (log: number, count: number): number => Math.log((count + STRENGTH * Math.exp(log)) / total);
  const seen = new Set(known.map(({ output }) => output.join()));
  const others = found.filter(({ output }) => !seen.has(output.join()));
  return [
    ...known.map(({ output, moves, log, count }) => ({ output, moves, log: mix(log, count) })),
    ...others.map((one) => ({ ...one, log: mix(one.log, 0) })),
  ].sort((a, b) => b.log - a.log);
}

/** The best alignment; where there is none, everything is written for the first symbol. */
function movesOf(member: Member, output: Int32Array, length: number): readonly number[] {
  const shift = member.engine.shape.symbolCount - 1;
  return member.bestMoves(output) ?? [...output, ...new Array<number>(length).fill(shift)];
}
