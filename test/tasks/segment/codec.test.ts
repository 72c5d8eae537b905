// A segmenter in a file: it answers as before, and a file that was tampered with is refused.

import { describe, expect, it } from "vitest";
import { decodeTensors, encodeTensors } from "../../../src/model/safetensors.js";
import type { SegmentedText } from "../../../src/tasks/segment/example.js";
import { decodeSegmenter } from "../../../src/tasks/segment/index.js";
import { Segmenter } from "../../../src/tasks/segment/segmenter.js";
import { InputError } from "../../../src/util/errors.js";
import { decodeModel, encodeModel } from "../../../src/workflows/model.js";

const tokens = (line: string): SegmentedText => {
  const rows = line.split(" ").map((token) => token.split("/"));
  return { columns: rows.map(([token]) => [token]), labels: rows.map(([, label]) => label) };
};
const names = [
  "Ann/B-PER Lee/I-PER lives/O in/O Rome/B-LOC",
  "Rome/B-LOC is/O far/O",
  "Bob/B-PER met/O Ann/B-PER Lee/I-PER",
  "New/B-LOC York/I-LOC is/O far/O",
].map(tokens);

const trained = Segmenter.train(names, { passes: 5, l2: 0.1, lexicon: "New York\nParis\n" });

describe("a segmenter's file", () => {
  it("answers as the segmenter that was saved, bit for bit", async () => {
    const segmenter = await trained;
    const bytes = encodeModel(segmenter);
    for (const loaded of [decodeModel(bytes) as Segmenter, decodeSegmenter(bytes)]) {
      for (const line of ["Ann met Bob Lee in New York", "Paris is far", "x"]) {
        const columns = line.split(" ").map((token) => [token]);
        const options = { nbest: 3, marginals: true, contexts: true };
        expect(loaded.predict({ columns }, options)).toEqual(segmenter.predict({ columns }, options));
      }
      expect(encodeModel(loaded)).toEqual(bytes);
    }
  });

  it("is refused if its numbers do not fit together", async () => {
    const { tensors, metadata } = decodeTensors(encodeModel(await trained));
    const changed = (name: string, change: (data: number[]) => number[]): Uint8Array => {
      const old = tensors[name].data as Int32Array;
      const data = (old.constructor as typeof Int32Array).from(change(Array.from(old)));
      return encodeTensors({ tensors: { ...tensors, [name]: { data, shape: [data.length] } }, metadata } as never);
    };
    const damages: [string, (data: number[]) => number[]][] = [
      ["longest", (data) => data.map(() => 2 ** 30)],
      ["longest", (data) => data.map(() => 0)],
      ["longest", (data) => data.slice(1)],
      ["seen.start", (data) => data.map(() => -1)],
      ["seen.start", (data) => [...data.slice(0, -1), 99_999]],
      ["seen.labels", (data) => data.map(() => 99)],
      ["rows.symbols", (data) => data.map(() => 60_000)],
      ["contexts.childNode", (data) => data.map(() => 0)],
      ["contexts.row", (data) => data.map(() => 0)],
      ["weights", (data) => data.slice(1)],
    ];
    for (const [name, change] of damages) {
      expect(() => decodeModel(changed(name, change), "m.sg"), name).toThrow(InputError);
    }
  });
});
