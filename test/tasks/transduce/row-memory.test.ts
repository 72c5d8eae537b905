// Rows that are remembered are those that were found, as far as there is room; a thread that shares them adds none.

import fc from "fast-check";
import { expect, it } from "vitest";
import { plainArrays } from "../../../src/engine/backend.js";
import { RowMemory } from "../../../src/tasks/transduce/row-memory.js";

/** Rows of each position and class of an input. */
const rowsArbitrary = fc.array(fc.array(fc.nat({ max: 2 ** 31 - 1 }), { maxLength: 5 }), {
  minLength: 1,
  maxLength: 6,
});

/** As a finder gives them, in arrays that are longer. */
function found(rows: readonly number[][]) {
  const start = new Int32Array(rows.length + 3);
  rows.forEach((own, i) => {
    start[i + 1] = start[i] + own.length;
  });
  return { start, ids: Int32Array.of(...rows.flat(), -7, -7) };
}

function recalled(memory: RowMemory, finder: number, input: number, classes: number): number[][] | undefined {
  const rows = memory.recall(finder, input, classes);
  return rows && Array.from({ length: classes }, (_, i) => [...rows.ids.subarray(rows.start[i], rows.start[i + 1])]);
}

it("gives back what was noted, of each finder and input, also to who shares it, until it forgets", () => {
  fc.assert(
    fc.property(fc.array(rowsArbitrary, { minLength: 1, maxLength: 8 }), (inputs) => {
      const memory = new RowMemory(plainArrays, inputs.length, 2);
      inputs.forEach((rows, i) => {
        expect(recalled(memory, i % 2, i, rows.length)).toBeUndefined();
        memory.note(i % 2, i, rows.length, found(rows));
      });
      const shared = new RowMemory(plainArrays, inputs.length, 2, memory.parts);
      inputs.forEach((rows, i) => {
        for (const one of [memory, shared]) {
          expect(recalled(one, i % 2, i, rows.length)).toEqual(rows);
          expect(recalled(one, 1 - (i % 2), i, rows.length)).toBeUndefined();
        }
        shared.note(1 - (i % 2), i, rows.length, found(rows));
        expect(recalled(shared, 1 - (i % 2), i, rows.length)).toBeUndefined();
      });
      memory.forget();
      inputs.forEach((rows, i) => {
        expect(recalled(memory, i % 2, i, rows.length)).toBeUndefined();
        memory.note(i % 2, i, rows.length, found(rows));
        expect(recalled(memory, i % 2, i, rows.length)).toEqual(rows);
      });
    }),
  );
});

it("remembers no more than it has room for, and nothing that is larger than a block", () => {
  const half = [Array.from({ length: 2 ** 19 }, (_, i) => i)];
  const most = 3;
  const memory = new RowMemory(plainArrays, 5, 1, undefined, most);
  for (let i = 0; i < 5; i++) memory.note(0, i, 1, foundMany(half));
  // What comes before the rows takes room, too, so that a block holds one of them.
  for (let i = 0; i < 5; i++) expect(memory.recall(0, i, 1) !== undefined).toBe(i < most);
  expect(recalled(memory, 0, 2, 1)).toEqual(half);
  const tooMany = new RowMemory(plainArrays, 1, 1);
  tooMany.note(0, 0, 1, foundMany([Array.from({ length: 2 ** 20 }, () => 1)]));
  expect(tooMany.recall(0, 0, 1)).toBeUndefined();
});

/** The same as `found`, of very many rows. */
function foundMany([rows]: readonly number[][]) {
  return { start: Int32Array.of(0, rows.length), ids: Int32Array.from(rows) };
}
