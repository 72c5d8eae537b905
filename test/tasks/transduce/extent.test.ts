// A training on many pairs says what it will take before it begins, and is refused if there is too little memory.

import { expect, test } from "vitest";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";

/** So many different inputs: numbers in letters, written twice as large. */
function* pairs(count: number) {
  for (let i = 0; i < count; i++) {
    const digits = [...i.toString(6)];
    yield { input: digits, output: digits.map((digit) => `x${digit}`) };
  }
}

test("many pairs that need more memory than there is are refused at once", async () => {
  const training = Transducer.train(pairs(20_000), { memory: 200e6, window: 1 });
  await expect(training).rejects.toThrow(/training on 20,000 inputs needs about \d+ MB of memory; there are 200 MB/);
});

test("time and memory are said before the first pass of many pairs, and not of few", async () => {
  const said: string[] = [];
  const training = (count: number) =>
    Transducer.train(pairs(count), {
      memory: 1e12,
      window: 1,
      passes: 1,
      onNotice: (text) => said.push(text),
      shouldStop: () => said.length > 0 || count < 20_000,
    });
  await training(500);
  expect(said).toEqual([]);
  await training(20_000);
  expect(said).toEqual([
    expect.stringMatching(/^20,000 inputs: training will take about \S+( \w+)? and \d+ MB of memory$/),
  ]);
});
