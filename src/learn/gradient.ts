// A gradient over the weights of a row table: a flat array, and the rows that one example touched. It is zero everywhere
// else, so adding and stepping, which clears it, cost what the example costs, not what the model does.

import type { GradientArrays } from "../engine/backend.js";
import { backend } from "../engine/choice.js";
import type { RowTable } from "../engine/rows.js";

export class Gradient implements GradientArrays {
  /** [entries] */
  readonly values: Float64Array;
  /** [rows], `touchedCount` in use; rows, each once. */
  readonly touched: Int32Array;
  touchedCount = 0;
  readonly isTouched: Uint8Array;

  constructor(readonly table: RowTable) {
    const { arrays } = backend();
    const rows = table.start.length - 1;
    this.values = arrays.float64(table.symbols.length);
    this.touched = arrays.int32(rows);
    this.isTouched = arrays.uint8(rows);
  }

  /** Marks a row as not zero. */
  touch(row: number): void {
    if (this.isTouched[row]) return;
    this.isTouched[row] = 1;
    this.touched[this.touchedCount++] = row;
  }
}
