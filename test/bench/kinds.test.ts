// Where a profile books the time of a function.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../bench/harness.mjs";
import { kindOf } from "../../bench/kinds.mjs";

const inDist = (path: string) => kindOf({ functionName: "f", url: pathToFileURL(join(root, "dist", path)).href });

test("time is booked by the folder of a function", () => {
  expect(inDist("tasks/tag/pieces.js")).toBe("features and task");
  expect(inDist("engine/alphabet.js")).toBe("features and task");
  expect(inDist("engine/lattice.js")).toBe("engine beside it");
  expect(inDist("cli/commands/predict.js")).toBe("reading and printing");
  expect(kindOf({ functionName: "wasm-function[3]", url: "wasm://wasm/0001f542" })).toBe("kernel");
  expect(kindOf({ functionName: "(garbage collector)", url: "" })).toBe("garbage collector");
  expect(kindOf({ functionName: "parse", url: "file:///other/dist/engine/parse.js" })).toBe("Node and the rest");
  expect(kindOf({ functionName: "readSync", url: "node:fs" })).toBe("Node and the rest");
});

test("bundled files and folders that have no kind are refused", () => {
  for (const path of ["cli/stargram.cjs", "cli/stargram-quick.cjs", "new/layer.js", "index.js"]) {
    expect(() => inDist(path)).toThrow(`\`f\` in dist/${path} cannot be placed`);
  }
  // As Node writes the address of what is not a module.
  const url = join(root, "dist", "cli", "stargram-quick.cjs");
  expect(() => kindOf({ functionName: "f", url })).toThrow(/cannot be placed/);
});
