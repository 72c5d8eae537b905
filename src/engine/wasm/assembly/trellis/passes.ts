// What is read off a trellis after the forward pass: posteriors, expected counts, the best path.

import { CallField, CallNumber } from "../../layout";
import { branchEnd, branchFirst, branchStart, countRows, slotCount, symbolCount, useGraph, useSpace } from "../space";
import {
  answer,
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  askedArray,
  askedNumber,
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
} from "../state";
import { addScaled } from "../vector";

/**
 * From the end to the start,
 *   posterior(arc) = mass(arc) * ratio(target),   posterior(c) = sum over y: posterior(c, y),   ratio(c) = posterior(c) / mass(c).
 * Posteriors of arcs take the place of their masses, ratios that of the contexts' masses.
 */
export function backward(state: usize): void {
  use(state);
  useGraph();
  const arcPosterior = arcMass;
  const ratio = mass;
  const end = int(slotStart, slotCount) - 1;
  for (let c = int(slotStart, slotCount - 1); c <= end; c++) {
    setNum(posterior, c, c == end ? 1 : 0);
    setNum(ratio, c, num(posterior, c) / num(mass, c));
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
          const through = num(arcMass, arc) * num(ratio, target);
          setNum(arcPosterior, arc, through);
          sum += through;
        }
      }
      setNum(posterior, c, sum);
      setNum(ratio, c, sum == 0 ? 0 : sum / num(mass, c));
    }
  }
}

/** counts(r)[y] += factor * sum over contexts c with row r: arcs(c, y), unless `counts` is 0, and the same for slots. */
export function addExpectations(state: usize): void {
  use(state);
  useGraph();
  useSpace();
  const counts = askedArray(CallField.counts);
  const slotCounts = askedArray(CallField.slotCounts);
  const arcs = askedArray(CallField.arcs);
  const factor = askedNumber(CallNumber.factor);
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const decisions = slotCounts + (<usize>(slot * symbolCount) << 3);
    const to = int(slotStart, slot + 1);
    for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
      const first = int(branchFirst, b);
      const end = int(branchEnd, b);
      for (let c = int(slotStart, slot); c < to; c++) {
        if (num(posterior, c) == 0) continue;
        const values = arcs + (<usize>int(arcStart, c) << 3);
        addScaled(decisions + (<usize>first << 3), values + (<usize>first << 3), end - first, factor);
        if (counts) countRows(slot, c, values, first, end, counts, factor);
      }
    }
  }
}

/**
 * Writes the decisions of the best path, which the forward pass has found, to where they are asked for, last first, and
 * returns how many there are; -1 if there is no path.
 */
export function bestPath(state: usize): i32 {
  use(state);
  useGraph();
  const path = askedArray(CallField.path);
  const end = int(slotStart, slotCount) - 1;
  if (end < int(slotStart, slotCount - 1) || num(best, end) == 0) return -1;
  let score: f64 = 0;
  let count = 0;
  for (let c = end; c >= int(slotStart, 1); c = int(bestFrom, c)) {
    const from = int(bestFrom, c);
    let symbol = int(bestSymbol, c);
    if (symbol < 0) symbol = bestSymbolTo(c, from);
    score += num(arcScore, int(arcStart, from) + symbol);
    setInt(path, count++, symbol);
  }
  answer(CallNumber.bestScore, score);
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
