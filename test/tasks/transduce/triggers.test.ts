// Triggers: graphones that come together more often than their symbols alone explain, against counts by the definition.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTriggers, triggerScore } from "../../../src/tasks/transduce/triggers.js";

/** Input symbol of each graphone: symbol 0 has the graphones 0 and 1, symbol 1 has 2 and 3, symbol 2 has 4 alone. */
const symbolOf = [0, 0, 1, 1, 2];
const sequences = fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 6 }), {
  minLength: 30,
  maxLength: 60,
});

describe("triggers", () => {
  it("score an alignment as defined", () => {
    fc.assert(
      fc.property(sequences, fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 8 }), (pairs, asked) => {
        const counts = symbolOf.map((_, g) => pairs.flat().filter((one) => one === g).length);
        const listed = (g: number): boolean => {
          if (g >= 4 || counts[g] < 5) return false;
          const both = symbolOf.flatMap((symbol, h) => (symbol === symbolOf[g] ? [counts[h]] : []));
          return Math.max(...both) < 0.97 * both.reduce((a, b) => a + b);
        };
        const share = (g: number): number =>
          counts[g] / symbolOf.reduce((sum, s, h) => sum + (s === symbolOf[g] && listed(h) ? counts[h] : 0), 0);
        const ordered = (sequence: readonly number[]): [number, number][] => {
          const here = sequence.filter(listed);
          return here.flatMap((g, i) => here.flatMap((h, j): [number, number][] => (i === j ? [] : [[g, h]])));
        };
        const all = pairs.flatMap(ordered);
        const log = ([g, h]: [number, number]): number => {
          const seen = all.filter(([a, b]) => a === g && b === h).length;
          const met = all.filter(([a, b]) => symbolOf[a] === symbolOf[g] && symbolOf[b] === symbolOf[h]).length;
          return Math.log((seen + 5) / (met * share(g) * share(h) + 5));
        };
        const others = Math.max(1, asked.filter(listed).length - 1);
        const score = ordered(asked).reduce((sum, pair) => sum + log(pair), 0) / others;
        const triggers = countTriggers(pairs, symbolOf);
        expect(triggers ? triggerScore(triggers, asked) : 0).toBeCloseTo(score, 5);
      }),
    );
  });

  it("prefer one way of writing throughout, where those who write keep to one", () => {
    const pairs = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? [0, 4, 4, 0, 2] : [1, 4, 4, 1, 3]));
    const triggers = countTriggers(pairs, symbolOf);
    if (!triggers) throw new Error("there are none");
    expect(triggerScore(triggers, [0, 4, 0])).toBeGreaterThan(triggerScore(triggers, [0, 4, 1]));
    expect(triggerScore(triggers, [1, 3])).toBeGreaterThan(triggerScore(triggers, [1, 2]));
  });

  it("are none where every symbol is always written alike", () => {
    const pairs = Array.from({ length: 40 }, () => [0, 2, 4]);
    expect(countTriggers(pairs, symbolOf)).toBeUndefined();
  });
});
