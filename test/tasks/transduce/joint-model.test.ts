// The joint model: a probability over aligned pairs, and a transducer that chooses by it.

import { beforeAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../../src/learn/training.js";
import { JointModel } from "../../../src/tasks/transduce/joint-model.js";
import { weightOf } from "../../../src/tasks/transduce/powers.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

const SHIFT = 2;

describe("a joint model", () => {
  it("gives all aligned pairs together a probability of one", () => {
    // Input symbols 0 and 1; 0 or 1 is written, or nothing. Short pairs often, so that little is left for long ones.
    const pairs = [
      { input: [0], moves: [0, SHIFT] },
      { input: [1], moves: [1, SHIFT] },
      { input: [0, 1], moves: [SHIFT, 1, SHIFT] },
    ];
    const often = Array.from({ length: 300 }, () => pairs).flat();
    const model = JointModel.count(often, 3, SHIFT);
    const graphones = [0, 1].flatMap((input) => [[], [0], [1]].map((written) => ({ input, written })));
    let sum = 0;
    let sequences: (typeof graphones)[] = [[]];
    for (let length = 0; length <= 4; length++) {
      for (const sequence of sequences) {
        const moves = sequence.flatMap(({ written }) => [...written, SHIFT]);
        sum += Math.exp(model.judge({ input: sequence.map(({ input }) => input), moves }).joint);
      }
      sequences = sequences.flatMap((sequence) => graphones.map((graphone) => [...sequence, graphone]));
    }
    // Three of the six graphones were never seen, and share one symbol: the sum counts what that has three times.
    expect(sum).toBeGreaterThan(0.99);
    expect(sum).toBeLessThan(1.01);
  });

  it("prefers what it has seen side by side", () => {
    const model = JointModel.count(
      [
        { input: [0, 1], moves: [0, SHIFT, 1, SHIFT] },
        { input: [0, 0], moves: [1, SHIFT, 0, SHIFT] },
        { input: [0, 1], moves: [0, SHIFT, 1, SHIFT] },
      ],
      2,
      SHIFT,
    );
    const log = (...moves: number[]): number => model.judge({ input: [0, 1], moves }).joint;
    expect(log(0, SHIFT, 1, SHIFT)).toBeGreaterThan(log(1, SHIFT, 1, SHIFT));
    expect(log(1, SHIFT, 1, SHIFT)).toBeGreaterThan(log(1, 1, SHIFT, 0, 0, SHIFT));
    expect(log(1, 1, SHIFT, 0, 0, SHIFT)).toBeGreaterThan(Number.NEGATIVE_INFINITY);
  });
});

describe("a transducer with a joint model", () => {
  // `x` is written X after `a` and Y after `b`, three symbols before, mostly.
  const pairs = Array.from({ length: 1200 }, (_, i) => {
    const middle = [0, 1, 2].map((k) => "cdef"[(i >> (2 * k)) & 3]).join("");
    const first = i % 2 === 0 ? "a" : "b";
    const last = (i % 7 === 0) === (first === "a") ? "Y" : "X";
    return { input: [...`${first}${middle}x${i >> 6}`], output: [first, ...middle, last] };
  });
  let transducer: Transducer;
  beforeAll(async () => {
    const options = { passes: 2, window: 1, moveGrams: [2], outputGrams: 1, l2: 1, ensemble: 1 };
    transducer = await Transducer.train(pairs, options);
  });
  const inputs = ["acdex", "bfedx", "accx", "bx", "adeedx1", "qx"];

  it("has one where there are many pairs, and none where it is told so", async () => {
    expect(transducer.joint).toBeDefined();
    const few = await Transducer.train(pairs.slice(0, 40), { passes: 1 });
    expect(few.joint).toBeUndefined();
    const told = await Transducer.train(pairs, { passes: 1, l2: 1, jointGrams: 0, ensemble: 1 });
    expect(told.joint).toBeUndefined();
  });

  it("gives the same best output, however many are asked for, and probabilities below one together", () => {
    for (const input of inputs) {
      const alone = transducer.predict([...input]);
      for (const nbest of [1, 3, 8]) {
        const outputs = transducer.predict([...input], { nbest }).nbest ?? [];
        expect(outputs[0].output).toEqual(alone.output);
        expect(outputs[0].probability).toBeCloseTo(alone.probability, 12);
        const probabilities = outputs.map(({ probability }) => probability);
        expect(probabilities.reduce((a, b) => a + b)).toBeLessThan(1 + 1e-9);
        expect([...probabilities].sort((a, b) => b - a)).toEqual(probabilities);
        expect(new Set(outputs.map(({ output }) => output.join())).size).toBe(outputs.length);
      }
    }
  });

  it("shares out what candidates have in proportion to both models' powers", () => {
    const joint = transducer.joint as JointModel;
    const without = new Transducer({
      ...transducer,
      rows: transducer.rows,
      weights: transducer.weights,
      joint: undefined,
    });
    let compared = 0;
    for (const input of inputs) {
      const [first, second] = transducer.predict([...input], { nbest: 2, alignment: true }).nbest ?? [];
      const plain = without.predict([...input], { nbest: 12 }).nbest ?? [];
      const shift = transducer.outputSymbols.size;
      const symbols = [...input].map((name) => {
        const symbol = transducer.inputSymbols.indexOf(name);
        return symbol < 0 ? transducer.inputSymbols.size : symbol;
      });
      const score = ({ output, alignment }: typeof first): number => {
        const own = plain.find((one) => one.output.join() === output.join());
        if (!own) return Number.NaN;
        const moves = (alignment ?? []).flatMap((one) => [
          ...one.output.map((name) => transducer.outputSymbols.indexOf(name)),
          shift,
        ]);
        const log = Math.log(own.probability);
        return weightOf({ log, ...joint.judge({ input: symbols, moves }), words: 0 }, transducer.powers);
      };
      const own = (one: typeof first) =>
        plain.find(({ output }) => output.join() === one.output.join())?.probability ?? 0;
      // Both are candidates if neither is too far below the other.
      if (!second || Math.abs(Math.log(own(first) / own(second))) > 2.9) continue;
      compared++;
      expect(Math.log(first.probability / second.probability)).toBeCloseTo(score(first) - score(second), 8);
    }
    expect(compared).toBeGreaterThan(0);
  });

  it("goes on with the joint model it has", async () => {
    const more = await Transducer.train(pairs.slice(0, 3), { from: transducer });
    expect(more.joint?.parts).toEqual(transducer.joint?.parts);
    const loaded = decodeModel(encodeModel(more)) as Transducer;
    for (const input of inputs) expect(loaded.predict([...input])).toEqual(more.predict([...input]));
    const stopped = await Transducer.train(pairs, { from: transducer, shouldStop: () => true });
    expect(stopped.joint?.parts).toEqual(transducer.joint?.parts);
  });

  it("is counted after all when that was stopped, without another pass", async () => {
    const rows = { window: 1, moveGrams: [2], outputGrams: 1, order: 2 };
    const options = { ...rows, passes: 1, l2: 1, refit: false, ensemble: 1 };
    const whole = await Transducer.train(pairs, options);
    let passes = 0;
    let kept: Checkpoint | undefined;
    const stopped = await Transducer.train(pairs, {
      ...options,
      onPass: () => void passes++,
      shouldStop: () => passes > 0,
      onCheckpoint: (checkpoint) => {
        kept = structuredClone(checkpoint);
      },
    });
    expect(stopped.summary).toMatchObject({ stopped: true, history: whole.summary.history });
    expect(stopped.joint).toBeUndefined();
    let steps = 0;
    const resumed = await Transducer.train(pairs, { ...options, checkpoint: kept, onExample: () => void steps++ });
    expect(steps).toBe(0);
    expect(resumed.summary).toEqual(whole.summary);
    expect(resumed.weights).toEqual(whole.weights);
    expect(resumed.joint?.parts).toEqual(whole.joint?.parts);
  });

  it("leaves no checkpoint when it is stopped while it chooses its penalty", async () => {
    const checkpoints: Checkpoint[] = [];
    const stopped = await Transducer.train(pairs, {
      passes: 1,
      shouldStop: () => true,
      onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
    });
    expect(stopped.summary).toMatchObject({ stopped: true, history: [] });
    expect(checkpoints).toEqual([]);
  });

  it.each([Number.NaN, 1.5, -1])("refuses to give %s outputs", (nbest) => {
    expect(() => transducer.predict(["a"], { nbest })).toThrow(InputError);
  });

  it("needs held-out inputs", async () => {
    await expect(Transducer.train(pairs, { heldOut: 0, jointGrams: 3 })).rejects.toThrow(InputError);
  });
});
