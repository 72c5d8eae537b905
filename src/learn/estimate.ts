// How long a pass will take, before it is begun: a few examples are judged for a moment, and the time is scaled to all of them. A pass
// that learns takes longer than one that judges, so what is found is a lower bound.

import { backend } from "../engine/choice.js";
import { duration } from "../util/text.js";
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

/** What a person should hear before a training whose passes take so long; undefined if that is not worth a word. */
export function slowNotice(seconds: number, passes: number, why: string): string | undefined {
  if (seconds * passes < LONG) return undefined;
  return `${why}: each pass will take ${duration(seconds)} or more, and there may be ${passes}`;
}

/** Shorter trainings are not announced. */
const LONG = 600; // seconds
