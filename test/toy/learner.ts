// Rows, inference and the gradient. A context is the last letters; every n-gram of letters seen in training has a row:
//   score(slot, context, y) = Σ over the rows r of the context: weight(r)[y]

import {
  BEGIN,
  backend,
  ClampedGradient,
  type Gradient,
  type Inference,
  type Judged,
  type Learner,
  type RowSpace,
  type RowTable,
  RowTableBuilder,
  type RowTree,
  RowTreeBuilder,
  type Seen,
  type SlotGraph,
  type Trellis,
} from "stargram/engine";
import { graphOf, symbolCount, symbolsOf } from "./code.js";

/** What a model learns from. */
export interface MorseExample {
  signs: string;
  /** Absent where it is to be found. */
  word?: string;
}

/** A row for each n-gram of up to `order` letters that comes before a letter of the words. */
export function rowsOf(words: readonly string[], order: number): RowSpace {
  const table = new RowTableBuilder(symbolCount);
  const tree = new RowTreeBuilder();
  tree.setRow(0, table.addDense()); // of `⋆`
  for (const symbols of words.map(symbolsOf)) {
    for (let i = 0; i < symbols.length; i++) {
      let node = 0;
      // From the latest letter back; before the first letter stands BEGIN.
      for (let back = i - 1; back >= Math.max(-1, i - order); back--) {
        node = tree.child(node, back < 0 ? BEGIN : symbols[back]);
        if (tree.rowOf(node) < 0) tree.setRow(node, table.addDense());
      }
    }
  }
  return rowSpace(table.build(), tree.build(), order);
}

export function rowSpace(table: RowTable, tree: RowTree, order: number): RowSpace {
  return { table, families: [{ tree, depth: order, skip: -1, pairs: false, keyed: false }] };
}

/** Runs inference for one model. */
export class MorseEngine {
  readonly kernel = backend().makeKernel();
  /** [slots][symbols] all zero: the signs decide the graph and nothing else. */
  private slotScores = backend().arrays.float64(1024);

  constructor(
    readonly space: RowSpace,
    readonly inference: Inference,
  ) {}

  forward(graph: SlotGraph, weights: Float64Array, inference: Inference = this.inference): Trellis {
    const size = graph.slotCount * symbolCount;
    if (this.slotScores.length < size) this.slotScores = backend().arrays.float64(2 * size);
    return this.kernel.forward({ graph, slotScores: this.slotScores }, this.space, weights, inference);
  }
}

/** The words of a training. */
export class MorseLearner implements Learner {
  private readonly graphs: readonly SlotGraph[];
  private readonly words: readonly (readonly number[])[];
  private readonly clamped: ClampedGradient;
  /** [slots][symbols] what the slots would learn, if they had weights. */
  private readonly slotCounts: Float64Array;

  constructor(
    private readonly engine: MorseEngine,
    examples: readonly Required<MorseExample>[],
  ) {
    this.graphs = examples.map(({ signs }) => graphOf(signs));
    this.words = examples.map(({ word }) => symbolsOf(word));
    this.clamped = new ClampedGradient(backend(), engine.kernel);
    const slots = this.graphs.reduce((most, { slotCount }) => Math.max(most, slotCount), 0);
    this.slotCounts = backend().arrays.float64(slots * symbolCount);
  }

  get table(): RowTable {
    return this.engine.space.table;
  }

  get exampleCount(): number {
    return this.words.length;
  }

  /** Adds E[features | word] - E[features]. */
  learn(example: number, weights: Float64Array, gradient: Gradient): Seen {
    this.engine.forward(this.graphs[example], weights);
    const contextLength = this.engine.kernel.averageContextLength();
    this.clamped.begin();
    const logLikelihood = this.clamped.addPath(this.words[example]);
    this.clamped.finish(gradient, this.slotCounts);
    return { logLikelihood, contextLength };
  }

  judge(example: number, weights: Float64Array): Judged {
    this.engine.forward(this.graphs[example], weights);
    const best = this.engine.kernel.bestPath();
    this.clamped.begin();
    const logLikelihood = this.clamped.addPath(this.words[example]);
    const right = best?.symbols.join() === this.words[example].join() ? 1 : 0;
    return { logLikelihood, decisions: 1, errors: 1 - right, right };
  }
}
