// The best path of a chain and the log-partition, without a trellis: the same context sets and sums as forward.ts
// finds, for weights that stay as they are. In linear numbers the mass of expanding context c by y is
//   forward(c) * E(y) * factors(c)[y],    E(y) = exp(slotScores[y] - the greatest of the slot),
// with factors(c) known from before (factors.ts), so an expansion costs two products and no exponential. Masses live as
// long as their slot; contexts keep their forward mass relative to that of their slot, and the share of it that the
// best path to them has. Where linear numbers would lose digits the pass gives up, and the trellis is to be made.

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
  setClaimedFrom,
  setShare,
  shareOf,
} from "./chain";
import { weighPath } from "./confidences";
import { findFactors, timesForgotten, useFactors } from "./factors";
import { dropLightest, keepIf, kept, key, setKeptCount } from "./kept";
import { branchEnd, branchFirst, branchStart, slotCount, slotScores, symbolCount, useProblem, useSpace } from "./space";
import {
  chainEmissions,
  chainGroups,
  chainSlots,
  int,
  needChainEmissions,
  needChainGroups,
  needChainSlots,
  needKept,
  needSums,
  num,
  setInt,
  setNum,
  sums,
  use,
} from "./state";
import { coarseSeparator, expAll, maxOf, minOf, sumAndTop } from "./vector";

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

// The slot at hand: its contexts from `from` up to `to`, and the symbols they are expanded by, from `first` on. Symbols
// have places, an even number of which the last may be unused; groups have columns, also an even number.
let from: i32 = 0;
let to: i32 = 0;
let first: i32 = 0;
let width: i32 = 0;
let places: i32 = 0;
/** [places] E(y); 0 where unused. */
let emissions: usize = 0;
/** Bytes from those of a slot to those of the next: 0 if they need not last. */
let emissionStride: usize = 0;
/**
 * [places] sum of the masses of a symbol's expansions, and the mass of the best path through one: of what is not
 * claimed.
 */
let restSum: usize = 0;
let restBest: usize = 0;
/** [places][columns] masses of the expansions; 0 once they are claimed. */
let masses: usize = 0;
/** Bytes of a row of these. */
let stride: usize = 0;
/**
 * [blocks][places][2] the greatest of the masses of a symbol's expansions in the even and in the odd columns of a
 * block.
 */
let maxima: usize = 0;
let blocks: i32 = 0;

// Groups: contexts next to each other whose expansions by a symbol are one context. Records one after another, and
// columns.
let groups: i32 = 0;
let columns: i32 = 0;
/** Bytes of a record; src/engine/wasm/kernel.ts has it too. */
const GROUP = 24;
const MEMBERS = 0;
const MEMBERS_END = 4;
/** Decisions its expansions remember, and of these in common with those of the next group. */
const LENGTH = 8;
const COMMON = 12;
/**
 * Address of the record of the first of the groups that this one's expansion by a symbol has claimed, itself if none.
 */
const CLAIMED_FROM = 16;
/** Number of the next group that has several members, -1 after the last. */
const NEXT_SEVERAL = 20;
/**
 * [columns] forward mass, and what part of an expansion's mass the best path has; the latter is 0 for groups of
 * several.
 */
let shares: usize = 0;
let bests: usize = 0;
/** [columns] i32: address of the factors. */
let columnFactors: usize = 0;
/** The first group that has several members, -1 if there is none. */
let firstSeveral: i32 = -1;

let logPartition: f64 = 0;
let score: f64 = 0;

/**
 * Writes the decisions of the best path to `path`, last first, and the probability of each at its slot to `confidences`
 * unless that is 0, first first; returns how many there are, or why there is no answer.
 */
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
  confidences: usize,
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
  let forgotten = 0;
  const emissionSize = (symbolCount + 1) & ~1;
  needChainSlots(slotCount);
  needChainEmissions(confidences ? (slotCount - 1) * emissionSize : emissionSize);
  emissionStride = confidences ? <usize>emissionSize << 3 : 0;
  clearChain();
  growChain(1);
  enter(addToChain(-1, BEGIN, 1, 0), 1, 1, -1, BEGIN);
  from = 0;
  to = chainEnd;
  for (let slot = 0; slot < slotCount - 1; slot++) {
    setInt(chainSlots, slot, from);
    const branch = int(branchStart, slot);
    const isEnd = slot == slotCount - 2;
    first = int(branchFirst, branch);
    width = int(branchEnd, branch) - first;
    places = (width + 1) & ~1;
    const count = (to - from) / RECORD;
    if (!findFactors(from, to, count, min(depth, min(longest, slot + 1)))) return OUT_OF_BOUNDS;
    if (slot == 0) forgotten = timesForgotten;
    group(count);
    makeRoom();
    const slotTop = emit(slot);
    if (minOf(emissions, width) < LEAST_EMISSION) return GIVES_UP;
    fillColumns();
    weigh();
    if (isEnd) setKeptCount(0);
    else choose();
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
  if (confidences) {
    setInt(chainSlots, slotCount - 1, from);
    weighPath(path, confidences, emissionStride, forgotten != timesForgotten, min(depth, longest));
  }
  return count;
}

/** Score of the latest best path. */
export function bestOfChainScore(): f64 {
  return score;
}

export function chainLogPartition(): f64 {
  return logPartition;
}

function group(count: i32): void {
  needChainGroups(count);
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
    store<i32>(at, <i32>at, CLAIMED_FROM);
  }
  groups = <i32>(at - chainGroups) / GROUP;
  columns = (groups + 1) & ~1;
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

function makeRoom(): void {
  // As many blocks as give several times the sets that `choose` needs, if there are columns enough.
  blocks = min(columns >> 1, max(1, (SETS * limit + 2 * width - 1) / (2 * width)));
  const several = groups < (to - from) / RECORD ? 2 * groups * places : 0;
  needSums(2 * places + 3 * columns + columns * places + 3 * blocks * places + several + 4);
  stride = <usize>columns << 3;
  restSum = sums;
  restBest = restSum + (<usize>places << 3);
  shares = restBest + (<usize>places << 3);
  bests = shares + stride;
  columnFactors = bests + stride;
  masses = columnFactors + stride;
  maxima = masses + <usize>places * stride;
}

/** E(y), relative to the greatest; returns the logarithm of that. */
function emit(slot: i32): f64 {
  emissions = chainEmissions + <usize>slot * emissionStride;
  const scores = slotScores + (<usize>(slot * symbolCount + first) << 3);
  const top = maxOf(scores, width);
  expAll(emissions, scores, width, -top);
  if (width < places) setNum(emissions, width, 0);
  return top;
}

/** What the groups' columns are computed from; those of several members are put together first. */
function fillColumns(): void {
  let combined = maxima + (<usize>(3 * blocks * places + 2) << 3);
  firstSeveral = -1;
  for (let g = groups - 1; g >= 0; g--) {
    const at = groupAt(g);
    const c = load<i32>(at, MEMBERS);
    if (isAlone(at)) {
      setInt(columnFactors, g, <i32>(factorsOf(c) + (<usize>first << 3)));
      setNum(shares, g, shareOf(c));
      setNum(bests, g, bestOf(c));
    } else {
      combine(at, combined);
      setInt(columnFactors, g, <i32>combined);
      setNum(shares, g, 1);
      setNum(bests, g, 0);
      combined += <usize>places << 4;
      store<i32>(at, firstSeveral, NEXT_SEVERAL);
      firstSeveral = g;
    }
  }
  if (groups < columns) {
    setInt(columnFactors, groups, int(columnFactors, 0));
    setNum(shares, groups, 0);
    setNum(bests, groups, 0);
  }
}

/**
 * to[y] = sum over the members of a group: forward mass * factor(y); behind it, the greatest best path mass *
 * factor(y).
 */
function combine(at: usize, to: usize): void {
  const start = load<i32>(at, MEMBERS);
  const end = load<i32>(at, MEMBERS_END);
  const size = <usize>places << 3;
  for (let c = start; c < end; c += RECORD) {
    const share = f64x2.splat(shareOf(c));
    const best = f64x2.splat(shareOf(c) * bestOf(c));
    let factor = factorsOf(c) + (<usize>first << 3);
    for (let sum = to; sum < to + size; sum += 16, factor += 16) {
      const two = v128.load(factor);
      let total = f64x2.mul(share, two);
      let most = f64x2.mul(best, two);
      if (c > start) {
        total = f64x2.add(v128.load(sum), total);
        most = f64x2.pmax(v128.load(sum + size), most);
      }
      v128.store(sum, total);
      v128.store(sum + size, most);
    }
  }
}

/** Where the best path masses of a group of several members are, which lack only E(y). */
// @ts-expect-error
@inline
function bestsOfSeveral(g: i32): usize {
  return <usize>int(columnFactors, g) + (<usize>places << 3);
}

/** Masses of all expansions, two symbols and two groups at a time. */
function weigh(): void {
  const toNext = stride; // in a variable of its own: what is stored in the loop cannot change it
  for (let y = 0; y < places; y += 2) {
    const at = <usize>y << 3;
    const even = f64x2.splat(load<f64>(emissions + at));
    const odd = f64x2.splat(load<f64>(emissions + at, 8));
    let evenSum = f64x2.splat(0);
    let oddSum = f64x2.splat(0);
    let evenBest = f64x2.splat(0);
    let oddBest = f64x2.splat(0);
    let row = masses + <usize>y * toNext;
    let factor = columnFactors;
    let share = shares;
    for (let b = 0; b < blocks; b++) {
      let evenTop = f64x2.splat(0);
      let oddTop = f64x2.splat(0);
      const end = shares + (<usize>blockEnd(b) << 3);
      for (; share < end; share += 16) {
        const one = v128.load(<usize>load<i32>(factor) + at);
        const other = v128.load(<usize>load<i32>(factor, 4) + at);
        const by = v128.load(share);
        const best = v128.load(share + toNext);
        const evens = f64x2.mul(even, f64x2.mul(by, v128.shuffle<f64>(one, other, 0, 2)));
        const odds = f64x2.mul(odd, f64x2.mul(by, v128.shuffle<f64>(one, other, 1, 3)));
        v128.store(row, evens);
        v128.store(row + toNext, odds);
        evenTop = f64x2.pmax(evenTop, evens);
        oddTop = f64x2.pmax(oddTop, odds);
        evenSum = f64x2.add(evenSum, evens);
        oddSum = f64x2.add(oddSum, odds);
        evenBest = f64x2.pmax(evenBest, f64x2.mul(best, evens));
        oddBest = f64x2.pmax(oddBest, f64x2.mul(best, odds));
        row += 16;
        factor += 8;
      }
      const tops = maximaOf(b, y);
      v128.store(tops, evenTop);
      v128.store(tops, oddTop, 16);
    }
    v128.store(
      restSum + at,
      f64x2.add(v128.shuffle<f64>(evenSum, oddSum, 0, 2), v128.shuffle<f64>(evenSum, oddSum, 1, 3)),
    );
    v128.store(
      restBest + at,
      f64x2.pmax(v128.shuffle<f64>(evenBest, oddBest, 0, 2), v128.shuffle<f64>(evenBest, oddBest, 1, 3)),
    );
  }
  for (let g = firstSeveral; g >= 0; g = load<i32>(groupAt(g), NEXT_SEVERAL)) raiseRest(bestsOfSeveral(g));
}

/** One past the last column of a block. */
// @ts-expect-error
@inline
function blockEnd(b: i32): i32 {
  return (((b + 1) * (columns >> 1)) / blocks) << 1;
}

// @ts-expect-error
@inline
function maximaOf(b: i32, place: i32): usize {
  return maxima + (<usize>(b * places + place) << 4);
}

/** Takes the best paths through a group of several members into account. */
function raiseRest(best: usize): void {
  for (let place: usize = 0; place < <usize>places << 3; place += 16) {
    const along = f64x2.mul(v128.load(emissions + place), v128.load(best + place));
    v128.store(restBest + place, f64x2.pmax(v128.load(restBest + place), along));
  }
}

/**
 * So many times the sets whose maxima give a bound as there are expansions to be kept: more of them, and the bound is
 * closer.
 */
const SETS = 4;

/** Chooses the expansions that stay as contexts, in the order of contexts. */
function choose(): void {
  needKept(columns * places + 4);
  setKeptCount(0);
  const sets = 2 * blocks * places;
  let bound: f64 = f64.MIN_NORMAL_VALUE; // what has no mass is never kept
  if (lightest > 0) bound = max(bound, lightest * maxOf(maxima, sets));
  // A number that at least `limit` expansions reach, since so many maxima of disjoint sets do: it spares most a closer
  // look.
  if (groups * width > 2 * limit) {
    bound = max(bound, coarseSeparator(maxima, sets, limit, limit >> 2, maxima + (<usize>sets << 3)));
  }
  const bounds = f64x2.splat(bound);
  const end = maxima + (<usize>width << 4);
  let y = 0;
  for (let tops = maxima; tops < end; tops += 16, y++) {
    if (blocks == 1) {
      if (v128.any_true(f64x2.ge(v128.load(tops), bounds))) collect(y, 0, columns, bounds);
      continue;
    }
    for (let b = 0, g = 0; b < blocks; b++) {
      const next = blockEnd(b);
      if (v128.any_true(f64x2.ge(v128.load(maximaOf(b, y)), bounds))) collect(y, g, next, bounds);
      g = next;
    }
  }
  if (kept > limit) dropLightest(limit);
}

/** Takes in the expansions by one symbol of a range of groups that reach a bound. */
// @ts-expect-error
@inline
function collect(y: i32, g: i32, end: i32, bounds: v128): void {
  const row = masses + <usize>y * stride;
  for (; g < end; g += 2) {
    // Written whether they reach it or not, and counted if they do: there is no branch to guess.
    const two = v128.load(row + (<usize>g << 3));
    const reached = i64x2.bitmask(f64x2.ge(two, bounds));
    const name = (<u64>y << 32) | <u64>g;
    keepIf(reached & 1, f64x2.extract_lane(two, 0), name);
    keepIf(reached >> 1, f64x2.extract_lane(two, 1), name + 1);
  }
}

/** Makes the contexts of the next slot, with their masses and where the best path to each comes from. */
function merge(hasStar: bool): void {
  growChain(kept + 1);
  for (let i = 0; i < kept; ) {
    const place = <i32>(key(i) >> 32);
    const symbol = first + place;
    for (;;) {
      const g = <i32>key(i);
      const next = i + 1 < kept && <i32>(key(i + 1) >> 32) == place ? <i32>key(i + 1) : -1;
      let shared = 0;
      if (next >= 0) {
        shared = i32.MAX_VALUE;
        for (let h = g; h < next; h++) shared = min(shared, load<i32>(groupAt(h), COMMON));
      }
      const at = groupAt(g);
      const length = load<i32>(at, LENGTH);
      // Any member would do to remember; that it is the last tells the backward pass where the claim ends.
      const parent = load<i32>(at, MEMBERS_END) - RECORD;
      claim(addToChain(parent, symbol, length, shared), length, g, place, symbol);
      i++;
      if (next < 0) break;
    }
    if (hasStar) leaveRest(place);
  }
  if (hasStar) takeRest(addToChain(-1, BEGIN, 0, 0));
}

/**
 * Leads to a kept context what has it as its longest kept suffix: its own group and, unless the rest is lost, the
 * groups before it that end in it and that no longer context has claimed. Contexts come longest first.
 */
// @ts-expect-error
@inline
function claim(context: i32, length: i32, own: i32, place: i32, symbol: i32): void {
  const row = masses + <usize>place * stride;
  const toBests = bests - row;
  const hasSeveral = firstSeveral >= 0;
  const least = isBeam ? groupAt(own) : chainGroups;
  let at = groupAt(own);
  let there = row + (<usize>own << 3);
  let sum: f64 = 0;
  let bestMass: f64 = 0;
  let bestGroup = at;
  for (;;) {
    const weight = load<f64>(there);
    if (weight == 0) {
      // Claimed by a longer context, with groups before it, or without any mass.
      const start = <usize>load<i32>(at, CLAIMED_FROM);
      there -= ((at - start) / GROUP) << 3;
      at = start;
    } else {
      store<f64>(there, 0);
      sum += weight;
      let along = weight * load<f64>(there + toBests);
      if (hasSeveral && !isAlone(at)) {
        along = num(emissions, place) * num(bestsOfSeveral(<i32>(there - row) >> 3), place);
      }
      const isBetter = along >= bestMass;
      bestMass = select<f64>(along, bestMass, isBetter);
      bestGroup = select<usize>(at, bestGroup, isBetter);
    }
    if (at == least || load<i32>(at - GROUP, COMMON) < length) break;
    at -= GROUP;
    there -= 8;
  }
  store<i32>(groupAt(own), <i32>at, CLAIMED_FROM);
  setClaimedFrom(context, load<i32>(at, MEMBERS));
  const c = isAlone(bestGroup) ? load<i32>(bestGroup, MEMBERS) : bestMember(bestGroup, place);
  enter(context, sum, bestMass, c, symbol);
}

/** The member of a group through which the best path goes. */
function bestMember(at: usize, place: i32): i32 {
  const start = load<i32>(at, MEMBERS);
  const end = load<i32>(at, MEMBERS_END);
  let found = start;
  let most: f64 = -1;
  for (let c = start; c < end; c += RECORD) {
    const along = shareOf(c) * bestOf(c) * num(factorsOf(c), first + place);
    if (along <= most) continue;
    most = along;
    found = c;
  }
  return found;
}

/** What is left of a symbol's expansions, some of which are claimed. */
// @ts-expect-error
@inline
function leaveRest(place: i32): void {
  const row = masses + <usize>place * stride;
  let sum = f64x2.splat(0);
  let best = f64x2.splat(0);
  for (let at: usize = 0; at < stride; at += 16) {
    const two = v128.load(row + at);
    sum = f64x2.add(sum, two);
    best = f64x2.pmax(best, f64x2.mul(two, v128.load(bests + at)));
  }
  let bestLeft = max(f64x2.extract_lane(best, 0), f64x2.extract_lane(best, 1));
  for (let g = firstSeveral; g >= 0; g = load<i32>(groupAt(g), NEXT_SEVERAL)) {
    if (num(row, g) == 0) continue;
    bestLeft = max(bestLeft, num(emissions, place) * num(bestsOfSeveral(g), place));
  }
  setNum(restSum, place, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
  setNum(restBest, place, bestLeft);
}

/** What no kept context has claimed leads to `⋆`. */
function takeRest(star: i32): void {
  const sum = f64x2.extract_lane(sumAndTop(restSum, places), 0);
  const best = maxOf(restBest, places);
  if (best == 0) {
    enter(star, sum, 0, -1, BEGIN);
    return;
  }
  let place = 0;
  while (num(restBest, place) != best) place++;
  const row = masses + <usize>place * stride;
  let bestGroup = chainGroups;
  let most: f64 = -1;
  for (let g = 0; g < groups; g++) {
    if (num(row, g) == 0) continue;
    const at = groupAt(g);
    const along = isAlone(at) ? num(row, g) * num(bests, g) : num(emissions, place) * num(bestsOfSeveral(g), place);
    if (along > most) {
      most = along;
      bestGroup = at;
    }
  }
  const c = isAlone(bestGroup) ? load<i32>(bestGroup, MEMBERS) : bestMember(bestGroup, place);
  enter(star, sum, best, c, first + place);
}

/** Goes on to the next slot: makes its masses shares. Returns their sum before; 0 if digits were lost. */
function normalise(): f64 {
  from = to;
  to = chainEnd;
  let total: f64 = 0;
  for (let c = from; c < to; c += RECORD) total += shareOf(c);
  if (!(total > 0)) return 0;
  const scale = 1 / total;
  greatestBest = 0;
  for (let c = from; c < to; c += RECORD) {
    const own = shareOf(c);
    const share = own * scale;
    if (share < LEAST_SHARE && own > 0) return 0;
    const best = own > 0 ? bestOf(c) / own : 0;
    setShare(c, share);
    setBest(c, best);
    greatestBest = max(greatestBest, best);
  }
  return total;
}

/**
 * Keeps the shares of the best paths from fading away as paths grow long; returns the logarithm of what they were
 * divided by.
 */
function lift(): f64 {
  if (greatestBest == 0 || greatestBest >= FADING) return 0;
  for (let c = from; c < to; c += RECORD) setBest(c, bestOf(c) / greatestBest);
  return Math.log(greatestBest);
}

/** Of the shares that the best paths to the slot's contexts have. */
let greatestBest: f64 = 0;
