// Clamps: restrictions of the paths. A clamp is a small machine that reads decisions: in each of its states at a slot it
// allows some symbols, each leading to a state at the next slot. It begins in state 0 at slot 0; a path that reaches the
// end slot in a state `ends` accepts is allowed. Under a clamp the context sets stay as the free pass chose them, and the
// lattice of a trellis becomes that of the pairs (clamp state, context).

import type { Lattice } from "./lattice.js";
import type { Trellis } from "./trellis.js";

export interface Clamp {
  /** Calls `allow(symbol, nextState)` for everything that may be decided at a slot in a state. */
  arcs(slot: number, state: number, allow: (symbol: number, nextState: number) => void): void;
  /** Whether a path may end in this state. */
  ends(state: number): boolean;
}

/** Allows at each slot the given symbols; undefined allows all. For graphs whose slots every path passes, such as chains. */
export function allowedClamp(symbolCount: number, allowed: readonly (readonly number[] | undefined)[]): Clamp {
  return {
    arcs(slot, _state, allow) {
      const symbols = allowed[slot];
      if (symbols) for (const symbol of symbols) allow(symbol, 0);
      else for (let symbol = 0; symbol < symbolCount; symbol++) allow(symbol, 0);
    },
    ends: () => true,
  };
}

export interface ClampedLattice extends Lattice {
  /** [nodeCount] the context of each node. */
  nodeContext: Int32Array;
  arcSymbol: Int32Array;
}

/**
 * The part of a trellis that a clamp allows: nodes are (context, state) pairs that a path from the start reaches. Has no
 * nodes if no path is allowed.
 */
export function clampTrellis(trellis: Trellis, clamp: Clamp): ClampedLattice {
  const { graph, slotStart } = trellis;
  // nodes[slot]: for each clamp state met there, the node of every context: -1 not reached, else its number once known.
  const nodes: Map<number, Int32Array>[] = Array.from({ length: graph.slotCount }, () => new Map());
  const nodeContext: number[] = [];
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
      const symbols: number[] = [];
      const nexts: number[] = [];
      clamp.arcs(slot, state, (symbol, next) => {
        symbols.push(symbol);
        nexts.push(next);
      });
      for (let i = 0; i < contexts.length; i++) {
        if (contexts[i] < 0) continue;
        const context = slotStart[slot] + i;
        contexts[i] = nodeContext.length;
        nodeContext.push(context);
        for (let s = 0; s < symbols.length; s++) {
          const arc = trellis.arcStart[context] + symbols[s];
          const target = trellis.arcTarget[arc];
          if (target < 0) continue;
          reach(trellis.contextSlot[target], nexts[s], target);
          arcContext.push(target);
          arcState.push(nexts[s]);
          arcScore.push(trellis.arcScore[arc]);
          arcSymbol.push(symbols[s]);
        }
        arcStart.push(arcContext.length);
      }
    }
  }
  if (![...nodes[endSlot].keys()].some((state) => clamp.ends(state))) return emptyLattice();
  // However many states accept, there is one end node.
  const end = nodeContext.length;
  nodeContext.push(trellis.contextCount - 1);
  arcStart.push(arcContext.length);
  const arcTarget = Int32Array.from(arcContext, (context, a) => {
    const slot = trellis.contextSlot[context];
    if (slot === endSlot) return clamp.ends(arcState[a]) ? end : -1;
    return (nodes[slot].get(arcState[a]) as Int32Array)[context - slotStart[slot]];
  });
  return {
    nodeCount: end + 1,
    arcStart: Int32Array.from(arcStart),
    arcTarget,
    arcScore: Float64Array.from(arcScore),
    arcSymbol: Int32Array.from(arcSymbol),
    nodeContext: Int32Array.from(nodeContext),
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
  };
}
