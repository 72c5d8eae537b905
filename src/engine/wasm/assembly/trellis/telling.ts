// How much of a suffix rows can tell from a shorter one: the depth to which some family has nodes. What is beyond has the same
// future with and without, so it need not be remembered.

import { Bundle, FamilyField } from "../../layout";
import { childOf, familyAt, familyCount, rowSymbol } from "../space";
import { contextParent, contextSlot, contextSymbol, int, need, setInt, walks } from "../state";
import { Pass } from "./pass";

// A walk down a family's tree, as far as the suffix at hand goes, is a record of words: decisions walked; whether the next
// one had no node; the nodes met, the root first.
const ALIVE = 0;
const DEAD = 1;
const NODES = 2;

// @ts-expect-error
@inline
function walkAt(f: i32): usize {
  return walks + (<usize>(f * (NODES + Pass.longest + 1)) << 2);
}

/** Walks begin anew. */
export function startWalks(): void {
  need(Bundle.walks, familyCount * (NODES + Pass.longest + 1));
  for (let f = 0; f < familyCount; f++) {
    setInt(walkAt(f), ALIVE, 0);
    setInt(walkAt(f), DEAD, 0);
    setInt(walkAt(f), NODES, 0);
  }
}

/**
 * How many of the latest `length` decisions of an expansion rows can tell apart. Walks go on from those of the expansion
 * before, with which it has `common` decisions in common.
 */
export function tellingLength(context: i32, symbol: i32, length: i32, common: i32): i32 {
  let telling = length > 0 ? 1 : 0; // a context of one decision is never ⋆, which has a row of its own
  for (let f = 0; f < familyCount; f++) {
    const family = familyAt(f);
    if (int(family, FamilyField.pairs) || int(family, FamilyField.keyed) || int(family, FamilyField.skip) >= 0) {
      // What a family that looks at the input too will ask at later slots is not known here.
      telling = max(telling, min(length, int(family, FamilyField.depth)));
    } else telling = max(telling, walkDown(family, walkAt(f), context, symbol, length, common));
  }
  return min(telling, length);
}

/** Takes one family's walk on; returns how far it goes. */
function walkDown(family: usize, walk: usize, context: i32, symbol: i32, length: i32, common: i32): i32 {
  let alive = int(walk, ALIVE);
  let dead = int(walk, DEAD);
  if (common < alive) {
    alive = common;
    dead = 0;
  } else if (common == alive) dead = 0;
  if (!dead) {
    let c = context;
    for (let n = 1; n < alive; n++) c = int(contextParent, c);
    while (alive < length) {
      let event = 0;
      if (alive > 0) {
        const parent = int(contextParent, c);
        event = rowSymbol(int(contextSlot, parent), int(contextSymbol, c));
        c = parent;
      } else event = rowSymbol(int(contextSlot, c), symbol);
      const child = childOf(family, int(walk, NODES + alive), event);
      if (child < 0) {
        dead = 1;
        break;
      }
      setInt(walk, NODES + ++alive, child);
    }
  }
  setInt(walk, ALIVE, alive);
  setInt(walk, DEAD, dead);
  return alive;
}
