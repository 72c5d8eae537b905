// The public names, and rules of the house that no compiler checks.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, it } from "vitest";
import { packageEntries } from "../scripts/docs/entries.mjs";
import type { TaggerOptions as DeclaredTagger } from "../src/tasks/tag/option-types.js";
import type { taggerOptions } from "../src/tasks/tag/options.js";
import type { TransducerOptions as DeclaredTransducer } from "../src/tasks/transduce/option-types.js";
import type { transducerOptions } from "../src/tasks/transduce/options.js";
import type { OptionsOf } from "../src/util/options.js";

const src = fileURLToPath(new URL("../src", import.meta.url));
const apps = fileURLToPath(new URL("../apps", import.meta.url));
const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
const sources = sourcesIn(src);
const textOf = (file: string): string => readFileSync(join(src, file), "utf8");

it("`stargram` has these names and no others", () => {
  const entry = packageEntries().find(({ name }) => name === "stargram");
  expect(entry?.exported.map(({ name }) => name).sort()).toEqual([
    ...["Calibrated", "CipherText", "Comparison", "Decipherer", "DeciphererOptions", "Decipherment", "Evaluation"],
    ...["FeatureFunction", "InputError", "LanguageModel", "Model", "ReviewItem", "SegmentedText", "Segmenter"],
    ...["SegmenterPrediction", "SymbolPair", "Tagger"],
    ...["TaggerAnswer", "TaggerOptions", "TaggerPrediction", "TaggingSequence", "TrainTaggerOptions"],
    ...["TrainTransducerOptions", "Transducer", "TransducerAnswer", "TransducerOptions", "TransducerPrediction"],
    ...["answer", "calibrate", "compare", "decodeModel", "encipher", "encodeModel", "evaluate", "loadModel"],
    ...["plotsOf", "readCipher", "readPairs", "readReview", "readTagging", "reviewItems", "saveModel", "saveReview"],
    ...["scratchIn", "threadCrew", "warnings"],
  ]);
  expect(entry?.exported.length).toBeLessThanOrEqual(46);
});

it("the types of options are those of their declarations", () => {
  type Learned<O> = { [K in keyof O]-?: NonNullable<O[K]> };
  expectTypeOf<Learned<OptionsOf<typeof taggerOptions>>>().toEqualTypeOf<DeclaredTagger>();
  expectTypeOf<Learned<OptionsOf<typeof transducerOptions>>>().toEqualTypeOf<DeclaredTransducer>();
});

it("nothing outside the folder of a task asks which task it is", () => {
  const asks = /instanceof (Tagger|Transducer|Decipherer|Segmenter|LanguageModel)\b/;
  expect(sources.filter((file) => !file.startsWith("tasks/") && asks.test(textOf(file)))).toEqual([]);
  expect(sourcesIn(apps).filter((file) => asks.test(readFileSync(join(apps, file), "utf8")))).toEqual([]);
});

it("errors of the library name options, not flags", () => {
  // Help texts (in backquotes over several lines) and comments may name flags; a message in quotes may not.
  const flag = /^(?!\s*(\/\/|\*|\/\*)).*(InputError\(|hint: |reason: ).*(["`]|\s)--[a-z]/;
  const found = sources
    .filter((file) => !file.startsWith("cli/"))
    .flatMap((file) => {
      const lines = textOf(file).split("\n");
      return lines.flatMap((line, i) => (flag.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
    });
  expect(found).toEqual([]);
});
