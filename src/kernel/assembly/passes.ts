// What is read off a trellis after the forward pass: posteriors, expected counts, the best path. See
// src/kernel/reference.ts for the formulas.

import { branchEnd, branchFirst, branchNext, branchStart, countRows, slotCount, symbolCount, useProblem, useSpace } from "./space";
import {
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  best,
  bestFrom,
  bestSymbol,
  int,
  mass,
  num,
  posterior,
  setInt,
  setNum,
  slotStart,
  use,
} from "./state";
import { addScaled } from "./vector";

/** Posteriors of contexts and arcs, from the end to the start. Arc masses become arc posteriors. */
export function backward(state: usize, graph: usize): void {
  use(state);
  useProblem(graph, 0, 0, 0);
  const end = int(slotStart, slotCount) - 1;
  for (let c = int(slotStart, slotCount - 1); c <= end; c++) {
    setNum(posterior, c, c == end ? 1 : 0);
    setNum(mass, c, num(posterior, c) / num(mass, c));
  }
  for (let slot = slotCount - 2; slot >= 0; slot--) {
    const branch = int(branchStart, slot);
    const branchStop = int(branchStart, slot + 1);
    const to = int(slotStart, slot + 1);
    for (let c = int(slotStart, slot); c < to; c++) {
      let sum: f64 = 0;
      const arcs = int(arcStart, c);
      for (let b = branch; b < branchStop; b++) {
        const last = arcs + int(branchEnd, b);
        for (let arc = arcs + int(branchFirst, b); arc < last; arc++) {
          const target = int(arcTarget, arc);
          if (target < 0) continue;
          const share = num(arcMass, arc) * num(mass, target);
          setNum(arcMass, arc, share);
          sum += share;
        }
      }
      setNum(posterior, c, sum);
      // From here on `mass` holds posterior / mass, which is what arcs into the context multiply by.
      setNum(mass, c, sum == 0 ? 0 : sum / num(mass, c));
    }
  }
}

/** Adds `factor` times the expected row counts to `counts`, unless that is 0, and the expected decisions to `slotCounts`. */
export function addExpectations(
  state: usize,
  space: usize,
  graph: usize,
  counts: usize,
  slotCounts: usize,
  factor: f64,
): void {
  use(state);
  useSpace(space, 0);
  useProblem(graph, 0, 0, 0);
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const decisions = slotCounts + (<usize>(slot * symbolCount) << 3);
    const to = int(slotStart, slot + 1);
    for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
      const first = int(branchFirst, b);
      const end = int(branchEnd, b);
      for (let c = int(slotStart, slot); c < to; c++) {
        if (num(posterior, c) == 0) continue;
        const masses = arcMass + (<usize>int(arcStart, c) << 3);
        addScaled(decisions + (<usize>first << 3), masses + (<usize>first << 3), end - first, factor);
        if (counts) countRows(c, masses, first, end, counts, factor);
      }
    }
  }
}

/**
 * Writes the best path's decisions to `path`, last first, and returns how many there are; -1 if there is no path. Among
 * equals it takes the same as `bestPath` in src/core/lattice.ts: the first by context, then by symbol.
 */
export function bestPath(state: usize, graph: usize, path: usize): i32 {
  use(state);
  useProblem(graph, 0, 0, 0);
  const end = int(slotStart, slotCount) - 1;
  for (let c = 0; c <= end; c++) setNum(best, c, -Infinity);
  setNum(best, 0, 0);
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const to = int(slotStart, slot + 1);
    for (let c = int(slotStart, slot); c < to; c++) {
      if (num(best, c) == -Infinity) continue;
      for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
        const next = int(branchNext, b);
        const last = int(slotStart, next + 1) - 1;
        const first = int(branchFirst, b);
        if (last >= int(slotStart, next)) followArcs(c, int(arcStart, c) + first, int(branchEnd, b) - first, last);
      }
    }
  }
  if (end < int(slotStart, slotCount - 1) || num(best, end) == -Infinity) return -1;
  let count = 0;
  for (let c = end; c > 0; c = int(bestFrom, c)) setInt(path, count++, int(bestSymbol, c));
  return count;
}

/**
 * Extends the best path to a context by `width` arcs. Most of them lead to one target, the last context of their slot, and
 * of those only the best matters, which is found by vectors; others are looked at one by one.
 */
function followArcs(context: i32, from: i32, width: i32, common: i32): void {
  const base = num(best, context);
  const scores = arcScore + (<usize>from << 3);
  const targets = arcTarget + (<usize>from << 2);
  const wanted = i64x2.splat(<i64>common);
  const nothing = f64x2.splat(-Infinity);
  let top = nothing;
  let i = 0;
  for (; i + 1 < width; i += 2) {
    const isCommon = i64x2.eq(v128.load32x2_s(targets + (<usize>i << 2)), wanted);
    top = f64x2.pmax(top, v128.bitselect(v128.load(scores + (<usize>i << 3)), nothing, isCommon));
    if (i64x2.all_true(isCommon)) continue;
    follow(context, from, i, base, common);
    follow(context, from, i + 1, base, common);
  }
  let found = max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1));
  if (i < width) {
    if (int(targets, i) == common) found = max(found, num(scores, i));
    else follow(context, from, i, base, common);
  }
  if (base + found <= num(best, common)) return;
  let at = 0;
  while (num(scores, at) != found || int(targets, at) != common) at++;
  setBest(common, context, from + at, base + found);
}

/** Extends the best path by one arc, unless that has the target that is looked after elsewhere. */
function follow(context: i32, from: i32, i: i32, base: f64, common: i32): void {
  const target = int(arcTarget, from + i);
  if (target < 0 || target == common) return;
  const score = base + num(arcScore, from + i);
  if (score > num(best, target)) setBest(target, context, from + i, score);
}

// @ts-expect-error
@inline
function setBest(target: i32, context: i32, arc: i32, score: f64): void {
  setNum(best, target, score);
  setInt(bestFrom, target, context);
  setInt(bestSymbol, target, arc - int(arcStart, context));
}

/** Score of the latest best path. */
export function bestScore(): f64 {
  return num(best, int(slotStart, slotCount) - 1);
}
