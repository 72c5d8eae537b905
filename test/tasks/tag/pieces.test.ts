// Attributes as numbers: remembered by the values they come from, they are those of the names one by one, in the same order,
// whatever the columns hold, however much there is, and whether or not new names get numbers.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Alphabet } from "../../../src/engine/alphabet.js";
import {
  chunkingAttributes,
  chunkingPieces,
  columnAttributes,
  columnPieces,
} from "../../../src/tasks/tag/attributes.js";
import { CorpusBuilder, type PositionAttributes } from "../../../src/tasks/tag/corpus.js";
import type { PieceValue, PositionPieces } from "../../../src/tasks/tag/pieces.js";
import { compileTemplate } from "../../../src/tasks/tag/template.js";

interface Source {
  pieces(columns: string[][]): PositionPieces;
  names(columns: string[][]): PositionAttributes;
}

// Lines with and without macros, of one to four values, within and beyond the ends, conjoined or not.
const template = compileTemplate(
  'U\nU1:%x[0,0]\nU2:%X[-1,0]/%x[3,1]\nU3:%x[@1,0]%x[@-2,1]%x[0,1]\nU8:%x[0,0]%x[1,0]\nU4:%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]\nU5:%m[0,0,"\\l*$"]\n*6:%t[1,0,"\\u"]\nB7:%x[-1,1]\nB',
);
const sources: Record<string, Source> = {
  text: {
    pieces: (columns) => ({ attributes: columnPieces(columns[0]?.length ?? 1), conjoined: [] }),
    names: (columns) => ({ attributes: columnAttributes(columns) }),
  },
  chunking: {
    pieces: () => ({ attributes: chunkingPieces, conjoined: chunkingPieces }),
    names: (columns) => ({ attributes: chunkingAttributes(columns), conjoined: chunkingAttributes(columns) }),
  },
  template: { pieces: (columns) => template.pieces(columns), names: (columns) => template.apply(columns) },
};

function bytesOf(numbers: Int32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** An alphabet as a file gives it, in which names are looked up by their bytes. */
function packed(names: readonly string[]): Alphabet {
  const parts = names.map((name) => Buffer.from(name));
  let length = 0;
  const end = Int32Array.from(parts, (part) => {
    length += part.length;
    return length;
  });
  return new Alphabet({ bytes: Buffer.concat(parts), end });
}

/** Both ways, sequence after sequence; `known` are names that have numbers before. */
function compare(
  source: Source,
  sequences: string[][][],
  grows: boolean,
  known: readonly string[] = [],
  make: (names: readonly string[]) => Alphabet = (names) => new Alphabet(names),
): void {
  const labels = new Alphabet(["L"]);
  const ours = [make(known), make(known)] as const;
  const theirs = [new Alphabet(known), new Alphabet(known)] as const;
  const remembering = new CorpusBuilder(labels, ...ours, grows);
  const plain = new CorpusBuilder(labels, ...theirs, grows);
  for (const columns of sequences) {
    remembering.addColumns(columns, source.pieces(columns));
    plain.add(columns.length, source.names(columns));
  }
  const found = remembering.build();
  const expected = plain.build();
  for (const kind of ["attributes", "conjoined"] as const) {
    // As bytes: there are many.
    for (const part of ["start", "ids"] as const) {
      expect(Buffer.compare(bytesOf(found[kind][part]), bytesOf(expected[kind][part]))).toBe(0);
    }
    expect(found[kind].values).toBeUndefined();
  }
  expect(found.sequenceStart).toEqual(expected.sequenceStart);
  expect(ours.map((alphabet) => alphabet.all().join("\n"))).toEqual(
    theirs.map((alphabet) => alphabet.all().join("\n")),
  );
}

// Few words, so that they come back; among them none, a part of a surrogate pair, one that is too long to be remembered.
const word = fc.oneof(
  fc.constantFrom(
    "",
    "of",
    "the",
    "The",
    "B-52",
    "_B-1",
    "_B+1",
    "İstanbul",
    "ﬁn",
    "𝒳y",
    "\ud835",
    "x".repeat(65),
    "y".repeat(200),
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const rows = (width: number) => fc.array(fc.array(word, { minLength: width, maxLength: width }), { maxLength: 8 });

test.each(Object.entries(sources))("%s: the numbers are those of the names one by one", (name, source) => {
  const sequence = name === "text" ? fc.integer({ min: 1, max: 3 }).chain(rows) : rows(2);
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 6 }), (sequences) => {
      compare(source, sequences, true);
      // As in prediction: some names have numbers, others are left out.
      const names = sequences.slice(0, 2).flatMap((columns) => source.names(columns).attributes.flat());
      const known = [...new Set(names)].filter((_, i) => i % 3 > 0);
      compare(source, sequences, false, known);
      // A file has no halves of surrogate pairs.
      const whole = known.filter((name) => !/\p{Surrogate}/u.test(name));
      compare(source, sequences, false, whole, packed);
    }),
  );
});

test("halves of a surrogate pair make a character when they are joined", () => {
  compare(
    sources.template,
    [
      [
        ["\ud83d", "x"],
        ["\ude00", "x"],
      ],
    ],
    false,
    ["U8:\u{1f600}"],
    packed,
  );
});

test("text in which pairs and triples by far outnumber what can be remembered of them", () => {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const sequences = Array.from({ length: 80 }, () =>
    Array.from({ length: 50 }, () => [`w${random(600)}`, `t${random(40)}`]),
  );
  compare(sources.chunking, sequences, true);
});

test("more different words than are remembered, in one sequence and in many", () => {
  const pieces: PositionPieces = {
    attributes: [
      { places: [{ row: 0, column: 0 }], names: ([value]) => [`w=${value}`, `${value}`.slice(0, 3)] },
      { places: [-1, 0].map((row) => ({ row, column: 0 })), names: ([one, next]) => [`${one}|${next}`] },
      // Of all that comes from three values, many have two in common.
      ...[0, 1, 2].map((k) => ({
        places: [0, 1, 2].map((j) => (j === k ? { row: 0, column: 0 } : { row: 1, absolute: true, column: 0 })),
        names: (values: readonly PieceValue[]) => [`c${k}=${values[k]}`],
      })),
      // The more pieces there are, the fewer values are remembered.
      ...Array.from({ length: 60 }, (_, row) => ({
        places: [{ row, column: 0 }],
        names: ([value]: readonly PieceValue[]) => (typeof value === "number" ? [`end${value}`] : []),
      })),
    ],
    conjoined: [],
  };
  const source: Source = {
    pieces: () => pieces,
    names: (columns) => ({
      attributes: columns.map(([value], i) => [
        `w=${value}`,
        value.slice(0, 3),
        `${i === 0 ? -1 : columns[i - 1][0]}|${value}`,
        ...[0, 1, 2].map((k) => `c${k}=${value}`),
        ...Array.from({ length: Math.max(0, i + 60 - columns.length) }, (_, k) => `end${k + 1}`),
      ]),
    }),
  };
  const long = Array.from({ length: 30_000 }, (_, i) => [`${i}`]);
  const short = Array.from({ length: 30 }, (_, s) => long.slice(1000 * s, 1000 * s + 1000));
  const known = Array.from({ length: 2200 }, (_, i) =>
    ["w", "c0", "c1", "c2"].map((name) => `${name}=${14 * i}`),
  ).flat();
  compare(source, [long, ...short, long.slice(-100)], false, known);
});

test("rows may lack columns that no piece looks at", () => {
  const ragged = [
    ["a", "N", "x"],
    ["b", "N"],
    ["c", "V", "y", "z"],
  ];
  for (const source of [sources.chunking, sources.template]) {
    for (const columns of [ragged, ragged.slice(1), [...ragged].reverse()]) compare(source, [columns], true);
  }
});
