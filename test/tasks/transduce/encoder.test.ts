// A transducer with a network: what it learns, its gradient, its file, trainings that are stopped and resumed, and the choice between
// it and rows.
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { plainArrays } from "../../../src/engine/backend.js";
import { referenceDense } from "../../../src/engine/reference/dense.js";
import { Encoder } from "../../../src/learn/encoder/encoder.js";
import { encoderShape } from "../../../src/learn/encoder/options.js";
import { drawParameters, placesOf } from "../../../src/learn/encoder/shape.js";
import { Gradient } from "../../../src/learn/gradient.js";
import type { Checkpoint } from "../../../src/learn/training.js";
import { parametersOf } from "../../../src/model/encoder.js";
import { viewsOf } from "../../../src/tasks/transduce/classes.js";
import { contents, contentsText } from "../../../src/tasks/transduce/contents.js";
import { encoderEnds, MoveEncoder } from "../../../src/tasks/transduce/encoder.js";
import { TransducerEngine } from "../../../src/tasks/transduce/engine.js";
import { chooseSet, memberKinds, memberSets } from "../../../src/tasks/transduce/kinds.js";
import { chooseOptions, inferenceOf, shapeOf } from "../../../src/tasks/transduce/options.js";
import { answerOf, markedInputOf, PairCorpusBuilder } from "../../../src/tasks/transduce/pairs.js";
import { prepare } from "../../../src/tasks/transduce/preparation.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

const vowels = "aei";

/** A letter is written large, and twice if exactly one of its neighbours is a vowel. */
function doubled(count: number, seed = 11) {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const input = Array.from({ length: 1 + Math.floor(6 * random()) }, () => "abcdei"[Math.floor(6 * random())]);
    const isVowel = (i: number): boolean => vowels.includes(input[i] ?? "x");
    const output = input.flatMap((letter, i) =>
      Array<string>(isVowel(i - 1) !== isVowel(i + 1) ? 2 : 1).fill(letter.toUpperCase()),
    );
    return { input, output };
  });
}

const pairs = doubled(120);
const options = { passes: 8, outputGrams: 1, order: 3, encoderWidth: 16, encoderLayers: 2, lookup: false, l2: 1 };
const inputs = ["ab", "bbade", "x", "i", "dcea"].map((word) => [...word]);

describe("a transducer with a network", () => {
  it("learns what depends on neighbours, without rows of windows or moves", async () => {
    const transducer = await Transducer.train(doubled(400), { ...options, passes: 20, encoder: "conv", ensemble: 1 });
    const { windowTree, moveTree, outputTree } = transducer.rows;
    for (const { row } of [windowTree, moveTree]) expect([...row]).toEqual([-1]);
    expect(outputTree.row.length).toBeGreaterThan(1);
    const fresh = doubled(100, 12);
    const right = fresh.filter(({ input, output }) => transducer.predict(input).output.join() === output.join());
    expect(right.length).toBeGreaterThan(95);
  });

  it("has the gradient that finite differences show, also of marks and classes", () => {
    const alphabets = { inputSymbols: new Alphabet(), outputSymbols: new Alphabet(), marks: new Alphabet() };
    const builder = new PairCorpusBuilder(alphabets.inputSymbols, alphabets.outputSymbols, alphabets.marks, true);
    for (const [n, pair] of doubled(12).entries()) builder.add({ ...pair, attributes: [n % 2 === 0 ? "even" : "odd"] });
    const corpus = builder.build();
    const chosen = chooseOptions({ corpus, ...alphabets }, { edgeEmit: 0, maxEmit: 2, contexts: 1000, lightest: 0 });
    const shape = shapeOf(alphabets.inputSymbols, alphabets.outputSymbols, chosen);
    const views = [
      ...viewsOf(corpus, alphabets.inputSymbols),
      Int32Array.from({ length: shape.boundary + 1 }, (_, i) => i % 2),
    ];
    const rows = prepare(corpus, shape, chosen, views, true).rowsOf();
    const seen = { boundary: shape.boundary, views, marks: alphabets.marks.size };
    const ends = encoderEnds(seen, shape.symbolCount);
    const network = encoderShape("conv", { encoderWidth: 4, encoderLayers: 2 }, ends.inputs, ends.outputs);
    // Double precision, in which differences are fine enough.
    const arrays = { ...plainArrays, float32: (length: number) => new Float64Array(length) };
    const precise = { dense: referenceDense, arrays };
    const encoder = MoveEncoder.learning(network, seen, corpus, 0)(precise);
    const { parameters } = encoder.network;
    drawParameters(network, 3, 5, parameters);
    const engine = new TransducerEngine(rows, shape, inferenceOf(chosen), () => encoder);
    const weights = engine.arrays.float64(rows.table.symbols.length);
    for (const example of [0, 5, 8]) {
      const input = markedInputOf(corpus, example);
      const output = answerOf(corpus, corpus.answerStart[example]);
      const likelihood = (): number => {
        engine.forward(input, weights);
        return engine.logProbability(output, input.symbols.length);
      };
      const gradient = encoder.learning?.gradient.fill(0) as Float64Array;
      engine.learn(input, [{ output, count: 1 }], weights, new Gradient(rows.table), "rcms");
      let apart = 0;
      for (let e = 0; e < parameters.length; e += 5) {
        const held = parameters[e];
        const at = (step: number): number => {
          parameters[e] = held + step;
          const found = likelihood();
          parameters[e] = held;
          return found;
        };
        // At a corner of a rectifier there is no gradient to compare with.
        if (Math.abs(at(1e-4) - 2 * at(0) + at(-1e-4)) > 1e-6) continue;
        expect(gradient[e]).toBeCloseTo((at(1e-4) - at(-1e-4)) / 2e-4, 5);
        if (Math.abs(gradient[e]) > 1e-3) apart++;
      }
      expect(apart).toBeGreaterThan(10);
    }
  });

  it("answers the same when it was saved and loaded, with marks, in both directions", async () => {
    const marked = pairs.map((pair, n) => ({ ...pair, attributes: [n % 2 === 0 ? "even" : "odd"] }));
    for (const data of [pairs, marked]) {
      const transducer = await Transducer.train(data, { ...options, passes: 2, encoder: "conv", ensemble: 2 });
      expect(transducer.members.map(({ encoder }) => encoder !== undefined)).toEqual([true, true]);
      const loaded = decodeModel(encodeModel(transducer)) as Transducer;
      for (const input of inputs) {
        const asked = { nbest: 3, attributes: ["odd"] };
        expect(loaded.predict(input, asked)).toEqual(transducer.predict(input, asked));
      }
    }
  });

  it("goes on from any checkpoint as if it had never stopped", async () => {
    const own = { ...options, passes: 3, encoder: "conv" as const, ensemble: 1, heldOut: 0.2 };
    const whole = encodeModel(await Transducer.train(pairs, own));
    for (const stopAt of [1, 50, 97, 200]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Transducer.train(pairs, {
        ...own,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      expect(encodeModel(await Transducer.train(pairs, { ...own, checkpoint: kept }))).toEqual(whole);
    }
  });

  it("learns on from further pairs, all members as they are, and can be stopped at any step", async () => {
    const from = await Transducer.train(pairs, { ...options, encoder: "auto", ensemble: 3, passes: 4 });
    const more = doubled(60, 5);
    const loss = (transducer: Transducer): number =>
      more.reduce((sum, { input, output }) => sum - transducer.logLikelihood(input, output), 0);
    const before = encodeModel(from);
    const further = await Transducer.train(more, { from });
    expect(encodeModel(from)).toEqual(before);
    expect(loss(further)).toBeLessThan(loss(from));
    expect(further.members.map(({ backward, encoder }) => [backward, encoder?.shape])).toEqual(
      from.members.map(({ backward, encoder }) => [backward, encoder?.shape]),
    );
    for (const [m, { encoder }] of further.members.entries()) {
      if (encoder) expect(encoder.parameters).not.toEqual(from.members[m].encoder?.parameters);
    }
    const whole = encodeModel(further);
    for (const stopAt of [1, 50, 100]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Transducer.train(more, {
        from,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      expect(encodeModel(await Transducer.train(more, { from, checkpoint: kept }))).toEqual(whole);
    }
  });

  it("learns on with the scores it had, which were multiplied to calibrate them", () => {
    const shape = encoderShape("conv", { encoderWidth: 4, encoderLayers: 1 }, 3, 2);
    const scores = (parameters: Float32Array, scale: number): number[] => {
      const network = new Encoder(shape, { dense: referenceDense, arrays: plainArrays });
      network.parameters.set(parameters);
      network.forward({ start: Int32Array.of(0, 1, 2), ids: Int32Array.of(0, 2) }, 0, 2);
      return Array.from(network.scores.subarray(0, 2), (score) => score * scale);
    };
    const parameters = new Float32Array(placesOf(shape).count);
    drawParameters(shape, 1, 3, parameters);
    const found = scores(parametersOf({ shape, parameters, scale: 0.7 }), 1);
    for (const [y, score] of scores(parameters, 0.7).entries()) expect(found[y]).toBeCloseTo(score, 6);
  });
});

describe("the choice between rows and a network", () => {
  it("is left to held-out inputs where there are few, unless an option rules it out", () => {
    const alphabets = { inputSymbols: new Alphabet(), outputSymbols: new Alphabet(), marks: new Alphabet() };
    const builder = new PairCorpusBuilder(alphabets.inputSymbols, alphabets.outputSymbols, alphabets.marks, true);
    for (const pair of doubled(200)) builder.add(pair);
    const data = { corpus: builder.build(), ...alphabets };
    const chosen = (given: Parameters<typeof chooseOptions>[1]) => {
      const { encoder, ensemble } = chooseOptions(data, given);
      return [encoder, ensemble];
    };
    expect(chosen({})).toEqual(["auto", 3]);
    expect(chosen({ ensemble: 2 })).toEqual(["auto", 2]);
    expect(chosen({ ensemble: 1 })).toEqual(["none", 1]);
    expect(chosen({ encoder: "none" })).toEqual(["none", 2]);
    for (const given of [{ words: 0.4 }, { heldOut: 0 }, { strategy: "model" as const }]) {
      expect(chosen(given)).toEqual(["none", 1]);
    }
    const many = { ...data.corpus, inputCount: 20_000 };
    expect(chooseOptions({ ...data, corpus: many }, {}).encoder).toBe("none");
  });

  it("has members of both kinds in both directions", () => {
    const words = memberKinds("auto", 4).map(
      ({ backward, encoded }) => `${encoded ? "e" : "r"}${backward ? "b" : "f"}`,
    );
    expect(words).toEqual(["rf", "eb", "ef", "rb"]);
    expect(memberSets(memberKinds("auto", 4))).toEqual([
      [0, 1, 2, 3],
      [0, 3],
      [1, 2],
    ]);
    expect(memberSets(memberKinds("conv", 2))).toEqual([[0, 1]]);
  });

  it("takes the average unless one kind is clearly better", () => {
    const of = (mean: number): number[] => Array.from({ length: 100 }, (_, i) => mean + Math.sin(mean * 100 * i));
    expect(chooseSet([of(1), of(1.02), of(0.98)])).toBe(0);
    expect(chooseSet([of(1), of(0.9), of(1)])).toBe(0);
    expect(chooseSet([of(1), of(0.6), of(1)])).toBe(1);
    expect(chooseSet([of(1), of(0.6), of(0.4)])).toBe(2);
    expect(chooseSet([of(0.6), of(0.8), of(1)])).toBe(0);
    expect(chooseSet([[1, 2]])).toBe(0);
  });

  it("keeps both in one file, or all members of the better kind", async () => {
    const transducer = await Transducer.train(pairs, {
      ...options,
      window: 1,
      moveGrams: [1],
      encoder: "auto",
      passes: 4,
    });
    const { encoder: kind, ensemble } = transducer.options;
    expect(ensemble).toBe(kind === "auto" ? 3 : 2);
    const kinds = transducer.members.map(({ encoder, backward }) => ({ encoded: encoder !== undefined, backward }));
    expect(kinds).toEqual(memberKinds(kind, ensemble).map(({ turn: _, ...own }) => own));
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    for (const input of inputs) expect(loaded.predict(input)).toEqual(transducer.predict(input));
    const shown = contents(loaded).members.map(({ encoder }) => encoder?.width);
    expect(shown).toEqual(kinds.map(({ encoded }) => (encoded ? 16 : undefined)));
    if (shown.includes(16)) expect(contentsText(loaded, { bytes: 1 })).toContain("2 convolutions of 16 numbers");
  });
});
