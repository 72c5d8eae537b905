// Confidence as a user meets it: calibrate, answer or leave, fill in what was left, learn from it, compare.

import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatReview, type ReviewItem, readReview } from "../../src/formats/review.js";
import { generator, uniform } from "../../src/util/random.js";
import { Folder } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

/** Words whose label is their first letter, but for those that begin with x: theirs is the label of the word before. */
function sentences(count: number, seed: number, endings: readonly string[]): { text: string; labels: string[][] } {
  const random = generator(seed, 0);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(uniform(random) * items.length)];
  let text = "";
  const labels: string[][] = [];
  for (let s = 0; s < count; s++) {
    const own: string[] = [];
    for (let i = 0; i < 3; i++) {
      const first = i > 0 ? pick(["a", "b", "c", "x"]) : pick(["a", "b", "c"]);
      own.push(first === "x" ? own[i - 1] : first.toUpperCase());
      text += `${first}${pick(endings)} ${own[i]}\n`;
    }
    text += "\n";
    labels.push(own);
  }
  return { text, labels };
}

const known = ["1", "2", "3"];

beforeAll(async () => {
  folder.write("train.txt", sentences(60, 1, known).text);
  folder.write("held-out.txt", sentences(400, 2, known).text);
  folder.write("few.txt", sentences(20, 3, known).text);
  const made = await folder.run([
    "train",
    "tag",
    "train.txt",
    "--out",
    "model.sg",
    "--passes",
    "5",
    "--l2",
    "1",
    "--quiet",
  ]);
  expect(made).toMatchObject({ code: 0, error: "" });
});

describe("calibrate and predict --precision", () => {
  it("refuses a precision without a calibration, with the command to run", async () => {
    const ran = await folder.run(["predict", "model.sg", "few.txt", "--precision", "0.9"]);
    expect(ran.code).toBe(2);
    expect(ran.error).toContain("stargram calibrate model.sg HELD-OUT --precision 0.9");
  });

  it("changes nothing and says what it would take when there are too few examples", async () => {
    const before = readFileSync(folder.file("model.sg"));
    const ran = await folder.run(["calibrate", "model.sg", "few.txt", "--precision", "0.9"]);
    expect(ran.code).toBe(1);
    expect(ran.error).toMatch(/cannot be promised[\s\S]*it would take about [\d,]+ held-out examples \(here 20\)/);
    expect(readFileSync(folder.file("model.sg")).equals(before)).toBe(true);
  });

  it("stores a promise with its evidence, which predict then keeps", async () => {
    const ran = await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.9", "--json"]);
    expect(ran).toMatchObject({ code: 0, error: "" });
    const found = JSON.parse(ran.out);
    expect(found).toMatchObject({ promised: true, precision: 0.9, confidence: 0.95, placing: 40, tested: 360 });
    expect(found.lowerBound).toBeGreaterThanOrEqual(0.9);

    const seen = await folder.run(["inspect", "model.sg"]);
    expect(seen.out).toMatch(/^promise +precision 0\.9 \(confidence 0\.95\)/m);

    const { out } = await folder.run(["predict", "model.sg", "held-out.txt", "--precision", "0.9", "--json"]);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.length).toBe(400);
    for (const { answered, probability, calibratedProbability, confidences, labels, candidates } of lines) {
      expect(answered).toBe(probability >= found.threshold);
      expect(calibratedProbability).toBeGreaterThan(0);
      expect(confidences.length).toBe(3);
      expect(answered ? labels.length : candidates[0].labels.length).toBe(3);
      if (!answered) expect(labels).toBeUndefined();
    }
  });

  it("refuses what would make the promise void", async () => {
    for (const more of [["--mode", "beam"], ["--contexts", "2"], ["--known"]]) {
      const ran = await folder.run(["predict", "model.sg", "few.txt", "--precision", "0.9", ...more]);
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(ran.error).toContain(more[0]);
    }
    const ran = await folder.run(["predict", "model.sg", "few.txt", "--review", "r.tsv"]);
    expect(ran.code).toBe(2);
    expect(folder.has("r.tsv")).toBe(false);
  });

  it("shows the mass of every context, which sums to 1 at every position", async () => {
    const { out } = await folder.run(["predict", "model.sg", "few.txt", "--contexts", "3", "--contexts", "--json"]);
    for (const line of out.trim().split("\n")) {
      const { contexts } = JSON.parse(line) as { contexts: { suffix: string[]; probability: number }[][] };
      expect(contexts.length).toBe(3);
      for (const position of contexts) {
        expect(position.length).toBeLessThanOrEqual(4);
        expect(position.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 9);
        expect(position.filter(({ suffix }) => suffix.length === 0).length).toBe(1);
      }
    }
    const text = await folder.run(["predict", "model.sg", "few.txt", "--contexts"]);
    expect(text.out.match(/^# [123]\t.*⋆\/\d/gm)?.length).toBe(60);
  });
});

describe("review and learn", () => {
  it("collects what is left, learns from the answers, and gets better", async () => {
    // Words with endings that the model has never seen, so that it is unsure.
    const fresh = ["7q", "8q", "9q"];
    const { text, labels } = sentences(150, 5, fresh);
    folder.write("new.txt", text);
    folder.write("test.txt", sentences(150, 6, fresh).text);
    await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.985"]);
    const ran = await folder.run(["predict", "model.sg", "new.txt", "--precision", "0.985", "--review", "left.tsv"]);
    expect(ran.code).toBe(0);
    const left = (ran.out.match(/^# left /gm) ?? []).length;
    expect(left).toBeGreaterThan(10);
    expect(ran.error).toContain(`${left} left to a person in left.tsv`);

    const items = await readReview(folder.file("left.tsv"));
    expect(items.length).toBe(left);
    const filled = items.map((item, i): ReviewItem => {
      const own = labels[Number(item.id) - 1];
      // One in three is spelled without spaces, as single letters may be.
      return { ...item, answer: own.join(i % 3 ? " " : ""), status: i % 2 ? "answered" : "" };
    });
    writeFileSync(folder.file("answers.tsv"), formatReview(filled));

    const learned = await folder.run([
      "train",
      "tag",
      "--from",
      "model.sg",
      "--add",
      "answers.tsv",
      "--out",
      "new.sg",
      "--json",
      "--quiet",
    ]);
    expect(learned).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(learned.out).sequences).toBe(left);
    const compared = await folder.run(["compare", "model.sg", "new.sg", "test.txt", "--json", "--plots", "plots"]);
    expect(compared.code).toBe(0);
    const { models, mcNemar } = JSON.parse(compared.out);
    expect(models[1].accuracy).toBeGreaterThan(models[0].accuracy);
    expect(mcNemar.pValue).toBeLessThan(0.05);
    expect(readFileSync(folder.file("plots/reliability.svg"), "utf8")).toContain("new.sg");
    const tokens = await folder.run(["compare", "model.sg", "new.sg", "test.txt", "--unit", "token"]);
    expect(tokens).toMatchObject({ code: 0, error: "" });
    expect(tokens.out).toMatch(/tokens in \d+ sequences +A +B +p\nright .* 0\.0\d+ +B less A between [\d.]+ % and/);

    // What the model knew before is kept.
    const old = await folder.run(["evaluate", "new.sg", "held-out.txt", "--json"]);
    const before = await folder.run(["evaluate", "model.sg", "held-out.txt", "--json"]);
    expect(JSON.parse(old.out).tokenAccuracy).toBeGreaterThan(JSON.parse(before.out).tokenAccuracy - 0.02);

    // The new model has other probabilities: its old promises are gone.
    expect((await folder.run(["predict", "new.sg", "few.txt", "--precision", "0.95"])).code).toBe(2);
    // A file that may hold answers is not replaced.
    expect(
      (await folder.run(["predict", "model.sg", "new.txt", "--precision", "0.95", "--review", "left.tsv"])).code,
    ).toBe(2);
  });

  it("collects all that is left even if whoever reads the answers stops reading", async () => {
    const { text } = sentences(3000, 7, ["7q", "8q", "1"]); // far more output than a pipe holds
    folder.write("long.txt", text);
    await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.95"]);
    const words = ["predict", "model.sg", "long.txt", "--precision", "0.95", "--review"];
    const whole = await folder.run([...words, "whole.tsv"]);
    expect(whole.code).toBe(0);
    const child = folder.start(...words, "cut.tsv");
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(0);
    expect(readFileSync(folder.file("cut.tsv"), "utf8")).toBe(readFileSync(folder.file("whole.tsv"), "utf8"));
  });

  it("names the line of an answer that does not fit, and refuses a file without answers", async () => {
    const item = (answer: string): string =>
      `id\tkind\tinput\tanswer\tstatus\tsource\n1\ttext\ta1 b1\t${answer}\t\t{"columns":[["a1"],["b1"]]}\n`;
    folder.write("bad.tsv", item("A B C"));
    const train = (file: string) =>
      folder.run(["train", "tag", "--from", "model.sg", "--add", file, "--out", "bad.sg"]);
    const bad = await train("bad.tsv");
    expect(bad.code).toBe(2);
    expect(bad.error).toContain("bad.tsv:2:4");
    folder.write("none.tsv", item(""));
    expect((await train("none.tsv")).error).toContain("stargram review none.tsv");
    folder.write("open.tsv", item("A B"));
    folder.write("open.tsv.journal", "{}\n");
    expect((await train("open.tsv")).error).toContain("is still open");
    expect((await folder.run(["train", "tag", "--add", "bad.tsv", "--out", "bad.sg"])).code).toBe(2);
    expect(folder.has("bad.sg")).toBe(false);
  });

  it("does the same for transducers", async () => {
    const random = generator(4, 0);
    const sounds: Record<string, string[]> = { a: ["AH"], b: ["B"], c: ["K"], d: ["D"], x: ["K", "S"], e: [] };
    const word = () => Array.from({ length: 4 }, () => "abcdxe"[Math.floor(uniform(random) * 6)]);
    const pairs = (count: number) =>
      Array.from({ length: count }, word)
        .map((letters) => `${letters.join("")}\t${letters.flatMap((letter) => sounds[letter]).join(" ") || "AH"}\n`)
        .join("");
    folder.write("pairs.tsv", pairs(150));
    folder.write("more.tsv", pairs(200));
    const made = await folder.run([
      "train",
      "transduce",
      "pairs.tsv",
      "--input",
      "chars",
      "--output",
      "tokens",
      "--passes",
      "3",
      "--out",
      "t.sg",
      "--quiet",
    ]);
    expect(made).toMatchObject({ code: 0, error: "" });
    const found = await folder.run(["calibrate", "t.sg", "more.tsv", "--precision", "0.9"]);
    expect(found).toMatchObject({ code: 0, error: "" });
    const ran = await folder.run(["predict", "t.sg", "more.tsv", "--precision", "0.9", "--review", "t.tsv"]);
    expect(ran.code).toBe(0);
    const rows = ran.out
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.length).toBe(200);
    for (const [, output, , , status] of rows) expect(output === "" && status === "answered").toBe(false);
    const items = await readReview(folder.file("t.tsv"));
    expect(items.length).toBe(rows.filter((row) => row[4] === "left").length);
    const source = { input: ["a", "b"] };
    const filled: ReviewItem = {
      id: "1",
      kind: "text",
      input: "ab",
      answer: "AH B",
      status: "answered",
      candidates: [],
      source: JSON.stringify(source),
    };
    folder.write("t-answers.tsv", formatReview([filled]));
    const learned = await folder.run([
      "train",
      "transduce",
      "--from",
      "t.sg",
      "--add",
      "t-answers.tsv",
      "--out",
      "t2.sg",
      "--json",
      "--quiet",
    ]);
    expect(learned).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(learned.out).pairs).toBe(1);
    folder.write("t-new.tsv", formatReview([{ ...filled, answer: "AH ZZ" }]));
    expect(
      (await folder.run(["train", "transduce", "--from", "t.sg", "--add", "t-new.tsv", "--out", "t3.sg"])).error,
    ).toContain("ZZ");
  });
});

describe("--unit token", () => {
  it("promises and answers labels one by one, on the lines of the input, also on threads", async () => {
    const made = await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.9", "--unit", "token"]);
    expect(made).toMatchObject({ code: 0, error: "" });
    expect(made.out).toMatch(/90 % of the tokens that are answered right/);
    const asked = ["predict", "model.sg", "few.txt", "--precision", "0.9", "--unit", "token"];
    const ran = await folder.run(asked);
    expect(ran.code).toBe(0);
    expect(ran.error).toMatch(/of 60 tokens answered/);
    const lines = ran.out.split("\n");
    const input = readFileSync(folder.file("few.txt"), "utf8").split("\n");
    expect(lines.length).toBe(input.length);
    lines.forEach((line, i) => {
      expect(line.split("\t")[0]).toBe(input[i].split(" ")[0]);
    });
    expect((await folder.run([...asked, "--threads", "2"])).out).toBe(ran.out);
    const json = await folder.run([...asked, "--json"]);
    const [first] = json.out.split("\n").map((line) => line && JSON.parse(line));
    expect(first).toMatchObject({ unit: "token", answered: expect.any(Array), labels: expect.any(Array) });
    expect((await folder.run(["evaluate", "model.sg", "held-out.txt", "--plots", "units"])).code).toBe(0);
    expect(readFileSync(folder.file("units/precision-recall.svg"), "utf8")).toMatch(
      />tokens<[\s\S]*>sequences<|>sequences<[\s\S]*>tokens</,
    );
  });

  it("is refused where nothing was promised of it, where labels mark no spans, and without --precision", async () => {
    const asked = ["predict", "model.sg", "few.txt", "--precision", "0.8", "--unit", "token"];
    const none = await folder.run(asked);
    expect(none).toMatchObject({ code: 2, out: "" });
    expect(none.error).toContain("stargram calibrate model.sg HELD-OUT --precision 0.8 --unit token");
    const span = await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.9", "--unit", "span"]);
    expect(span.code).toBe(2);
    expect(span.error).toMatch(/--unit: this tagger has no spans: its labels mark none/);
    const alone = await folder.run(["predict", "model.sg", "few.txt", "--unit", "token"]);
    expect(alone).toMatchObject({ code: 2, error: expect.stringContaining("--precision") });
  });
});

describe("--cross-validate", () => {
  it("estimates a threshold from the training data, and everybody who uses it hears that it is no promise", async () => {
    folder.write("more.txt", sentences(150, 21, known).text);
    const train = ["train", "tag", "more.txt", "--out", "cv.sg", "--passes", "3", "--l2", "1", "--held-out", "0"];
    expect((await folder.run([...train, "--quiet"])).code).toBe(0);
    const asked = ["calibrate", "cv.sg", "more.txt", "--precision", "0.8", "--unit", "token", "--cross-validate", "3"];
    const made = await folder.run(asked);
    expect(made).toMatchObject({ code: 0, error: "" });
    expect(made.out).toMatch(/^estimate +80 % of the tokens/);
    expect(made.out).toMatch(/^no promise +estimated from the training data, cross-validated in 3 parts/m);
    const json = JSON.parse((await folder.run([...asked, "--json"])).out);
    expect(json).toMatchObject({ promised: false, estimated: true, crossValidated: 3, unit: "token" });
    expect((await folder.run(["inspect", "cv.sg"])).out).toMatch(/^estimate, not a promise +precision 0\.8 of tokens/m);
    const answered = await folder.run(["predict", "cv.sg", "few.txt", "--precision", "0.8", "--unit", "token"]);
    expect(answered.code).toBe(0);
    expect(answered.error).toContain("--precision 0.8 is an estimate from the training data, not a promise");
    const sets = await folder.run(["calibrate", "cv.sg", "more.txt", "--coverage", "0.8", "--cross-validate", "3"]);
    expect(sets).toMatchObject({
      code: 2,
      error: expect.stringContaining("--cross-validate works only with --precision"),
    });
  });
});

describe("inputs of another kind", () => {
  it("are warned of, on one thread and on two; those like the held-out ones are not", async () => {
    folder.write("like.txt", sentences(300, 11, known).text);
    folder.write("unlike.txt", sentences(300, 12, ["q", "zz"]).text.replaceAll(/^[abc]/gm, "w"));
    const made = await folder.run(["calibrate", "model.sg", "held-out.txt", "--precision", "0.8", "--unit", "token"]);
    expect(made).toMatchObject({ code: 0, error: "" });
    const ran = (file: string, ...more: string[]) =>
      folder.run(["predict", "model.sg", file, "--precision", "0.8", "--unit", "token", ...more]);
    expect((await ran("like.txt")).error).not.toContain("warning");
    expect((await ran("unlike.txt")).error).toContain("differ from those that the model was calibrated on");
    expect((await ran("unlike.txt", "--threads", "2")).error).toBe((await ran("unlike.txt")).error);
  });
});
