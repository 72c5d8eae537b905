// Seeded randomness: everything random in training is a function of the user's seed and a named purpose, so that the same
// seed gives the same model and a resumed training goes on as if it had never stopped.

import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import { mixed } from "./bits.js";

export type { RandomGenerator };

/** A generator for one purpose: `part` tells apart the uses of one seed, such as the passes of a training. */
export function generator(seed: number, part: number): RandomGenerator {
  // Two rounds of a 32-bit mixer keep neighbouring seeds and parts unrelated.
  return xoroshiro128plus(mix(mix(seed | 0) ^ (part | 0)));
}

function mix(x: number): number {
  return mixed((x + 0x9e3779b9) | 0);
}

/** Puts an array into random order, in place (Fisher and Yates). */
export function shuffle<T extends { [i: number]: unknown; length: number }>(items: T, random: RandomGenerator): T {
  for (let i = items.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    const held = items[i];
    items[i] = items[j];
    items[j] = held;
  }
  return items;
}

/** A number in [0, 1). */
export function uniform(random: RandomGenerator): number {
  return (random.next() >>> 0) / 4294967296;
}
