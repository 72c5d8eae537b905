// The search for a transducer's outputs in a trellis. Best paths come one after another; each output that is new among them is
// summed over all its alignments, until none that is unseen can matter. The first few are candidates, among which models of
// graphones and of words help to choose:
//   p(output | input)^own q(alignment)^joint w(output)^words,   what they have together being raised to the power `mass`

import { bestPaths, logAdd, type Path, trellisLattice } from "../../engine/lattice.js";
import { LEAST_LOG, type TransducerEngine } from "./engine.js";
import type { JointModel } from "./joint-model.js";
import type { Powers } from "./powers.js";
import type { WordModel } from "./word-model.js";

/** An output with its probability. */
export interface Found {
  output: number[];
  /** Its best alignment. */
  moves: readonly number[];
  log: number;
}

/** Models that help to choose among candidates. */
export interface Choosers {
  joint?: JointModel;
  words?: WordModel;
}

/** Where the best output is looked for. */
interface Search {
  /** Candidates at most, among which models of words and of graphones choose. */
  most: number;
  /** No candidate is so far below the most probable one, in logarithms. */
  within: number;
  /** Paths so far below the best, in logarithms, are not looked at. */
  reach: number;
  /** Nor are more paths than this. */
  paths: number;
}

const plainSearch: Search = { most: 1, within: Number.POSITIVE_INFINITY, reach: 7, paths: 48 };
/** A right answer further below is seldom brought up: 20 candidates gained no more on held-out words. */
const jointSearch: Search = { most: 5, within: 3, reach: 4, paths: 48 };
/** A model of words may lift an output a good deal. */
const wordSearch: Search = { most: 20, within: Number.POSITIVE_INFINITY, reach: 10, paths: 112 };

/** Paths looked at for the outputs asked for: so many, and so many more for each. */
const PATHS = 32;
const PATHS_PER_OUTPUT = 16;

/** Distinct outputs of the input whose forward pass was the engine's latest: the best one, and as many as are asked for. */
export function findOutputs(
  engine: TransducerEngine,
  input: Int32Array,
  choosers: Choosers,
  powers: Powers,
  asked: number,
): readonly Found[] {
  const { candidates, found } = lookFor(engine, input, searchFor(choosers), asked);
  if (choosers.words || choosers.joint) {
    return chosen(candidates, asked === 1 ? candidates : found, input, choosers, powers).slice(0, asked);
  }
  // The best is the same, however many are asked for: what turned up beyond the reach of its search cannot take its place.
  const [best] = candidates;
  return [best, ...found.filter((one) => one !== best && one.log <= best.log)].slice(0, asked);
}

/** What models are to choose among for that input, the most probable first. */
export function candidatesFor(engine: TransducerEngine, input: Int32Array, choosers: Choosers): readonly Found[] {
  return lookFor(engine, input, searchFor(choosers), 1).candidates;
}

function searchFor({ joint, words }: Choosers): Search {
  return words ? wordSearch : joint ? jointSearch : plainSearch;
}

/** The candidates, and all outputs that were found; the most probable first. */
function lookFor(
  engine: TransducerEngine,
  input: Int32Array,
  search: Search,
  asked: number,
): { candidates: Found[]; found: Found[] } {
  const found: Found[] = [];
  let left = 1;
  const best = engine.kernel.bestPath() as Path;
  const shift = engine.shape.symbolCount - 1;
  const logOf = engine.pathOutputs(input.length, best);
  const add = (path: Path): void => {
    const output = path.symbols.filter((move) => move !== shift);
    if (found.some((one) => isEqual(one.output, output))) return;
    const log = logOf(output, path);
    left -= Math.exp(log);
    let place = found.length;
    while (place > 0 && found[place - 1].log < log) place--;
    found.splice(place, 0, { output, moves: path.symbols, log });
  };
  // Whether the first `count` outputs, as far as they are no further than `within` below the first, are surely found.
  // Outputs so improbable that numbers cannot tell what is left are taken as they come.
  const complete = (count: number, within: number): boolean => {
    const last = found.length >= count ? found[count - 1].log : Number.NEGATIVE_INFINITY;
    const least = Math.max(last, found[0].log - within);
    return least < LEAST_LOG ? found.length >= count : Math.exp(least) >= left;
  };
  // The candidates among which the best is chosen are the same, however many outputs are asked for.
  let candidates: Found[] | undefined;
  const choose = (): void => {
    candidates ??= found.slice(0, search.most).filter(({ log }) => log >= found[0].log - search.within);
  };
  // One best path is found much faster than the first of many, and is often all that is needed.
  add(best);
  if (complete(search.most, search.within)) choose();
  const least = best.score - search.reach;
  if (!candidates || (asked > 1 && !complete(asked, Number.POSITIVE_INFINITY))) {
    let paths = 0;
    const lattice = trellisLattice(engine.kernel.trellis);
    for (const path of bestPaths(lattice, asked === 1 ? least : undefined, engine.posteriors())) {
      if (path.score < least) choose();
      add(path);
      paths++;
      if (paths === search.paths || complete(search.most, search.within)) choose();
      if (!candidates) continue;
      if (asked === 1 || complete(asked, Number.POSITIVE_INFINITY)) break;
      if (paths >= PATHS + PATHS_PER_OUTPUT * asked) break;
    }
    choose();
  }
  return { candidates: candidates ?? [], found };
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Log of what outputs have together. */
export function logSum(outputs: readonly Found[]): number {
  return outputs.reduce((total, { log }) => logAdd(total, log), Number.NEGATIVE_INFINITY);
}

/**
 * With models that choose among candidates: shares out what these have together in proportion to the product of all models,
 * each with its power, and puts the best of them first. Other outputs follow in proportion to the same measure: together they
 * have no more than what is left, and where one would have more than the best, all have less, so that it has half as much.
 */
function chosen(
  candidates: readonly Found[],
  found: readonly Found[],
  input: Int32Array,
  { joint, words }: Choosers,
  powers: Powers,
): readonly Found[] {
  if (found.length === 1) return [{ ...found[0], log: powers.mass * found[0].log }];
  const weighted = (one: Found): Found => {
    let log = powers.own * one.log;
    if (joint) log += powers.joint * joint.logProbability({ input, moves: one.moves });
    if (words) log += powers.words * words.logProbability(one.output);
    return { ...one, log };
  };
  const byLog = (a: Found, b: Found): number => b.log - a.log;
  const times =
    (factor: number) =>
    (one: Found): Found => ({ ...one, log: one.log + factor });
  const own = candidates.map(weighted);
  const together = powers.mass * logSum(candidates);
  const scale = together - logSum(own);
  const others = found.filter((one) => !candidates.includes(one)).map(weighted);
  const left = Math.log(Math.max(0, -Math.expm1(Math.min(0, together))));
  const first = own.map(times(scale)).sort(byLog);
  if (others.length === 0) return first;
  others.sort(byLog);
  const room = Math.min(scale, left - logSum(others));
  const tooMuch = others[0].log + room >= first[0].log;
  const below = others.map(times(tooMuch ? first[0].log - Math.LN2 - others[0].log : room));
  return [...first, ...below].sort(byLog);
}
