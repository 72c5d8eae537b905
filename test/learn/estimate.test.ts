// What a pass will take is measured, and said if it is long.

import { expect, test, vi } from "vitest";
import { RowTableBuilder } from "../../src/engine/rows.js";
import { leastSeconds, slowNotice } from "../../src/learn/estimate.js";
import type { Learner } from "../../src/learn/learner.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";

test("time is that of some examples, scaled to all by their size", () => {
  const table = new RowTableBuilder(2);
  table.addDense();
  const judged: number[] = [];
  let clock = 0; // ms
  const now = vi.spyOn(performance, "now").mockImplementation(() => clock);
  const learner: Learner = {
    table: table.build(),
    exampleCount: 1000,
    learn: () => ({ logLikelihood: 0, contextLength: 0 }),
    judge: (example) => {
      judged.push(example);
      clock += 10 * (1 + (example % 2)); // ten for each unit of size
      return { logLikelihood: 0, decisions: 0, errors: 0, right: 0 };
    },
  };
  const sizes = Int32Array.from({ length: 1000 }, (_, example) => 1 + (example % 2));
  expect(leastSeconds(learner, sizes)).toBeCloseTo(15, 9);
  now.mockRestore();
  expect(judged.length).toBeLessThan(100);
  expect(new Set(judged).size).toBe(judged.length);
});

test("only long trainings are announced", () => {
  expect(slowNotice(1, 12, "why")).toBeUndefined();
  expect(slowNotice(390, 12, "why")).toBe("why: each pass will take 6:30 min or more, and there may be 12");
});

test("a tagger that is quick says nothing", async () => {
  const notices: string[] = [];
  const data = [{ columns: [["a"], ["b"]], labels: ["X", "Y"] }];
  await Tagger.train(data, { mode: "exact", order: 3, passes: 1, onNotice: (text) => notices.push(text) });
  expect(notices).toEqual([]);
});
