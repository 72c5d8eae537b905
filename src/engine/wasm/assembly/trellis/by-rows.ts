// Group, select and merge where every context is kept and remembers only what rows can tell from a shorter suffix. What an
// expansion remembers then depends on its symbol, so groups are formed symbol by symbol: a shorter suffix may follow a longer
// one that ends in it, groups that are still open lie on a stack and are numbered as they close, which leaves them sorted.

import { Bundle, TellingBytes } from "../../layout";
import { BEGIN } from "../space";
import {
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  best,
  contextCommon,
  contextLength,
  int,
  list,
  listBest,
  listSuffix,
  logForward,
  mass,
  need,
  num,
  segmentEnd,
  segmentFirst,
  segmentList,
  setInt,
  setNum,
  slotStart,
  tellingClosed,
  tellingGroups,
  tellingMember,
  tellingOpen,
} from "../state";
import { setBest } from "./best";
import { addContext, contextCount } from "./contexts";
import { finish } from "./merge";
import { Entered, Pass } from "./pass";
import { tellingLength } from "./telling";

/** Marks arcs that lead to `⋆`, of which the number is not known yet. They have no mass. */
const TO_STAR = -2;

export function keepByRows(): void {
  const from = contextCount;
  let needsStar = false;
  for (let s = 0; s < Entered.segments; s++) {
    const first = int(segmentList, s);
    const count = int(segmentList, s + 1) - first;
    need(Bundle.telling, count + 1);
    for (let y = int(segmentFirst, s); y < int(segmentEnd, s); y++) {
      const closed = formGroups(y, first, count);
      if (!addContexts(y, closed)) needsStar = true;
      leadToContexts(y, first, count);
    }
  }
  if (Entered.groups == 0) {
    setInt(slotStart, Entered.slot + 1, contextCount);
    return;
  }
  need(Bundle.contexts, contextCount + 2);
  const star = addContext(Entered.slot, -1, BEGIN, 0, 0);
  setInt(slotStart, Entered.slot + 1, contextCount);
  if (needsStar) leadRestTo(star);
  finish(from, contextCount);
}

// @ts-expect-error
@inline
function groupAt(g: i32): usize {
  return tellingGroups + <usize>(g * TellingBytes.bytes);
}

/**
 * Groups of the expansions by one symbol of the contexts `first`, … of the list; returns how many. Their order is in
 * `tellingClosed`, the group of each context in `tellingMember`.
 */
function formGroups(symbol: i32, first: i32, count: i32): i32 {
  const longest = Pass.longest;
  let opened = 0;
  let closed = 0;
  let depth = 0;
  let withBefore = 0; // decisions in common with the expansion before
  let sinceClosed = 0; // and with the group closed last
  for (let i = 0; i <= count; i++) {
    while (depth > 0 && (i == count || load<i32>(groupAt(int(tellingOpen, depth - 1)), TellingBytes.length) > withBefore)) {
      const g = int(tellingOpen, --depth);
      if (closed > 0) {
        const last = groupAt(int(tellingClosed, closed - 1));
        store<i32>(last, min(load<i32>(groupAt(g), TellingBytes.length), sinceClosed), TellingBytes.common);
      }
      setInt(tellingClosed, closed++, g);
      sinceClosed = i32.MAX_VALUE;
    }
    if (i == count) break;
    sinceClosed = min(sinceClosed, withBefore);
    const c = int(list, first + i);
    const told = tellingLength(c, symbol, min(int(contextLength, c) + 1, longest), withBefore);
    let g = depth > 0 ? int(tellingOpen, depth - 1) : -1;
    if (g < 0 || load<i32>(groupAt(g), TellingBytes.length) < told) {
      g = opened++;
      store<i32>(groupAt(g), c, TellingBytes.parent);
      store<i32>(groupAt(g), told, TellingBytes.length);
      store<i32>(groupAt(g), 0, TellingBytes.isPossible);
      setInt(tellingOpen, depth++, g);
    }
    setInt(tellingMember, i, g);
    if (num(logForward, c) > -Infinity && num(arcScore, int(arcStart, c) + symbol) > -Infinity) {
      store<i32>(groupAt(g), 1, TellingBytes.isPossible);
    }
    withBefore = min(int(listSuffix, 2 * (first + i) + 1) + 1, longest);
  }
  return closed;
}

/** A context for each group that has any mass. False if some group has none. */
function addContexts(symbol: i32, closed: i32): bool {
  need(Bundle.contexts, contextCount + closed + 2);
  let common = i32.MAX_VALUE; // between the last context made and the group at hand
  let last = -1;
  let all = true;
  for (let rank = 0; rank < closed; rank++) {
    const group = groupAt(int(tellingClosed, rank));
    if (load<i32>(group, TellingBytes.isPossible)) {
      if (last >= 0) setInt(contextCommon, last, common);
      common = i32.MAX_VALUE;
      const length = load<i32>(group, TellingBytes.length);
      last = addContext(Entered.slot, load<i32>(group, TellingBytes.parent), symbol, length, 0);
      store<i32>(group, last, TellingBytes.target);
    } else {
      store<i32>(group, TO_STAR, TellingBytes.target);
      all = false;
    }
    if (rank + 1 < closed) common = min(common, load<i32>(group, TellingBytes.common));
  }
  return all;
}

/** forward(t) = sum over the expansions (c, y) that lead to t: mass(c, y), and the best of them. */
function leadToContexts(symbol: i32, first: i32, count: i32): void {
  for (let i = 0; i < count; i++) {
    const c = int(list, first + i);
    const arc = int(arcStart, c) + symbol;
    const target = load<i32>(groupAt(int(tellingMember, i)), TellingBytes.target);
    setInt(arcTarget, arc, target);
    if (target < 0) continue;
    setNum(mass, target, num(mass, target) + num(arcMass, arc));
    const along = num(listBest, first + i) * num(arcMass, arc);
    if (along > num(best, target)) setBest(target, along, c, symbol);
  }
}

function leadRestTo(star: i32): void {
  for (let s = 0; s < Entered.segments; s++) {
    for (let i = int(segmentList, s); i < int(segmentList, s + 1); i++) {
      const arcs = int(arcStart, int(list, i));
      for (let arc = arcs + int(segmentFirst, s); arc < arcs + int(segmentEnd, s); arc++) {
        if (int(arcTarget, arc) == TO_STAR) setInt(arcTarget, arc, star);
      }
    }
  }
}
