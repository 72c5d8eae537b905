// Prediction from bytes to bytes prints what prediction by text prints, byte for byte, and refuses what that refuses: for any
// template, any text, however it is separated, ended and cut into pieces.

import { Readable } from "node:stream";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { collectOutput, takeOutput } from "../../src/cli/output.js";
import { predictFile } from "../../src/cli/predict-bytes.js";
import type { PredictAsked } from "../../src/cli/predicting.js";
import { ReviewDesk } from "../../src/cli/review-desk.js";
import { decodeModel, encodeModel } from "../../src/index.js";
import { Tagger, type TrainTaggerOptions } from "../../src/tasks/tag/tagger.js";
import { tagTask } from "../../src/tasks/tag/task.js";
import type { LearningTask } from "../../src/tasks/task.js";
import { InputError } from "../../src/util/errors.js";

const task = tagTask as unknown as LearningTask;
let quickly = 0; // predictions that were made from bytes
const byBytes: LearningTask = {
  ...task,
  predicting: {
    ...task.predicting,
    bytes(...given) {
      const found = task.predicting.bytes?.(...given);
      if (found) quickly++;
      return found;
    },
  },
};
const byText: LearningTask = { ...task, predicting: { ...task.predicting, bytes: undefined } };

beforeAll(() => collectOutput());

/** What is printed, and what is refused. */
async function printed(
  way: LearningTask,
  tagger: Tagger,
  source: Readable,
  asked: PredictAsked,
): Promise<{ out: string; said: string[]; error?: string }> {
  try {
    const desk = await ReviewDesk.open(undefined);
    await predictFile(source, { task: way, model: tagger, path: "", asked, desk, threads: 1 });
    return takeOutput();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { ...takeOutput(), error: `${error.message} ${error.hint}` };
  }
}

/** A stream that gives the bytes in pieces of a size. */
function inPieces(bytes: Buffer, size: number): Readable {
  const pieces: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return Readable.from(pieces, { objectMode: false });
}

interface Case {
  options?: Record<string, unknown>;
  rereading?: Record<string, unknown>;
  size?: number;
}

async function compare(
  tagger: Tagger,
  text: string | Buffer,
  { options, rereading = {}, size = 1 << 16 }: Case = {},
): Promise<Awaited<ReturnType<typeof printed>>> {
  const bytes = Buffer.from(text as string);
  const asked: PredictAsked = { prediction: { ...options }, rereading };
  const found = await printed(byBytes, tagger, inPieces(bytes, size), asked);
  expect(found).toEqual(await printed(byText, tagger, inPieces(bytes, size), asked));
  return found;
}

/** A tagger as a file gives it back: names are then looked up by their bytes. */
async function saved(training: string[][][], options: TrainTaggerOptions): Promise<Tagger> {
  const sequences = training.map((columns) => ({
    columns,
    labels: columns.map(([word]) => (word.length % 3 === 0 ? "N" : /^\p{Lu}/u.test(word) ? "Ünd" : "V")),
  }));
  const tagger = await Tagger.train(sequences, { l2: 0.1, passes: 1, heldOut: 0, seed: 1, ...options });
  return decodeModel(encodeModel(tagger)) as Tagger;
}

// Words that are much alike, so that attributes come back; with characters of one to four bytes, and white space of other kinds.
const letter = fc.constantFrom(
  ..."aaabBİßé語𝒳🏳",
  "\u0301",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\v",
  "-",
  "7",
  "/",
  "|",
  "#",
);
const word = fc.oneof(
  fc.string({ unit: letter, minLength: 1, maxLength: 4 }),
  fc.constantFrom("the", "The", "-DOCSTART-", "_", "_B-1", "x".repeat(70), "é".repeat(300)),
);
const sequence = (width: number) =>
  fc.array(fc.array(word, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 });
const place = fc.constantFrom("-3,0", "-1,0", "0,0", "1,0", "0,1", "2,1", "@1,0", "@-1,1", "9,0");
const macro = fc.oneof(
  fc.tuple(fc.constantFrom("x", "X"), place).map(([kind, at]) => `%${kind}[${at}]`),
  fc
    .tuple(fc.constantFrom("m", "M", "t"), place, fc.constantFrom("^.?.?", ".?.?$", "\\u", "a*", "\\d"))
    .map(([kind, at, expression]) => `%${kind}[${at},"${expression}"]`),
);
const templateLine = fc
  .tuple(fc.constantFrom("U", "U", "U", "B", "*"), fc.array(macro, { maxLength: 4 }), fc.constantFrom("", "/", "é|"))
  .map(([kind, macros, between]) => `${kind}${macros.length}:${macros.join(between)}`);
const template = fc.array(templateLine, { minLength: 1, maxLength: 8 }).map((lines) => `${lines.join("\n")}\nB\n`);

const bits = { name: "bits", text: "a\t01101101\naa\t0110\nthe\t00\nB\t11\n0\t10\nİ\t0111\n" };
const kinds = { name: "kinds", text: "a\tx|y\nb\té\nThe\t語\n_\tx\n" };
const phrases = { name: "phrases", text: "a a\nthe\tD\n" };
const lexicon = fc.constantFrom(undefined, undefined, [bits], [kinds, bits], [bits, phrases, kinds]);

const layout = fc.record({
  separator: fc.constantFrom(" ", "\t", " \t  ", "  "),
  end: fc.constantFrom("\n", "\r\n"),
  bom: fc.boolean(),
  last: fc.boolean(),
  blank: fc.constantFrom("", " ", "\t\t", " \t"),
  size: fc.integer({ min: 1, max: 90 }),
  labelled: fc.boolean(),
  options: fc.constantFrom({}, { labelsOnly: true }, { inference: { contexts: 2 } }, { inference: { contexts: 0 } }),
  rereading: fc.constantFrom(
    {},
    { format: "columns" },
    { format: "columns", separator: "tab" },
    { separator: "space" },
  ),
});

test("for any template, text and layout", async () => {
  quickly = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.option(template, { nil: undefined }),
      lexicon,
      fc.array(sequence(2), { minLength: 1, maxLength: 5 }),
      fc.array(fc.oneof(sequence(2), sequence(2), sequence(2), fc.integer({ min: 1, max: 3 }).chain(sequence)), {
        maxLength: 6,
      }),
      fc.boolean(),
      layout,
      async (lines, told, training, data, conjoin, { separator, end, bom, last, blank, labelled, ...rest }) => {
        const note = { input: { format: "columns", columns: 2 } };
        const tagger = await saved(training, { template: lines, lexicon: told, conjoin, note, order: 2, contexts: 3 });
        const rows = [...training.slice(0, 2), ...data].map((sequence) =>
          sequence.map((row) => (labelled ? [...row, row[0].length % 2 === 0 ? "N" : "_"] : row).join(separator) + end),
        );
        const text = (bom ? "\ufeff" : "") + rows.map((row) => row.join("")).join(blank + end) + (last ? end : "");
        await compare(tagger, text, rest);
        tagger.dispose();
      },
    ),
    { numRuns: 150 },
  );
  expect(quickly).toBeGreaterThan(100);
}, 60_000);

test("for text as it may be, good and bad", async () => {
  const training = ["the dog barks", "The cat sat on a mat", "É 7 語"].map((line) =>
    line.split(" ").map((word) => [word]),
  );
  const known = await saved(training, { note: { input: { format: "columns", columns: 1 } } });
  const free = await saved(training, {});
  const texts: (string | Buffer)[] = [
    ...["", "\n", "\n\n", " \n\t\n", "\r\n", "\ufeff", "a", "a\n", "a\r", "a\r\n\r\nb", "\n\n\na\nb\n\n\n\nc\n\n\n"],
    ...[
      "a b\nc d\n",
      "a b\nc\n",
      "a\nb c\n",
      "a\tb\n\tc\n",
      "a\t\n\tb\n",
      "a b c\n",
      "a\rb\n",
      "x\na\r\r\nb\n",
      "a\0b\n",
    ],
    ...[
      "-DOCSTART-\n\na\n",
      "-DOCSTART- O\na N\n-DOCSTART- O\n",
      "-DOCSTART-\n",
      "a N\nb V\n",
      "a zz\nb zz\n",
      "a _\nb _\n\nc Q\n",
    ],
    ...[
      "1\ta\tN\t_\t_\t_\t_\t_\t_\t_\n",
      '{"tokens": ["a"]}\n',
      "N\tw=a\tb=c\nV\tw=b\n",
      "\u00a0\n",
      "a\u2028b\n",
      "# a\nb\n",
    ],
    Buffer.from("a\nb\xff\nc\n", "latin1"),
    Buffer.from("a\n\ud800\n", "utf16le"),
    `${"w\n".repeat(300)}\n`,
    `${"long".repeat(50_000)}\nb\n`,
  ];
  for (const text of texts) {
    for (const tagger of [known, free]) {
      for (const size of [1, 7, 1 << 16]) await compare(tagger, text, { size: text.length > 1000 ? 1 << 12 : size });
    }
  }
});

test("for a sequence that is too long, and for what needs more than labels and their probabilities", async () => {
  const training = [["a", "b", "c"].map((word) => [word])];
  const tagger = await saved(training, {});
  const { error } = await compare(tagger, `b\n\n${"a\n".repeat(100_001)}`, {});
  expect(error).toMatch(/longer than 100,000 tokens/);
  quickly = 0;
  for (const options of [{ json: true }, { nbest: 2 }, { marginals: true }, { contexts: true }, { known: true }]) {
    await compare(tagger, "a N\nb _\n", { options });
  }
  expect(quickly).toBe(0);
});

test("more different words than are remembered", async () => {
  // The more places are looked at, the fewer words are remembered.
  const lines = Array.from({ length: 60 }, (_, i) => `U${i}:%x[${i - 30},0]`);
  const tagger = await saved([Array.from({ length: 40 }, (_, i) => [`w${i}`])], { template: lines.join("\n") });
  const words = Array.from({ length: 50_000 }, (_, i) => (i % 9 === 0 ? "" : `w${(i * 7919) % 30_000}`));
  const { out } = await compare(tagger, `${words.join("\n")}\n`);
  expect(out.split("\n").length).toBeGreaterThan(50_000);
});
