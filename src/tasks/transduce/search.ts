// The search for a transducer's outputs in a trellis. Best paths come one after another; each output that is new among them is
// summed over all its alignments, until none that is unseen can matter. The first few are candidates, among which models of
// graphones and of words help to choose:
//   p(output | input)^own q(alignment)^joint t(alignment)^triggers w(output)^words   beside what all other outputs weigh; see powers.ts

import { bestPaths, logAdd, type Path, trellisLattice } from "../../engine/lattice.js";
import type { Inference } from "../../engine/trellis.js";
import { LEAST_LOG } from "./engine.js";
import type { Member } from "./member.js";
import type { MarkedInput } from "./pairs.js";
import { chanceOfAny, type Powers, weightOf } from "./powers.js";
import type { WordModel } from "./word-model.js";

/** An output with its probability. */
export interface Found {
  output: number[];
  /** Its best alignment. */
  moves: readonly number[];
  log: number;
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

/** An output with what each model thinks of it. */
export interface Weighed extends Found {
  /** Log of its probability by the model of graphones, how well these go together, and log by the model of words; 0 without one. */
  joint: number;
  triggers: number;
  words: number;
}

/** What was found for an input. */
export interface Outputs {
  /** Among which the best is chosen. */
  candidates: readonly Weighed[];
  /** All of them, as far as more were asked for. */
  found: readonly Weighed[];
  /** Log of what the candidates have together. */
  together: number;
}

/** Distinct outputs of an input: the best one, and as many as are asked for. */
export function findOutputs(
  members: readonly Member[],
  input: MarkedInput,
  words: WordModel | undefined,
  powers: Powers,
  asked: number,
  inference?: Inference,
): readonly Found[] {
  const outputs = outputsOf(members, input, words, asked, inference);
  if (words || members.length > 1 || members[0].joint) return chosen(outputs, powers).slice(0, asked);
  // The best is the same, however many are asked for: what turned up beyond the reach of its search cannot take its place.
  const { candidates, found } = outputs;
  const [best] = candidates;
  return [best, ...found.filter((one) => one !== best && one.log <= best.log)].slice(0, asked);
}

/** The outputs that members find, with what all of them and the other models think of each. Makes their forward passes. */
export function outputsOf(
  members: readonly Member[],
  input: MarkedInput,
  words: WordModel | undefined,
  asked: number,
  inference?: Inference,
): Outputs {
  const { length } = input.symbols;
  const asking = length > LONGEST_SHARED ? members.slice(0, 1) : members;
  const lists = asking.map((member) => {
    member.forward(input, inference);
    return lookFor(member, length, searchFor(member, words), asked, asking.length === 1);
  });
  const { candidates, found, together } = asking.length === 1 ? alone(asking[0], lists[0]) : shared(asking, lists);
  if (!words) return { candidates, found, together };
  for (const one of found) one.words = words.logProbability(one.output);
  return { candidates, found, together };
}

function searchFor({ joint }: Member, words: WordModel | undefined): Search {
  return words ? wordSearch : joint ? jointSearch : plainSearch;
}

/** What a member found: the candidates, and all outputs, these among them. The most probable first. */
interface List {
  candidates: Found[];
  found: Found[];
}

function alone(member: Member, { candidates, found }: List): Outputs & { found: Weighed[] } {
  const weighed = found.map(({ output, moves, log }) => ({
    output,
    moves,
    log,
    ...member.jointLogs(moves),
    words: 0,
  }));
  return {
    candidates: candidates === found ? weighed : weighed.filter((_, i) => candidates.includes(found[i])),
    found: weighed,
    together: logSum(candidates),
  };
}

/** Longer inputs are left to the first member: to align what another has found would take too much memory. */
const LONGEST_SHARED = 200;

/** How far below the best that a member knows an output is, in logarithms, that it cannot write: no further. */
const FURTHEST_BELOW = 50;

/** What a model of graphones thinks of an output that a member cannot write. */
const UNALIGNED = { joint: Number.NEGATIVE_INFINITY, triggers: 0 };

/** What several members found, each judging the outputs of all: logs are means over the members. */
function shared(members: readonly Member[], lists: readonly List[]): Outputs & { found: Weighed[] } {
  const all: Weighed[] = [];
  const places = new Map<string, number>();
  /** [members][outputs] what each member has found itself. */
  const known: Found[][] = members.map(() => []);
  const keys = lists.map(({ found }) => found.map(({ output }) => output.join()));
  const take = (m: number, i: number): void => {
    const one = lists[m].found[i];
    const place = places.get(keys[m][i]) ?? all.push({ ...one, log: 0, joint: 0, triggers: 0, words: 0 }) - 1;
    places.set(keys[m][i], place);
    known[m][place] = one;
  };
  // Candidates of all come first.
  lists.forEach(({ candidates, found }, m) => {
    for (let i = 0; i < found.length; i++) if (candidates.includes(found[i])) take(m, i);
  });
  const count = all.length;
  lists.forEach(({ found }, m) => {
    for (let i = 0; i < found.length; i++) take(m, i);
  });
  let together = Number.NEGATIVE_INFINITY;
  members.forEach((member, m) => {
    const judged = all.map(({ output }, place) => known[m][place] ?? member.judged(output));
    for (const { log } of judged.slice(0, count)) together = logAdd(together, log - Math.log(members.length));
    const logs = raised(judged.map(({ log }) => log));
    const jointly = judged.map(({ moves }) => (moves ? member.jointLogs(moves) : UNALIGNED));
    const joint = raised(jointly.map((one) => one.joint));
    all.forEach((one, i) => {
      one.log += logs[i] / members.length;
      one.joint += joint[i] / members.length;
      one.triggers += jointly[i].triggers / members.length;
    });
  });
  return { candidates: all.slice(0, count), found: all, together };
}

function raised(logs: readonly number[]): number[] {
  const least = Math.max(...logs) - FURTHEST_BELOW;
  return logs.map((log) => Math.max(least, log));
}

/**
 * What a member whose forward pass was made finds for an input of `length` symbols. If it `decides` alone, candidates are enough
 * where only the best is asked for; what else it found may be a candidate of another member.
 */
function lookFor(member: Member, length: number, search: Search, asked: number, decides: boolean): List {
  const { engine } = member;
  const shift = engine.shape.symbolCount - 1;
  const isEnough = asked === 1 && decides;
  const quick = isEnough ? engine.bestOutputs(length, search) : undefined;
  if (quick) {
    const candidates = quick.map(({ symbols, log }) => ({ output: outputOf(symbols, shift), moves: symbols, log }));
    return turned(member, { candidates, found: candidates });
  }
  const found: Found[] = [];
  const seen = new Map<number, number[][]>(); // outputs by hash
  let left = 1;
  const best = engine.kernel.bestPath() as Path;
  const logOf = engine.pathOutputs(length, best);
  const add = (path: Path): void => {
    const output = outputOf(path.symbols, shift);
    const hash = hashOf(output);
    const alike = seen.get(hash);
    if (alike?.some((other) => isEqual(other, output))) return;
    if (alike) alike.push(output);
    else seen.set(hash, [output]);
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
  let candidates: Found[] = [];
  const choose = (): void => {
    if (candidates.length === 0)
      candidates = found.slice(0, search.most).filter(({ log }) => log >= found[0].log - search.within);
  };
  // One best path is found much faster than the first of many, and is often all that is needed.
  add(best);
  if (complete(search.most, search.within)) choose();
  const least = best.score - search.reach;
  if (candidates.length === 0 || (asked > 1 && !complete(asked, Number.POSITIVE_INFINITY))) {
    let paths = 0;
    const lattice = trellisLattice(engine.kernel.trellis);
    for (const path of bestPaths(lattice, asked === 1 ? least : undefined, engine.posteriors())) {
      if (path.score < least) choose();
      add(path);
      paths++;
      if (paths === search.paths || complete(search.most, search.within)) choose();
      if (candidates.length === 0) continue;
      if (asked === 1 || complete(asked, Number.POSITIVE_INFINITY)) break;
      if (paths >= PATHS + PATHS_PER_OUTPUT * asked) break;
    }
    choose();
  }
  return turned(member, { candidates, found: isEnough ? candidates : found });
}

/** A list of what a member found, in the direction of whoever asks. */
function turned(member: Member, list: List): List {
  if (!member.isBackward) return list;
  for (const one of list.found) {
    one.output.reverse();
    one.moves = member.turnedMoves(one.moves);
  }
  return list;
}

/** The symbols that moves write. */
function outputOf(moves: readonly number[], shift: number): number[] {
  const output: number[] = [];
  for (const move of moves) if (move !== shift) output.push(move);
  return output;
}

function hashOf(output: readonly number[]): number {
  let hash = output.length;
  for (const symbol of output) hash = Math.imul(hash ^ symbol, 0x9e3779b1) ^ (hash >>> 15);
  return hash;
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Log of what outputs have together. */
function logSum(outputs: readonly Found[]): number {
  return outputs.reduce((total, { log }) => logAdd(total, log), Number.NEGATIVE_INFINITY);
}

/**
 * With models that choose among candidates: shares out the chance that one of these is right in proportion to the product of all models,
 * each with its power, and puts the best of them first. Other outputs follow in proportion to the same measure: together they
 * have no more than what is left, and where one would have more than the best, all have less, so that it has half as much.
 */
function chosen({ candidates, found, together: log }: Outputs, powers: Powers): readonly Found[] {
  const together = chanceOfAny(candidates, log, powers);
  if (found.length === 1) return [{ ...found[0], log: together }];
  const weighted = (one: Weighed): Found => ({
    output: one.output,
    moves: one.moves,
    log: weightOf(one, powers),
  });
  const byLog = (a: Found, b: Found): number => b.log - a.log;
  const times =
    (factor: number) =>
    (one: Found): Found => ({ ...one, log: one.log + factor });
  const own = candidates.map(weighted);
  const scale = together - logSum(own);
  const others = candidates === found ? [] : found.filter((one) => !candidates.includes(one)).map(weighted);
  const left = Math.log(Math.max(0, -Math.expm1(Math.min(0, together))));
  const first = own.map(times(scale)).sort(byLog);
  if (others.length === 0) return first;
  others.sort(byLog);
  const room = Math.min(scale, left - logSum(others));
  const tooMuch = others[0].log + room >= first[0].log;
  const below = others.map(times(tooMuch ? first[0].log - Math.LN2 - others[0].log : room));
  return [...first, ...below].sort(byLog);
}
