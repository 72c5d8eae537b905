// What the tests of the formats share: reading from memory, and damage to files, seeded.
import { Readable } from "node:stream";
import { expect } from "vitest";
import { type ReadTaggingOptions, readTagging } from "../../src/formats/read.js";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { InputError } from "../../src/util/errors.js";

/** Reads a text or bytes as a file would be read; `chunk`: how many bytes arrive at a time. */
export async function readAll(
  content: string | Uint8Array,
  options: Partial<ReadTaggingOptions> = {},
  chunk = 1 << 16,
): Promise<TaggingSequence[]> {
  const bytes = Buffer.from(content as Uint8Array);
  const chunks: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += chunk) chunks.push(bytes.subarray(i, i + chunk));
  const sequences: TaggingSequence[] = [];
  const source = Readable.from(chunks, { objectMode: false });
  for await (const sequence of readTagging(source, { labelled: true, file: "data", ...options })) {
    sequences.push(sequence);
  }
  return sequences;
}

/** The InputError that reading ends with. */
export async function refusal(
  content: string | Uint8Array,
  options: Partial<ReadTaggingOptions> = {},
): Promise<InputError> {
  const error = await readAll(content, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

/** Every part of a sequence has its length, every value is finite, every name and label is text. */
export function expectWellFormed(sequence: TaggingSequence, labelled: boolean): void {
  const { columns, attributes, values, labels } = sequence;
  const length = (columns ?? attributes)?.length ?? 0;
  expect(length).toBeGreaterThan(0);
  if (columns) {
    expect(columns.length).toBe(length);
    for (const row of columns) {
      expect(row.length).toBe(columns[0].length);
      expect(row.length).toBeGreaterThan(0);
      for (const cell of row) expect(typeof cell).toBe("string");
    }
  }
  if (attributes) {
    expect(attributes.length).toBe(length);
    for (const names of attributes) for (const name of names) expect(name).toMatch(/./su);
  }
  if (values) {
    expect(values.length).toBe(length);
    values.forEach((here, i) => {
      if (here === undefined) return;
      expect(here.length).toBe(attributes?.[i].length);
      for (const value of here) expect(Number.isFinite(value)).toBe(true);
    });
  }
  if (!labelled) expect(labels).toBeUndefined();
  else {
    expect(labels?.length).toBe(length);
    for (const label of labels ?? []) {
      if (label === null) continue;
      const set = typeof label === "string" ? [label] : label;
      expect(set.length).toBeGreaterThan(0);
      for (const one of set) expect(one).toMatch(/./su);
    }
  }
}

/** Numbers in [0, below) that a seed decides (the mulberry32 generator). */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Damages bytes in one to three ways: flips, cuts, insertions, deletions, lines exchanged. */
export function corrupt(original: Uint8Array, seed: number): Buffer {
  const random = seeded(seed);
  let bytes = Buffer.from(original);
  const times = 1 + random(3);
  for (let k = 0; k < times; k++) {
    const at = random(bytes.length + 1);
    switch (random(6)) {
      case 0:
        if (at < bytes.length) bytes[at] ^= 1 << random(8);
        break;
      case 1:
        bytes = bytes.subarray(0, at);
        break;
      case 2: {
        const inserted = Buffer.from(Array.from({ length: 1 + random(8) }, () => random(256)));
        bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
        break;
      }
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random(12)))]);
        break;
      case 4: {
        // Characters that mean something to one format or another do more harm than arbitrary bytes.
        const mark = ["\t", "\n", "\n\n", " ", ":", "\\", "|", "_", '"', "{", "]", ",", "-1", "\r", "\0", "1e999"][
          random(16)
        ];
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(mark), bytes.subarray(at)]);
        break;
      }
      default: {
        const lines = bytes.toString("latin1").split("\n");
        const [i, j] = [random(lines.length), random(lines.length)];
        [lines[i], lines[j]] = [lines[j], lines[i]];
        bytes = Buffer.from(lines.join("\n"), "latin1");
      }
    }
  }
  return bytes;
}

/** A small file of each format, with what makes it hard. */
export const samples = {
  columns: `Confidence NN B-NP\nin IN B-PP\nthe DT B-NP\npound NN I-NP\n\nŁódź NNP _\n💷 NN A|B\n. . O\n`,
  conllu: [
    "# newdoc id = d1",
    "# sent_id = s1",
    "# text = Vámonos al mar.",
    "1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_",
    "1\tVamos\tir\tVERB\t_\tMood=Imp|Number=Plur\t0\troot\t_\t_",
    "2\tnos\tyo\tPRON\t_\tCase=Acc\t1\tobj\t_\t_",
    "2.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_",
    "3\tal mar\tmar\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No",
    "4\t.\t.\t_\t_\t_\t1\tpunct\t_\t_",
    "",
    "# newdoc",
    "1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_",
    "",
  ].join("\n"),
  crfsuite: [
    "B-NP\tw[0]=An\tw[1]=A.P.\tpos[0]=DT\t__BOS__",
    "I-NP\tw[0]=A\\:P\tscale:0.5\tother:-2e3",
    "O\tw[0]=C\\:\\\\dir\t__EOS__",
    "",
    "_\tw[0]=x",
    "O",
    "",
  ].join("\n"),
  jsonl: [
    '{"tokens":["the","dog","runs"],"labels":["DT","NN",null],"id":"s1"}',
    '{"columns":[["the","DT"],["dog","NN"]],"labels":["B-NP",["I-NP","O"]]}',
    '{"attributes":[["a","b"],{"c":0.5,"d":1,"w":"dog","ok":true}],"labels":["X","Y"],"id":7}',
    "",
  ].join("\n"),
  letters: letterLines("on", 1, 1, 3) + letterLines("mmanding", 3, 2, 0),
};

/** A word in the layout of letter.data; its pixels follow from the letters. */
export function letterLines(word: string, firstId: number, wordId: number, fold: number): string {
  let text = "";
  for (let i = 0; i < word.length; i++) {
    const id = firstId + i;
    const random = seeded(word.charCodeAt(i) * 31 + i);
    const pixels = Array.from({ length: 128 }, () => random(2));
    text += `${[id, word[i], i + 1 < word.length ? id + 1 : -1, wordId, i + 1, fold, ...pixels].join("\t")}\t\n`;
  }
  return text;
}
