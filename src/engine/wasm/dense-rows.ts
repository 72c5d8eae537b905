// Attribute rows of a model that does not learn any more, as the compiled code adds them fastest: as copies, made when a row is
// first met, as long as there is room. Those with many entries get one for every symbol. See assembly/dense-rows.ts.

import type { DenseRows } from "../backend.js";
import type { RowTable } from "../rows.js";
import { DENSE_AT_ONCE, LoopField, NUMBER } from "./layout.js";
import type { KernelArrays } from "./memory.js";

/** Bytes of copies, at most. */
const MOST_BYTES = 2 ** 24;

export class WasmDenseRows implements DenseRows {
  /** Where the next copy goes. */
  next: number;
  private readonly places: Int32Array;
  private readonly copies: Float64Array;
  private readonly list: Float64Array;

  constructor(
    private readonly arrays: KernelArrays,
    { start, symbolCount }: RowTable,
  ) {
    const rows = start.length - 1;
    this.places = arrays.int32(rows);
    // One copy a row would do.
    const room = Math.min(rows, Math.floor(MOST_BYTES / NUMBER / symbolCount));
    this.copies = arrays.float64(room * symbolCount);
    this.list = arrays.float64(2 * DENSE_AT_ONCE);
    this.next = this.copies.byteOffset;
  }

  /** Writes down what the compiled code needs to know. */
  put(work: Int32Array): void {
    work[LoopField.densePlaces] = this.places.byteOffset;
    work[LoopField.denseNext] = this.next;
    work[LoopField.denseEnd] = this.copies.byteOffset + this.copies.byteLength;
    work[LoopField.denseList] = this.list.byteOffset;
  }

  dispose(): void {
    for (const array of [this.places, this.copies, this.list]) this.arrays.release(array);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
