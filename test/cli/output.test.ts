// What a user sees of an error, and how numbers and tables are written.

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CheckFailed, printError } from "../../src/cli/output.js";
import { InputError } from "../../src/util/errors.js";
import { counted, duration, probabilityText, table } from "../../src/util/text.js";

describe("errors", () => {
  let printed = "";
  beforeEach(() => {
    printed = "";
    vi.stubEnv("STARGRAM_DEBUG", "");
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      printed += text;
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  test("of the user's: what, where, what to do; exit code 2", () => {
    expect(printError(new InputError("too long", { file: "a.txt", line: 3, hint: "cut it" }))).toBe(2);
    expect(printed).toBe("stargram: a.txt:3: too long\n  cut it\n");
  });

  test("of ours: one line that says so, the trace only on request", () => {
    const fault = new TypeError("x is undefined\n    at somewhere");
    expect(printError(fault)).toBe(1);
    expect(printed).toMatch(/^stargram: internal error in Stargram: TypeError: x is undefined\n/);
    expect(printed).not.toMatch(/^ {4}at /m);
    vi.stubEnv("STARGRAM_DEBUG", "1");
    printError(fault);
    expect(printed).toMatch(/^ {4}at /m);
  });

  test("a check that failed: exit code 1", () => {
    expect(printError(new CheckFailed("not enough"))).toBe(1);
  });
});

test("counts have commas between thousands", () => {
  for (const count of [0, 7, 999, 1000, 12345, 999999, 1234567, -54321, 2 ** 53 - 1]) {
    expect(counted(count)).toBe(count.toLocaleString("en-US"));
  }
});

test("probabilities keep six digits, however small", () => {
  expect(probabilityText(1)).toBe("1");
  expect(probabilityText(0.98765432)).toBe("0.987654");
  expect(Number(probabilityText(1.23456789e-20))).toBe(1.23457e-20);
  const millionths = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.double({ min: 0, max: 1e6, noNaN: true }));
  fc.assert(
    fc.property(millionths, fc.constantFrom(0, 0.5), (whole, middle) => {
      const probability = (whole + middle) / 1e6;
      expect(Number(probabilityText(probability))).toBe(Number(probability.toPrecision(6)));
    }),
  );
});

test("durations", () => {
  expect([0.04, 59.94, 60, 3599, 3661].map(duration)).toEqual(["0.0 s", "59.9 s", "1:00 min", "59:59 min", "1:01 h"]);
});

test("tables align by characters, not by UTF-16 units", () => {
  expect(
    table([
      ["a", "1"],
      ["𝒳𝒳", "10"],
    ]),
  ).toBe("a    1\n𝒳𝒳  10\n");
});
