// The pairs of a corpus as examples to learn from, in this thread or in others.

import { placedAll } from "../../engine/backend.js";
import { learningInference } from "../../engine/budget.js";
import { backend } from "../../engine/choice.js";
import type { Inference } from "../../engine/trellis.js";
import type { Gradient } from "../../learn/gradient.js";
import type { Judged, Learner, Seen, SharedLearner } from "../../learn/learner.js";
import { editDistance } from "../../util/edit-distance.js";
import { longestOutput } from "./emits.js";
import { type Answer, type Strategy, TransducerEngine, type TransducerShape } from "./engine.js";
import { answerOf, inputOf, type MarkedInput, markedInputOf, type PairCorpus } from "./pairs.js";
import type { RowMemory, RowMemoryParts } from "./row-memory.js";
import type { TransducerRows } from "./rows.js";

/** Pairs to train a transducer on. */
export class TransducerLearner implements Learner {
  /** [inputs] pairs that had an alignment when the input was last learned from or judged; before, that could have one. */
  readonly tally: Int32Array;
  /** [1] whether a first pass is under way, where other threads see it. */
  readonly first: Int32Array;
  readonly corpus: PairCorpus;
  private readonly memory: RowMemory;

  constructor(
    corpus: PairCorpus,
    readonly engine: TransducerEngine,
    readonly strategy: Strategy,
    /** [answers] an alignment of each: what `forced` learns from, and `rcms` in a first pass. */
    readonly moves?: readonly (Int32Array | undefined)[],
    tally?: Int32Array,
    first?: Int32Array,
    remembered?: RowMemoryParts,
  ) {
    const { arrays } = backend();
    this.corpus = placedAll(corpus, arrays);
    this.memory = engine.remember(corpus.inputCount, remembered);
    this.tally = tally ?? arrays.int32(corpus.inputCount);
    this.first = first ?? arrays.int32(1);
    if (tally) return;
    for (let example = 0; example < corpus.inputCount; example++) {
      const most = longestOutput(engine.shape, inputOf(corpus, example).length);
      for (const { output, count } of this.answers(example)) if (output.length <= most) this.tally[example] += count;
    }
  }

  get table() {
    return this.engine.rows.table;
  }

  get encoder() {
    return this.engine.encoder?.learning;
  }

  get exampleCount(): number {
    return this.corpus.inputCount;
  }

  /** An input whose rows are remembered. */
  private input(example: number): MarkedInput {
    return { ...markedInputOf(this.corpus, example), example };
  }

  /** Forgets the rows of inputs when the passes over them are done. */
  forget(): void {
    this.memory.forget();
  }

  private answers(example: number): Answer[] {
    const { answerStart, answerCount } = this.corpus;
    const answers: Answer[] = [];
    for (let a = answerStart[example]; a < answerStart[example + 1]; a++) {
      answers.push({ output: answerOf(this.corpus, a), count: answerCount[a], moves: this.moves?.[a] });
    }
    return answers;
  }

  beginPass(isFirst: boolean): void {
    this.first[0] = isFirst ? 1 : 0;
  }

  learn(example: number, weights: Float64Array, gradient: Gradient): Seen {
    const { engine, strategy } = this;
    const seen = engine.learn(
      this.input(example),
      this.answers(example),
      weights,
      gradient,
      strategy,
      this.first[0] === 1,
      learningInference(engine.inference, example),
    );
    this.tally[example] = seen.aligned;
    return seen;
  }

  judge(example: number, weights: Float64Array): Judged {
    const judged = this.engine.judge(this.input(example), this.answers(example), weights);
    this.tally[example] = judged.aligned;
    return judged;
  }

  /** The output that the model writes for an example, and whether it is right. */
  written(example: number, weights: Float64Array): { output: number[]; right: boolean } {
    this.engine.forward(this.input(example), weights);
    const output = this.engine.bestOutput();
    return { output, right: this.answers(example).some((answer) => editDistance(output, answer.output) === 0) };
  }

  /** Log-probability of an output for the input of an example. */
  logProbability(example: number, output: readonly number[], weights: Float64Array): number {
    const input = this.input(example);
    this.engine.forward(input, weights);
    return Math.min(0, this.engine.logProbability(output, input.symbols.length));
  }

  share(): SharedLearner | undefined {
    const { corpus, engine, strategy, moves, tally, first } = this;
    // The steps of a network follow one another: one thread takes them.
    if (engine.encoder) return undefined;
    const { rows, shape, inference } = engine;
    for (let example = 0; example < this.exampleCount; example++) engine.look(this.input(example));
    const remembered = this.memory.parts;
    const data: SharedData = { corpus, rows, shape, inference, strategy, moves, tally, first, remembered };
    return { module: import.meta.url, data };
  }
}

/** Learners of the same pairs, with rows of all of them or of some. */
export class Learners {
  readonly corpus: PairCorpus;

  constructor(
    corpus: PairCorpus,
    /** For some inputs or all. */
    private readonly engineOf: (inputs?: Int32Array) => TransducerEngine,
    private readonly strategy: Strategy,
    private readonly moves?: TransducerLearner["moves"],
  ) {
    this.corpus = placedAll(corpus, backend().arrays);
  }

  get exampleCount(): number {
    return this.corpus.inputCount;
  }

  /** One with rows for what occurs in the pairs of these inputs. */
  of(inputs?: Int32Array): TransducerLearner {
    return new TransducerLearner(this.corpus, this.engineOf(inputs), this.strategy, this.moves);
  }
}

interface SharedData extends Pick<TransducerLearner, "corpus" | "strategy" | "moves" | "tally" | "first"> {
  rows: TransducerRows;
  shape: TransducerShape;
  inference: Inference;
  remembered: RowMemoryParts;
}

/** The learner that another thread shares. */
export function revive(data: unknown): TransducerLearner {
  const { corpus, rows, shape, inference, strategy, moves, tally, first, remembered } = data as SharedData;
  const engine = new TransducerEngine(rows, shape, inference);
  return new TransducerLearner(corpus, engine, strategy, moves, tally, first, remembered);
}
