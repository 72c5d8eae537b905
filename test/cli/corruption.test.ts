// Data that is damaged at random, given to a model to predict and to evaluate: every time a clear refusal or an answer.

import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { TaggingFormat } from "../../src/formats/detect.js";
import { openLines } from "../../src/formats/lines.js";
import { readTagging } from "../../src/formats/read.js";
import { isKnown, readInputs } from "../../src/tasks/tag/inputs.js";
import type { TaggerPrediction } from "../../src/tasks/tag/prediction.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { InputError } from "../../src/util/errors.js";
import { generator, uniform } from "../../src/util/random.js";
import { columns } from "./helpers.js";

const sentences = columns(6)
  .trimEnd()
  .split("\n\n")
  .map((text) => text.split("\n").map((line) => line.split(" ")));

function letters(): string {
  const lines: string[] = [];
  for (let word = 0; word < 6; word++) {
    for (let place = 1; place <= 3; place++) {
      const id = word * 3 + place;
      const pixels = Array.from({ length: 128 }, (_, p) => ((p * id) % 5 === 0 ? 1 : 0));
      lines.push(
        [id, "abc"[(word + place) % 3], place < 3 ? id + 1 : -1, word, place, word % 10, ...pixels].join("\t"),
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

const texts: Record<TaggingFormat, string> = {
  columns: columns(6),
  conllu: sentences
    .map((s) => s.map(([word, label], i) => `${i + 1}\t${word}\t_\t${label}\t_\t_\t_\t_\t_\t_\n`).join(""))
    .join("\n"),
  crfsuite: sentences
    .map((s) => s.map(([word, label]) => `${label}\tw\\:${word}\tlength:${word.length / 10}\n`).join(""))
    .join("\n"),
  jsonl: sentences
    .map((s) => JSON.stringify({ tokens: s.map(([word]) => word), labels: s.map(([, label]) => label) }))
    .join("\n"),
  letters: letters(),
};

const stream = (bytes: Uint8Array) => Readable.from([Buffer.from(bytes)], { objectMode: false });

/** As many known labels as positions, with probabilities. */
function isSound({ labels, probability, confidences = [] }: TaggerPrediction, length: number, tagger: Tagger): boolean {
  const isProbability = (p: number) => p > 0 && p <= 1;
  return (
    labels.length === length &&
    confidences.length === length &&
    labels.every((label) => isKnown(tagger, label)) &&
    [probability, ...confidences].every(isProbability)
  );
}

describe.each(Object.entries(texts) as [TaggingFormat, string][])("%s", (format, text) => {
  test("1,000 random corruptions", async () => {
    const bytes = new TextEncoder().encode(text);
    const width = format === "columns" || format === "jsonl" ? { columns: 1 } : {};
    const tagger = await Tagger.train(readTagging(stream(bytes), { format, labelled: true }), {
      passes: 2,
      note: { input: { format, ...width } },
    });
    const random = generator(3, 0);
    const below = (n: number) => Math.floor(uniform(random) * n);
    const interesting = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2d, 0x3a, 0x5c, 0x5f, 0x7b, 0x7d, 0x80, 0xff];
    let answered = 0;
    let refused = 0;
    let faults = 0;
    for (let n = 0; n < 1000; n++) {
      let bad = bytes.slice();
      const place = below(bytes.length);
      const kind = below(4);
      if (kind === 0) bad[place] ^= 1 << below(8);
      else if (kind === 1) bad[place] = interesting[below(interesting.length)];
      else if (kind === 2) bad = bad.slice(0, place);
      else bad = Uint8Array.from([...bad.slice(0, place), ...bad.slice(Math.min(bad.length, place + 1 + below(40)))]);
      const answers = n % 2 ? "needed" : "ignored";
      try {
        for await (const { sequence, shown } of readInputs(tagger, openLines(stream(bad)), { answers, asked: {} })) {
          if (!isSound(tagger.predict(sequence, { confidences: true }), shown.length, tagger)) faults++;
          if (answers === "needed" && !(tagger.logLikelihood(sequence) <= 0)) faults++;
        }
        answered++;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        refused++;
      }
    }
    expect(faults).toBe(0);
    expect(answered).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(100);
  });
});
