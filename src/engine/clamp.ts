// Clamps: restrictions of the paths. A clamp is a small machine that reads decisions. It begins in state 0 at slot 0; in
// each state some symbols are allowed, each leading to a state; a path that reaches the end slot in the state `end` is
// allowed. Under a clamp the context sets stay as the free pass chose them, and the lattice of a trellis becomes that of the
// pairs (clamp state, context): `clampTrellis` makes it, for whatever a lattice can be asked. `ClampedPass` finds the
// probability of the clamp and the posteriors of arcs given it without making it.

import type { Lattice } from "./lattice.js";
import { nextSlot, type SlotGraph } from "./slots.js";
import type { Trellis } from "./trellis.js";

/** In state n, for arcStart[n] <= i < arcStart[n + 1], the symbol arcSymbol[i] is allowed and leads to state arcNext[i]. */
export interface Clamp {
  stateCount: number;
  /** [stateCount + 1] first arc of each state. */
  arcStart: Int32Array;
  /** [arcs] */
  arcSymbol: Int32Array;
  /** [arcs] */
  arcNext: Int32Array;
  /** The one state in which a path may end. */
  end: number;
  /** States to consider at each slot, where all of them would be too many. Default: all. */
  band?: Band;
}

/** States low[slot] .. low[slot] + width - 1 are considered at a slot. */
export interface Band {
  /** [slotCount] */
  low: Int32Array;
  width: number;
}

/** Whether a state is considered at a slot. */
export function isWithin({ low, width }: Band, slot: number, state: number): boolean {
  return state >= low[slot] && state < low[slot] + width;
}

/** Allows at each slot the given symbols, and all where none are given. */
export function allowedClamp(graph: SlotGraph, allowed: readonly (readonly number[] | undefined)[]): Clamp {
  // State n is that at slot n.
  const { slotCount, symbolCount } = graph;
  const all = Array.from({ length: symbolCount }, (_, symbol) => symbol);
  const arcStart = new Int32Array(slotCount + 1);
  const arcSymbol: number[] = [];
  const arcNext: number[] = [];
  for (let slot = 0; slot < slotCount; slot++) {
    for (const symbol of allowed[slot] ?? all) {
      const next = nextSlot(graph, slot, symbol);
      if (next < 0) continue;
      arcSymbol.push(symbol);
      arcNext.push(next);
    }
    arcStart[slot + 1] = arcSymbol.length;
  }
  return {
    stateCount: slotCount,
    arcStart,
    arcSymbol: Int32Array.from(arcSymbol),
    arcNext: Int32Array.from(arcNext),
    end: slotCount - 1,
    band: { low: Int32Array.from({ length: slotCount }, (_, slot) => slot), width: 1 },
  };
}

/** Allows the paths that write exactly this output, however they move in between: `free` may be decided at any time. */
export function outputClamp(output: ArrayLike<number>, free: number): Clamp {
  // State n: n symbols are written.
  const length = output.length;
  const arcStart = Int32Array.from({ length: length + 2 }, (_, n) => Math.min(2 * n, 2 * length + 1));
  const arcSymbol = new Int32Array(2 * length + 1).fill(free);
  const arcNext = new Int32Array(2 * length + 1);
  for (let n = 0; n <= length; n++) {
    arcNext[2 * n] = n;
    if (n === length) break;
    arcSymbol[2 * n + 1] = output[n];
    arcNext[2 * n + 1] = n + 1;
  }
  return { stateCount: length + 1, arcStart, arcSymbol, arcNext, end: length };
}

export interface ClampedLattice extends Lattice {
  /** [nodeCount] the context of each node. */
  nodeContext: Int32Array;
  /** [nodeCount] and its state of the clamp. */
  nodeState: Int32Array;
  arcSymbol: Int32Array;
}

/**
 * The part of a trellis that a clamp allows: nodes are (context, state) pairs that a path from the start reaches. Has no
 * nodes if no path is allowed.
 */
export function clampTrellis(trellis: Trellis, clamp: Clamp): ClampedLattice {
  const { graph, slotStart, contextSlot } = trellis;
  // nodes[slot]: for each clamp state met there, the node of every context: -1 not reached, else its number once known.
  const nodes: Map<number, Int32Array>[] = Array.from({ length: graph.slotCount }, () => new Map());
  const nodeContext: number[] = [];
  const nodeState: number[] = [];
  const arcStart: number[] = [0];
  const arcContext: number[] = [];
  const arcState: number[] = [];
  const arcScore: number[] = [];
  const arcSymbol: number[] = [];
  const reach = (slot: number, state: number, context: number): void => {
    let contexts = nodes[slot].get(state);
    if (!contexts) {
      contexts = new Int32Array(slotStart[slot + 1] - slotStart[slot]).fill(-1);
      nodes[slot].set(state, contexts);
    }
    contexts[context - slotStart[slot]] = 0;
  };
  reach(0, 0, slotStart[0]);
  const endSlot = graph.slotCount - 1;
  for (let slot = 0; slot < endSlot; slot++) {
    for (const [state, contexts] of nodes[slot]) {
      for (let i = 0; i < contexts.length; i++) {
        if (contexts[i] < 0) continue;
        const context = slotStart[slot] + i;
        contexts[i] = nodeContext.length;
        nodeContext.push(context);
        nodeState.push(state);
        for (let a = clamp.arcStart[state]; a < clamp.arcStart[state + 1]; a++) {
          const arc = trellis.arcStart[context] + clamp.arcSymbol[a];
          const target = trellis.arcTarget[arc];
          const next = clamp.arcNext[a];
          if (target < 0 || (clamp.band && !isWithin(clamp.band, contextSlot[target], next))) continue;
          reach(contextSlot[target], next, target);
          arcContext.push(target);
          arcState.push(next);
          arcScore.push(trellis.arcScore[arc]);
          arcSymbol.push(clamp.arcSymbol[a]);
        }
        arcStart.push(arcContext.length);
      }
    }
  }
  if (!nodes[endSlot].has(clamp.end)) return emptyLattice();
  const end = nodeContext.length;
  nodeContext.push(trellis.contextCount - 1);
  nodeState.push(clamp.end);
  arcStart.push(arcContext.length);
  const arcTarget = Int32Array.from(arcContext, (context, a) => {
    const slot = contextSlot[context];
    if (slot === endSlot) return arcState[a] === clamp.end ? end : -1;
    return (nodes[slot].get(arcState[a]) as Int32Array)[context - slotStart[slot]];
  });
  return {
    nodeCount: end + 1,
    arcStart: Int32Array.from(arcStart),
    arcTarget,
    arcScore: Float64Array.from(arcScore),
    arcSymbol: Int32Array.from(arcSymbol),
    nodeContext: Int32Array.from(nodeContext),
    nodeState: Int32Array.from(nodeState),
  };
}

function emptyLattice(): ClampedLattice {
  return {
    nodeCount: 0,
    arcStart: new Int32Array(1),
    arcTarget: new Int32Array(0),
    arcScore: new Float64Array(0),
    arcSymbol: new Int32Array(0),
    nodeContext: new Int32Array(0),
    nodeState: new Int32Array(0),
  };
}
