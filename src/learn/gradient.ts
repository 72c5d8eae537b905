// A gradient over the weights of a row table: a flat array, and the rows that one example touched. It is zero everywhere
// else, so adding and clearing cost what the example costs, not what the model does.

import type { RowTable } from "../core/rows.js";

export class Gradient {
  /** [entries] */
  readonly values: Float64Array;
  /** [touchedCount] in use; rows, each once. */
  touched = new Int32Array(256);
  touchedCount = 0;
  private readonly isTouched: Uint8Array;

  constructor(readonly table: RowTable) {
    this.values = new Float64Array(table.symbols.length);
    this.isTouched = new Uint8Array(table.start.length - 1);
  }

  touch(row: number): void {
    if (this.isTouched[row]) return;
    this.isTouched[row] = 1;
    if (this.touchedCount === this.touched.length) {
      const larger = new Int32Array(this.touched.length * 2);
      larger.set(this.touched);
      this.touched = larger;
    }
    this.touched[this.touchedCount++] = row;
  }

  /** Forgets which rows were touched; their values must have been set to zero. */
  reset(): void {
    for (let i = 0; i < this.touchedCount; i++) this.isTouched[this.touched[i]] = 0;
    this.touchedCount = 0;
  }

  /** Sets everything back to zero. */
  clear(): void {
    const { start } = this.table;
    for (let i = 0; i < this.touchedCount; i++) {
      this.values.fill(0, start[this.touched[i]], start[this.touched[i] + 1]);
    }
    this.reset();
  }
}
