// Select: the expansions that stay as contexts of the next slot, in the order of contexts. Masses lie by symbol, groups next
// to each other, so keys come out sorted.

import { Bundle } from "../../layout";
import { boundOf, clearKept, dropLightest, keepIf, kept, keyOf } from "../kept";
import { need } from "../state";
import { Asked, blockEnd, massesAt, maximaOf, Slot } from "./slot";

export function choose(): void {
  const limit = Asked.limit;
  const blocks = Slot.blocks;
  need(Bundle.kept, Slot.columns * Slot.places + 5);
  clearKept();
  // What has no mass is never kept.
  const found = boundOf(Slot.maxima, 2 * blocks * Slot.places, Slot.groups * Slot.width, limit, Asked.lightest);
  const bounds = f64x2.splat(max(f64.MIN_NORMAL_VALUE, found));
  const width = Slot.width;
  for (let y = 0; y < width; y++) {
    if (blocks == 1) {
      if (v128.any_true(f64x2.ge(v128.load(Slot.maxima + (<usize>y << 4)), bounds))) collect(y, 0, Slot.columns, bounds);
      continue;
    }
    for (let b = 0, g = 0; b < blocks; b++) {
      const next = blockEnd(b);
      if (v128.any_true(f64x2.ge(v128.load(maximaOf(b, y)), bounds))) collect(y, g, next, bounds);
      g = next;
    }
  }
  if (kept > limit) dropLightest(limit);
}

/** Takes in the expansions by one symbol of a range of groups that reach a bound. */
// @ts-expect-error
@inline
function collect(y: i32, g: i32, end: i32, bounds: v128): void {
  const row = massesAt(y);
  for (; g < end; g += 2) {
    // Written whether they reach it or not, and counted if they do: there is no branch to guess.
    const two = v128.load(row + (<usize>g << 3));
    const reached = i64x2.bitmask(f64x2.ge(two, bounds));
    const name = keyOf(y, g);
    keepIf(reached & 1, f64x2.extract_lane(two, 0), name);
    keepIf(reached >> 1, f64x2.extract_lane(two, 1), name + 1);
  }
}
