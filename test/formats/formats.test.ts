import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conlluFields } from "../../src/formats/conllu.js";
import { type LabelField, labelFields, withLabels } from "../../src/formats/conllu-tagging.js";
import { detectFormat, type TaggingFormat, taggingFormats } from "../../src/formats/detect.js";
import { parseFolds } from "../../src/formats/letters.js";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { InputError } from "../../src/util/errors.js";
import { letterLines, readAll, refusal, samples } from "./helpers.js";

const token = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replace(/[\s\0]/gu, "_x"));
const label = token.filter((text) => text !== "_");

/** The ways a file may be written that must not matter. */
const disguises: Record<string, (text: string) => string | Uint8Array> = {
  "CRLF line ends": (text) => text.replaceAll("\n", "\r\n"),
  "a byte order mark": (text) => `\uFEFF${text}`,
  gzip: (text) => gzipSync(text),
  "no last newline": (text) => text.trimEnd(),
  "blank lines around": (text) => `\n\n${text}\n\n`,
};

describe.each(taggingFormats)("format %s", (format: TaggingFormat) => {
  it.each(Object.keys(disguises))("does not mind %s", async (name) => {
    const expected = await readAll(samples[format], { format });
    const read = await readAll(disguises[name](samples[format]), { format });
    const shift = name === "blank lines around" ? 2 : 0;
    expect(read).toEqual(expected.map((sequence) => ({ ...sequence, line: (sequence.line ?? 0) + shift })));
  });

  it("is recognised", async () => {
    let told: TaggingFormat | undefined;
    const read = await readAll(samples[format], {
      onFormat: (guess) => {
        told = guess;
      },
    });
    expect(told).toBe(format);
    expect(read).toEqual(await readAll(samples[format], { format }));
  });

  it("gives the same in pieces of any size", async () => {
    const expected = await readAll(samples[format], { format });
    for (const size of [1, 7, 64]) expect(await readAll(samples[format], { format }, size)).toEqual(expected);
  });

  it("refuses an empty file and one of blank lines", async () => {
    for (const text of ["", "\n", "\n \n\n", "\uFEFF", gzipSync("")]) {
      expect((await refusal(text, { format })).message).toMatch(/^data(:\d)?: /);
      expect((await refusal(text)).message).toMatch(/^data: no sequences/);
    }
  });

  it("keeps no labels where none are asked for", async () => {
    const read = await readAll(samples[format], { format, labelled: false });
    expect(read.length).toBeGreaterThan(1);
    for (const sequence of read) expect(sequence.labels).toBeUndefined();
  });
});

describe("conllu", () => {
  it("gives words with their field; tokens of several words and empty nodes are none", async () => {
    const labels = async (column?: LabelField) => (await readAll(samples.conllu, { column })).map((one) => one.labels);
    const [first, second] = await readAll(samples.conllu);
    expect(first).toMatchObject({ columns: [["Vamos"], ["nos"], ["al mar"], ["."]], id: "s1", document: 1, line: 1 });
    expect(second).toMatchObject({ columns: [["#"]], document: 2, line: 11 });
    expect(await labels()).toEqual([["VERB", "PRON", "NOUN", null], ["SYM"]]);
    expect(await labels("upos+feats")).toEqual([["VERB|Mood=Imp|Number=Plur", "PRON|Case=Acc", "NOUN", null], ["SYM"]]);
    expect(await labels("feats")).toEqual([["Mood=Imp|Number=Plur", "Case=Acc", "_", "_"], ["_"]]);
    expect(await labels("deprel")).toEqual([["root", "obj", "obl", "punct"], ["root"]]);
  });

  it("comes back as it was when its own labels are written to it, and with other labels in these fields alone", async () => {
    const word = fc.stringMatching(/^[a-z#|=_.ß ]{1,4}$/);
    const feats = fc.constantFrom("_", "Case=Gen", "Case=Gen|Number=Sing");
    const tag = fc.stringMatching(/^[A-Z]{1,3}$/);
    const row = fc.record({ kind: fc.constantFrom("word", "range", "empty"), word, tag, feats, comment: word });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...labelFields),
        async (data, column) => {
          const sentences = data.map((rows) => {
            let id = 0;
            const lines = rows.map(({ kind, word: form, tag, feats: own, comment }) => {
              const name = kind === "word" ? `${++id}` : kind === "range" ? `${id + 1}-${id + 2}` : `${id}.1`;
              return [name, form, "_", tag, tag, own, "0", tag, "_", comment].join("\t");
            });
            return [`# ${rows[0].comment}`, ...lines, `${++id}\tx\t_\t_\t_\t_\t_\t_\t_\t_`];
          });
          const text = sentences.map((lines) => `${lines.join("\n")}\n\n`).join("");
          const read = await readAll(text, { format: "conllu", column });
          const written = (labelsOf: (one: TaggingSequence) => (string | null)[]): string[] =>
            read.flatMap((one) => [...withLabels(one.source as never, labelsOf(one), column), ""]);
          expect(`${written((one) => one.labels as (string | null)[]).join("\n")}\n`).toBe(text);
          const others = written((one) => one.columns?.map(() => "NEW|A=B") ?? []);
          const places = column.split("+").map((name) => (conlluFields as readonly string[]).indexOf(name));
          const rest = (line: string) => line.split("\t").filter((_, place) => !places.includes(place));
          expect(others.map(rest)).toEqual(text.slice(0, -1).split("\n").map(rest));
        },
      ),
    );
  });
});

describe("columns", () => {
  const format = "columns";

  it("tells documents apart by lines that begin them, which are no sentences", async () => {
    const text = "-DOCSTART- O\n\na X\nb Y\n\nc X\n-DOCSTART- -X- O\nd Y\n";
    const read = await readAll(text, { format });
    expect(read.map(({ columns, document, line }) => [columns, document, line])).toEqual([
      [[["a"], ["b"]], 1, 3],
      [[["c"]], 1, 6],
      [[["d"]], 2, 8],
    ]);
  });

  it("reads what was written", async () => {
    const row = fc.tuple(token, token, label);
    const sequence = fc.array(row, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(sequence, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(" ", "\t", "  \t"),
        async (data, gap) => {
          const text = data.map((rows) => rows.map((cells) => `${cells.join(gap)}\n`).join("")).join("\n");
          const read = await readAll(text, { format });
          expect(read.map(({ columns, labels }) => columns?.map((cells, i) => [...cells, labels?.[i]]))).toEqual(data);
          const open = await readAll(text, { format, labelled: false });
          expect(open.map(({ columns }) => columns)).toEqual(data);
        },
      ),
    );
  });

  it("splits at every tab if the first line has tabs and nothing beside them, so that a token may be a space or nothing", async () => {
    const text = "New York\tB\n\tO\n \tO\n\u00a0\tO\n";
    for (const options of [{}, { format: "columns" as const }]) {
      expect((await readAll(text, options)).map(({ columns, labels }) => [columns, labels])).toEqual([
        [
          [["New York"], [""], [" "], ["\u00a0"]],
          ["B", "O", "O", "O"],
        ],
      ]);
    }
    // Told what separates columns, a part of a file need not begin with a line that shows it.
    expect((await readAll("\tO\na b\tO\n", { format, separator: "tab" }))[0].columns).toEqual([[""], ["a b"]]);
    expect((await readAll("a b\tX\n", { format, separator: "space" }))[0].columns).toEqual([["a", "b"]]);
    expect((await readAll("a\t\tX\nb \t X\n", { format }))[0].columns).toEqual([["a"], ["b"]]);
  });

  it("keeps where a sequence begins", async () => {
    const read = await readAll("a X\nb Y\n\n\nc X\n\nd X\n", { format });
    expect(read.map(({ line, file }) => [file, line])).toEqual([
      ["data", 1],
      ["data", 5],
      ["data", 7],
    ]);
  });

  it("takes `_` for an unknown label and `A|B` for a set only where sets are on", async () => {
    const text = "a _\nb A|B\nc A|A\n";
    expect((await readAll(text, { format }))[0].labels).toEqual([null, "A|B", "A|A"]);
    expect((await readAll(text, { format, labelSets: true }))[0].labels).toEqual([null, ["A", "B"], "A"]);
    for (const bad of ["A|", "|", "_|A"]) {
      expect((await refusal(`x O\na ${bad}\n`, { format, labelSets: true })).line).toBe(2);
    }
  });

  it("takes # for a token like others, and other white space for part of a token", async () => {
    const read = await readAll("# # O\na\u00a0b NN O\n", { format });
    expect(read.map(({ columns }) => columns)).toEqual([
      [
        ["#", "#"],
        ["a\u00a0b", "NN"],
      ],
    ]);
  });

  it("refuses another number of columns, naming both lines", async () => {
    const error = await refusal("\na NN O\nb NN O\n\nc O\n", { format });
    expect(error.message).toBe("data:5: 3 columns expected as on line 2, found 2");
    expect((await refusal("a NN O\nb NN O O\n", { format })).line).toBe(2);
    expect((await refusal("word\n", { format })).message).toMatch(/label/);
    expect((await readAll("word\n", { format, labelled: false }))[0].columns).toEqual([["word"]]);
  });

  it("reads a line of a megabyte", async () => {
    const long = "x".repeat(1 << 20);
    expect((await readAll(`${long} O\n`, { format }))[0].columns?.[0][0]).toBe(long);
  });
});

describe("crfsuite", () => {
  const format = "crfsuite";
  const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll(":", "\\:");

  it("reads what was written, whatever the names", async () => {
    const name = fc
      .string({ unit: fc.constantFrom(":", "\\", "a", "=", " ", "é", "[", "1", "|"), minLength: 1 })
      .filter((text) => text !== "_" && text.trim() !== "");
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const item = fc.tuple(name, fc.array(fc.tuple(name, fc.oneof(fc.constant(1), value))));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(item, { minLength: 1 }), { minLength: 1, maxLength: 4 }), async (data) => {
        const write = ([label, attributes]: [string, [string, number][]]) =>
          [
            escaped(label),
            ...attributes.map(([name, value]) => `${escaped(name)}${value === 1 ? "" : `:${value}`}`),
          ].join("\t");
        const text = data.map((items) => `${items.map(write).join("\n")}\n`).join("\n");
        const read = await readAll(text, { format });
        expect(
          read.map(({ labels, attributes, values }) =>
            labels?.map((label, i) => [label, attributes?.[i].map((name, k) => [name, (values?.[i]?.[k] ?? 1) + 0])]),
          ),
        ).toEqual(
          data.map((items) => items.map(([label, list]) => [label, list.map(([name, value]) => [name, value + 0])])),
        );
      }),
    );
  });

  it("escapes as CRFsuite does: `\\:` and `\\\\`, any other backslash stands for itself", async () => {
    const [{ attributes, values }] = await readAll("X\ta\\:b:2\tc\\\\:3\t\\d\te:\n", { format });
    expect(attributes).toEqual([["a:b", "c\\", "\\d", "e"]]);
    expect(values).toEqual([[2, 3, 1, 1]]);
  });

  it("leaves values out where all are 1", async () => {
    expect((await readAll("X\ta\tb:1.0\n", { format }))[0].values).toBeUndefined();
    expect((await readAll("X\ta\nX\ta:2\n", { format }))[0].values).toEqual([undefined, [2]]);
  });

  it("takes an empty label for unknown, and an item without attributes", async () => {
    const [{ labels, attributes }] = await readAll("\ta\nX\n_\tb\n", { format });
    expect(labels).toEqual([null, "X", null]);
    expect(attributes).toEqual([["a"], [], ["b"]]);
  });

  it.each([
    ["O\ta\nX\tw\tb:zero", 2, 5],
    ["X\ta:1:2", 1, 3],
    ["X\ta:1e999", 1, 3],
    ["X\ta:NaN", 1, 3],
    ["X\ta:0x10", 1, 3],
    ["X\t:2", 1, 3],
    ["X:1\ta", 1, 1],
  ])("refuses %j at its place", async (text, line, column) => {
    const error = await refusal(text, { format });
    expect([error.line, error.column]).toEqual([line, column]);
  });

  it("refuses a sequence's weight rather than pass it over", async () => {
    expect((await refusal("@weight:2\nX\ta\n", { format })).message).toMatch(/weight/);
    expect((await readAll("@weight:1\nX\ta\n", { format })).map(({ labels }) => labels)).toEqual([["X"]]);
    expect((await readAll("@\ta\n", { format }))[0].labels).toEqual(["@"]);
  });
});

describe("jsonl", () => {
  const format = "jsonl";

  it("reads what was written", async () => {
    const anyLabel = fc.oneof(label, fc.constant(null), fc.uniqueArray(label, { minLength: 2, maxLength: 3 }));
    const position = fc.tuple(fc.string(), fc.string(), anyLabel);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(position, { minLength: 1 }), { minLength: 1, maxLength: 4 }), async (data) => {
        const text = data.map((positions, i) => {
          const labels = positions.map(([, , label]) => label);
          return JSON.stringify({ columns: positions.map(([a, b]) => [a, b]), labels, id: `s${i}` });
        });
        const read = await readAll(text.join("\n"), { format });
        expect(read.map(({ columns, labels }) => columns?.map((row, k) => [...row, labels?.[k]]))).toEqual(data);
        expect(read.map(({ id }) => id)).toEqual(data.map((_, i) => `s${i}`));
      }),
    );
  });

  it("reads tokens, and attributes as python-crfsuite takes them", async () => {
    const [{ columns }] = await readAll('{"tokens":["a","b"]}', { format, labelled: false });
    expect(columns).toEqual([["a"], ["b"]]);
    const [{ attributes, values }] = await readAll(
      '{"attributes":[["x","y"],{"bias":1,"len":2.5,"w":"dog","cap":true,"dig":false}],"text":"kept out"}',
      { format, labelled: false },
    );
    expect(attributes).toEqual([
      ["x", "y"],
      ["bias", "len", "w=dog", "cap", "dig"],
    ]);
    expect(values).toEqual([undefined, [1, 2.5, 1, 1, 0]]);
  });

  it.each([
    ['{"tokens":["a"],"labels":["X"]', /not JSON/],
    ["[1]", /an object expected, found an array/],
    ['{"tokens":"a","labels":["X"]}', /`tokens` should be an array, found text/],
    ['{"tokens":["a",1],"labels":["X","Y"]}', /`tokens\[1\]` should be text, found a number/],
    ['{"tokens":["a"],"labels":["X","Y"]}', /`labels` has 2 positions, the sequence 1/],
    ['{"tokens":["a"],"labels":[3]}', /`labels\[0\]`/],
    ['{"tokens":["a"],"labels":[""]}', /`labels\[0\]` is empty/],
    ['{"tokens":["a"],"labels":[[]]}', /`labels\[0\]`/],
    ['{"tokens":[],"labels":[]}', /empty/],
    ['{"tokens":["a"],"columns":[["a"]],"labels":["X"]}', /both/],
    ['{"columns":[["a","b"],["c"]],"labels":["X","Y"]}', /`columns\[1\]` has 1 columns, `columns\[0\]` has 2/],
    ['{"columns":[[]],"labels":["X"]}', /`columns\[0\]` is empty/],
    ['{"tokens":["a"],"attributes":[["x"],["y"]],"labels":["X"]}', /`attributes` has 2 positions/],
    ['{"attributes":[{"x":1e999}],"labels":["X"]}', /`attributes\[0\]\.x`.*too large/],
    ['{"attributes":[{"x":[1]}],"labels":["X"]}', /`attributes\[0\]\.x`/],
    ['{"attributes":[7],"labels":["X"]}', /`attributes\[0\]`/],
    ['{"tokens":["a\\ud83d"],"labels":["X"]}', /surrogate/],
    ['{"tokens":["a"],"labels":["X"],"id":{}}', /`id`/],
    ['{"tokens":["a"]}', /`labels` is missing/],
  ])("refuses %s", async (text, reason) => {
    const error = await refusal(`{"tokens":["ok"],"labels":["X"]}\n\n${text}\n`, { format });
    expect(error.line).toBe(3);
    expect(error.reason).toMatch(reason);
  });

  it("suggests the key that was meant", async () => {
    expect((await refusal('{"tokens":["a"],"label":["X"]}', { format })).hint).toMatch(/`labels` by `label`/);
    expect((await refusal('{"token":["a"],"labels":["X"]}', { format })).hint).toMatch(/`tokens` by `token`/);
  });

  it("survives deep nesting", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    await refusal(`{"tokens":${deep},"labels":["\\ud800"]}`, { format });
    expect(await readAll(`{"tokens":["a"],"labels":["X"],"more":${deep}}`, { format })).toHaveLength(1);
  });
});

describe("letters", () => {
  const format = "letters";
  const good = samples.letters;

  it("reads words, folds and pixels", async () => {
    const read = await readAll(good, { format });
    expect(read.map(({ labels }) => labels?.join(""))).toEqual(["on", "mmanding"]);
    expect(read.map(({ fold, id, line }) => [fold, id, line])).toEqual([
      [3, "1", 1],
      [0, "2", 3],
    ]);
    for (const { columns, attributes } of read) {
      columns?.forEach(([bitmap], i) => {
        expect(bitmap).toMatch(/^[01]{128}$/);
        expect(attributes?.[i].length).toBe(1 + (bitmap.match(/1/g) ?? []).length);
      });
    }
  });

  it("with 8x4 looks at the rows and columns of odd index only", async () => {
    const on = (set: number[]) => Array.from({ length: 128 }, (_, p) => (set.includes(p) ? 1 : 0)).join("\t");
    // Pixel p lies in row p / 8, column p % 8.
    const text = `7\ta\t-1\t1\t1\t0\t${on([0, 1, 8, 9, 10, 31, 127])}\t\n`;
    expect((await readAll(text, { format }))[0].attributes).toEqual([
      ["bias", "p0,0", "p0,1", "p1,0", "p1,1", "p1,2", "p3,7", "p15,7"],
    ]);
    expect((await readAll(text, { format, pixels: "8x4" }))[0].attributes).toEqual([["bias", "p1,1", "p3,7", "p15,7"]]);
    const all = `7\ta\t-1\t1\t1\t0\t${Array(128).fill(1).join("\t")}\n`;
    expect((await readAll(all, { format, pixels: "8x4" }))[0].attributes?.[0]).toHaveLength(1 + 8 * 4);
  });

  it("with +pairs sees pixels near each other together", async () => {
    const set = new Set(["1,1", "1,3", "3,1", "15,7"]);
    const pixels = Array.from({ length: 128 }, (_, p) => (set.has(`${p >> 3},${p % 8}`) ? 1 : 0));
    const text = `${[1, "a", -1, 1, 1, 0, ...pixels].join("\t")}\t\n`;
    const attributes = (await readAll(text, { format, pixels: "8x4+pairs" }))[0].attributes?.[0];
    // Right, below, and both diagonals of one step; 15,7 is near none of the others.
    expect(attributes).toEqual(["bias", "p1,1", "p1,3", "p3,1", "p15,7", "p1,1&p1,3", "p1,1&p3,1", "p1,3&p3,1"]);
  });

  it("keeps the folds asked for", async () => {
    expect((await readAll(good, { format, folds: new Set([0]) })).map(({ fold }) => fold)).toEqual([0]);
    expect((await refusal(good, { format, folds: new Set([5, 6]) })).message).toMatch(/folds 5, 6/);
    expect((await refusal(samples.columns, { format: "columns", folds: new Set([1]) })).message).toMatch(/letters/);
  });

  it.each([
    ["a field too few", good.replace(/\t[01]\t\n/, "\t\n"), /134 fields/],
    ["a pixel that is none", good.replace(/\t[01]\t\n/, "\t2\t\n"), /pixel 128 should be 0 or 1, found `2`/],
    ["an id that is no number", good.replace(/^1\t/, "x\t"), /the id should be a whole number/],
    ["two letters", good.replace("\to\t", "\too\t"), /one letter/],
    ["a broken chain", good.replace("\to\t2\t", "\to\t3\t"), /chain/],
    ["a word that never ends", good.replace(/\t-1\t2\t8\t/, "\t11\t2\t8\t"), /ends inside word 2/],
    ["another word inside", good.replace("\tn\t-1\t1\t2\t", "\tn\t-1\t9\t2\t"), /word 1 goes on/],
    ["a position left out", good.replace("\tn\t-1\t1\t2\t", "\tn\t-1\t1\t3\t"), /position 2 expected/],
    ["another fold inside", good.replace("\tn\t-1\t1\t2\t3", "\tn\t-1\t1\t2\t4"), /fold 3/],
    ["lines exchanged", good.split("\n").toSpliced(4, 2, good.split("\n")[5], good.split("\n")[4]).join("\n"), /chain/],
  ])("refuses %s", async (_, text, reason) => {
    expect(text).not.toBe(good);
    expect((await refusal(text, { format })).reason).toMatch(reason);
  });

  it("understands lists of folds", () => {
    expect([...parseFolds("0,2-9")]).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...parseFolds(" 1 , 1-2 ")]).toEqual([1, 2]);
    for (const bad of ["", "a", "3-", "-1", "5-2", "1,,2", "1.5"]) expect(() => parseFolds(bad)).toThrow(InputError);
  });
});

describe("the guess of a format", () => {
  it.each([
    ["columns", ["word"]],
    ["columns", ["He PRP B-NP", "reckons VBZ B-VP"]],
    ["columns", ["He\tPRP\tB-NP", "reckons\tVBZ\tB-VP", "the\tDT\tB-NP"]],
    ["columns", ["{ ( O", "} ) O"]],
    ["columns", ['" `` O', "a=b NN O"]],
    ["columns", ["He PRP", "reckons"]],
    ["crfsuite", ["B-NP\tw[0]=He\tw[1]=reckons\t__BOS__", "B-VP\tw[-1]=He\tw[0]=reckons"]],
    ["crfsuite", ["B-NP\tw=He\tp=PRP", "B-VP\tw=reckons\tp=VBZ"]],
    ["jsonl", ['{"text":"x","tokens":["x"]}']],
    ["jsonl", ['{"tokens":["x",}']],
    ["letters", letterLines("x", 1, 1, 0).trimEnd().split("\n")],
    ["letters", [letterLines("x", 1, 1, 0).replace(/\t[01]\t\n/, "\t7\t")]],
  ])("is %s for %j", (format, lines) => {
    expect(detectFormat(lines)).toBe(format);
  });

  it.each([
    ["columns with one missing, or attributes", ["He\tPRP\tB-NP", "reckons\tB-VP"]],
    ["a word and its morphology, or a label and an attribute", ["der\tCase=Nom", "den\tCase=Acc"]],
    ["nothing", ["", "  "]],
  ])("asks when it may be %s", (_, lines) => {
    expect(() => detectFormat(lines, "data")).toThrow(InputError);
    try {
      detectFormat(lines, "data");
    } catch (error) {
      expect((error as InputError).hint).toMatch(/option `format`/);
    }
  });

  it("is not made where the format is given, which has to be a known one", async () => {
    expect(await readAll("He\tPRP\nreckons\tB-VP\n", { format: "crfsuite" })).toHaveLength(1);
    expect((await refusal("a b", { format: "colums" as TaggingFormat })).message).toMatch(/did you mean `columns`/);
  });
});
