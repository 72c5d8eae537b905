// A segmenter with a network: what it can learn that rows cannot, its probabilities and its gradient, its file, trainings that are
// stopped and resumed, and learning on.

import { afterEach, describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { type Backend, plainArrays } from "../../../src/engine/backend.js";
import { useBackend } from "../../../src/engine/choice.js";
import { referenceBackend } from "../../../src/engine/reference/backend.js";
import { referenceDense } from "../../../src/engine/reference/dense.js";
import { wasmBackend } from "../../../src/engine/wasm/backend.js";
import { drawParameters, placesOf } from "../../../src/learn/encoder/shape.js";
import { Gradient } from "../../../src/learn/gradient.js";
import type { Checkpoint } from "../../../src/learn/training.js";
import { decodeTensors, encodeTensors } from "../../../src/model/safetensors.js";
import { positionPieces } from "../../../src/tasks/segment/attributes.js";
import { contents, contentsText } from "../../../src/tasks/segment/contents.js";
import { positionsOf, type SegmentedText } from "../../../src/tasks/segment/example.js";
import { Gatherer } from "../../../src/tasks/segment/gather.js";
import { SegmenterEngine, SegmenterLearner } from "../../../src/tasks/segment/learner.js";
import { learningNetwork } from "../../../src/tasks/segment/network.js";
import { inferenceOf, type SegmenterOptions } from "../../../src/tasks/segment/options.js";
import { ANY, FIRST, INSIDE, LAST, ROLES, SINGLE } from "../../../src/tasks/segment/rows.js";
import { Segmenter, type TrainSegmenterOptions } from "../../../src/tasks/segment/segmenter.js";
import { type AttributeEncoder, keptOf, type SlotEncoder } from "../../../src/tasks/tag/encoder.js";
import { pieceNames } from "../../../src/tasks/tag/pieces.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";
import { labelled, outputs, type Piece, scoreOf, text } from "./oracle.js";

const wasm = wasmBackend() as Backend;
afterEach(() => useBackend(wasm));

/** A letter is of the kind that stands four letters before it: further away than attributes reach. */
function echoes(count: number, seed: number): SegmentedText[] {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => {
    const letters = Array.from({ length: 9 }, () => "abcd"[Math.floor(4 * random())]);
    return text(letters.map((letter, i) => `${letter}/${"ab".includes(letters[i - 4] ?? "c") ? "X" : "Y"}`).join(" "));
  });
}

const words = ["ta", "shi", "ma", "kuro", "neko", "inu"];

/** Words one after the other, without spaces. */
function sentences(count: number, seed: number): SegmentedText[] {
  const random = mulberry(seed);
  return Array.from({ length: count }, () =>
    text(Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)]).join(" ")),
  );
}

const made = sentences(60, 9);
const small: TrainSegmenterOptions = { encoder: "conv", encoderWidth: 8, passes: 3, l2: 0.1, heldOut: 0 };

/** A segmenter of made-up texts with a network and weights drawn at random. */
function drawn(seed: number, kind: "dense" | "conv", backend: Backend) {
  useBackend(backend);
  const gatherer = new Gatherer("chars", new Alphabet(["bc", "c"]));
  for (const example of labelled) gatherer.add(example);
  const options = {
    ...{ order: 1, contexts: 20, sure: 0.95, rows: "all", mode: "exact", minCount: 1 },
    ...{ encoder: kind, encoderWidth: 8, encoderLayers: 2, dropout: 0 },
  } as SegmenterOptions;
  const prepared = gatherer.prepare(options);
  const make = learningNetwork(prepared, options, {}) as (given: Backend) => SlotEncoder;
  const random = mulberry(seed);
  const weights = Float64Array.from(prepared.rows.entries, () => 3 * (random() - 0.5));
  return { ...prepared, options, make, weights };
}

/** What a network says of the roles of each position, by its formula, from the names of attributes. */
function roleScores({ encoder, parts }: Segmenter, given: SegmentedText): number[][] {
  const { shape, parameters, inputs, scale } = encoder as AttributeEncoder;
  const places = placesOf(shape);
  const { columns } = positionsOf(given, "chars");
  const { width } = shape;
  const affine = (place: (typeof places)["outputs"], input: readonly number[]): number[] =>
    Array.from({ length: place.outputSize }, (_, o) =>
      input.reduce(
        (sum, x, i) => sum + x * parameters[place.weights + o * place.inputSize + i],
        parameters[place.bias + o],
      ),
    );
  const rectified = (vector: readonly number[]): number[] => vector.map((x) => Math.max(0, x));
  let vectors = columns.map((_, k) => {
    const seen = pieceNames(positionPieces("chars", columns[0].length), columns, k)
      .map((name) => inputs[parts.attributes.indexOf(name)] ?? -1)
      .filter((input) => input >= 0);
    const sum = Array.from({ length: width }, (_, d) =>
      seen.reduce((all, input) => all + parameters[input * width + d], parameters[places.bias + d]),
    );
    return shape.kind === "dense" ? rectified(sum) : sum;
  });
  const nothing = new Array<number>(width).fill(0);
  for (const place of places.layers) {
    vectors = vectors.map((own, k) => {
      if (shape.kind === "dense") return rectified(affine(place, own));
      const around = [...(vectors[k - 1] ?? nothing), ...own, ...(vectors[k + 1] ?? nothing)];
      return rectified(affine(place, around)).map((x, d) => x + own[d]);
    });
  }
  return vectors.map((own) => affine(places.outputs, own).map((score) => scale * score));
}

/** The score of an output: that of rows, and of the roles of its positions. */
function scoreWith(segmenter: Segmenter, roles: number[][], given: SegmentedText, output: readonly Piece[]): number {
  let score = scoreOf(segmenter, given, output);
  for (const { from, to, label } of output) {
    for (let k = from; k < to; k++) {
      const role = to - from === 1 ? SINGLE : k === from ? FIRST : k === to - 1 ? LAST : INSIDE;
      score += roles[k][ROLES * label + role] + roles[k][ROLES * label + ANY];
    }
  }
  return score;
}

describe("a segmenter with a network", () => {
  it("sees further than attributes, if it convolves", async () => {
    const data = echoes(200, 1);
    const test = echoes(40, 2);
    const options: TrainSegmenterOptions = {
      encoderWidth: 16,
      dropout: 0.1,
      passes: 30,
      heldOut: 0,
      l2: 0.1,
      order: 0,
    };
    const right = async (encoder: SegmenterOptions["encoder"]): Promise<number> => {
      const segmenter = await Segmenter.train(data, { ...options, encoder });
      const found = test.map(({ text: letters = "", segments = [] }) => {
        const { segments: said } = segmenter.predict({ text: letters });
        return said.filter(({ start, end, label }, i) => {
          const gold = segments[i];
          return gold?.start === start && gold.end === end && gold.label === label;
        }).length;
      });
      return found.reduce((sum, count) => sum + count, 0) / (9 * test.length);
    };
    expect(await right("none")).toBeLessThan(0.9);
    expect(await right("dense")).toBeLessThan(0.9);
    expect(await right("conv")).toBe(1);
  });

  it("has the probabilities of enumeration, with both kernels", () => {
    for (const kind of ["dense", "conv"] as const) {
      const found = [referenceBackend, wasm].map((backend) => {
        const { parts, rows, weights, options, make } = drawn(3, kind, backend);
        const encoder = keptOf(make(backend)) as AttributeEncoder;
        drawParameters(encoder.shape, 10, 4, encoder.parameters);
        // Scores begin near nothing: here they must matter.
        const { outputs: last } = placesOf(encoder.shape);
        for (let e = last.weights; e < encoder.parameters.length; e++) encoder.parameters[e] *= 30;
        encoder.scale = 0.5;
        const summary = { texts: 0, positions: 0, segments: 0, history: [], bestPass: 0, stopped: false };
        const segmenter = new Segmenter({ parts, rows, weights, encoder, options, summary, note: {} });
        return ["abca", "bxcab", "c"].map((word) => {
          const roles = roleScores(segmenter, { text: word });
          expect(Math.max(...roles.flat().map(Math.abs))).toBeGreaterThan(0.3);
          const all = [...outputs(segmenter, word.length)];
          const scores = all.map((output) => scoreWith(segmenter, roles, { text: word }, output));
          const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
          all.forEach((output, i) => {
            const segments = output.map(({ from, to, label }) => ({
              ...{ start: from, end: to },
              label: parts.labels.nameOf(label),
            }));
            const log = segmenter.logLikelihood({ text: word, segments });
            expect(Math.exp(log)).toBeCloseTo(Math.exp(scores[i]) / total, 5);
          });
          return segmenter.predict({ text: word }, { nbest: 5, marginals: true });
        });
      });
      const [one, other] = found.map((predictions) =>
        predictions.map(({ segments, probability }) => [segments, probability]),
      );
      for (const [i, [segments, probability]] of one.entries()) {
        expect(other[i][1]).toBeCloseTo(probability as number, 6);
        const places = (given: unknown) =>
          (given as { start: number; label?: string }[]).map(({ start, label }) => [start, label]);
        expect(places(other[i][0])).toEqual(places(segments));
      }
    }
  });

  it("has the gradient that finite differences show", () => {
    // Double precision, in which differences are fine enough.
    const arrays = { ...plainArrays, float32: (length: number) => new Float64Array(length) };
    const precise = { ...referenceBackend, dense: referenceDense, arrays } as unknown as Backend;
    for (const kind of ["dense", "conv"] as const) {
      const { corpus, rows, weights, options, make } = drawn(5, kind, referenceBackend);
      const network = make(precise);
      const { parameters, shape } = network.network;
      drawParameters(shape, 3, 6, parameters);
      const engine = new SegmenterEngine(rows, inferenceOf(options), () => network);
      for (const example of [0, 3]) {
        const gradient = network.learning?.gradient.fill(0) as Float64Array;
        const ofRows = new Gradient(engine.table);
        engine.learn(corpus, example, weights, ofRows);
        const likelihood = (): number => engine.judge(corpus, example, weights, 2).logLikelihood;
        const differences = (array: Float64Array, e: number): number | undefined => {
          const held = array[e];
          const at = (step: number): number => {
            array[e] = held + step;
            const found = likelihood();
            array[e] = held;
            return found;
          };
          // At a corner of a rectifier there is no gradient to compare with.
          if (Math.abs(at(1e-4) - 2 * at(0) + at(-1e-4)) > 1e-6) return undefined;
          return (at(1e-4) - at(-1e-4)) / 2e-4;
        };
        let apart = 0;
        for (let e = 0; e < parameters.length; e += 3) {
          const slope = differences(parameters as unknown as Float64Array, e);
          if (slope === undefined) continue;
          expect(gradient[e]).toBeCloseTo(slope, 5);
          if (Math.abs(slope) > 1e-3) apart++;
        }
        expect(apart).toBeGreaterThan(20);
        for (let e = 0; e < weights.length; e += 5)
          expect(ofRows.values[e]).toBeCloseTo(differences(weights, e) as number, 5);
      }
    }
  });

  it("has rows of segments and contexts beside the network, none of positions, and learns on one thread", () => {
    const { corpus, rows, make, options } = drawn(5, "conv", wasm);
    expect(rows.attributeRow.every((row) => row === -1)).toBe(true);
    expect(rows.wholeRow.length).toBeGreaterThan(5);
    expect(new SegmenterLearner(corpus, rows, inferenceOf(options), 2, "free", make).share()).toBeUndefined();
    expect(new SegmenterLearner(corpus, rows, inferenceOf(options), 2).share()).toBeDefined();
  });

  it("does without the longer n-grams of letters, which weights have, and other characters have not", async () => {
    const segmenter = await Segmenter.train([...made, text("北京 在 哪里 呢")], { ...small, passes: 1 });
    const names = segmenter.parts.attributes.all();
    const long = names.filter((name) => /^c\[-3\]|^(c\[-?\d\]\|?){4}=|^c\[0\]\|c\[1\]\|c\[2\]=/.test(name));
    expect(long).toContain("c[-3]|c[-2]|c[-1]|c[0]=n|e|k|o");
    expect(long).toContain("c[0]|c[1]|c[2]=s|h|i");
    expect(long.filter((name) => /[北京在哪里呢]/.test(name))).toEqual([]);
    expect(names).toContain("c[-1]|c[0]|c[1]=北|京|在");
    const inputs = segmenter.encoder?.inputs as Int32Array;
    expect(long.every((name) => inputs[names.indexOf(name)] === -1)).toBe(true);
    expect(inputs[names.indexOf("c[-1]|c[0]=n|e")]).toBeGreaterThanOrEqual(0);
  });

  it("answers the same when it was saved and loaded, and older versions refuse its file", async () => {
    for (const encoder of ["dense", "conv"] as const) {
      const segmenter = await Segmenter.train(made, { ...small, encoder, minCount: 2 });
      const bytes = encodeModel(segmenter);
      const loaded = decodeModel(bytes) as Segmenter;
      for (const word of ["nekokuroinuta", "xinu", "t"]) {
        const asked = { nbest: 3, marginals: true };
        expect(loaded.predict(word, asked)).toEqual(segmenter.predict(word, asked));
      }
      expect(encodeModel(loaded)).toEqual(bytes);
      const { metadata, tensors } = decodeTensors(bytes);
      expect(metadata["stargram.version"]).toBe("6");
      expect(tensors["encoder.output.weight"].shape).toEqual([ROLES, 8]);
      expect(contents(loaded).encoder).toMatchObject({ kind: encoder, width: 8, outputs: ROLES });
      expect(contentsText(loaded, { bytes: 1 })).toMatch(new RegExp(`encoder +${encoder}, [23] layers of 8`));
    }
    const plain = encodeModel(await Segmenter.train(made, { passes: 1, l2: 0.1, heldOut: 0 }));
    expect(decodeTensors(plain).metadata["stargram.version"]).toBe("2");
  });

  it("is refused if its inputs or outputs do not fit", async () => {
    const { tensors, metadata } = decodeTensors(encodeModel(await Segmenter.train(made, small)));
    const shape = JSON.parse(metadata["stargram.encoder"]);
    const inputs = tensors["encoder.inputs"].data as Int32Array;
    const changed = (data: Int32Array): Uint8Array =>
      encodeTensors({ tensors: { ...tensors, "encoder.inputs": { data, shape: [data.length] } }, metadata } as never);
    expect(() => decodeModel(changed(inputs.map(() => shape.inputs)))).toThrow(/encoder has other inputs/);
    expect(() => decodeModel(changed(inputs.slice(1)))).toThrow(/encoder has other inputs/);
    const other = { ...metadata, "stargram.encoder": JSON.stringify({ ...shape, outputs: shape.outputs - 1 }) };
    expect(() => decodeModel(encodeTensors({ tensors, metadata: other } as never))).toThrow(/damaged/);
  });

  it("chooses how sure to be by held-out texts, and then learns from all", async () => {
    const segmenter = await Segmenter.train(sentences(600, 3), { ...small, heldOut: undefined, l2: undefined });
    expect(segmenter.summary.chosen).toMatchObject({ parts: 1, refit: true, passes: 3 });
    expect(segmenter.encoder?.scale).toBeCloseTo(1 / (segmenter.summary.chosen?.temperature ?? 0), 6);
    expect(segmenter.encoder?.scale).not.toBe(1);
  });

  it("goes on from any checkpoint as if it had never stopped", async () => {
    const own: TrainSegmenterOptions = { ...small, passes: 3, heldOut: 0.2 };
    const whole = encodeModel(await Segmenter.train(made, own));
    for (const stopAt of [1, 17, 49, 100, 150]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Segmenter.train(made, {
        ...own,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      expect(encodeModel(await Segmenter.train(made, { ...own, checkpoint: kept }))).toEqual(whole);
    }
  });
});

describe("a segmenter with a network that learns on", () => {
  const loss = (segmenter: Segmenter, texts: readonly SegmentedText[]): number =>
    texts.reduce((sum, one) => sum - segmenter.logLikelihood(one), 0);

  it("keeps what it knows, and learns new words, labels and attributes", async () => {
    const old = decodeModel(encodeModel(await Segmenter.train(labelled, { ...small, passes: 20 }))) as Segmenter;
    const more = Array.from({ length: 30 }, () => ["ddddd/Z ab/X", "ab/X ddd/Z"].map(text)).flat();
    const before = encodeModel(old);
    const further = await Segmenter.train(more, { from: old, keep: true, passes: 20 });
    expect(encodeModel(old)).toEqual(before);
    expect(further.labels).toEqual([...old.labels, "Z"]);
    expect(further.encoder?.shape.inputs).toBeGreaterThan(old.encoder?.shape.inputs ?? 0);
    expect(further.encoder?.shape.outputs).toBe(ROLES * further.parts.labels.size);
    expect(further.predict("dddddab").segments.map((segment) => segment.label)).toEqual(["Z", "X"]);
    expect(further.predict("abcb").segments.map((segment) => segment.text)).toEqual(
      old.predict("abcb").segments.map((segment) => segment.text),
    );
  });

  it("begins with the scores that it had", async () => {
    const old = await Segmenter.train(sentences(600, 3), { ...small, heldOut: undefined });
    expect(old.encoder?.scale).not.toBe(1);
    const { parts, encoder } = old;
    const gatherer = new Gatherer("chars", parts.lexicon, old);
    for (const one of [...made.slice(0, 5), text("neko zzzzzz")]) gatherer.add(one);
    const prepared = gatherer.prepare({ ...old.options });
    const make = learningNetwork(prepared, old.options, { from: old, keep: true });
    const network = make?.(wasm) as SlotEncoder;
    network.learning?.begin({ seed: 1, examples: 6, passes: 1, goesOn: false });
    const grown = keptOf(network) as AttributeEncoder;
    expect(grown.shape.inputs).toBeGreaterThan(encoder?.shape.inputs ?? 0);
    const now = new Segmenter({ ...old, parts: prepared.parts, rows: old.rows, weights: old.weights, encoder: grown });
    for (const { text: word = "" } of made.slice(5, 10)) {
      const [own, before] = [now, old].map((one) => roleScores(one, { text: word }).flat());
      own.forEach((score, i) => {
        expect(score).toBeCloseTo(before[i], 4);
      });
    }
  });

  it("learns from other data by the same attributes, and can be stopped at any step", async () => {
    const from = await Segmenter.train(made, { ...small, passes: 10 });
    const more = sentences(30, 4);
    const own: TrainSegmenterOptions = { from, passes: 2, l2: 0.1, heldOut: 0 };
    const further = await Segmenter.train(more, own);
    const fresh = await Segmenter.train(more, { ...small, passes: 2 });
    expect(further.encoder?.shape.width).toBe(8);
    expect(loss(further, made)).toBeLessThan(loss(fresh, made));
    const whole = encodeModel(further);
    for (const stopAt of [1, 31]) {
      let kept: Checkpoint | undefined;
      let steps = 0;
      await Segmenter.train(more, {
        ...own,
        onExample: () => void steps++,
        shouldStop: () => steps >= stopAt,
        onCheckpoint: (checkpoint) => {
          kept = structuredClone(checkpoint);
        },
      });
      expect(encodeModel(await Segmenter.train(more, { ...own, checkpoint: kept }))).toEqual(whole);
    }
  });

  it("refuses another network than the one it has", async () => {
    const from = await Segmenter.train(made, { ...small, passes: 1 });
    await expect(Segmenter.train(made, { from, encoder: "dense" })).rejects.toThrow(
      /`encoder` cannot change .*dense; the model has conv/,
    );
    await expect(Segmenter.train(made, { from, keep: true, encoderWidth: 16 })).rejects.toThrow(
      /`encoderWidth` cannot change/,
    );
    const plain = await Segmenter.train(made, { passes: 1, l2: 0.1, heldOut: 0 });
    await expect(Segmenter.train(made, { from: plain, encoder: "conv" })).rejects.toThrow(/conv; the model has none/);
  });
});
