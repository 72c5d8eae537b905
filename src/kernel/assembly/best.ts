// The best path of a chain and the log-partition, without a trellis: the same context sets and sums as forward.ts finds, for
// weights that stay as they are. In linear numbers the mass of expanding context c by y is
//   forward(c) * E(y) * factors(c)[y],    E(y) = exp(slotScores[y] - the greatest of the slot),
// with factors(c) known from before (factors.ts), so an expansion costs two products and no exponential. Masses live as long
// as their slot; contexts keep their forward mass relative to that of their slot, and the share of it that the best path
// to them has. Where linear numbers would lose digits the pass gives up, and the trellis is to be made.

import {
  addToChain,
  bestFromOf,
  bestOf,
  bestSymbolOf,
  chainEnd,
  clearChain,
  commonOf,
  enter,
  factorsOf,
  growChain,
  lengthOf,
  RECORD,
  setBest,
  setShare,
  shareOf,
} from "./chain";
import { findFactors, useFactors } from "./factors";
import { dropLightest, keep, kept, key, setKeptCount, sortKeys } from "./kept";
import { branchEnd, branchFirst, branchStart, slotCount, slotScores, symbolCount, useProblem, useSpace } from "./space";
import { chainGroups, int, needChainGroups, needKept, needSums, num, setInt, setNum, sums, use } from "./state";
import { coarseSeparator, expAll, maxOf, minOf, raiseAll, sumAndTop } from "./vector";

const BEGIN = -1;
/** What `bestOfChain` returns in place of a number of decisions. */
const GIVES_UP = -1;
const OUT_OF_BOUNDS = -2;

// With factors between e^-150 and e^150 the product of the three stays a normal number within these.
const LEAST_EMISSION: f64 = 1e-87;
const LEAST_SHARE: f64 = 1e-120;
/** Best shares below this are put on a scale of their own. */
const FADING: f64 = 1e-60;

let isBeam: bool = false;
let limit: i32 = 0;
let lightest: f64 = 0;
let longest: i32 = 0;

// The slot at hand: its contexts, the symbols they are expanded by, and vectors over these, each `stride` bytes long with an
// even number of places, the last of which may be unused and 0.
let from: i32 = 0;
let to: i32 = 0;
let first: i32 = 0;
let width: i32 = 0;
let places: i32 = 0;
let stride: usize = 0;
let emissions: usize = 0;
/** [blocks] greatest masses of the columns of a block of groups, and room to sort them out. */
let maxima: usize = 0;
let blocks: i32 = 0;
/** [groups] masses of the expansions of a group; 0 once they are claimed. */
let masses: usize = 0;
/** [groups] of groups with several members: masses of the best paths through them; 0 once claimed. */
let alongs: usize = 0;

// Groups: contexts next to each other whose expansions by a symbol are one context. Records one after another.
let groups: i32 = 0;
/** Bytes of a record; src/kernel/wasm.ts has it too. */
const GROUP = 40;
const MEMBERS = 0;
const MEMBERS_END = 4;
/** Decisions its expansions remember, and of these in common with those of the next group. */
const LENGTH = 8;
const COMMON = 12;
/** Whether some of its expansions are claimed. */
const CLAIMED = 16;
/** Greatest mass of its expansions, and the sum of all. */
const TOP = 24;
const SUM = 32;

let logPartition: f64 = 0;
let score: f64 = 0;

/** Writes the decisions of the best path to `path`, last first; returns how many there are, or why there is no answer. */
export function bestOfChain(
  state: usize,
  space: usize,
  settled: usize,
  graph: usize,
  scores: usize,
  beam: bool,
  contexts: i32,
  lightestShare: f64,
  longestSuffix: i32,
  depth: i32,
  path: usize,
): i32 {
  use(state);
  useSpace(space, 0);
  useProblem(graph, scores, 0, 0);
  useFactors(settled);
  isBeam = beam;
  limit = contexts;
  lightest = lightestShare;
  longest = longestSuffix;
  logPartition = 0;
  let bestScale: f64 = 0;
  clearChain();
  growChain(1);
  enter(addToChain(-1, BEGIN, 1, 0), 1, 1, -1, BEGIN);
  from = 0;
  to = chainEnd;
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const branch = int(branchStart, slot);
    const isEnd = slot == slotCount - 2;
    first = int(branchFirst, branch);
    width = int(branchEnd, branch) - first;
    places = (width + 1) & ~1;
    stride = <usize>places << 3;
    group();
    makeVectors();
    const slotTop = emit(slot);
    if (minOf(emissions, width) < LEAST_EMISSION) return GIVES_UP;
    const count = (to - from) / RECORD;
    if (!findFactors(from, to, count, min(depth, min(longest, slot + 1)))) return OUT_OF_BOUNDS;
    weigh();
    if (isEnd) setKeptCount(0);
    else select();
    merge(isEnd || !isBeam);
    const total = normalise();
    if (total == 0) return GIVES_UP;
    logPartition += slotTop + Math.log(total);
    bestScale += lift();
  }
  const share = bestOf(from);
  if (share == 0) return GIVES_UP;
  score = logPartition + bestScale + Math.log(share);
  let count = 0;
  for (let c = from; c > 0; c = bestFromOf(c)) setInt(path, count++, bestSymbolOf(c));
  return count;
}

/** Score of the latest best path. */
export function bestOfChainScore(): f64 {
  return score;
}

export function chainLogPartition(): f64 {
  return logPartition;
}

function group(): void {
  needChainGroups((to - from) / RECORD);
  let at = chainGroups;
  for (let c = from; c < to; at += GROUP) {
    const length = min(lengthOf(c) + 1, longest);
    store<i32>(at, c, MEMBERS);
    store<i32>(at, length, LENGTH);
    let shared = min(commonOf(c) + 1, longest);
    c += RECORD;
    while (c < to && shared >= length && min(lengthOf(c) + 1, longest) == length) {
      shared = min(commonOf(c) + 1, longest);
      c += RECORD;
    }
    store<i32>(at, c, MEMBERS_END);
    store<i32>(at, shared, COMMON);
    store<i32>(at, 0, CLAIMED);
  }
  groups = <i32>(at - chainGroups) / GROUP;
}

// @ts-expect-error
@inline
function groupAt(g: i32): usize {
  return chainGroups + <usize>(g * GROUP);
}

// @ts-expect-error
@inline
function isAlone(at: usize): bool {
  return load<i32>(at, MEMBERS_END) - load<i32>(at, MEMBERS) == RECORD;
}

function makeVectors(): void {
  // As many blocks as give twice the sets that `lowerBound` needs, if there are groups enough.
  blocks = min(groups, max(1, (2 * limit + width - 1) / width));
  needSums((1 + 2 * blocks + 2 * groups) * places + 2);
  emissions = sums;
  masses = emissions + stride;
  alongs = masses + <usize>groups * stride;
  maxima = alongs + <usize>groups * stride;
}

/** E(y), relative to the greatest; returns the logarithm of that. */
function emit(slot: i32): f64 {
  const scores = slotScores + (<usize>(slot * symbolCount + first) << 3);
  const top = maxOf(scores, width);
  expAll(emissions, scores, width, -top);
  if (width < places) setNum(emissions, width, 0);
  return top;
}

// @ts-expect-error
@inline
function rowOf(g: i32): usize {
  return masses + <usize>g * stride;
}

/** From the masses of a group to those of the best paths through it. */
// @ts-expect-error
@inline
function alongOf(row: usize): usize {
  return row + (alongs - masses);
}

/** Masses of the groups' expansions, with their sum and the greatest, and the greatest of the columns of each block. */
function weigh(): void {
  let at = chainGroups;
  let g = 0;
  for (let b = 0; b < blocks; b++) {
    const column = maxima + <usize>b * stride;
    const end = ((b + 1) * groups) / blocks;
    for (let place: usize = 0; place < stride; place += 16) v128.store(column + place, f64x2.splat(0));
    for (; g < end; g++, at += GROUP) {
      const c = load<i32>(at, MEMBERS);
      const row = rowOf(g);
      if (isAlone(at)) weighAlone(at, row, column, factorsOf(c) + (<usize>first << 3), shareOf(c));
      else weighSeveral(at, row, column);
    }
  }
}

/** row[y] = by * E(y) * factor(y) */
// @ts-expect-error
@inline
function weighAlone(at: usize, row: usize, column: usize, factor: usize, by: f64): void {
  const share = f64x2.splat(by);
  let top = f64x2.splat(0);
  let sum = f64x2.splat(0);
  let emission = emissions;
  for (const end = row + stride; row < end; row += 16) {
    const two = f64x2.mul(share, f64x2.mul(v128.load(emission), v128.load(factor)));
    v128.store(row, two);
    v128.store(column, f64x2.pmax(v128.load(column), two));
    top = f64x2.pmax(top, two);
    sum = f64x2.add(sum, two);
    emission += 16;
    factor += 16;
    column += 16;
  }
  store<f64>(at, max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1)), TOP);
  store<f64>(at, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1), SUM);
}

/** The same for a group with several members: row[y] is their sum, and the best path goes through one of them. */
function weighSeveral(at: usize, row: usize, column: usize): void {
  const along = alongOf(row);
  for (let c = load<i32>(at, MEMBERS); c < load<i32>(at, MEMBERS_END); c += RECORD) {
    const share = f64x2.splat(shareOf(c));
    const best = f64x2.splat(shareOf(c) * bestOf(c));
    const factor = factorsOf(c) + (<usize>first << 3);
    const isFirst = c == load<i32>(at, MEMBERS);
    for (let place: usize = 0; place < stride; place += 16) {
      const two = f64x2.mul(v128.load(emissions + place), v128.load(factor + place));
      let mass = f64x2.mul(share, two);
      let through = f64x2.mul(best, two);
      if (!isFirst) {
        mass = f64x2.add(mass, v128.load(row + place));
        through = f64x2.pmax(through, v128.load(along + place));
      }
      v128.store(row + place, mass);
      v128.store(along + place, through);
    }
  }
  raiseAll(column, row, places);
  const pair = sumAndTop(row, places);
  store<f64>(at, f64x2.extract_lane(pair, 0), SUM);
  store<f64>(at, f64x2.extract_lane(pair, 1), TOP);
}

/** Chooses the expansions that stay as contexts. */
function select(): void {
  needKept(groups * places + 4);
  setKeptCount(0);
  let bound: f64 = f64.MIN_NORMAL_VALUE; // what has no mass is never kept
  if (lightest > 0) {
    let top: f64 = 0;
    for (let g = 0; g < groups; g++) top = max(top, load<f64>(groupAt(g), TOP));
    bound = max(bound, lightest * top);
  }
  // A number that at least `limit` expansions reach, since so many maxima of disjoint sets do: it spares most a closer look.
  if (groups * width > 2 * limit) {
    const count = blocks * places;
    bound = max(bound, coarseSeparator(maxima, count, limit, limit >> 2, maxima + (<usize>count << 3)));
  }
  for (let g = 0; g < groups; g++) if (load<f64>(groupAt(g), TOP) >= bound) collect(g, bound);
  if (kept > limit) dropLightest(limit);
  sortKeys();
}

/** Takes in the expansions of a group that reach a bound. */
// @ts-expect-error
@inline
function collect(g: i32, bound: f64): void {
  const row = rowOf(g);
  const bounds = f64x2.splat(bound);
  for (let i = 0; i < places; i += 2) {
    const reached = i64x2.bitmask(f64x2.ge(v128.load(row + (<usize>i << 3)), bounds));
    if (reached == 0) continue;
    if (reached & 1) keep(num(row, i), (<u64>i << 32) | <u64>g);
    if (reached & 2) keep(num(row, i + 1), (<u64>(i + 1) << 32) | <u64>g);
  }
}

/** Makes the contexts of the next slot, with their masses and where the best path to each comes from. */
function merge(hasStar: bool): void {
  growChain(kept + 1);
  for (let i = 0; i < kept; i++) {
    const name = key(i);
    const g = <i32>name;
    let shared = 0;
    if (i + 1 < kept && key(i + 1) >> 32 == name >> 32) {
      shared = i32.MAX_VALUE;
      for (let h = g; h < <i32>key(i + 1); h++) shared = min(shared, load<i32>(groupAt(h), COMMON));
    }
    const place = <i32>(name >> 32);
    const at = groupAt(g);
    const length = load<i32>(at, LENGTH);
    claim(addToChain(load<i32>(at, MEMBERS), first + place, length, shared), length, g, place);
  }
  if (hasStar) takeRest(addToChain(-1, BEGIN, 0, 0));
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless the rest is lost, the groups before
 * it that end in it and that no longer context has claimed. Contexts come longest first.
 */
// @ts-expect-error
@inline
function claim(context: i32, length: i32, own: i32, place: i32): void {
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  let bestContext = -1;
  let at = groupAt(own);
  let there = rowOf(own) + (<usize>place << 3);
  for (;;) {
    const weight = load<f64>(there);
    if (weight > 0) {
      sum += weight;
      store<f64>(there, 0);
      store<i32>(at, 1, CLAIMED);
      let c = load<i32>(at, MEMBERS);
      let along = weight * bestOf(c);
      if (!isAlone(at)) {
        along = load<f64>(alongOf(there));
        store<f64>(alongOf(there), 0);
        c = bestMember(at, place);
      }
      if (along >= bestMass) {
        bestMass = along;
        bestContext = c;
      }
    }
    at -= GROUP;
    there -= stride;
    if (isBeam || at < chainGroups || load<i32>(at, COMMON) < length) break;
  }
  enter(context, sum, bestMass, bestContext, first + place);
}

/** The member of a group through which the best path goes. */
function bestMember(at: usize, place: i32): i32 {
  let found = load<i32>(at, MEMBERS);
  let most: f64 = -1;
  const end = load<i32>(at, MEMBERS_END);
  for (let c = found; c < end; c += RECORD) {
    const along = shareOf(c) * bestOf(c) * num(factorsOf(c), first + place);
    if (along > most) {
      most = along;
      found = c;
    }
  }
  return found;
}

/** What no kept context has claimed leads to `⋆`. */
function takeRest(star: i32): void {
  let rest: f64 = 0;
  let bestMass: f64 = 0;
  let bestGroup = -1;
  for (let g = 0; g < groups; g++) {
    const at = groupAt(g);
    let sum = load<f64>(at, SUM);
    let top = load<f64>(at, TOP);
    if (load<i32>(at, CLAIMED)) {
      const pair = sumAndTop(rowOf(g), places);
      sum = f64x2.extract_lane(pair, 0);
      top = f64x2.extract_lane(pair, 1);
    }
    rest += sum;
    const along = isAlone(at) ? top * bestOf(load<i32>(at, MEMBERS)) : maxOf(alongOf(rowOf(g)), places);
    if (along > bestMass) {
      bestMass = along;
      bestGroup = g;
    }
  }
  if (bestGroup < 0) {
    enter(star, rest, 0, -1, BEGIN);
    return;
  }
  const at = groupAt(bestGroup);
  const row = isAlone(at) ? rowOf(bestGroup) : alongOf(rowOf(bestGroup));
  const top = maxOf(row, places);
  let place = 0;
  while (num(row, place) != top) place++;
  enter(star, rest, bestMass, isAlone(at) ? load<i32>(at, MEMBERS) : bestMember(at, place), first + place);
}

/** Goes on to the next slot: makes its masses shares. Returns their sum before; 0 if digits were lost. */
function normalise(): f64 {
  from = to;
  to = chainEnd;
  let total: f64 = 0;
  for (let c = from; c < to; c += RECORD) total += shareOf(c);
  if (!(total > 0)) return 0;
  const scale = 1 / total;
  for (let c = from; c < to; c += RECORD) {
    const own = shareOf(c);
    const share = own * scale;
    if (share < LEAST_SHARE && own > 0) return 0;
    setShare(c, share);
    setBest(c, own > 0 ? bestOf(c) / own : 0);
  }
  return total;
}

/** Keeps the shares of the best paths from fading away as paths grow long; returns the logarithm of what they were divided by. */
function lift(): f64 {
  let greatest: f64 = 0;
  for (let c = from; c < to; c += RECORD) greatest = max(greatest, bestOf(c));
  if (greatest == 0 || greatest >= FADING) return 0;
  for (let c = from; c < to; c += RECORD) setBest(c, bestOf(c) / greatest);
  return Math.log(greatest);
}
