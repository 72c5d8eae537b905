// What is read off a trellis after the forward pass: posteriors, expected counts, the best path. See
// src/engine/reference/kernel.ts for the formulas.

import { branchEnd, branchFirst, branchStart, countRows, slotCount, symbolCount, useProblem, useSpace } from "./space";
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
  arcs: usize,
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
        const masses = arcs + (<usize>int(arcStart, c) << 3);
        addScaled(decisions + (<usize>first << 3), masses + (<usize>first << 3), end - first, factor);
        if (counts) countRows(c, masses, first, end, counts, factor);
      }
    }
  }
}

/**
 * Writes the decisions of the best path, which the forward pass has found, to `path`, last first, and returns how many there
 * are; -1 if there is no path.
 */
export function bestPath(state: usize, graph: usize, path: usize): i32 {
  use(state);
  useProblem(graph, 0, 0, 0);
  score = 0;
  const end = int(slotStart, slotCount) - 1;
  if (end < int(slotStart, slotCount - 1) || num(best, end) == 0) return -1;
  let count = 0;
  for (let c = end; c >= int(slotStart, 1); c = int(bestFrom, c)) {
    const from = int(bestFrom, c);
    let symbol = int(bestSymbol, c);
    if (symbol < 0) symbol = bestSymbolTo(c, from);
    score += num(arcScore, int(arcStart, from) + symbol);
    setInt(path, count++, symbol);
  }
  return count;
}

/** The first of the symbols with the best score that lead from one context to another. */
function bestSymbolTo(target: i32, from: i32): i32 {
  const arcs = int(arcStart, from);
  let found = -1;
  for (let y = 0; y < symbolCount; y++) {
    if (int(arcTarget, arcs + y) != target) continue;
    if (found < 0 || num(arcScore, arcs + y) > num(arcScore, arcs + found)) found = y;
  }
  return found;
}

let score: f64 = 0;

/** Score of the latest best path. */
export function bestScore(): f64 {
  return score;
}
