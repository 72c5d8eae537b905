// The tagging report: chunk counts of the conlleval script, and tables worked by hand.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areChunkLabels, chunksOf, TaggingScore } from "../../src/metrics/tagging.js";

const words = (text: string) => text.split(" ");

/** `NP 0-2` is a chunk of type NP at positions 0 and 1. */
const chunkTexts = (labels: string) => chunksOf(words(labels)).map(({ type, start, end }) => `${type} ${start}-${end}`);

describe("chunksOf", () => {
  it.each<[string, string, string[]]>([
    ["IOB2", "B-NP I-NP O B-VP", ["NP 0-2", "VP 3-4"]],
    ["two chunks side by side", "B-NP I-NP B-NP I-NP", ["NP 0-2", "NP 2-4"]],
    ["IOB1: B only between chunks of a type", "I-NP I-NP B-NP O I-VP", ["NP 0-2", "NP 2-3", "VP 4-5"]],
    ["I after O starts a chunk", "O I-NP I-NP", ["NP 1-3"]],
    ["a change of type starts a chunk without B", "B-NP I-VP I-VP I-PP", ["NP 0-1", "VP 1-3", "PP 3-4"]],
    ["IOE1: E only between chunks of a type", "I-NP E-NP I-NP O", ["NP 0-2", "NP 2-3"]],
    ["IOE2", "I-NP E-NP E-NP O E-VP", ["NP 0-2", "NP 2-3", "VP 4-5"]],
    ["BIOES", "B-NP I-NP E-NP S-NP B-NP E-NP O S-VP S-VP", ["NP 0-3", "NP 3-4", "NP 4-6", "VP 7-8", "VP 8-9"]],
    ["I or E after S starts a chunk", "S-NP I-NP S-NP E-NP", ["NP 0-1", "NP 1-2", "NP 2-3", "NP 3-4"]],
    ["BILOU", "B-NP I-NP L-NP U-NP L-NP", ["NP 0-3", "NP 3-4", "NP 4-5"]],
    ["without types", "B I O I I B", [" 0-2", " 3-5", " 5-6"]],
    ["a hyphen inside a type", "B-A-B I-A-B I-A", ["A-B 0-2", "A 2-3"]],
    ["nothing but O", "O O", []],
  ])("%s", (_, labels, chunks) => {
    expect(chunkTexts(labels)).toEqual(chunks);
  });

  it("returns the chunks that IOB2 and BIOES labels were made from", () => {
    const layout = fc.array(
      fc.record({ type: fc.constantFrom("NP", "VP", "O"), length: fc.integer({ min: 1, max: 4 }) }),
    );
    fc.assert(
      fc.property(layout, (parts) => {
        const iob: string[] = [];
        const bioes: string[] = [];
        const expected: unknown[] = [];
        for (const { type, length } of parts) {
          if (type !== "O") expected.push({ type, start: iob.length, end: iob.length + length });
          for (let i = 0; i < length; i++) {
            iob.push(type === "O" ? "O" : i === 0 ? `B-${type}` : `I-${type}`);
            const last = i === length - 1;
            const prefix = i === 0 ? (last ? "S" : "B") : last ? "E" : "I";
            bioes.push(type === "O" ? "O" : `${prefix}-${type}`);
          }
        }
        expect(chunksOf(iob)).toEqual(expected);
        expect(chunksOf(bioes)).toEqual(expected);
      }),
    );
  });
});

describe("areChunkLabels", () => {
  it.each<[string, boolean]>([
    ["B-NP I-NP O", true],
    ["I-NP O", true],
    ["S-PER E-PER", true],
    ["B I O", true],
    ["O", false],
    ["B O", false],
    ["DT NN VB", false],
    ["B-NP I-NP O NN", false],
    ["b i o", false],
    ["X-NP O", false],
  ])("%s: %s", (labels, expected) => {
    expect(areChunkLabels(words(labels))).toBe(expected);
  });
});

describe("TaggingScore", () => {
  it("counts what a small table holds", () => {
    const score = new TaggingScore();
    score.add(["A", "B", "A"], ["A", "B", "A"], 0.9, Math.log(0.9));
    score.add(["A", "B"], ["B", "B"], 0.6, Math.log(0.3));
    score.add(["C"], ["A"], 0.5, Math.log(0.25));
    const report = score.report();
    expect(report.sequences).toBe(3);
    expect(report.tokens).toBe(6);
    expect(report.sequenceAccuracy).toBe(1 / 3);
    expect(report.tokenAccuracy).toBe(4 / 6);
    // A: 3 true, 3 predicted, 2 right. B: 2, 3, 2. C: 1, 0, 0.
    expect(report.labels).toEqual({
      A: { precision: 2 / 3, recall: 2 / 3, f1: 2 / 3, support: 3, predicted: 3, correct: 2 },
      B: { precision: 2 / 3, recall: 1, f1: 0.8, support: 2, predicted: 3, correct: 2 },
      C: { precision: 0, recall: 0, f1: 0, support: 1, predicted: 0, correct: 0 },
    });
    expect(report.chunks).toBeUndefined();
    expect(report.chunkF1).toBeUndefined();
    expect(report.logLikelihood).toBeCloseTo(Math.log(0.9 * 0.3 * 0.25), 12);
    expect(report.recallAtPrecision).toEqual({ "0.9": 1 / 3, "0.95": 1 / 3, "0.99": 1 / 3 });
    expect(report.brier).toBeCloseTo((0.01 + 0.36 + 0.25) / 3, 12);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it("counts a chunk as right only if both ends and the type are", () => {
    const score = new TaggingScore();
    score.add(words("B-NP I-NP O B-VP I-VP"), words("B-NP I-NP O B-VP I-VP")); // 2 of 2
    score.add(words("B-NP I-NP I-NP"), words("B-NP I-NP O")); // too short
    score.add(words("B-NP I-NP I-NP"), words("O I-NP I-NP")); // starts late
    score.add(words("B-NP I-NP"), words("B-VP I-VP")); // another type
    score.add(words("B-NP I-NP"), words("B-NP B-NP")); // split
    score.add(words("O I-NP"), words("O B-NP")); // right, though the labels differ
    const { chunks, chunkF1 } = score.report();
    expect(chunks).toMatchObject({ support: 7, predicted: 8, correct: 3, precision: 3 / 8, recall: 3 / 7, f1: 6 / 15 });
    expect(chunkF1).toBe(6 / 15);
    expect(chunks?.types.NP).toMatchObject({ support: 6, predicted: 6, correct: 2 });
    expect(chunks?.types.VP).toMatchObject({ support: 1, predicted: 2, correct: 1 });
  });

  it("ends chunks with the sequence", () => {
    const score = new TaggingScore();
    score.add(["B-NP"], ["B-NP"]);
    score.add(["I-NP"], ["I-NP"]);
    expect(score.report().chunks).toMatchObject({ support: 2, predicted: 2, correct: 2 });
  });

  // These labels went through the counting loop of the Perl script conlleval (version of 2004-01-26), which gave these
  // counts: true, found, right.
  it.each([
    {
      labels: "O B-NP I-NP B-VP I-VP I-A-B B-A-B",
      expected: {
        tokens: 1407,
        correctTokens: 1162,
        all: [1045, 1023, 819],
        types: { "A-B": [336, 312, 253], NP: [356, 346, 277], VP: [353, 365, 289] },
      },
    },
    {
      labels: "O I-NP E-NP I-VP E-VP",
      expected: {
        tokens: 1407,
        correctTokens: 1177,
        all: [941, 950, 749],
        types: { NP: [475, 475, 377], VP: [466, 475, 372] },
      },
    },
  ])("gives the counts of conlleval on random labels: $labels", ({ labels, expected }) => {
    const score = new TaggingScore();
    for (const [gold, predicted] of randomPairs(words(labels))) score.add(gold, predicted);
    const report = score.report();
    const counts = ({ support, predicted, correct }: { support: number; predicted: number; correct: number }) => [
      support,
      predicted,
      correct,
    ];
    expect({
      tokens: report.tokens,
      correctTokens: Math.round(report.tokenAccuracy * report.tokens),
      all: counts(report.chunks!),
      types: Object.fromEntries(Object.entries(report.chunks!.types).map(([type, rates]) => [type, counts(rates)])),
    }).toEqual(expected);
  });

  it("skips positions whose label is not known", () => {
    const score = new TaggingScore();
    score.add([null, "B-NP", null, "I-NP"], words("O B-NP I-NP I-NP"), 0.9, -1);
    score.add([null, null], ["O", "B-NP"], 0.1, 0);
    score.add([], [], 1, 0);
    const report = score.report();
    expect(report).toMatchObject({ sequences: 1, tokens: 2, unknownTokens: 4, sequenceAccuracy: 1, tokenAccuracy: 1 });
    expect(report.logLikelihood).toBe(-1);
    // An unknown position separates chunks: two of them on both sides.
    expect(report.chunks).toMatchObject({ support: 2, predicted: 2, correct: 2 });
  });

  it("leaves out what was not given, and says when a probability is 0", () => {
    const score = new TaggingScore();
    expect(score.report()).toMatchObject({ sequences: 0, tokens: 0, sequenceAccuracy: 0, tokenAccuracy: 0 });
    score.add(["A"], ["A"], 0.5, -Infinity);
    expect(score.report()).toMatchObject({ logLikelihood: null, impossibleSequences: 1 });
    score.add(["A"], ["A"]);
    const report = score.report();
    for (const key of ["logLikelihood", "recallAtPrecision", "expectedCalibrationError", "brier"]) {
      expect(report).not.toHaveProperty(key);
    }
    expect(() => score.add(["A"], [])).toThrow(/0 predicted labels for 1 positions/);
  });
});

/** 200 pairs of label sequences, equal at about 4 of 5 positions; the same at every run. */
function* randomPairs(labels: readonly string[]): Generator<[string[], string[]]> {
  let state = 1;
  const below = (limit: number) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
  for (let n = 0; n < 200; n++) {
    const gold = Array.from({ length: 1 + below(12) }, () => labels[below(labels.length)]);
    yield [gold, gold.map((label) => (below(5) ? label : labels[below(labels.length)]))];
  }
}
