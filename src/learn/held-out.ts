// The held-out part: which examples it is, and how weights are judged by it.

import { backend } from "../engine/choice.js";
import { pause } from "../util/pause.js";
import { generator, shuffle } from "../util/random.js";
import { addJudged, type Learner, nothingJudged } from "./learner.js";
import { heldRuns } from "./order.js";
import type { Crew, Pass } from "./training.js";

/** Examples to learn from, and examples to judge by. */
export interface Part {
  training: Int32Array;
  heldOut: Int32Array;
}

/** Fewer examples than this are not divided. */
const FEWEST_TO_DIVIDE = 10;
/** So many groups of neighbours, about: each part has several of them, from all over the data. */
const NEIGHBOUR_GROUPS = 100;

/**
 * Examples to learn from and examples held out; with fewer than ten examples nothing is held out. `groups`, [exampleCount],
 * numbers what belongs together, such as the sentences of a document: it stays together.
 */
export function split(
  exampleCount: number,
  { heldOut: share, seed, groups }: { heldOut: number; seed: number; groups?: Int32Array },
): Part {
  const order = numbersTo(exampleCount);
  const count = exampleCount < FEWEST_TO_DIVIDE ? 0 : Math.floor(exampleCount * share);
  if (count === 0) return { training: order, heldOut: new Int32Array(0) };
  if (groups) return splitGroups(groups, count, seed);
  shuffle(order, generator(seed, 0));
  return { training: order.slice(count).sort(), heldOut: order.slice(0, count).sort() };
}

/** Holds out whole groups, in random order, each that brings the number of examples nearer to `count`. */
function splitGroups(groups: Int32Array, count: number, seed: number): Part {
  const sizes = sizesOf(groups);
  const isHeldOut = new Uint8Array(sizes.length);
  let left = count;
  for (const group of shuffle(numbersTo(sizes.length), generator(seed, 0))) {
    if (sizes[group] >= 2 * left) continue;
    isHeldOut[group] = 1;
    left -= sizes[group];
  }
  return partBy(groups.length, (example) => isHeldOut[groups[example]] === 1);
}

/** The parts of a cross-validation: each example is held out once. Groups stay together; none if there are too few to divide. */
export function crossParts(
  exampleCount: number,
  { count, seed, groups }: { count: number; seed: number; groups?: Int32Array },
): Part[] {
  const owners = groups ?? numbersTo(exampleCount);
  const sizes = sizesOf(owners);
  if (exampleCount < FEWEST_TO_DIVIDE || sizes.length < count) return [];
  const partOf = new Int32Array(sizes.length);
  const filled = new Int32Array(count);
  for (const owner of shuffle(numbersTo(sizes.length), generator(seed, 0))) {
    const emptiest = filled.indexOf(Math.min(...filled));
    partOf[owner] = emptiest;
    filled[emptiest] += sizes[owner];
  }
  return Array.from({ length: count }, (_, part) =>
    partBy(exampleCount, (example) => partOf[owners[example]] === part),
  );
}

/** [exampleCount] groups of neighbours, about so many: what stands together in a file is often of one document. */
export function neighbours(exampleCount: number, groups = NEIGHBOUR_GROUPS): Int32Array {
  const size = Math.max(1, Math.floor(exampleCount / groups));
  return Int32Array.from({ length: exampleCount }, (_, example) => Math.floor(example / size));
}

function partBy(exampleCount: number, isHeldOut: (example: number) => boolean): Part {
  const order = numbersTo(exampleCount);
  return { training: order.filter((example) => !isHeldOut(example)), heldOut: order.filter(isHeldOut) };
}

/** [groups] how many examples each has. */
function sizesOf(groups: Int32Array): Int32Array {
  const sizes = new Int32Array(groups.reduce((most, group) => Math.max(most, group + 1), 0));
  for (const group of groups) sizes[group]++;
  return sizes;
}

function numbersTo(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => i);
}

/** How weights do on examples. */
export async function judgeAll(
  learner: Learner,
  examples: Int32Array,
  given: Float64Array,
  crew?: Crew,
): Promise<NonNullable<Pass["heldOut"]>> {
  const weights = backend().arrays.placed(given);
  const sum = nothingJudged();
  let paused = Date.now();
  for (const { from, to } of heldRuns(learner, examples)) {
    const run = examples.subarray(from, to);
    const shared = await crew?.judge(run, weights);
    for (const judged of shared ?? []) addJudged(sum, judged);
    for (const example of shared ? [] : run) {
      addJudged(sum, learner.judge(example, weights));
      if (Date.now() - paused > 100) {
        await pause();
        paused = Date.now();
      }
    }
  }
  return {
    logLikelihood: meanLogLikelihood(sum.logLikelihood, learner, examples),
    // An output that is longer than the right one may have more errors than that has symbols.
    accuracy: Math.max(0, 1 - sum.errors / Math.max(1, sum.decisions)),
    exact: sum.right / examples.length,
    ...(sum.unlisted !== undefined && { unlisted: sum.unlisted / Math.max(1, sum.decisions) }),
    ...(sum.wanted !== undefined && { f1: (2 * (sum.matched ?? 0)) / Math.max(1, sum.wanted + (sum.found ?? 0)) }),
  };
}

/** For each example that has a log-likelihood; undefined if none has. */
export function meanLogLikelihood(sum: number, { tally }: Learner, examples: Int32Array): number | undefined {
  const known = tally ? examples.reduce((count, example) => count + (tally[example] > 0 ? 1 : 0), 0) : examples.length;
  return known > 0 ? sum / known : undefined;
}
