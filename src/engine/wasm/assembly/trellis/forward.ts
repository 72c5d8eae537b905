// The forward pass: expand, group, select, merge, slot by slot, as in ../../../reference, which is its specification. What is
// done differently: the expansions into a slot form segments, ranges of symbols that come from the same earlier slots,
// and within a segment the contexts are the same for every symbol. So which expansions are one context after
// recombination is found once a segment, not once a symbol, and everything else is a loop over a vector of symbols.
// Symbols of which no expansion is kept, which are most, lead to ⋆ and need no further look.

import { CallNumber } from "../../layout";
import { useGroups } from "../groups";
import { slotCount, useGraph, useScores, useSpace } from "../space";
import { answer, arcStart, arcTarget, int, logForward, num, slotStart, use } from "../state";
import { keepByRows } from "./by-rows";
import { beginTrellis, scoreExpansions } from "./contexts";
import { expand } from "./expand";
import { averageLength, clearLengths, merge } from "./merge";
import { Pass, usePass } from "./pass";
import { select } from "./select";
import { startWalks } from "./telling";

export function forward(state: usize): void {
  use(state);
  useGraph();
  useSpace();
  useScores();
  usePass();
  useGroups(Pass.longest);
  if (Pass.byRows) startWalks();
  clearLengths();
  beginTrellis();
  scoreExpansions(0);
  let forcedContext = 0;
  let forcedSlot = 0;
  for (let slot = 1; slot < slotCount; slot++) {
    let forcedArc = -1;
    if (Pass.forced) {
      const symbol = int(Pass.forced, forcedSlot);
      if (symbol >= 0) forcedArc = int(arcStart, forcedContext) + symbol;
    }
    if (Pass.limits) Pass.limit = int(Pass.limits, slot);
    expand(slot);
    if (Pass.byRows && slot < slotCount - 1) keepByRows();
    else {
      select(forcedArc);
      merge();
    }
    if (forcedArc >= 0) {
      const target = int(arcTarget, forcedArc);
      if (target >= int(slotStart, slot)) {
        forcedContext = target;
        forcedSlot = slot;
      }
    }
    scoreExpansions(slot);
  }
  const last = int(slotStart, slotCount) - 1;
  answer(CallNumber.logPartition, last >= int(slotStart, slotCount - 1) ? num(logForward, last) : -Infinity);
  answer(CallNumber.averageContextLength, averageLength());
}
