// Watching a promise: answers are drawn to be checked, a person checks them, and bounds say whether it is kept.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatReview, readReview } from "../../src/formats/review.js";
import { sentences } from "../confidence/sentences.js";
import { Folder } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

/** As columns; `isWrong`: with the labels of places and persons exchanged. */
function columns(count: number, seed: number, isWrong = false): string {
  const told = (label: string) =>
    isWrong ? label.replace(/LOC|PER/, (type) => (type === "LOC" ? "PER" : "LOC")) : label;
  return sentences(count, seed)
    .map((one) => `${one.columns.map(([word], i) => `${word}\t${told(String(one.labels[i]))}\n`).join("")}\n`)
    .join("");
}

beforeAll(async () => {
  folder.write("train.txt", columns(200, 1));
  folder.write("held-out.txt", columns(600, 2));
  folder.write("new.txt", columns(400, 3));
  folder.write("other.txt", columns(400, 3, true));
  const words = ["train", "tag", "train.txt", "--out", "model.sg", "--passes", "4", "--l2", "1", "--quiet"];
  expect(await folder.run(words)).toMatchObject({ code: 0 });
  for (const unit of ["sequence", "token", "span"]) {
    const promise = ["--precision", "0.8", "--unit", unit];
    expect(await folder.run(["calibrate", "model.sg", "held-out.txt", ...promise])).toMatchObject({ code: 0 });
  }
}, 60_000);

describe.each(["sequence", "token", "span"])("a promise of each %s", (unit) => {
  test("is watched by checks in a review file", async () => {
    const name = `${unit}.tsv`;
    const asked = ["--precision", "0.8", "--unit", unit, "--check", "0.5", "--review", name];
    const ran = await folder.run(["predict", "model.sg", "new.txt", ...asked]);
    expect(ran.error).toMatch(/answered inputs are in \w+\.tsv for checking/);
    const items = await readReview(folder.file(name));
    const checks = items.filter(({ check }) => check);
    expect(checks.length).toBeGreaterThan(80);
    expect(checks[0].check).toMatchObject({ precision: 0.8, unit });

    const early = await folder.run(["monitor", name, "--json"]);
    expect(JSON.parse(early.out)).toMatchObject({ state: "open", answers: 0, waiting: checks.length });
    // All right: the answer is the model's best.
    const answered = items.map((item) => ({ ...item, status: "answered" as const, answer: item.candidates[0].text }));
    folder.write(name, formatReview(answered));
    const kept = await folder.run(["monitor", name, "--json"]);
    expect(kept.code).toBe(0);
    const found = JSON.parse(kept.out);
    expect(found).toMatchObject({ unit, promised: 0.8, wrong: 0, precision: 1, upper: 1, waiting: 0 });
    expect(found.lower).toBeGreaterThan(0.5);
    // One check that is open: what comes after it does not count yet.
    const at = answered.indexOf(answered.filter(({ check }) => check)[40]);
    folder.write(
      name,
      formatReview(answered.map((item, i) => (i === at ? { ...item, status: "", answer: "" } : item))),
    );
    expect(JSON.parse((await folder.run(["monitor", name, "--json"])).out)).toMatchObject({
      waiting: checks.length - 40,
    });
    // All wrong.
    const wrong = answered.map((item) => ({ ...item, answer: item.candidates[0].text.replace(/\S+/g, "B-X") }));
    folder.write(name, formatReview(wrong));
    const broken = await folder.run(["monitor", name]);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/^promise +80\.00 %: broken$/m);
    expect(broken.error).toMatch(/the promise is broken: at most/);
  });

  test("is watched by a labelled sample", async () => {
    const asked = ["--model", "model.sg", "--precision", "0.8", "--unit", unit];
    const kept = await folder.run(["monitor", "new.txt", ...asked, "--json"]);
    expect(kept.code).toBe(0);
    const { precision, lower, upper, state } = JSON.parse(kept.out);
    expect(state).not.toBe("broken");
    expect(lower).toBeLessThanOrEqual(precision);
    expect(upper).toBeGreaterThanOrEqual(precision);
    if (unit !== "span") return; // other words stay right
    const broken = await folder.run(["monitor", "other.txt", ...asked]);
    expect(broken.code).toBe(1);
  });
});

test.each([
  [["new.txt"], /the first row names the columns/],
  [["plain.tsv"], /the review has no answers to check/],
  [["new.txt", "--model", "model.sg"], /missing required option --precision/],
  [["new.txt", "--model", "model.sg", "--precision", "0.5"], /no calibration for a precision of 0\.5/],
])("refused: %j", async (words, reason) => {
  folder.write("plain.tsv", formatReview([]));
  const ran = await folder.run(["monitor", ...words]);
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 2, out: "" });
  expect(ran.error).toMatch(reason);
});
