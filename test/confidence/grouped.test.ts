// Promises for each group: all of them together are kept as often as promised, and a rare bad group does not hide.

import { describe, expect, test } from "vitest";
import { findGroupedThresholds, type GroupedCluster } from "../../src/confidence/grouped.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { generator, uniform } from "../../src/util/random.js";
import { calibrate } from "../../src/workflows/calibrate.js";
import { decodeModel, encodeModel } from "../../src/workflows/model.js";
import { sentences } from "./sentences.js";

/** How often parts of a group are right, and how often it comes up. */
const groups = { good: [0.99, 0.6], fair: [0.93, 0.3], bad: [0.86, 0.1] } as const;

function population(random: () => number): GroupedCluster {
  const length = Math.min(60, Math.ceil(2 * random() ** -0.6));
  const shared = random();
  const isShared = random() < 0.5;
  const one: { confidence: number[]; correct: boolean[]; group: string[] } = { confidence: [], correct: [], group: [] };
  for (let i = 0; i < length; i++) {
    const at = random();
    const name = at < 0.6 ? "good" : at < 0.9 ? "fair" : "bad";
    one.group.push(name);
    one.confidence.push(0.5 + 0.5 * random()); // says nothing
    one.correct.push((isShared ? shared : random()) < groups[name][0]);
  }
  return one;
}

describe("promises for each of three groups", () => {
  test("are all true in at least 95 % of 200 draws; of the bad one there is hardly ever one", () => {
    const own = generator(5, 1);
    const random = () => uniform(own);
    const draws = 200;
    let broken = 0;
    let goods = 0;
    for (let d = 0; d < draws; d++) {
      const found = findGroupedThresholds(
        Array.from({ length: 300 }, () => population(random)),
        { precision: 0.9, seed: d },
      );
      const names = found?.groups.map(({ group }) => group) ?? [];
      if (names.includes("good")) goods++;
      if (names.includes("bad")) broken++;
      if (found) expect([...names, ...found.open].sort()).toEqual(["bad", "fair", "good"]);
    }
    expect(broken / draws).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / draws));
    expect(goods / draws).toBeGreaterThan(0.9);
  });
});

describe("a tagger", () => {
  test("answers types that it knows and leaves those that are a toss-up, by label or by column", async () => {
    const tagger = await Tagger.train(sentences(400, 1), { passes: 4, l2: 1 });
    const found = await calibrate(tagger, sentences(1500, 2), { precision: 0.9, unit: "token", per: "label" });
    expect(found).toMatchObject({ promised: true, guarantee: { per: "label" } });
    if (!found.promised || found.unit === "sequence") throw new Error("not promised");
    const { groups: made = [], open = [] } = found.guarantee;
    const labels = [...made.map(({ group }) => group), ...open].sort();
    expect(labels).toEqual([...tagger.labels.all()].sort());
    expect(made.map(({ group }) => group)).toEqual(expect.arrayContaining(["I-LOC", "O"]));
    expect(open).toContain("B-PER"); // right as often as not
    const given = tagger.answerParts({ columns: [["New"], ["York"], ["in"]] }, { precision: 0.9, unit: "token" });
    expect(given.labels[2]).toBe("O");
    expect((decodeModel(encodeModel(tagger)) as Tagger).calibration).toEqual(tagger.calibration);

    const wide = sentences(1500, 2).map(({ columns, labels }) => ({
      columns: columns.map(([word], i) => [word, i % 2 === 0 ? "even" : "odd"]),
      labels,
    }));
    const other = await Tagger.train(wide.slice(0, 400), { passes: 4, l2: 1 });
    const byColumn = await calibrate(other, wide, { precision: 0.8, unit: "token", per: 2 });
    expect(byColumn).toMatchObject({ promised: true, guarantee: { groups: [{ group: "even" }, { group: "odd" }] } });
    await expect(calibrate(other, wide, { precision: 0.8, unit: "token", per: 3 })).rejects.toThrow(
      /no column 3, only 2/,
    );
    await expect(calibrate(other, wide, { precision: 0.8, per: "label" })).rejects.toThrow(/tokens or spans/);
    await expect(calibrate(other, wide, { precision: 0.8, unit: "token", per: "x" as never })).rejects.toThrow(
      /takes `label`/,
    );
  });
});
