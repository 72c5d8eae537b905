// Rows with weights that stay as they are, and the factors that the compiled code makes of them as contexts come up.

import type { FrozenRows } from "../backend.js";
import { isPlain, type RowSpace } from "../problem.js";
import { isClosed, nodeDepths } from "../rows.js";
import { FrozenField, MEMO_BITS, MemoBytes, WORD } from "./layout.js";
import type { KernelArrays } from "./memory.js";
import type { Records } from "./records.js";
import { WeighedTree } from "./weighed-tree.js";

/** Bytes for factors that are kept beside those of the slot at hand. */
const FACTOR_BYTES = 2 ** 23;

interface WeighedFamilies {
  trees: readonly WeighedTree[];
  record: Int32Array;
}

export class WasmFrozenRows implements FrozenRows {
  /** Whether the code can do without a trellis: one plain family, no offsets, no weight out of bounds. */
  fitsChain: boolean;
  /** The most decisions that a walk down the tree takes. */
  readonly depth: number;
  private readonly weightsThere: Float64Array;
  private readonly nodeVector: Int32Array;
  private vectors: Float64Array | undefined;
  private readonly memo: Int32Array | undefined;
  private readonly record: Int32Array;
  /** The families with trees that carry their weights, once they are asked for; null if there are none. */
  private weighed: WeighedFamilies | null | undefined;

  constructor(
    private readonly arrays: KernelArrays,
    private readonly records: Records,
    readonly space: RowSpace,
    readonly weights: Float64Array,
  ) {
    this.fitsChain = isPlain(space) && space.offsets === undefined;
    const [family] = space.families;
    this.depth = this.fitsChain ? nodeDepths(family.tree).reduce((most, depth) => Math.max(most, depth), 0) : 0;
    this.weightsThere = arrays.placed(weights);
    this.nodeVector = arrays.int32(this.fitsChain ? family.tree.row.length : 0);
    this.record = arrays.int32(FrozenField.count);
    this.record[FrozenField.weights] = this.weightsThere.byteOffset;
    this.record[FrozenField.nodeCount] = this.nodeVector.length;
    this.record[FrozenField.nodeVector] = this.nodeVector.byteOffset;
    if (this.fitsChain && this.nodeVector.length * space.table.symbolCount < 2 ** 31 && isClosed(family.tree)) {
      this.memo = arrays.int32((MemoBytes.bytes / WORD) << MEMO_BITS);
      this.record[FrozenField.memo] = this.memo.byteOffset;
    }
  }

  /** The address of its record, with room for the factors of so many contexts at least. */
  addressFor(contexts: number, allRows: boolean): number {
    const { record, arrays } = this;
    // No more than one for each node, and one for contexts without rows.
    const most = this.nodeVector.length + 1;
    const least = Math.min(most, (contexts + 2) * (this.depth + 2));
    if (record[FrozenField.room] < least || (record[FrozenField.allRows] !== 0) !== allRows) {
      const size = (this.space.table.symbolCount + 2) & ~1;
      const room = Math.min(most, least + Math.floor(FACTOR_BYTES / 8 / size));
      if (this.vectors) arrays.release(this.vectors);
      this.vectors = arrays.float64(room * size);
      record[FrozenField.vectors] = this.vectors.byteOffset;
      record[FrozenField.room] = room;
      record[FrozenField.used] = 0;
      record[FrozenField.allRows] = allRows ? 1 : 0;
    }
    return record.byteOffset;
  }

  /** The families with trees that carry their weights; undefined where they cannot. */
  weighedFamilies(): WeighedFamilies | undefined {
    if (this.weighed === undefined) {
      const { space, weights, arrays } = this;
      const trees = space.offsets
        ? []
        : space.families.map(({ tree }) => WeighedTree.of(arrays, tree, space.table, weights));
      const all = trees.filter((tree) => tree !== undefined);
      this.weighed =
        all.length < space.families.length
          ? null
          : { trees: all, record: this.records.weighedFamilies(space.families, all) };
    }
    return this.weighed ?? undefined;
  }

  dispose(): void {
    for (const tree of this.weighed?.trees ?? []) tree.dispose();
    this.weighed = null;
    const { arrays, vectors, memo, nodeVector, record, weights, weightsThere } = this;
    this.fitsChain = false;
    if (vectors) arrays.release(vectors);
    if (memo) arrays.release(memo);
    arrays.release(nodeVector);
    arrays.release(record);
    if (weightsThere !== weights) arrays.release(weightsThere);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
