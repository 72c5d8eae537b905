// The contexts of a trellis, and their arcs.

import { Bundle, Mode } from "../../layout";
import { BEGIN, branchEnd, branchFirst, branchStart, findRows, scoreArcs, scoreWeighed, slotCount, symbolCount, weighed } from "../space";
import {
  arcMass,
  arcStart,
  arcTarget,
  best,
  bestScale,
  contextCommon,
  contextLength,
  contextParent,
  contextSlot,
  contextSymbol,
  int,
  logForward,
  mass,
  need,
  num,
  rowStart,
  setInt,
  setNum,
  slotStart,
} from "../state";
import { fillInts } from "../vector";
import { Pass } from "./pass";

export let contextCount: i32 = 0;

/** Adds a context without mass, for which there must be room. */
export function addContext(slot: i32, parent: i32, symbol: i32, length: i32, common: i32): i32 {
  const c = contextCount++;
  setInt(contextSlot, c, slot);
  setInt(contextParent, c, parent);
  setInt(contextSymbol, c, symbol);
  setInt(contextLength, c, length);
  setInt(contextCommon, c, common);
  setNum(mass, c, 0);
  setNum(best, c, 0);
  return c;
}

/** The contexts of the first slot: `^`, and `⋆` without mass so that its expansions stand in every list. */
export function beginTrellis(): void {
  need(Bundle.slots, slotCount + 1);
  contextCount = 0;
  need(Bundle.contexts, 3);
  setInt(arcStart, 0, 0);
  setInt(rowStart, 0, 0);
  setInt(slotStart, 0, 0);
  setNum(bestScale, 0, 0);
  const remembers = Pass.order > 0 && (Pass.limit > 0 || Pass.mode == Mode.exact);
  if (remembers) beginWith(1, 0);
  if (!remembers || Pass.mode != Mode.beam) beginWith(0, remembers ? -Infinity : 0);
  setInt(slotStart, 1, contextCount);
}

function beginWith(length: i32, log: f64): void {
  const c = addContext(0, -1, BEGIN, length, 0);
  setNum(mass, c, 1);
  setNum(logForward, c, log);
  setNum(best, c, log == 0 ? 1 : 0);
}

/** Finds the rows of a slot's contexts and the scores of their expansions. */
export function scoreExpansions(slot: i32): void {
  const from = int(slotStart, slot);
  const to = int(slotStart, slot + 1);
  if (slot == slotCount - 1) {
    for (let c = from; c < to; c++) {
      setInt(arcStart, c + 1, int(arcStart, c));
      setInt(rowStart, c + 1, int(rowStart, c));
    }
    return;
  }
  let first = symbolCount;
  let end = 0;
  for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
    first = min(first, int(branchFirst, b));
    end = max(end, int(branchEnd, b));
  }
  const arcs = int(arcStart, from);
  const count = (to - from) * symbolCount;
  need(Bundle.arcs, arcs + count);
  // Symbols that lead nowhere have no target and no mass; those of the others are set when they are expanded.
  const isWhole = int(branchStart, slot + 1) - int(branchStart, slot) == 1 && first == 0 && end == symbolCount;
  if (!isWhole) clearArcs(arcs, to - from, slot);
  // Whether the forced path has come to a slot is told by its arc having a target.
  if (Pass.forced) fillInts(arcTarget + (<usize>arcs << 2), -1, count);
  for (let c = from; c < to; c++) {
    const arc = int(arcStart, c);
    setInt(arcStart, c + 1, arc + symbolCount);
    if (num(logForward, c) == -Infinity) {
      setInt(rowStart, c + 1, int(rowStart, c));
      memory.fill(arcMass + (<usize>arc << 3), 0, <usize>symbolCount << 3);
      continue;
    }
    if (weighed) {
      setInt(rowStart, c + 1, int(rowStart, c));
      scoreWeighed(slot, c, arc, first, end);
      continue;
    }
    findRows(slot, c, Pass.allRows);
    scoreArcs(slot, c, arc, first, end);
  }
}

/** Clears the arcs of `contexts` contexts by symbols that no branch of the slot covers. */
function clearArcs(arcs: i32, contexts: i32, slot: i32): void {
  for (let symbol = 0; symbol < symbolCount; ) {
    // The next symbol that a branch covers, and where it ends; branches may come in any order.
    let first = symbolCount;
    let end = symbolCount;
    for (let b = int(branchStart, slot); b < int(branchStart, slot + 1); b++) {
      if (int(branchEnd, b) <= symbol || int(branchFirst, b) >= first) continue;
      first = max(symbol, int(branchFirst, b));
      end = int(branchEnd, b);
    }
    for (let c = 0; c < contexts && symbol < first; c++) {
      const arc = <usize>(arcs + c * symbolCount + symbol);
      fillInts(arcTarget + (arc << 2), -1, first - symbol);
      memory.fill(arcMass + (arc << 3), 0, <usize>(first - symbol) << 3);
    }
    symbol = first < symbolCount ? end : symbolCount;
  }
}
