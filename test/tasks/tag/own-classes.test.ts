// Classes of words that a tagger makes of its own data: when there are any, and that they are part of the model.

import { describe, expect, test } from "vitest";
import type { TaggingSequence } from "../../../src/formats/sequence.js";
import { OWN_CLASSES, withOwnClasses } from "../../../src/tasks/tag/own-classes.js";
import { Tagger } from "../../../src/tasks/tag/tagger.js";
import { generator, uniform } from "../../../src/util/random.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

/** Sentences in which nouns and verbs take turns; each kind has so many words, and most are rare. */
function sentences(count: number, words: number, seed = 1): TaggingSequence[] {
  const random = generator(seed, 0);
  const draw = (): number => Math.floor(words * uniform(random) ** 3);
  return Array.from({ length: count }, () => {
    const kinds = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? "N" : "V"));
    return { columns: kinds.map((kind) => [`${kind === "N" ? "q" : "x"}${letters(draw())}`]), labels: kinds };
  });
}

/** A number in letters: digits of words are all alike to classes. */
function letters(number: number): string {
  return number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
}

const many = sentences(1_200, 400);
const always = () => true;

async function all(sequences: Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>): Promise<TaggingSequence[]> {
  const found: TaggingSequence[] = [];
  for await (const one of sequences) found.push(one);
  return found;
}

describe("classes", () => {
  test("are those of words with the same neighbours, and the sequences come again", async () => {
    const { sequences, classes } = await withOwnClasses(many.values(), always);
    expect(await all(sequences)).toEqual(many);
    const kinds = new Map<string, Set<string>>();
    for (const word of classes?.entries ?? []) {
      const own = classes?.classOf(word) as string;
      kinds.set(own, (kinds.get(own) ?? new Set()).add(word[0]));
    }
    expect(kinds.size).toBeGreaterThan(20);
    const mixed = [...kinds.values()].filter((first) => first.size > 1).length;
    expect(mixed / kinds.size).toBeLessThan(0.05);
  });

  test("need enough words, in data that is asked for", async () => {
    const none = async (data: TaggingSequence[], isWanted = always) => {
      const { sequences, classes } = await withOwnClasses(data, isWanted);
      expect(await all(sequences)).toEqual(data);
      return classes === undefined;
    };
    expect(await none(many.slice(0, 400))).toBe(true);
    expect(await none(sentences(1_200, 80))).toBe(true);
    expect(await none(many, () => false)).toBe(true);
    expect(await none([])).toBe(true);
    const withColumn = (value: (word: string, i: number) => string): TaggingSequence[] =>
      many.map(({ columns, labels }) => ({ columns: columns?.map(([word], i) => [word, value(word, i)]), labels }));
    expect(await none(withColumn((word) => word[0]))).toBe(true); // what the word is made of
    expect(await none(withColumn((_, i) => `${i % 3}`))).toBe(false);
    expect(await none(withColumn(() => "same"))).toBe(false);
    const once = { columns: Array.from({ length: 6_000 }, (_, i) => [letters(i)]), labels: [] };
    expect(await none([once])).toBe(true);
  });

  test("are made of the first tokens, and the source is closed when nobody reads on", async () => {
    let read = 0;
    let isClosed = false;
    function* source(): Generator<TaggingSequence> {
      try {
        for (;;) yield many[read++ % many.length];
      } finally {
        isClosed = true;
      }
    }
    const { sequences, classes } = await withOwnClasses(source(), always);
    expect(classes).toBeDefined();
    const taken = read;
    expect(10 * taken).toBeLessThan(2 ** 18 + 20);
    let count = 0;
    for await (const one of sequences) {
      expect(one).toBe(many[count++ % many.length]);
      if (count > taken + 3) break;
    }
    expect(isClosed).toBe(true);
  });
});

describe("a tagger", () => {
  const options = { passes: 1, heldOut: 0, l2: 1, order: 1 } as const;

  const template = "U0:%x[0,0]\nU1:%x[-1,0]\nB\n";

  test("keeps them in its file, and sees a word by its class", async () => {
    const tagger = await Tagger.train(many, { ...options, template });
    expect(tagger.options.classes).toBe(true);
    expect(tagger.lexicons.map(({ name }) => name)).toEqual([OWN_CLASSES]);
    const noun = tagger.lexicons[0].classOf(many[0].columns?.[0][0] as string);
    expect(tagger.attributes.indexOf(`class[0]=${noun}`)).toBeGreaterThanOrEqual(0);
    const loaded = (await decodeModel(await encodeModel(tagger))) as Tagger;
    for (const one of sentences(20, 600, 2)) expect(loaded.predict(one)).toEqual(tagger.predict(one));
  });

  test("has none where other things are said of words, or where it sees none or parts of them", async () => {
    const none = async (data: TaggingSequence[], more: object) => {
      const tagger = await Tagger.train(data, { ...options, ...more });
      return !tagger.options.classes && tagger.lexicons.every(({ name }) => name !== OWN_CLASSES);
    };
    expect(await none(many, { template, classes: false })).toBe(true);
    expect(await none(many, { template, lexicon: [{ name: "l", text: "qa\tnoun" }] })).toBe(true);
    expect(await none(many.slice(0, 100), { template })).toBe(true);
    expect(await none(many, {})).toBe(true);
    expect(await none(many, { template: 'U0:%x[0,0]\nU1:%m[0,0,"^."]\nB\n' })).toBe(true);
    const numbered = many.map(({ columns, labels }) => ({ columns: columns?.map(([w], i) => [w, `${i}`]), labels }));
    expect(await none(numbered, { template })).toBe(false);
    expect(await none(numbered, { template: "U0:%x[0,1]\nB\n" })).toBe(true);
  });

  test("that goes on has the same ones", async () => {
    const first = await Tagger.train(many, { ...options, template });
    const next = await Tagger.train(many.slice(0, 50), { ...options, template, from: first });
    const kept = await Tagger.train(many.slice(0, 50), { template, from: first, keep: true, passes: 1 });
    for (const { lexicons } of [next, kept]) expect(lexicons[0].entries).toEqual(first.lexicons[0].entries);
  });
});
