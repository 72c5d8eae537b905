// Blocks of bytes that are cut and joined hold the same lines, with the same numbers.

import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBytes, joinedBytes, lineCount } from "../../src/formats/byte-blocks.js";
import { lastBlank } from "../../src/tasks/tag/bytes/columns.js";

const line = fc.constantFrom("", " ", "\t \t", "a", "b c", " d", "é\r", "\r", "\t\r");
const lines = fc.array(line, { minLength: 1, maxLength: 8 });

test("a block is cut after its last blank line, if it has one, and joined again", () => {
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 1, max: 100 }), (some, others, first) => {
      const bytes = Buffer.from(some.join("\n"));
      const block = { first, count: some.length, bytes };
      expect(lineCount(bytes)).toBe(some.length);
      const blank = some.findLastIndex((text) => text.trim() === "");
      const end = lastBlank(bytes);
      expect(end).toBe(blank < 0 ? -1 : Buffer.byteLength(some.slice(0, blank + 1).join("\n")));
      if (end >= 0) {
        const [own, rest] = cutBytes(block, end);
        expect(own.count).toBe(blank + 1);
        expect(rest?.first).toBe(blank + 1 === some.length ? undefined : first + blank + 1);
        if (rest) expect(Buffer.from(joinedBytes(own, rest).bytes).equals(bytes)).toBe(true);
      }
      const next = { first: first + some.length, count: others.length, bytes: Buffer.from(others.join("\n")) };
      const both = joinedBytes(block, next);
      expect(Buffer.from(both.bytes).toString()).toBe([...some, ...others].join("\n"));
      expect(both.count).toBe(lineCount(both.bytes));
      expect(joinedBytes(undefined, next)).toBe(next);
    }),
  );
});
