// The command as it is installed, one bundle for what must start fast, does what its parts do, and leaves the rest to them.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columns, Folder } from "./helpers.js";

const dist = fileURLToPath(new URL("../../dist/cli/", import.meta.url));
const folder = new Folder();

beforeAll(async () => {
  folder.write("train.txt", columns(40));
  const { code, error } = await folder.run([
    "train",
    "tag",
    "train.txt",
    "--passes",
    "2",
    "--out",
    "model.sg",
    "--quiet",
  ]);
  expect(error).toBe("");
  expect(code).toBe(0);
});
afterAll(() => folder.remove());

function run(file: string, words: readonly string[], debug = "", more: Record<string, string> = {}) {
  const env = { ...process.env, STARGRAM_DEBUG: debug, NO_COLOR: "1", ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${dist}${file}`, ...words], {
    cwd: folder.path,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("the bundle", () => {
  it.each([
    ["a prediction", ["predict", "model.sg", "train.txt", "--json"], 0],
    ["a prediction on two threads", ["predict", "model.sg", "train.txt", "--threads", "2"], 0],
    ["help", ["predict", "--help"], 0],
    ["the version", ["--version"], 0],
    ["a mistyped flag", ["predict", "model.sg", "--jsn"], 2],
    ["a missing model", ["predict", "none.sg", "train.txt"], 2],
    ["another command", ["inspect", "model.sg"], 0],
    ["no command", [], 0],
    ["a mistyped command", ["predicted"], 2],
  ])("prints what the parts print: %s", (_, words, code) => {
    const bundled = run("stargram.cjs", words);
    expect(bundled).toEqual(run("main.js", words));
    expect(bundled.status).toBe(code);
  });

  it("shows the places of a fault in the sources' own files", () => {
    const words = ["predict", "none.sg", "train.txt"];
    expect(run("stargram.cjs", words, "1").stderr).toMatch(/model\/file\.js:\d+/);
  });

  it("prints the same again, when Node has kept its compiled code", () => {
    const words = ["predict", "model.sg", "train.txt", "--review", "left.tsv", "--force"];
    const settings = { STARGRAM_CACHE: folder.file("cache"), NODE_DISABLE_COMPILE_CACHE: "" };
    const first = run("stargram.cjs", words, "", settings);
    expect(run("stargram.cjs", words, "", settings)).toEqual(first);
  });

  it("needs no package at run time and passes on the licence of each within", () => {
    const files = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
    const code = files.map((name) => readFileSync(dist + name, "utf8")).join("\n");
    const needed = [...code.matchAll(/\brequire\(["'`]([^"'`]+)["'`]\)/g)].map(([, name]) => name);
    expect(needed).toContain("node:fs");
    expect(needed.filter((name) => !name.startsWith("./") && !isBuiltin(name))).toEqual([]);
    const licences = readFileSync(`${dist}stargram-licences.txt`, "utf8");
    const { dependencies } = JSON.parse(readFileSync(`${dist}../../package.json`, "utf8"));
    for (const name of Object.keys(dependencies)) expect(licences).toMatch(new RegExp(`^${name} \\d`, "m"));
  });
});
