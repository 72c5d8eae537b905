// A gradient of nothing, for tests of what adds to one.

import type { Backend, GradientArrays } from "../../src/engine/backend.js";
import type { RowSpace } from "../../src/engine/problem.js";

export function emptyGradient({ arrays }: Backend, { table }: RowSpace): GradientArrays {
  const rows = table.start.length - 1;
  return {
    values: arrays.float64(table.symbols.length),
    touched: arrays.int32(rows),
    touchedCount: 0,
    isTouched: arrays.uint8(rows),
  };
}
