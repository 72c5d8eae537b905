// How long a pass will take, before it is begun: a few examples are judged for a moment, and the time is scaled to all of them. A pass
// that learns takes longer than one that judges, so what is found is a lower bound; learning for a moment says it more closely.

import { backend } from "../engine/choice.js";
import { generator, shuffle } from "../util/random.js";
import { duration } from "../util/text.js";
import { AdaGrad, type AdaGradOptions } from "./adagrad.js";
import { Gradient } from "./gradient.js";
import type { Learner } from "./learner.js";
import { heldOnes } from "./order.js";

/** Measured for at most this long, but for the example at hand. */
const MOMENT = 300; // ms
/** Examples that are looked at, at most. */
const MOST = 64;

/** Seconds of a pass, at least. `sizes`, [exampleCount]: what the time of an example grows with, such as its length. */
export function leastSeconds(learner: Learner, sizes: Int32Array): number {
  const { arrays } = backend();
  const weights = arrays.float64(learner.table.symbols.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const step = Math.max(1, Math.floor(learner.exampleCount / MOST));
  let seen = 0;
  const started = performance.now();
  let elapsed = 0;
  const looked = Int32Array.from({ length: Math.ceil(learner.exampleCount / step) }, (_, i) => i * step);
  for (const example of heldOnes(learner, looked)) {
    if (elapsed >= MOMENT) break;
    learner.judge(example, weights);
    seen += sizes[example];
    elapsed = performance.now() - started;
  }
  arrays.release(weights);
  return seen === 0 ? 0 : ((elapsed / 1000) * total) / seen;
}

/** Seconds of a pass: examples are learned from for a moment, so that a little is known, and then for another, which is timed. */
export function passSeconds(learner: Learner, sizes: Int32Array, options: AdaGradOptions): number {
  const adagrad = new AdaGrad(learner.table, options);
  const gradient = new Gradient(learner.table);
  const order = shuffle(
    Int32Array.from({ length: learner.exampleCount }, (_, example) => example),
    generator(1, 0),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let at = 0;
  let seen = 0;
  let elapsed = 0;
  learner.beginPass?.(false);
  learner.encoder?.begin({ seed: 1, examples: order.length, passes: 1, goesOn: false });
  for (let moment = 0; moment < 2; moment++) {
    const started = performance.now();
    seen = 0;
    do {
      const example = order[at++ % order.length];
      learner.learn(example, adagrad.weights, gradient);
      adagrad.update(gradient);
      learner.encoder?.exampleDone();
      seen += sizes[example];
      elapsed = performance.now() - started;
    } while (elapsed < MOMENT);
  }
  const { arrays } = backend();
  for (const array of [adagrad.weights, adagrad.squares, adagrad.sums, adagrad.settled, gradient.values]) {
    arrays.release(array);
  }
  return ((elapsed / 1000) * total) / Math.max(1, seen);
}

/** What a person should hear before a training whose passes take so long; undefined if that is not worth a word. */
export function slowNotice(seconds: number, passes: number, why: string): string | undefined {
  if (seconds * passes < LONG) return undefined;
  return `${why}: each pass will take ${duration(seconds)} or more, and there may be ${passes}`;
}

/** Shorter trainings are not announced. */
const LONG = 600; // seconds
