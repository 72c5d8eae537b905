// The layer rule: what it refuses, what it allows, and that the sources keep it.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importsOf, readSources, violations } from "../../scripts/layers.mjs";

function check(files: Record<string, string>): string[] {
  return violations(new Map(Object.entries(files))).map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe("the direction of imports", () => {
  it("allows the own layer and those below", () => {
    expect(
      check({
        "engine/slots.ts": 'import { a } from "./contexts.js";',
        "learn/deep/merge.ts": 'import { a } from "../../engine/slots.js";',
        "cli/main.ts": 'import { a } from "../engine/slots.js";\nimport { readFile } from "node:fs/promises";',
        "index.ts": 'export { a } from "./cli/main.js";',
        "formats/read.ts": 'import { createReadStream } from "node:fs";',
        "model/file.ts": 'import "../formats/read.js";\nimport { object } from "valibot";',
      }),
    ).toEqual([]);
  });

  it.each([
    ["import", 'import { a } from "../cli/main.js";', 1],
    ["import over several lines", 'import {\n  a,\n  b,\n} from "../cli/main.js";', 4],
    ["import of a type", 'import type { A } from "../cli/main.js";', 1],
    ["export from", 'const x = 1;\nexport * from "../cli/main.js";', 2],
    ["import for its effect", 'import "../cli/main.js";', 1],
    ["import on demand", 'async function f() {\n  return await import("../cli/main.js");\n}', 2],
    ["import within a type", 'let a: import("../cli/main.js").A;', 1],
    ["worker", 'new Worker(new URL("../cli/main.js", import.meta.url));', 1],
    ["way round by another folder", 'import { a } from "../engine/../cli/main.js";', 1],
  ])("refuses an upward %s", (_, source, line) => {
    expect(check({ "learn/adagrad.ts": source })).toEqual([
      `learn/adagrad.ts:${line}: learn must not import cli/main.ts: cli lies above it`,
    ]);
  });

  it("refuses the index, which would lead anywhere", () => {
    expect(check({ "engine/slots.ts": 'import { a } from "../index.js";' })).toEqual([
      "engine/slots.ts:1: engine must not import index.ts",
    ]);
  });

  it("refuses what lies outside the sources, but for files that are read", () => {
    expect(check({ "cli/main.ts": 'import { acts } from "../../demo/act.js";' })).toEqual([
      "cli/main.ts:1: cli must not import ../demo/act.ts",
    ]);
    expect(check({ "cli/main.ts": 'read(new URL("../../package.json", import.meta.url));' })).toEqual([]);
  });

  it("refuses a folder that is no layer", () => {
    expect(check({ "utils/misc.ts": "" })).toHaveLength(1);
  });

  it("does not take a sentence in a comment for an import", () => {
    expect(importsOf('// import { a } from "../cli/main.js"\n/*\n * import "x"\n */\n')).toEqual([]);
  });
});

describe("layers that run in a browser", () => {
  it.each(["util", "engine", "metrics", "confidence", "tasks"])("%s imports nothing of Node's", (layer) => {
    for (const module of ["node:path", "fs/promises"]) {
      expect(check({ [`${layer}/a.ts`]: `import { x } from "${module}";` })).toEqual([
        `${layer}/a.ts:1: ${layer} runs in a browser and must not import ${module}`,
      ]);
    }
  });

  it("browser.ts reaches nothing of Node's through others", () => {
    const files = {
      "browser.ts": 'export { Tagger } from "./tasks/tagger.js";',
      "tasks/tagger.ts": 'import { train } from "../learn/train.js";',
      "learn/train.ts": 'import { cpus } from "node:os";',
    };
    expect(check(files)).toEqual([
      "learn/train.ts:1: node:os is reached from a browser: browser.ts > tasks/tagger.ts > learn/train.ts",
    ]);
    expect(check({ ...files, "learn/train.ts": 'import type { CpuInfo } from "node:os";' })).toEqual([]);
  });
});

it("the sources keep the rule", () => {
  const sources = readSources(fileURLToPath(new URL("../../src", import.meta.url)));
  expect(sources.size).toBeGreaterThan(0);
  expect(violations(sources)).toEqual([]);
});
