// The commands on pairs: train, predict, evaluate, align; what they print, and what they refuse.

import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alignmentText } from "../../src/tasks/transduce/printing.js";
import { columns, ended, Folder, requireAll, until } from "./helpers.js";

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
  const trained = await run("train", "transduce", "pairs.tsv", "--out", "m.sg", "--passes", "12", "--seed", "3");
  expect(trained).toMatchObject({ code: 0, out: "" });
  expect(trained.error).toMatch(/^stargram: m\.sg: [\d,]+ weights from 90 pairs; .*\n$/);
});
afterAll(() => folder.remove());

describe("with a transducer", () => {
  test("predict --text takes each word of a text, on one thread or several", async () => {
    const text = "Tashami, xise! (tasha)\n\nshita\n";
    const { code, out, error } = await folder.run(["predict", "m.sg", "--text"], text);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const words = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(words.map(([input, output]) => [input, output])).toEqual([
      ["Tashami", "T A SH A M I"],
      ["xise", "K S I S"],
      ["tasha", "T A SH A"],
      ["shita", "SH I T A"],
    ]);
    expect(await folder.run(["predict", "m.sg", "--text", "--threads", "2"], text)).toMatchObject({ code: 0, out });
  });

  test("predict prints for an input that comes again what it printed before, beside its line", async () => {
    const words = ["tashami", "xise", "", "tashami", "ma", "xise", "tashami"];
    for (const options of [[], ["--json"], ["--nbest", "2", "--align"]]) {
      const alone = await Promise.all(
        words.map(async (word) =>
          word === "" ? { out: "\n" } : folder.run(["predict", "m.sg", ...options], `${word}\n`),
        ),
      );
      const { out } = await folder.run(["predict", "m.sg", ...options], `${words.join("\n")}\n`);
      const isByLine = options.length === 0;
      expect(out).toBe(
        alone
          .map((one) => one.out)
          .filter((text) => isByLine || text !== "\n")
          .join(""),
      );
    }
  });

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

  test("evaluate --require takes every number of --json; error rates must be at most the value", async () => {
    const report = JSON.parse((await run("evaluate", "m.sg", "pairs.tsv", "--json")).out);
    const all = requireAll(report);
    const names = ["wordErrorRate", "recallAtPrecision.0.95", "alignedTrainingPairs"];
    expect(all.map((one) => one.split("=")[0])).toEqual(expect.arrayContaining(names));
    expect(await run("evaluate", "m.sg", "pairs.tsv", ...all)).toMatchObject({ code: 0, error: "" });
    const rates = ["--require", "symbolErrorRate=-0.1", "--require", "recallAtPrecision.0.95=1.1"];
    const failed = await run("evaluate", "m.sg", "pairs.tsv", ...rates);
    expect(failed.code).toBe(1);
    expect(failed.error).toMatch(/symbolErrorRate is \S+, not -0\.1 or less; recallAt.* is \S+, not 1\.1 or more\n$/);
    const other = await run("evaluate", "m.sg", "pairs.tsv", "--require", "chunkF1=0.9");
    expect(other).toMatchObject({ code: 2, error: expect.stringMatching(/--require chunkF1 needs a tagger/) });
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
    expect(error).toMatch(/--marginals needs a tagger or a segmenter; .* is a transducer/);
  });
});

describe("align", () => {
  test("prints an alignment for each pair, in their order", async () => {
    const { code, out } = await run("align", "pairs.tsv", "--passes", "12");
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
    expect(await folder.run(["align", "-", "--passes", "12"], pairs())).toMatchObject({ code, out });
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

/** An alignment of its text, by the rules of docs/formats.md. */
function readAlignment([inputs, outputs]: readonly string[]): { input: string; output: string[] }[] {
  // A backslash with what follows it is one piece, every other character too.
  const pieces = (text: string): string[] => text.match(/\\.|[^\\]/gsu) ?? [];
  const cut = (list: readonly string[], sign: string): string[][] => {
    const parts: string[][] = [[]];
    for (const piece of list) {
      if (piece === sign) parts.push([]);
      else parts[parts.length - 1].push(piece);
    }
    return parts;
  };
  const plain = (list: readonly string[]): string => list.map((piece) => piece.replace(/^\\/, "")).join("");
  const written = cut(pieces(outputs), "|");
  return cut(pieces(inputs), "|").map((part, i) => ({
    input: plain(part),
    output: written[i].join("") === "_" ? [] : cut(written[i], ":").map(plain),
  }));
}

test("alignments as text can be read back, whatever the symbols", () => {
  const symbol = fc.oneof(
    fc.constantFrom("|", ":", "_", "\\", "__", "a:", "\\_", "_|", "\\\\"),
    fc.string({ minLength: 1, maxLength: 3 }),
  );
  const part = fc.record({ input: symbol, output: fc.array(symbol, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (alignment) => {
      expect(readAlignment(alignmentText(alignment))).toEqual(alignment);
    }),
  );
  expect(
    alignmentText([
      { input: "p", output: [] },
      { input: "x_y", output: ["K", "S"] },
    ]),
  ).toEqual(["p|x_y", "_|K:S"]);
});

describe("train transduce", () => {
  test("options that the library refuses are called by their flags", async () => {
    const refused = await run("train", "transduce", "pairs.tsv", "--out", "x.sg", "--max-emit", "999");
    expect(refused).toMatchObject({ code: 2, error: expect.stringMatching(/^stargram: --max-emit may be at most/) });
    const words = await run("train", "transduce", "pairs.tsv", "--out", "x.sg", "--words", "1");
    expect(words).toMatchObject({ code: 2, error: expect.stringMatching(/^stargram: --words is for outputs/) });
  });

  test("where a strategy loses the alignments, it is named, and what is unknown is no number", async () => {
    const words = ["--strategy", "model", "--contexts", "1", "--passes", "1", "--held-out", "0.3", "--json"];
    const { code, out, error } = await run("train", "transduce", "pairs.tsv", "--out", "lost.sg", ...words);
    expect(code).toBe(0);
    expect(error).toMatch(/pairs had no alignment in the contexts that strategy model keeps \(rcms covers every/);
    const { heldOut, history, alignedTrainingPairs } = JSON.parse(out);
    expect(alignedTrainingPairs).toBe(0);
    expect(heldOut.accuracy).toBeGreaterThanOrEqual(0);
    expect(heldOut.accuracy).toBeLessThanOrEqual(1);
    expect(heldOut).not.toHaveProperty("logLikelihood");
    expect(history[0]).not.toHaveProperty("trainLogLikelihood");
    expect((await run("inspect", "lost.sg")).code).toBe(0);
  });

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
      "--passes",
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
      error: expect.stringMatching(/^stargram: bad\.tsv:2: expected an input and an output/),
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
  const options = ["--passes", "25", "--patience", "25", "--held-out", "0.1"];
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
        expect(error).toMatch(/continue with: stargram train transduce pairs\.tsv --out SIGINT\.sg --resume\n$/);
      }
      expect(folder.has(name)).toBe(false);
      expect(folder.has(`${name}.partial`)).toBe(signal === "SIGINT");
      expect(await run(...train(name, "--resume", "--order", "3"))).toMatchObject({
        code: 2,
        error: expect.stringMatching(/--order differs from the run to resume \(3 now, not given then\)/),
      });
      expect((await run(...train(name, "--resume", "--passes", "25"))).code).toBe(0);
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
    expect(changed).toMatchObject({ code: 2, error: expect.stringMatching(/the pairs are not those of the run/) });
    expect(await run(...train("none.sg", "--resume"))).toMatchObject({ code: 2 });
    folder.write("columns.txt", columns(20));
    expect(await run("train", "tag", "columns.txt", "--out", "other.sg", "--resume")).toMatchObject({
      code: 2,
      error: expect.stringMatching(/this is an unfinished run of a transducer, not of a tagger\n.*train transduce/),
    });
  });
});

test("attributes of a third column: learned from, asked for, printed, and refused where they lack", async () => {
  const words = ["bana", "kolu", "sira", "tano", "melu", "pira", "rano", "silu", "duka", "fona"];
  const lines = words.flatMap((word) => [`${word}\t${word}\tN;SG`, `${word}\t${word}imo\tN;PL`]);
  folder.write("forms.tsv", `${lines.join("\n")}\n`);
  const trained = await run("train", "transduce", "forms.tsv", "--out", "forms.sg", "--passes", "3");
  expect(trained.error).toMatch(/20 pairs; with 3 attributes of whole inputs/);
  const { code, out } = await folder.run(["predict", "forms.sg"], "bana\tN;PL\nbana\tbana\tN;SG\n");
  expect(code).toBe(0);
  const rows = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ["bana", "banaimo", "N;PL"],
    ["bana", "bana", "N;SG"],
  ]);
  const json = await folder.run(["predict", "forms.sg", "--json"], "bana\tN;DUAL\n");
  expect(JSON.parse(json.out)).toMatchObject({ input: "bana", attributes: ["N", "DUAL"], unknownAttributes: ["DUAL"] });
  expect(json.error).toContain('the attribute "DUAL" was never seen in training');
  folder.write("two.tsv", "bana\tN;SG\n");
  const refused = await run("evaluate", "forms.sg", "two.tsv");
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.error).toMatch(/two\.tsv:1.*attributes are expected in column 3/);
  const shown = await run("inspect", "forms.sg");
  expect(shown.out).toMatch(/^attributes +3: N SG PL$/m);
});

test("--dev chooses by a file, which is not learned from", async () => {
  folder.write("dev.tsv", "tamise\tT A M I S\nshixa\tSH I K S A\n");
  const train = ["train", "transduce", "pairs.tsv", "--out", "dev.sg", "--passes", "3", "--json", "--quiet"];
  const { code, out } = await run(...train, "--dev", "dev.tsv");
  expect(code).toBe(0);
  const { pairs: learned, heldOut } = JSON.parse(out);
  expect(learned).toBe(90);
  expect([0, 0.5, 1]).toContain(heldOut.exact);
  folder.write("empty.tsv", "");
  expect(await run(...train, "--force", "--dev", "empty.tsv")).toMatchObject({ code: 2, out: "" });
});

describe("an ensemble", () => {
  test("is trained, inspected, and distilled into one fast model", async () => {
    const trained = await run(
      ...["train", "transduce", "pairs.tsv", "--out", "both.sg", "--passes", "3", "--ensemble", "2"],
    );
    expect(trained.error).toMatch(/ensemble of 1 member from left to right, 1 from right to left/);
    const inspected = await run("inspect", "both.sg");
    expect(inspected.out).toMatch(/ensemble +1 member from left to right, 1 from right to left/);
    folder.write("words.txt", "tashami\n\nxitami\nmasheti\ntaxase\n");
    const distilled = await run("distill", "both.sg", "words.txt", "--out", "fast.sg", "--json");
    expect(distilled.code).toBe(0);
    expect(JSON.parse(distilled.out)).toMatchObject({ kind: "transducer", members: 1 });
    const [slow, fast] = [await run("predict", "both.sg", "words.txt"), await run("predict", "fast.sg", "words.txt")];
    // Blank lines keep their place.
    for (const { out } of [slow, fast]) {
      const read = out.split("\n").map((line) => line.split("\t")[0]);
      expect(read).toEqual(["tashami", "", "xitami", "masheti", "taxase", ""]);
    }
  });

  test("distill refuses inputs that teach nothing, and a model in the place of data", async () => {
    folder.write("known.txt", "ta\nti\n");
    expect(await run("distill", "m.sg", "known.txt", "--out", "none.sg")).toMatchObject({ code: 2 });
    expect(await run("distill", "pairs.tsv", "known.txt", "--out", "none.sg")).toMatchObject({ code: 2 });
    expect(await run("distill", "m.sg", "words.txt")).toMatchObject({ code: 2 });
  });
});
