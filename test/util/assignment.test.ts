// Assignments against all permutations.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { bestAssignment } from "../../src/util/assignment.js";

/** The greatest sum over all ways to give rows different columns. */
function greatest(values: number[][], row = 0, used: readonly number[] = []): number {
  if (row === values.length) return 0;
  return Math.max(
    ...values[row].map((value, column) =>
      used.includes(column) ? Number.NEGATIVE_INFINITY : value + greatest(values, row + 1, [...used, column]),
    ),
  );
}

it("gives rows different columns with the greatest sum", () =>
  fc.assert(
    fc.property(
      fc
        .record({ rows: fc.integer({ min: 0, max: 5 }), extra: fc.integer({ min: 0, max: 2 }) })
        .chain(({ rows, extra }) =>
          fc.array(fc.array(fc.integer({ min: -20, max: 20 }), { minLength: rows + extra, maxLength: rows + extra }), {
            minLength: rows,
            maxLength: rows,
          }),
        ),
      (values) => {
        const columns = values[0]?.length ?? 0;
        const chosen = bestAssignment(Float64Array.from(values.flat()), values.length, columns);
        expect(new Set(chosen).size).toBe(values.length);
        const sum = [...chosen].reduce((total, column, row) => total + values[row][column], 0);
        expect(sum).toBe(greatest(values));
      },
    ),
    { numRuns: 300 },
  ));

it("refuses more rows than columns", () => {
  expect(() => bestAssignment(new Float64Array(2), 2, 1)).toThrow(/do not fit/);
});
