// `cross-validate` on the command line.

import { afterAll, beforeAll, expect, test } from "vitest";
import { columns, Folder } from "./helpers.js";

const folder = new Folder();
beforeAll(() => {
  folder.write("train.txt", columns(60));
});
afterAll(() => folder.remove());
const words = ["cross-validate", "tag", "train.txt", "--parts", "3", "--passes", "2", "--l2", "1", "--held-out", "0"];

test("means and spreads, for people and for programs, the same each time", async () => {
  const { code, out, error } = await folder.run(words);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  expect(out).toMatch(/^60 sequences in 3 parts; .*\n/);
  expect(out).toMatch(/^tokenAccuracy +0\.\d+ +± [\d.e-]+$/m);
  expect(out).toMatch(/^recallAtPrecision\.0\.9 +/m);
  const json = JSON.parse((await folder.run([...words, "--json"])).out);
  expect(json.parts).toHaveLength(3);
  expect(json.parts.reduce((sum: number, part: { sequences: number }) => sum + part.sequences, 0)).toBe(60);
  const again = JSON.parse((await folder.run([...words, "--json"])).out);
  expect(again.mean.tokenAccuracy).toBe(json.mean.tokenAccuracy);
  const other = JSON.parse((await folder.run([...words, "--json", "--seed", "2"])).out);
  expect(other.parts.map((part: { tokens: number }) => part.tokens)).not.toEqual(
    json.parts.map((part: { tokens: number }) => part.tokens),
  );
});

test("too little data is refused", async () => {
  folder.write("few.txt", columns(3));
  expect(await folder.run(["cross-validate", "tag", "few.txt"])).toMatchObject({
    code: 2,
    error: expect.stringContaining("3 sequences are too few for 5 parts"),
  });
});
