// Options declared once: defaults, ranges, names of earlier versions, and refusals that name the option.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  choice,
  defaultsOf,
  factsOf,
  flag,
  numbers,
  type OptionsOf,
  readOptions,
  real,
  share,
  text,
  whole,
} from "../../src/util/options.js";

const declared = {
  order: whole("how far back", { least: 0, most: 10, usual: 2 }),
  l2: real("penalty", { least: 0, most: 100, otherwise: "chosen" }),
  rate: real("step", { least: 0, above: true, usual: 0.2 }),
  heldOut: share("held out", { usual: 0.1 }),
  mode: choice("how contexts are chosen", ["rcms", "beam"], { usual: "rcms", aliases: ["inference"] }),
  average: flag("average weights", { usual: true }),
  name: text("a name"),
  grams: numbers("look back", { least: 0, usual: [3, 2] }),
};

describe("declared options", () => {
  it("fill in defaults and leave open what has none", () => {
    const options = readOptions(declared, { order: 3, name: undefined });
    expect(options).toEqual({ ...defaultsOf(declared), order: 3, l2: undefined, name: undefined });
    expectTypeOf<OptionsOf<typeof declared>>().toEqualTypeOf<{
      order: number;
      l2: number | undefined;
      rate: number;
      heldOut: number;
      mode: "rcms" | "beam";
      average: boolean;
      name: string | undefined;
      grams: readonly number[];
    }>();
  });

  it.each([
    [{ order: -1 }, "option `order` must be a whole number of at least 0 and at most 10, not -1"],
    [{ order: 1.5 }, "option `order` must be a whole number"],
    [{ order: "2" }, "option `order` must be a whole number"],
    [{ order: Number.NaN }, "not NaN"],
    [{ l2: 101 }, "option `l2` must be a number of at least 0 and at most 100, not 101"],
    [{ rate: 0 }, "option `rate` must be a number above 0, not 0"],
    [{ rate: Number.POSITIVE_INFINITY }, "not Infinity"],
    [{ heldOut: 1 }, "option `heldOut` must be a share from 0 to below 1, not 1"],
    [{ mode: "baem" }, "unknown mode setting `baem`; did you mean `beam`?"],
    [{ inference: "x" }, "unknown mode setting `x`; known: rcms, beam"],
    [{ average: 1 }, "option `average` must be true or false, not 1"],
    [{ ordr: 1 }, "unknown option `ordr`; did you mean `order`?"],
    [{ grams: [1, -1] }, "option `grams` must be a list of whole numbers of at least 0"],
    [null, "options must be an object, not null"],
  ])("refuse %j", (given, message) => {
    expect(() => readOptions(declared, given as object)).toThrow(message);
  });

  it("take names of earlier versions, and leave names of others alone", () => {
    expect(readOptions(declared, { inference: "beam", hook: 1 }, { others: ["hook"] }).mode).toBe("beam");
    expect(readOptions(declared, { inference: "beam", mode: "rcms" }).mode).toBe("rcms");
  });

  it("take other defaults instead", () => {
    expect(readOptions(declared, { order: 4 }, { instead: { order: 1, rate: 0.5 } })).toMatchObject({
      order: 4,
      rate: 0.5,
    });
  });

  it("know what they mean", () => {
    expect(factsOf(declared.order)).toMatchObject({ description: "how far back", type: "whole", least: 0, most: 10 });
  });
});
