// Slots: the places where one decision each is made. They form an acyclic graph, numbered so that every branch leads to
// a higher number; slot 0 is the start and the last slot is the end, where nothing is left to decide. A branch of a slot
// is a range of symbols that lead to the same next slot; a symbol in no branch cannot be decided there.

export interface SlotGraph {
  /** Slots, with the end. */
  slotCount: number;
  /** Symbols that can be decided anywhere: 0 .. symbolCount - 1. */
  symbolCount: number;
  /** [slotCount + 1] where the branches of a slot begin. */
  branchStart: Int32Array;
  /** [branches] the slot a branch leaves. */
  branchSlot: Int32Array;
  /** [branches] first symbol of the range. */
  branchFirst: Int32Array;
  /** [branches] one past the last symbol of the range. */
  branchEnd: Int32Array;
  /** [branches] the slot the branch leads to. */
  branchNext: Int32Array;
  /** [slotCount + 1] where the branches into a slot begin in `incoming`. */
  incomingStart: Int32Array;
  /** [branches] branches, ordered by the slot they lead to. */
  incoming: Int32Array;
}

/** One branch of a slot: symbols `first` .. `end - 1` lead to slot `next`. */
export interface Branch {
  first: number;
  end: number;
  next: number;
}

/** Builds a slot graph from the branches of each slot but the end. */
export function slotGraph(symbolCount: number, branches: readonly (readonly Branch[])[]): SlotGraph {
  const slotCount = branches.length + 1;
  const count = branches.reduce((sum, list) => sum + list.length, 0);
  const branchStart = new Int32Array(slotCount + 1);
  const branchSlot = new Int32Array(count);
  const branchFirst = new Int32Array(count);
  const branchEnd = new Int32Array(count);
  const branchNext = new Int32Array(count);
  let b = 0;
  branches.forEach((list, slot) => {
    for (const { first, end, next } of list) {
      if (!(next > slot && next < slotCount))
        throw new RangeError(`slot ${slot} leads to ${next}, not to a later slot`);
      if (!(first >= 0 && first < end && end <= symbolCount)) throw new RangeError(`slot ${slot}: empty symbol range`);
      branchSlot[b] = slot;
      branchFirst[b] = first;
      branchEnd[b] = end;
      branchNext[b] = next;
      b++;
    }
    branchStart[slot + 1] = b;
  });
  branchStart[slotCount] = b;
  return withIncoming({ slotCount, symbolCount, branchStart, branchSlot, branchFirst, branchEnd, branchNext });
}

/**
 * A chain of `length` decisions among `symbolCount - 1` symbols, then the last symbol, which stands for the end: its
 * rows say how well a context may be the last one.
 */
export function chainGraph(length: number, symbolCount: number): SlotGraph {
  const slotCount = length + 2;
  const branchStart = new Int32Array(slotCount + 1);
  const branchSlot = new Int32Array(length + 1);
  const branchFirst = new Int32Array(length + 1);
  const branchEnd = new Int32Array(length + 1).fill(symbolCount - 1);
  const branchNext = new Int32Array(length + 1);
  for (let slot = 0; slot <= length; slot++) {
    branchStart[slot] = slot;
    branchSlot[slot] = slot;
    branchNext[slot] = slot + 1;
  }
  branchStart[length + 1] = length + 1;
  branchStart[length + 2] = length + 1;
  branchFirst[length] = symbolCount - 1;
  branchEnd[length] = symbolCount;
  return withIncoming({ slotCount, symbolCount, branchStart, branchSlot, branchFirst, branchEnd, branchNext });
}

/** A chain of `length` decisions, at least one, among the first `end` of the symbols: nothing says how well it may end. */
export function openChainGraph(length: number, symbolCount: number, end = symbolCount): SlotGraph {
  return slotGraph(
    symbolCount,
    Array.from({ length }, (_, slot) => [{ first: 0, end, next: slot + 1 }]),
  );
}

/** Adds the index of branches by the slot they lead to: a counting sort, so branches into a slot keep their order. */
function withIncoming(graph: Omit<SlotGraph, "incoming" | "incomingStart">): SlotGraph {
  const { slotCount, branchNext } = graph;
  const incomingStart = new Int32Array(slotCount + 1);
  for (const next of branchNext) incomingStart[next + 1]++;
  for (let slot = 0; slot < slotCount; slot++) incomingStart[slot + 1] += incomingStart[slot];
  const place = incomingStart.slice(0, slotCount);
  const incoming = new Int32Array(branchNext.length);
  for (let b = 0; b < branchNext.length; b++) incoming[place[branchNext[b]]++] = b;
  return { ...graph, incomingStart, incoming };
}

/** The slot that deciding `symbol` at `slot` leads to, or -1. */
export function nextSlot(graph: SlotGraph, slot: number, symbol: number): number {
  for (let b = graph.branchStart[slot]; b < graph.branchStart[slot + 1]; b++) {
    if (symbol >= graph.branchFirst[b] && symbol < graph.branchEnd[b]) return graph.branchNext[b];
  }
  return -1;
}

/** Whether each slot leads to the next, whatever is decided. */
export function isChain({ slotCount, branchStart, branchNext }: SlotGraph): boolean {
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const branch = branchStart[slot];
    if (branchStart[slot + 1] !== branch + 1 || branchNext[branch] !== slot + 1) return false;
  }
  return slotCount > 1;
}
