// Rows of an n-gram model with back-off, as linear numbers: sparse rows that have an offset and no negative weight.

import { isPlain, type RowSpace } from "../problem.js";
import { nodeDepths, rowCount } from "../rows.js";

/** What the back-off kernel needs of rows and weights, computed once for many passes. */
export interface BackoffRows {
  space: RowSpace;
  weights: Float64Array;
  /** [entries] exp(weight) - 1 */
  gain: Float64Array;
  /** [rows] exp(offset) */
  factor: Float64Array;
  /** [rows] length of the suffix a row belongs to. */
  depth: Int32Array;
  /** Whether rows are of this kind: one plain family, no negative weight and none immense. If not, the reference kernel does the work. */
  fits: boolean;
}

/** Above this a few weights could overflow as linear numbers. */
const IMMENSE = 100;

export function backoffRows(space: RowSpace, weights: Float64Array): BackoffRows {
  const rows = rowCount(space.table);
  const depth = new Int32Array(rows);
  const plain = isPlain(space);
  if (plain) {
    const { tree } = space.families[0];
    const ofNode = nodeDepths(tree);
    for (let node = 0; node < ofNode.length; node++) if (tree.row[node] >= 0) depth[tree.row[node]] = ofNode[node];
  }
  return {
    space,
    weights,
    gain: weights.map(Math.expm1),
    factor: Float64Array.from({ length: rows }, (_, row) => Math.exp(space.offsets?.[row] ?? 0)),
    depth,
    fits:
      plain &&
      weights.every((weight) => weight >= 0 && weight < IMMENSE) &&
      (space.offsets ?? []).every((offset) => Math.abs(offset) < IMMENSE),
  };
}
