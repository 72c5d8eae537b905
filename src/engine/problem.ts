// A problem: everything the engine needs to know of one input. The score of deciding y at slot s in context c is
//   slotScores(s)[y] + sum over the rows r of c: offset(r) + weights(r)[y].

import type { RowTable, RowTree } from "./rows.js";
import type { SlotGraph } from "./slots.js";

/** A set of rows that are found in one way from a context's suffix. */
export interface RowFamily {
  tree: RowTree;
  /** The longest memory of its rows, in decisions. */
  depth: number;
  /** A symbol that leaves no event, such as *shift* for rows of written symbols alone; -1 if there is none. */
  skip: number;
  /** Events are (input, symbol) pairs: slotInput(slot) * symbolCount + symbol, with the slot where the symbol was decided. */
  pairs: boolean;
  /** The walk begins at the nodes that `Problem.starts` gives for the slot, not at the root. */
  keyed: boolean;
}

/** The rows of a model: one table, and the families that find its rows. */
export interface RowSpace {
  table: RowTable;
  families: readonly RowFamily[];
  /**
   * [rows] added to the score of every symbol in a context that has the row: what a back-off model takes from the symbols
   * it has not seen after a suffix, without an entry for each of them.
   */
  offsets?: Float64Array;
}

/** Whether a space has one family of rows, and that reads decisions as they are. */
export function isPlain({ families, table }: RowSpace): boolean {
  if (families.length !== 1) return false;
  const [{ keyed, pairs, skip }] = families;
  return !keyed && !pairs && !(skip >= 0 && skip < table.symbolCount);
}

/** Nodes at which a keyed family's walks begin. */
export interface StartNodes {
  /** [slotCount + 1] where the nodes of a slot begin. */
  offsets: Int32Array;
  nodes: Int32Array;
}

export interface Problem {
  graph: SlotGraph;
  /** [slotCount][graph.symbolCount] */
  slotScores: Float64Array;
  /**
   * [slotCount][graph.symbolCount] the symbol of the rows that each symbol of the graph stands for at a slot, ascending: for
   * slots where only a few of many symbols are possible. All paths must reach a slot through the same slots. By default the
   * symbols are the same.
   */
  slotSymbols?: Int32Array;
  /** [slotCount] the input symbol of a slot, for families of pairs. */
  slotInput?: Int32Array;
  /** One entry per family; undefined for families that are not keyed. */
  starts?: readonly (StartNodes | undefined)[];
  /**
   * [slotCount] how many contexts each slot keeps besides `⋆`, at least one, if that differs between slots; `Inference.contexts`
   * is then their maximum.
   */
  limits?: Int32Array;
}
