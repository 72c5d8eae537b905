// Ensembles: members of both directions that decide together, kept in one file.

import { beforeAll, describe, expect, it } from "vitest";
import type { Checkpoint } from "../../../src/learn/training.js";
import { distill } from "../../../src/tasks/transduce/distill.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

/** A letter is written large, before a vowel twice; now and then it is not. */
function doubled(count: number) {
  const random = mulberry(11);
  return Array.from({ length: count }, () => {
    const input = Array.from({ length: 1 + Math.floor(5 * random()) }, () => "abcdei"[Math.floor(6 * random())]);
    const output = input.flatMap((letter, i) => {
      const isTwice = "aei".includes(input[i + 1] ?? "") && random() < 0.8;
      return isTwice ? [letter.toUpperCase(), letter.toUpperCase()] : [letter.toUpperCase()];
    });
    return { input, output };
  });
}

const pairs = doubled(80);
const options = { passes: 2, window: 1, moveGrams: [2], outputGrams: 1, order: 3, lookup: false };
const inputs = ["ab", "bbade", "x", "i", "dcea"].map((word) => [...word]);

describe("an ensemble", () => {
  let ensemble: Transducer;
  beforeAll(async () => {
    ensemble = await Transducer.train(pairs, { ...options, ensemble: 3 });
  });

  it("has members of both directions by turns, with models of graphones", () => {
    expect(ensemble.members.map(({ backward }) => backward)).toEqual([false, true, false]);
    for (const { joint } of ensemble.members) expect(joint).toBeDefined();
    expect(ensemble.options.ensemble).toBe(3);
  });

  it("gives outputs the mean of its members' probabilities; a backward member is one that learned backwards", () => {
    const { members, inputSymbols, outputSymbols, summary, note } = ensemble;
    const single = { ...options, ...ensemble.options, ensemble: 1 };
    const alone = members.map(
      (parts) =>
        new Transducer({ ...parts, inputSymbols, outputSymbols, summary, note, options: single, joint: undefined }),
    );
    const written = ["B", "BB", "BBA", "AB", "AAB", "ABB"].map((text) => [...text]);
    for (const output of written) {
      const chances = alone.map((one, m) =>
        m === 1
          ? Math.exp(one.logLikelihood([..."ab"].reverse(), [...output].reverse()))
          : Math.exp(one.logLikelihood([..."ab"], output)),
      );
      const mean = chances.reduce((a, b) => a + b) / 3;
      expect(Math.exp(ensemble.logLikelihood([..."ab"], output))).toBeCloseTo(mean, 10);
    }
  });

  it("gives the same best output, however many are asked for, and probabilities below one together", () => {
    for (const input of inputs) {
      const alone = ensemble.predict(input);
      for (const nbest of [1, 4, 20]) {
        const outputs = ensemble.predict(input, { nbest }).nbest ?? [];
        expect(outputs[0].output).toEqual(alone.output);
        expect(outputs[0].probability).toBeCloseTo(alone.probability, 12);
        const probabilities = outputs.map(({ probability }) => probability);
        expect(probabilities.reduce((a, b) => a + b)).toBeLessThan(1 + 1e-9);
        expect([...probabilities].sort((a, b) => b - a)).toEqual(probabilities);
        expect(new Set(outputs.map(({ output }) => output.join())).size).toBe(outputs.length);
      }
    }
  });

  it("aligns every output from left to right", () => {
    for (const input of inputs) {
      for (const { output, alignment = [] } of ensemble.predict(input, { nbest: 6, alignment: true }).nbest ?? []) {
        expect(alignment.map((one) => one.input)).toEqual(input);
        expect(alignment.flatMap((one) => one.output)).toEqual(output);
      }
    }
  });

  it("is kept in one file, and goes on with all its members", async () => {
    const loaded = decodeModel(encodeModel(ensemble)) as Transducer;
    for (const input of inputs) {
      expect(loaded.predict(input, { nbest: 3 })).toEqual(ensemble.predict(input, { nbest: 3 }));
    }
    const more = await Transducer.train(pairs.slice(0, 5), { from: loaded });
    expect(more.members).toHaveLength(3);
    more.members.forEach(({ weights }, m) => {
      expect(weights).not.toEqual(loaded.members[m].weights);
    });
    expect(more.powers).toEqual(ensemble.powers);
  });

  it("that was stopped within a later member and resumed ends as one that was not", async () => {
    let kept: Checkpoint | undefined;
    let isLater = false;
    const stopped = await Transducer.train(pairs, {
      ...options,
      ensemble: 2,
      onProgress: ({ title = "" }) => {
        isLater ||= title.startsWith("member 2");
      },
      shouldStop: () => isLater,
      onCheckpoint: (checkpoint) => {
        kept = structuredClone(checkpoint);
      },
    });
    expect(stopped.summary.stopped).toBe(true);
    expect(stopped.members).toHaveLength(1);
    const resumed = await Transducer.train(pairs, { ...options, ensemble: 2, checkpoint: kept });
    const whole = await Transducer.train(pairs, { ...options, ensemble: 2 });
    expect(encodeModel(resumed)).toEqual(encodeModel(whole));
  });

  it("has as many members as may be asked for", async () => {
    await expect(Transducer.train(pairs, { ensemble: 0 })).rejects.toThrow(InputError);
    await expect(Transducer.train(pairs.slice(0, 5), { from: ensemble, ensemble: 2 })).rejects.toThrow(InputError);
  });
});

describe("distilling", () => {
  it("gives one member that answers mostly as its teacher, and remembers the true pairs alone", async () => {
    const known = doubled(260);
    const teacher = await Transducer.train(known, { ...options, lookup: true, encoder: "none" });
    expect(teacher.members).toHaveLength(2);
    const isKnown = new Set(known.map(({ input }) => input.join("")));
    const letters = [..."abcdei"];
    const words = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => [a, b, c])));
    const unlabelled = [...words, ["q"], [..."ab"]].map((input) => ({ input, output: [] }));
    const student = await distill(teacher, unlabelled);
    expect(student.members).toHaveLength(1);
    expect(student.remembered?.inputCount).toBe(isKnown.size);
    const fresh = words.filter((input) => !isKnown.has(input.join("")));
    const same = fresh.filter((input) => student.predict(input).output.join() === teacher.predict(input).output.join());
    expect(same.length).toBeGreaterThan(0.9 * fresh.length);
    const loaded = decodeModel(encodeModel(student)) as Transducer;
    for (const input of inputs) expect(loaded.predict(input)).toEqual(student.predict(input));
  });

  it("needs inputs that are new", async () => {
    const teacher = await Transducer.train(pairs, { ...options, lookup: true, ensemble: 1, passes: 1 });
    await expect(distill(teacher, pairs.slice(0, 3))).rejects.toThrow(InputError);
  });
});
