// In which order a pass goes through its examples. A function of the seed, the pass and the data, not of where the data lies, so
// that examples on disk give the same model as the same ones in memory:
//   little data    all examples shuffled
//   much data      blocks of neighbours are shuffled; examples of several blocks that follow one another are shuffled together

import { type RandomGenerator, shuffle } from "../util/random.js";
import type { Learner } from "./learner.js";
import type { OrderSizes } from "./scratch.js";

/** Blocks of examples. */
export interface ExampleBlocks {
  /** [blocks + 1] the first example of each. */
  start: Int32Array;
  /** How many are shuffled together. */
  together: number;
}

/** The blocks of examples of these sizes; undefined if all are to be shuffled together. */
export function blocksOf(
  exampleCount: number,
  sizeOf: (example: number) => number,
  { whole, block, together }: OrderSizes,
): ExampleBlocks | undefined {
  const start = [0];
  let total = 0;
  let size = 0;
  for (let example = 0; example < exampleCount; example++) {
    const own = sizeOf(example);
    total += own;
    size += own;
    if (size < block) continue;
    start.push(example + 1);
    size = 0;
  }
  if (total <= whole) return undefined;
  if (start[start.length - 1] < exampleCount) start.push(exampleCount);
  return { start: Int32Array.from(start), together };
}

/** The order of a pass through these examples. */
export function passOrder(
  examples: Int32Array,
  blocks: ExampleBlocks | undefined,
  random: RandomGenerator,
): Int32Array {
  if (!blocks) return shuffle(examples.slice(), random);
  const { start, together } = blocks;
  const sorted = examples.slice().sort();
  // [blocks + 1] where the examples of each block begin in `sorted`.
  const from = new Int32Array(start.length);
  for (let block = 0, at = 0; block < start.length; block++) {
    while (at < sorted.length && sorted[at] < start[block]) at++;
    from[block] = at;
  }
  // Examples beyond the last block are there to judge by.
  const count = start.length - 1;
  const order = new Int32Array(from[count]);
  const shuffled = shuffle(
    Int32Array.from({ length: count }, (_, block) => block),
    random,
  );
  let end = 0;
  for (let first = 0; first < count; first += together) {
    const begin = end;
    for (const block of shuffled.subarray(first, first + together)) {
      order.set(sorted.subarray(from[block], from[block + 1]), end);
      end += from[block + 1] - from[block];
    }
    shuffle(order.subarray(begin, end), random);
  }
  return order;
}

/** Runs of examples that are in memory at a time are ended at multiples of this, where threads take batches of as many. */
export const RUN_MULTIPLE = 16;

/** Goes through `examples[from]` and those after it in runs that the learner has at hand; all at once if they are in memory. */
export function* heldRuns(
  learner: Learner,
  examples: Int32Array,
  from = 0,
): Generator<{ from: number; to: number }, void, void> {
  for (let begin = from; begin < examples.length; ) {
    let to = learner.hold ? begin + learner.hold(examples, begin, RUN_MULTIPLE) : examples.length;
    if (to < examples.length) to -= to % RUN_MULTIPLE;
    yield { from: begin, to };
    begin = to;
  }
}

/** One example after the other, each at hand when its turn comes. */
export function* heldOnes(learner: Learner, examples: Int32Array): Generator<number, void, void> {
  for (const { from, to } of heldRuns(learner, examples)) yield* examples.subarray(from, to);
}
