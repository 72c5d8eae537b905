// The commands on pairs: train, predict, evaluate, align; what they print, and what they refuse.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ended, Folder, until } from "./helpers.js";

const folder = new Folder();
const run = (...words: string[]) => folder.run(words);

/** Syllables with one sound for two letters (sh), one letter with two sounds (x), and a silent end (e). */
const sounds: Record<string, string> = {
  ta: "T A",
  ti: "T I",
  sha: "SH A",
  shi: "SH I",
  xa: "K S A",
  xi: "K S I",
  ma: "M A",
  mi: "M I",
  se: "S",
};
function pairs(): string {
  const names = Object.keys(sounds);
  const lines = names.flatMap((a) => names.map((b) => `${a}${b}\t${sounds[a]} ${sounds[b]}`));
  return `${[...lines, ...names.map((a) => `${a}\t${sounds[a]}`)].join("\n")}\n`;
}

beforeAll(async () => {
  folder.write("pairs.tsv", pairs());
  const trained = await run("train", "transduce", "pairs.tsv", "--out", "m.sg", "--epochs", "12", "--seed", "3");
  expect(trained).toMatchObject({ code: 0, out: "" });
  expect(trained.error).toMatch(/^stargram: m\.sg: [\d,]+ weights from 90 pairs; .*\n$/);
});
afterAll(() => folder.remove());

describe("with a transducer", () => {
  test("predict gives input, output and probability, n-best and alignments", async () => {
    const { code, out, error } = await folder.run(["predict", "m.sg"], "tashami\nxise\tK S I S\n");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([input, output]) => [input, output])).toEqual([
      ["tashami", "T A SH A M I"],
      ["xise", "K S I S"],
    ]);
    const best = await folder.run(["predict", "m.sg", "--nbest", "3", "--align"], "xita\n");
    const lines = best.out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(lines).toHaveLength(3);
    expect(Number(lines[0][2])).toBeGreaterThanOrEqual(Number(lines[1][2]));
    expect(lines[0].slice(3)).toEqual(["x|i|t|a", "K:S|I|T|A"]);
  });

  test("--json is JSON Lines; unknown symbols are reported", async () => {
    const { code, out, error } = await folder.run(["predict", "m.sg", "--json", "--nbest", "2"], "ta?\n");
    expect(code).toBe(0);
    expect(error).toBe('stargram: the symbol "?" was never seen in training\n');
    const prediction = JSON.parse(out);
    expect(prediction).toMatchObject({ input: "ta?", unknown: ["?"] });
    expect(prediction.nbest[0].output).toBe(prediction.output);
  });

  test("evaluate gives error rates, for people and for programs", async () => {
    const text = await run("evaluate", "m.sg", "pairs.tsv");
    expect(text).toMatchObject({ code: 0, error: "" });
    expect(text.out).toMatch(/^inputs +90/);
    const { out } = await run("evaluate", "m.sg", "pairs.tsv", "--json");
    const report = JSON.parse(out);
    expect(report).toMatchObject({ inputs: 90, alignedTrainingPairs: 90 });
    expect(report.wordErrorRate).toBeLessThan(0.2);
    expect(report.symbolErrorRate).toBeLessThanOrEqual(report.wordErrorRate);
    expect(Object.keys(report.recallAtPrecision)).toEqual(["0.9", "0.95", "0.99"]);
  });

  test("inspect tells what is in it", async () => {
    const { code, out } = await run("inspect", "m.sg");
    expect(code).toBe(0);
    expect(out).toMatch(/^model +transducer/);
    const { out: json } = await run("inspect", "m.sg", "--json");
    expect(JSON.parse(json)).toMatchObject({ kind: "transducer", input: { format: "tsv", output: "tokens" } });
  });

  test("--contexts shows what is remembered at each slot; an output passes the slots of every position once", async () => {
    const { code, out } = await folder.run(["predict", "m.sg", "--contexts"], "xi\n");
    expect(code).toBe(0);
    const [first, ...slots] = out.trimEnd().split("\n");
    expect(first).toMatch(/^xi\tK S I\t/);
    const masses = new Map<string, number>();
    for (const line of slots) {
      const [, place, contexts] = /^# (\d\.\d)\t(.*)$/.exec(line) ?? [];
      const sum = contexts.split("\t").reduce((total, one) => total + Number(one.slice(one.lastIndexOf("/") + 1)), 0);
      masses.set(place, sum);
    }
    // Slots with nothing written for their position yet are passed by all outputs.
    expect(masses.get("1.0")).toBeCloseTo(1, 4);
    expect(masses.get("2.0")).toBeCloseTo(1, 4);
    expect(masses.get("1.1")).toBeLessThanOrEqual(1 + 1e-4);
  });

  test("flags for taggers are refused", async () => {
    const { code, error } = await run("predict", "m.sg", "pairs.tsv", "--marginals");
    expect(code).toBe(2);
    expect(error).toMatch(/--marginals is for taggers/);
  });
});

describe("align", () => {
  test("prints an alignment for each pair, in their order", async () => {
    const { code, out } = await run("align", "pairs.tsv", "--epochs", "12");
    expect(code).toBe(0);
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    const given = pairs()
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([input]) => input.replaceAll("|", ""))).toEqual(given.map(([input]) => input));
    expect(await folder.run(["align", "-", "--epochs", "12"], pairs())).toMatchObject({ code, out });
    expect(
      rows.map(([, output]) =>
        output
          .split(/[|:]/)
          .filter((one) => one !== "_")
          .join(" "),
      ),
    ).toEqual(given.map(([, output]) => output));
  });
});

describe("train transduce", () => {
  test("learns the other way with --reverse, and --json is one object", async () => {
    const trained = await run("train", "transduce", "pairs.tsv", "--reverse", "--out", "back.sg", "--json", "--quiet");
    expect(trained).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(trained.out)).toMatchObject({ kind: "transducer", pairs: 90, outputSymbols: 8 });
    const { out } = await folder.run(["predict", "back.sg"], "T A M I\n");
    expect(out).toMatch(/^T A M I\ttami\t/);
  });

  test("--words takes a weight, or leaves it to held-out pairs", async () => {
    const texts = ["a b", "b a", "ab", "ba ab", "ab b", "b ba", "a a b", "ba", "b ab a", "aab b", "bb", "ab ab"];
    folder.write("texts.tsv", texts.map((text) => `${text.replaceAll(" ", "_")}\t${text}\n`).join(""));
    const train = [
      "train",
      "transduce",
      "texts.tsv",
      "--output",
      "chars",
      "--epochs",
      "2",
      "--held-out",
      "0.3",
      "--quiet",
    ];
    const weight = async (...more: string[]): Promise<number> => {
      const { code, out, error } = await run(...train, "--out", "texts.sg", "--json", ...more);
      expect({ code, error }).toEqual({ code: 0, error: "" });
      return JSON.parse(out).options.words;
    };
    expect(await weight("--words", "0.3")).toBe(0.3);
    const chosen = await weight("--words");
    expect(chosen).toBeGreaterThan(0);
    const { out } = await run("inspect", "texts.sg");
    expect(out).toMatch(/^chooses by +p\^\d\.\d\d · words\^\d\.\d\d$/m);
    expect(await run("train", "transduce", "--words", "texts.tsv", "--out", "x.sg")).toMatchObject({
      code: 2,
      error: expect.stringMatching(/a number or nothing.*after the files/),
    });
    expect(await run(...train, "--out", "x.sg", "--words", "11")).toMatchObject({ code: 2 });
    expect(await run(...train, "--out", "x.sg", "--words", "--held-out", "0")).toMatchObject({ code: 2 });
  });

  test("says what is wrong with pairs, and where", async () => {
    folder.write("bad.tsv", "ta\tT A\nsha\n");
    expect(await run("train", "transduce", "bad.tsv", "--out", "x.sg")).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^stargram: bad\.tsv:2: an input and an output are expected/),
    });
    folder.write("empty.tsv", "");
    expect(await run("train", "transduce", "empty.tsv", "--out", "x.sg")).toMatchObject({ code: 2 });
    expect(await run("train", "transduce", "pairs.tsv", "--out", "x.sg", "--stratgy", "rcms")).toMatchObject({
      code: 2,
      error: expect.stringMatching(/--strategy/),
    });
    expect(await run("train", "transduce", "pairs.tsv", "--out", "x.sg", "--columns", "2")).toMatchObject({ code: 2 });
    expect(folder.has("x.sg")).toBe(false);
  });
});

describe("train transduce --resume", () => {
  const train = (out: string, ...more: string[]) => ["train", "transduce", "pairs.tsv", "--out", out, ...more];
  const options = ["--epochs", "25", "--patience", "25"];
  const bytes = (name: string) => readFileSync(folder.file(name));

  test("after kill -9 or Ctrl-C gives the very model an undisturbed training gives", async () => {
    expect((await run(...train("whole.sg", ...options))).code).toBe(0);
    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      const name = `${signal}.sg`;
      const child = folder.start(...train(name, ...options));
      const end = ended(child);
      await until(() => folder.has(`${name}.checkpoint`));
      child.kill(signal);
      const { error } = await end;
      if (signal === "SIGINT") {
        expect(error).toMatch(/go on with: stargram train transduce pairs\.tsv --out SIGINT\.sg --resume\n$/);
      }
      expect(folder.has(name)).toBe(signal === "SIGINT");
      expect(await run(...train(name, "--resume", "--order", "3"))).toMatchObject({
        code: 2,
        error: expect.stringMatching(/--order is not that of the training to be resumed \(3 now, not given then\)/),
      });
      expect((await run(...train(name, "--resume", "--epochs", "25"))).code).toBe(0);
      expect(bytes(name)).toEqual(bytes("whole.sg"));
      expect(folder.has(`${name}.checkpoint`)).toBe(false);
    }
  });

  test("refuses other pairs, and says when there is nothing to resume", async () => {
    const child = folder.start(...train("other.sg", ...options));
    const end = ended(child);
    await until(() => folder.has("other.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    folder.write("fewer.tsv", pairs().split("\n").slice(0, 50).join("\n"));
    const changed = await run("train", "transduce", "fewer.tsv", "--out", "other.sg", "--resume");
    expect(changed).toMatchObject({ code: 2, error: expect.stringMatching(/the pairs are not those of the training/) });
    expect(await run(...train("none.sg", "--resume"))).toMatchObject({ code: 2 });
  });
});
