// Are promises kept where the truth is known? Made-up worlds of 4,000 sequences whose parts are wrong together, with very different
// lengths and a model that is too sure of itself; 2,000 times, held-out sequences are drawn from a world, a promise of each kind is
// made on them, and what was promised is compared with the whole world. A promise may be broken in 5 % of the draws.

import { write, writeJson } from "#stargram/cli/output.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import { answeredParts, findClusteredThreshold } from "#stargram/confidence/clustered.js";
import { coverageThreshold, isCovered, partCoverageThreshold } from "#stargram/confidence/conformal.js";
import { answeredInGroups, findGroupedThresholds, type GroupedCluster } from "#stargram/confidence/grouped.js";
import { PrecisionMonitor } from "#stargram/confidence/monitor.js";
import { findRecallThreshold } from "#stargram/confidence/recall.js";
import { findThreshold } from "#stargram/confidence/threshold.js";
import { generator, uniform } from "#stargram/util/random.js";
import { percent, table } from "#stargram/util/text.js";
import { chosenNames, markdownTable, ResultsFile, type Run, writeText } from "../runs.js";

const DRAWS = 2_000;
const WORLD = 4_000;
const HELD_OUT = 400;

type Draw = () => number;

/** A sequence of parts: how sure the model is of each, whether it is right, its group, and the probability of its right label. */
interface Sequence extends GroupedCluster {
  confidence: number[];
  correct: boolean[];
  group: string[];
  /** [parts] */
  truth: number[];
}

/** What is made of a world. */
interface World {
  /** With this probability all parts of a sequence share one fate. */
  together: number;
  /** 1: as sure as it should be; less: surer. */
  modesty: number;
}

const worlds = {
  independent: { together: 0, modesty: 1 },
  together: { together: 1, modesty: 1 },
  "too sure": { together: 0.7, modesty: 0.5 },
} satisfies Record<string, World>;

function sequenceOf({ together, modesty }: World, random: Draw): Sequence {
  const length = Math.min(400, Math.ceil(3 / Math.sqrt(random() + 1e-6))); // a heavy tail
  const shared = random();
  const isShared = random() < together;
  const difficulty = random() ** 3 * 0.4; // how often parts of this sequence are wrong
  const one: Sequence = { confidence: [], correct: [], group: [], truth: [] };
  for (let i = 0; i < length; i++) {
    const risk = difficulty * (0.5 + random());
    const isRight = (isShared ? shared : random()) >= risk;
    const confidence = 1 - risk * modesty * (0.8 + 0.4 * random());
    one.correct.push(isRight);
    one.confidence.push(confidence);
    one.group.push(["A", "B", "C"][Math.floor(3 * random() ** 3)]);
    one.truth.push(isRight ? confidence : (1 - confidence) * random());
  }
  return one;
}

/** What came of one draw: undefined if nothing was promised, else how true it was, and whether that breaks the promise. */
type Outcome = { reached: number; isBroken: boolean } | undefined;

type Kind = (world: readonly Sequence[], draw: () => Sequence, seed: number) => Outcome;

/** The precision over a world of what is answered. */
function precisionOf(world: readonly Sequence[], answered: (one: Sequence) => readonly number[]): number {
  let [all, right] = [0, 0];
  for (const one of world) {
    for (const part of answered(one)) {
      all++;
      if (one.correct[part]) right++;
    }
  }
  return all > 0 ? right / all : 1;
}

const held = (draw: () => Sequence, count = HELD_OUT): Sequence[] => Array.from({ length: count }, draw);

/** A whole output is as sure as its least sure part, and right if all parts are. */
const wholeOf = ({ confidence, correct }: Sequence) => ({
  confidence: Math.min(...confidence),
  correct: correct.every((isRight) => isRight),
});

const kinds: Record<string, Kind> = {
  "sequence 0.9": (world, draw, seed) => {
    const found = findThreshold(held(draw).map(wholeOf), { precision: 0.9, seed });
    if (!found) return undefined;
    const answers = world.map(wholeOf).filter(({ confidence }) => confidence >= found.threshold);
    const reached = answers.filter(({ correct }) => correct).length / Math.max(1, answers.length);
    return { reached, isBroken: reached < 0.9 };
  },
  "token 0.95": partsKind(0.95),
  // Few parts of each sequence, as names are among words.
  "span 0.9": (world, draw, seed) => partsKind(0.9)(world.map(fewOf), () => fewOf(draw()), seed),
  "per label 0.9": (world, draw, seed) => {
    const found = findGroupedThresholds(held(draw), { precision: 0.9, seed });
    if (!found) return undefined;
    const each = found.groups.map((group) =>
      precisionOf(world, (one) => answeredInGroups(one.confidence, one.group, [group])),
    );
    const reached = Math.min(...each);
    return { reached, isBroken: reached < 0.9 };
  },
  "recall 0.9": (world, draw, seed) => {
    const found = findRecallThreshold(
      held(draw).map(({ truth }) => truth),
      { recall: 0.9, seed },
    );
    if (!found) return undefined;
    const shares = world.map(({ truth }) => truth.filter((p) => p >= found.threshold).length / truth.length);
    const reached = meanOf(shares);
    return { reached, isBroken: reached < 0.9 };
  },
  // Coverage is promised on average over draws, not in 95 % of them: what counts is the mean of what is reached.
  "sets of outputs 0.9": (world, draw) => {
    const truths = held(draw).map(({ truth }) => truth[0]);
    const threshold = coverageThreshold(truths, 0.9);
    return { reached: meanOf(world.map(({ truth }) => (isCovered(truth[0], threshold) ? 1 : 0))), isBroken: false };
  },
  "sets of labels 0.9": (world, draw) => {
    const threshold = partCoverageThreshold(
      held(draw).map(({ truth }) => truth),
      0.9,
    );
    const shares = world.map(({ truth }) => truth.filter((p) => isCovered(p, threshold)).length / truth.length);
    return { reached: meanOf(shares), isBroken: false };
  },
  // Broken if the true precision was ever outside of the bounds.
  "monitor of 300": (world, draw) => {
    const rule = { threshold: 0.9, most: 3 };
    const answered = (one: Sequence): number[] => answeredParts(one.confidence, rule);
    const reached = precisionOf(world.slice(0, 1_000), answered);
    const monitor = new PrecisionMonitor(rule.most);
    let isBroken = false;
    for (let look = 0; look < 300; look++) {
      // Of the same thousand sequences, so that the truth is known.
      const one = draw();
      const parts = answered(one);
      monitor.add(parts.length, parts.filter((part) => !one.correct[part]).length);
      if (look % 10 > 0) continue;
      const { lower, upper } = monitor.bounds();
      if (reached < lower || reached > upper) isBroken = true;
    }
    return { reached, isBroken };
  },
};

function partsKind(precision: number): Kind {
  return (world, draw, seed) => {
    const found = findClusteredThreshold(held(draw), { precision, seed });
    if (!found) return undefined;
    const reached = precisionOf(world, ({ confidence }) => answeredParts(confidence, found));
    return { reached, isBroken: reached < precision };
  };
}

/** A fifth of the parts. */
function fewOf(one: Sequence): Sequence {
  const own = one.confidence.map((_, i) => i).filter((i) => i % 5 === 0);
  const pick = <T>(list: readonly T[]): T[] => own.map((i) => list[i]);
  return {
    confidence: pick(one.confidence),
    correct: pick(one.correct),
    group: pick(one.group),
    truth: pick(one.truth),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

interface SimulationRun extends Run {
  draws: number;
  made: number;
  broken: number;
  /** Mean over the draws in which it was made. */
  reached: number;
}

export interface SimulationFlags extends QueueFlags {
  out: string;
  only?: string;
  draws?: number;
  json?: boolean;
}

const settings = Object.fromEntries(
  Object.keys(kinds).flatMap((kind) => Object.entries(worlds).map(([name, world]) => [`${kind}, ${name}`, world])),
);

export async function promiseSimulations(flags: SimulationFlags): Promise<void> {
  const { out, only, draws = DRAWS, json } = flags;
  const named = Object.fromEntries(Object.entries(settings).map(([name, world]) => [name, { ...world, draws }]));
  const file = await ResultsFile.open<SimulationRun>(out, "promise-simulations", named);
  const names = only === undefined ? Object.keys(named) : chosenNames(only, kinds).flatMap(settingsOf);
  const runs = await file.complete(
    names,
    () => 1,
    async (setting) => simulate(setting, draws),
    ({ setting, made, broken }) => `${setting}: made ${made} times, broken ${broken} times`,
    flags,
  );
  const rows = tableOf(runs);
  await writeText(out, "table.md", markdownTable(rows));
  if (json) await writeJson(runs);
  else await write(table(rows));
}

function settingsOf(kind: string): string[] {
  return Object.keys(worlds).map((world) => `${kind}, ${world}`);
}

/** One kind of promise in one world. */
export function simulate(setting: string, draws: number): SimulationRun {
  const [kind, name] = setting.split(", ") as [string, keyof typeof worlds];
  const own = generator(1, Object.keys(settings).indexOf(setting));
  const random = (): number => uniform(own);
  const world = Array.from({ length: WORLD }, () => sequenceOf(worlds[name], random));
  const count = kind.startsWith("monitor") ? 1_000 : WORLD;
  const draw = (): Sequence => world[Math.floor(random() * count)];
  const found: NonNullable<Outcome>[] = [];
  for (let seed = 1; seed <= draws; seed++) {
    const outcome = kinds[kind](world, draw, seed);
    if (outcome) found.push(outcome);
  }
  const broken = found.filter(({ isBroken }) => isBroken).length;
  return { setting, seed: 1, draws, made: found.length, broken, reached: meanOf(found.map((one) => one.reached)) };
}

function tableOf(runs: readonly SimulationRun[]): string[][] {
  return [
    ["promise", "world", "made in", "reached on average", "broken in"],
    ...runs.map(({ setting, draws, made, broken, reached }) => {
      const [kind, world] = setting.split(", ");
      const share = kind.startsWith("sets") ? "" : percent(broken / draws);
      return [kind, world, `${made} of ${draws}`, made > 0 ? percent(reached) : "", share];
    }),
  ];
}
