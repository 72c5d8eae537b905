import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type TaggingFormat, taggingFormats } from "../../src/formats/detect.js";
import type { TaggingSequence } from "../../src/formats/sequence.js";
import { CHUNKING_TEMPLATE, parseTemplate } from "../../src/tasks/tag/template.js";
import { InputError } from "../../src/util/errors.js";
import { corrupt, expectWellFormed, readAll, samples } from "./helpers.js";

const damages = 1000;

/** Reads damaged bytes: sequences that are well formed, or an InputError that has words. */
async function readDamaged(bytes: Buffer, format: TaggingFormat | undefined, labelled: boolean): Promise<boolean> {
  let sequences: TaggingSequence[];
  try {
    sequences = await readAll(bytes, { format, labelled, labelSets: true });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message).toMatch(/^data.*: .+/s);
    return false;
  }
  for (const sequence of sequences) expectWellFormed(sequence, labelled);
  return true;
}

describe.each(taggingFormats)(`${damages} damaged files of format %s`, (format) => {
  it("are refused or read as well-formed sequences", async () => {
    let refused = 0;
    for (let seed = 0; seed < damages; seed++) {
      const bytes = corrupt(Buffer.from(samples[format]), seed);
      const guess = seed % 4 === 0;
      if (!(await readDamaged(bytes, guess ? undefined : format, seed % 2 === 0))) refused++;
    }
    // The damage is not so mild that nothing is noticed, nor so great that nothing is read.
    expect(refused).toBeGreaterThan(damages / 20);
    expect(refused).toBeLessThan(damages * 0.99);
  });
});

it("damaged gzip is refused or harmless", async () => {
  const whole = await readAll(samples.columns, { format: "columns" });
  const packed = gzipSync(samples.columns);
  for (let seed = 0; seed < 300; seed++) {
    try {
      const read = await readAll(corrupt(packed, seed), { format: "columns" });
      expect(read).toEqual(whole);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
});

it(`${damages} damaged templates are refused at a line or can be applied`, () => {
  const source = `${CHUNKING_TEMPLATE}U30:%t[0,0,"^\\u\\l*$"]\nB31:%m[-1,0,"..?$"]\n*32:%X[@-1,1] # last\n`;
  const columns = [
    ["He", "PRP"],
    ["reckons", "VBZ"],
  ];
  let refused = 0;
  for (let seed = 0; seed < damages; seed++) {
    try {
      const template = parseTemplate(corrupt(Buffer.from(source), seed).toString("utf8"), "template");
      const { attributes, conjoined } = template.apply(columns);
      expect(attributes.length).toBe(2);
      expect(conjoined[0]).toEqual([]);
      for (const name of attributes.flat()) expect(name).not.toContain("undefined");
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(damages / 20);
  expect(refused).toBeLessThan(damages * 0.9);
});
