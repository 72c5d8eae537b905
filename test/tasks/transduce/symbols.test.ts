// What a symbol is: characters of any script are taken apart and come back as they were; what is chosen is said; alignments
// and answers are of whole characters.

import { Readable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import { outputText, type PairLayout, type SymbolPair, splitSymbols } from "../../../src/formats/pair-lines.js";
import { readPairs } from "../../../src/formats/read.js";
import { beginnings, cut, joined, possibleKinds } from "../../../src/tasks/transduce/symbols.js";
import { transduceTask } from "../../../src/tasks/transduce/task.js";
import { Transducer } from "../../../src/tasks/transduce/transducer.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";
import { mulberry } from "../../engine/oracle.js";

/** Phonetic letters with accents, Hebrew with points, Arabic, Devanagari, Korean, Turkish, Vietnamese, emoji. */
const scripts = [
  ..."ɑ̃ t̪ʱ d͡ʒ ŋ̟ ɾ ʌ̹ː",
  ..."שָׁלוֹם בְּרֵאשִׁית",
  ..."مُحَمَّد كتاب",
  ..."हिन्दी क्षत्रिय",
  ..."한국어 값 까",
  ..."İıiIçğ",
  ..."thịnh vượng ệ",
  ..."👩‍👩‍👧 🇹🇷 👍🏽 é",
];
const text = fc.array(fc.constantFrom(...scripts), { maxLength: 12 }).map((signs) => signs.join(""));
const kind = fc.constantFrom("chars", "codepoints", "decomposed", "tokens");

it("characters that are taken apart come back as they were", () => {
  fc.assert(
    fc.property(text, kind, (given, kind) => {
      const characters = splitSymbols(given, kind);
      const symbols = cut(characters, kind);
      expect(joined(symbols, kind)).toEqual(characters);
      const begin = [...beginnings(symbols, kind)];
      expect(begin.length).toBe(characters.length);
      // Between two beginnings stand the symbols of one character.
      characters.forEach((character, c) => {
        expect(
          symbols
            .slice(begin[c], begin[c + 1])
            .join("")
            .normalize(),
        ).toBe(character.normalize());
      });
    }),
  );
});

it("symbols that are no characters stay whole", () => {
  expect(possibleKinds(new Alphabet(["AA", "t̪ʱ"]))).toEqual(["chars"]);
  expect(possibleKinds(new Alphabet([..."abc"]))).toEqual(["chars"]);
  expect(possibleKinds(new Alphabet(["a", "é"]))).toEqual(["chars", "decomposed"]);
  expect(possibleKinds(new Alphabet(splitSymbols("हिन्दी", "chars")))).toEqual(["chars", "codepoints"]);
});

/** Words of two random syllables, and how their letters are written in Latin script. */
function koreanWords(count: number) {
  const random = mulberry(5);
  const draw = (limit: number): number => Math.floor(limit * random());
  const first = ["g", "kk", "n", "d", "tt", "r", "m", "b"];
  const second = ["a", "ae", "ya", "yae", "eo", "e"];
  return Array.from({ length: count }, () => {
    const input: string[] = [];
    let output = "";
    for (let s = 0; s < 2; s++) {
      const [a, b] = [draw(8), draw(6)];
      const closed = draw(2) === 1;
      input.push(String.fromCodePoint(0xac00 + (a * 21 + b) * 28 + (closed ? 4 : 0)));
      output += `${first[a]}${second[b]}${closed ? "n" : ""}`;
    }
    return { input, output: [...output] };
  });
}

describe("what a symbol is", () => {
  const words = koreanWords(180);
  const trained = Transducer.train(words.slice(0, 150), { passes: 4, l2: 1, window: 2, ensemble: 1 });

  const rightOf = (transducer: Transducer): number =>
    words.slice(150).filter(({ input, output }) => transducer.predict(input).output.join() === output.join()).length;

  it("is chosen: syllables are read by their letters", async () => {
    const transducer = await trained;
    expect(transducer.options).toMatchObject({ input: "decomposed", output: "chars" });
    expect(rightOf(transducer)).toBeGreaterThan(15);
  });

  it("is a choice that a user can make, here a bad one", async () => {
    const whole = await Transducer.train(words.slice(0, 150), {
      passes: 2,
      l2: 1,
      window: 2,
      input: "chars",
      ensemble: 1,
    });
    expect(whole.options.input).toBe("chars");
    expect(rightOf(whole)).toBeLessThan(rightOf(await trained));
    expect(whole.inputSymbols.all().every((symbol) => symbol.length === 1 && symbol === symbol.normalize("NFC"))).toBe(
      true,
    );
  });

  it("does not show in alignments, contexts and what is unknown", async () => {
    const transducer = await trained;
    const { alignment, slots, unknown } = transducer.predict(["간", "마", "x"], { alignment: true, contexts: true });
    expect(alignment?.map(({ input }) => input)).toEqual(["간", "마", "x"]);
    expect(unknown).toEqual(["x"]);
    expect(new Set(slots?.map(({ position }) => position))).toEqual(new Set([0, 1, 2]));
    expect(slots?.filter(({ position, written }) => position === 0 && written === 0).map(({ part }) => part)).toEqual([
      0, 1, 2,
    ]);
    expect(slots?.find(({ position }) => position === 2)?.part).toBeUndefined();
    expect(transducer.knows("값")).toBe(false);
    expect(transducer.knows("간")).toBe(true);
  });

  it("is written together in outputs, and kept in the file", async () => {
    const back = words.slice(0, 100).map(({ input, output }) => ({ input: output, output: input }));
    const transducer = await Transducer.train(back, { passes: 10, l2: 0, heldOut: 0, window: 2, output: "decomposed" });
    const { input, output: answer } = back[0];
    const { output, alignment, nbest } = transducer.predict(input, { alignment: true, nbest: 5 });
    expect(output).toEqual(answer);
    expect(alignment?.map(({ input }) => input)).toEqual(input);
    expect(alignment?.flatMap(({ output }) => output)).toEqual(output);
    expect(new Set(nbest?.map(({ output }) => output.join("")))).toHaveProperty("size", nbest?.length);
    expect(transducer.logLikelihood(input, answer)).toBeGreaterThan(-3);
    const loaded = decodeModel(encodeModel(transducer)) as Transducer;
    expect(loaded.predict(input)).toEqual(transducer.predict(input));
  });
});

describe("answers", () => {
  const names = ["é", "è", "ç", "n"];
  const lines = Array.from({ length: 40 }, (_, i) => [names[i % 4], names[(i >> 2) % 4], names[(i * 7) % 4]].join(""));

  async function layoutFor(form: "NFC" | "NFD"): Promise<PairLayout> {
    const data = lines.map((line) => `${line}\t${line.normalize(form)}\n`).join("");
    let found: PairLayout | undefined;
    const pairs = readPairs(Readable.from([Buffer.from(data)]), {
      onLayout: (layout) => {
        found = layout;
      },
    });
    for await (const { output } of pairs)
      expect(output.every((symbol) => symbol === symbol.normalize("NFC"))).toBe(true);
    return found as PairLayout;
  }

  it("are written in the form of the data", async () => {
    for (const form of ["NFC", "NFD"] as const) {
      const layout = await layoutFor(form);
      expect(outputText(["é", "n"], layout)).toBe("én".normalize(form));
    }
  });

  it("stand beside inputs as these were written", async () => {
    const transducer = await Transducer.train([{ input: ["é"], output: ["x"] }], { passes: 1 });
    const { value: pair } = await readPairs(Readable.from([Buffer.from("e\u0301\tx\n")])).next();
    const prediction = transducer.predict(pair.input);
    expect(transduceTask.predicting.text(transducer, pair, prediction, {})).toMatch(/^e\u0301\t/);
    expect(transduceTask.predicting.json(transducer, pair, prediction)).toMatchObject({ input: "e\u0301" });
  });
});

describe("symbols that were never seen", () => {
  const words = ["ab", "ba", "cab", "bac", "abc", "acb", "abba", "caba", "bab", "aca", "bb", "cc"];
  const trained = Transducer.train(
    words.map((word) => ({ input: [...word], output: [...word.toUpperCase()] })),
    { passes: 10, lookup: false },
  );

  it("are read as their relatives, in other case or without accents, and are said", async () => {
    const transducer = await trained;
    const plain = transducer.predict([..."abc"]);
    for (const other of ["ABC", "âbç", "ａｂｃ", "Ábc"]) {
      const found = transducer.predict(splitSymbols(other, "chars"));
      expect(found.output).toEqual(plain.output);
      expect(found.probability).toBe(plain.probability);
      expect(found.unknown).toEqual(splitSymbols(other, "chars").filter((symbol) => !"abc".includes(symbol)));
    }
  });

  it("make an output improbable where they have none: a guess among all output symbols and nothing", async () => {
    const transducer = await trained;
    const { probability, unknown, nbest = [] } = transducer.predict([..."000"], { nbest: 5 });
    expect(unknown).toEqual(["0"]);
    expect(probability).toBeLessThanOrEqual(1 / 4 ** 3);
    expect(nbest[0].probability).toBe(probability);
    expect(transducer.predict([..."a0"]).probability).toBeLessThanOrEqual(1 / 4);
    const { output, logProbability } = transducer.predict([..."a0"]);
    expect(transducer.logLikelihood([..."a0"], output)).toBeCloseTo(logProbability, 9);
  });
});

it("pairs of any script are printed as they were written", async () => {
  const lines = [
    "ɑ̃t̪ʱ\tʌ̹ːd͡ʒ",
    "שָׁלוֹם\tשלום",
    "مُحَمَّد\tمحمد",
    "ışık\tIŞIK",
    "istanbul\tİSTANBUL",
    "👩‍👩‍👧🇹🇷\t👍🏽é",
    "हिन्दी\tहिंदी",
    "값어치\t까치",
    "thịnh\tvượng",
  ];
  let layout: PairLayout | undefined;
  const file = Readable.from([Buffer.from(lines.join("\n"))]);
  const onLayout = (found: PairLayout): void => {
    layout = found;
  };
  const pairs = readPairs(file, { onLayout });
  const read: SymbolPair[] = [];
  for await (const pair of pairs) read.push(pair);
  const transducer = await Transducer.train(read, { passes: 1, note: { input: layout } });
  const loaded = decodeModel(encodeModel(transducer)) as Transducer;
  for (const pair of read) {
    const { predicting } = transduceTask;
    const printed = predicting.text(loaded, pair, predicting.predict(loaded, pair, {}), {});
    const [input, output] = printed.split("\t");
    expect(lines).toContain(`${input}\t${output}`);
  }
});

it("capitals that were never seen are read as their small letters, of which Turkish has two kinds of i", async () => {
  const letters = [..."ıiklş"];
  const words = letters.flatMap((a) => letters.map((b) => [a, b]));
  const names: Record<string, string> = { ı: "1", i: "2", k: "k", l: "l", ş: "s" };
  const pairs = words.map((input) => ({ input, output: input.map((letter) => names[letter]) }));
  const turkish = await Transducer.train(pairs, { passes: 2, ensemble: 1 });
  expect(turkish.predict([..."IŞ"]).output).toEqual(["1", "s"]);
  expect(turkish.predict([..."İL"]).output).toEqual(["2", "l"]);
  const others = pairs.filter(({ input }) => !input.includes("ı"));
  const english = await Transducer.train(others, { passes: 2, ensemble: 1 });
  expect(english.predict([..."IL"]).output).toEqual(["2", "l"]);
});
