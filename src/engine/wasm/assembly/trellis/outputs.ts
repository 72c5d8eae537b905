// The most probable outputs of a graph in which some symbols write and one, `free`, does not, each summed over the paths that
// write it: what the search of a transducer (src/tasks/transduce/search.ts) does, in one go. Paths come from the best down (as in ../../../lattice.ts), and
// what is written is summed in a tree (as in ../../../pruned-pass.ts), which also tells whether an output was met before.

import { BranchingBytes, Bundle, CallField, CallNumber, NoAnswer, WrittenBytes } from "../../layout";
import { slotCount, symbolCount } from "../space";
import {
  arcMass,
  arcScore,
  arcStart,
  arcTarget,
  asked,
  askedArray,
  askedNumber,
  branchings,
  edge,
  edgeBound,
  edgeCount,
  edgeStart,
  int,
  isPassed,
  need,
  num,
  passed,
  passedShare,
  passing,
  posterior,
  rest,
  setInt,
  setNum,
  slotStart,
  written,
} from "../state";
import { expOne } from "../vector";
import { backward, bestPath } from "./passes";

/** As in ../../../pruned-pass.ts: what is left out of a sum. */
const NEGLIGIBLE: f64 = 1e-12;
const SPARE: f64 = 0.01;
/** With more numbers than this, another way is taken. */
const MOST_KEPT: i32 = 1_000_000;
/** As in src/tasks/transduce/engine.ts: log of the least probability that stays a number well above the smallest. */
const LEAST_LOG: f64 = -500;
/** For rounding. */
const SLACK: f64 = 1e-6;

/** The last context, where all paths end. */
let end: i32 = 0;
let free: i32 = 0;
/** Paths below this score are not looked at. */
let least: f64 = 0;
/** Nor are arcs and contexts that are rarer than this. */
let rarest: f64 = 0;
/** Parts below this are left out of sums. */
let leastPart: f64 = 0;

/** [paths + 1][slotCount] decisions, and [paths + 1] how many they are. */
let paths: usize = 0;

let edges: i32 = 0;
let waiting: i32 = 0;
let opened: i32 = 0;
let nodes: i32 = 0;
let passedCount: i32 = 0;

/**
 * Finds the outputs that are asked for, the most probable first. Writes the log-probability of each and the number of its
 * best path to `outputLogs`, and paths to `outputPaths`; returns how many outputs there are, or a `NoAnswer`.
 */
export function bestOutputs(state: usize): i32 {
  const length = bestPath(state);
  if (length < 0) return NoAnswer.noBackward;
  const path = askedArray(CallField.path);
  const logs = askedArray(CallField.outputLogs);
  const most = asked(CallField.most);
  const mostPaths = asked(CallField.paths);
  const within = askedNumber(CallNumber.within);
  const reach = askedNumber(CallNumber.reach);
  const logPartition = askedNumber(CallNumber.logPartition);
  const bestScore = askedNumber(CallNumber.bestScore);
  const bestLog = bestScore - logPartition;
  if (!(bestLog >= LEAST_LOG)) return NoAnswer.noBackward;
  backward(state);
  free = asked(CallField.free);
  paths = askedArray(CallField.outputPaths);
  end = int(slotStart, slotCount) - 1;
  need(Bundle.outputs, end + 1);
  memory.fill(passing, 0, <usize>(end + 1) << 3);
  memory.fill(isPassed, 0, <usize>((end >> 5) + 1) << 2);
  leastPart = expOne(bestLog) * NEGLIGIBLE * min(SPARE, expOne(-reach));
  nodes = 0;
  passedCount = 0;
  addNode(-1, -1);
  const best = pathAt(0);
  setInt(best, 0, length);
  for (let i = 0; i < length; i++) setInt(best, 1 + i, int(path, length - 1 - i));
  let log = logOfOutput(0, bestLog);
  setFound(logs, 0, log, 0);
  let found = 1;
  let left = 1 - expOne(log);
  let looked = 0;
  let made = 1;
  if (!isComplete(logs, found, most, within, left)) {
    least = bestScore - reach;
    rarest = expOne(least - logPartition - SLACK);
    collectEdges();
    waiting = 0;
    opened = 0;
    if (num(rest, 0) >= least) push(num(rest, 0), 0, 0, 0, 0, 0, 0);
    while (waiting > 0) {
      const score = followBest(made);
      log = logOfOutput(made, score - logPartition);
      looked++;
      if (passedCount > MOST_KEPT) return NoAnswer.givesUp;
      if (log < Infinity) {
        left -= expOne(log);
        let place = found;
        for (; place > 0 && num(logs, 2 * place - 2) < log; place--) copyFound(logs, place - 1, place);
        setFound(logs, place, log, made);
        found++;
      }
      // Paths that begin as this one does are still to come.
      made++;
      if (looked == mostPaths || isComplete(logs, found, most, within, left)) break;
    }
  }
  let count = 0;
  while (count < min(found, most) && num(logs, 2 * count) >= num(logs, 0) - within) count++;
  return count;
}

/** A found output: its log, and the number of its path. */
// @ts-expect-error
@inline
function setFound(logs: usize, place: i32, log: f64, path: i32): void {
  setNum(logs, 2 * place, log);
  setNum(logs, 2 * place + 1, path);
}

// @ts-expect-error
@inline
function copyFound(logs: usize, from: i32, to: i32): void {
  v128.store(logs + (<usize>to << 4), v128.load(logs + (<usize>from << 4)));
}

/** Whether the first outputs, as far as they are wanted, are surely found. */
function isComplete(logs: usize, found: i32, most: i32, within: f64, left: f64): bool {
  let log = num(logs, 0) - within;
  if (found >= most) log = max(log, num(logs, 2 * most - 2));
  return log < LEAST_LOG ? found >= most : expOne(log) >= left;
}

/** How many decisions a path has, and behind it these. */
// @ts-expect-error
@inline
function pathAt(number: i32): usize {
  return paths + (<usize>(number * (slotCount + 1)) << 2);
}

// Paths, from the best down.

/** The edges of contexts that paths may pass, the best first, and the best score from each context to the end. */
function collectEdges(): void {
  edges = 0;
  for (let c = 0; c < end; c++) setNum(rest, c, -Infinity);
  setNum(rest, end, 0);
  for (let c = end - 1; c >= 0; c--) {
    setInt(edgeStart, c, edges);
    setInt(edgeCount, c, 0);
    if (num(posterior, c) < rarest || int(arcStart, c + 1) == int(arcStart, c)) continue;
    need(Bundle.edges, edges + symbolCount);
    const first = int(arcStart, c);
    const from = edges;
    for (let arc = first; arc < first + symbolCount; arc++) {
      // Posteriors lie in the place of masses.
      if (num(arcMass, arc) < rarest || int(arcTarget, arc) < 0) continue;
      const bound = num(arcScore, arc) + num(rest, int(arcTarget, arc));
      if (bound == -Infinity) continue;
      let place = edges++;
      for (; place > from && num(edgeBound, place - 1) < bound; place--) {
        setNum(edgeBound, place, num(edgeBound, place - 1));
        setInt(edge, place, int(edge, place - 1));
      }
      setNum(edgeBound, place, bound);
      setInt(edge, place, arc);
    }
    setInt(edgeCount, c, edges - from);
    if (edges > from) setNum(rest, c, num(edgeBound, from));
  }
}

/** Takes the best path that waits, writes it down, and opens those that leave it; returns its score. */
function followBest(number: i32): f64 {
  const top = branchings;
  let done = load<f64>(top, BranchingBytes.done);
  const before = pathAt(load<i32>(top, BranchingBytes.path));
  let length = load<i32>(top, BranchingBytes.common);
  let context = load<i32>(top, BranchingBytes.context);
  let choice = load<i32>(top, BranchingBytes.choice);
  pop();
  const path = pathAt(number);
  memory.copy(path + 4, before + 4, <usize>length << 2);
  while (context != end) {
    const from = int(edgeStart, context);
    if (choice + 1 < int(edgeCount, context)) {
      const bound = done + num(edgeBound, from + choice + 1);
      if (bound >= least) push(bound, done, number, length, context, choice + 1, ++opened);
    }
    const arc = int(edge, from + choice);
    setInt(path, 1 + length++, arc - int(arcStart, context));
    done += num(arcScore, arc);
    context = int(arcTarget, arc);
    choice = 0;
  }
  setInt(path, 0, length);
  return done;
}

// @ts-expect-error
@inline
function branchingAt(i: i32): usize {
  return branchings + <usize>(i * BranchingBytes.bytes);
}

// @ts-expect-error
@inline
function isBefore(a: usize, b: usize): bool {
  const one = load<f64>(a, BranchingBytes.bound);
  const other = load<f64>(b, BranchingBytes.bound);
  return one > other || (one == other && load<i32>(a, BranchingBytes.order) < load<i32>(b, BranchingBytes.order));
}

function push(bound: f64, done: f64, path: i32, common: i32, context: i32, choice: i32, order: i32): void {
  need(Bundle.branchings, waiting + 2);
  // The place after the last is where a record waits that looks for its own.
  const last = branchingAt(waiting + 1);
  store<f64>(last, bound, BranchingBytes.bound);
  store<f64>(last, done, BranchingBytes.done);
  store<i32>(last, path, BranchingBytes.path);
  store<i32>(last, common, BranchingBytes.common);
  store<i32>(last, context, BranchingBytes.context);
  store<i32>(last, choice, BranchingBytes.choice);
  store<i32>(last, order, BranchingBytes.order);
  let i = waiting++;
  while (i > 0) {
    const up = (i - 1) >> 1;
    if (!isBefore(last, branchingAt(up))) break;
    memory.copy(branchingAt(i), branchingAt(up), BranchingBytes.bytes);
    i = up;
  }
  memory.copy(branchingAt(i), last, BranchingBytes.bytes);
}

/** Removes the first. */
function pop(): void {
  const last = branchingAt(--waiting);
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= waiting) break;
    if (child + 1 < waiting && isBefore(branchingAt(child + 1), branchingAt(child))) child++;
    if (!isBefore(branchingAt(child), last)) break;
    memory.copy(branchingAt(i), branchingAt(child), BranchingBytes.bytes);
    i = child;
  }
  if (i != waiting) memory.copy(branchingAt(i), last, BranchingBytes.bytes);
}

// What is written.

// @ts-expect-error
@inline
function nodeAt(node: i32): usize {
  return written + <usize>(node * WrittenBytes.bytes);
}

/** Log of the probability of what a path writes, of which the path has `log`; infinite if it was met before. */
function logOfOutput(number: i32, log: f64): f64 {
  const path = pathAt(number);
  const length = int(path, 0);
  let node = 0;
  for (let i = 1; i <= length; i++) {
    const symbol = int(path, i);
    if (symbol == free) continue;
    let child = load<i32>(nodeAt(node), WrittenBytes.child);
    while (child >= 0 && load<i32>(nodeAt(child), WrittenBytes.symbol) != symbol) {
      child = load<i32>(nodeAt(child), WrittenBytes.sibling);
    }
    node = child >= 0 ? child : addNode(node, symbol);
  }
  if (load<i32>(nodeAt(node), WrittenBytes.isFound)) return Infinity;
  store<i32>(nodeAt(node), 1, WrittenBytes.isFound);
  const sum = load<f64>(nodeAt(node), WrittenBytes.end);
  return max(log, Math.log(sum));
}

/** Passes a context on to where an arc leads. */
// @ts-expect-error
@inline
function pass(share: f64, arc: i32): void {
  const target = int(arcTarget, arc);
  const part = share * num(arcMass, arc);
  if (target < 0 || part < leastPart) return;
  setNum(passing, target, num(passing, target) + part);
  const word = isPassed + (<usize>(target >> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (target & 31)));
}

/** A node for what a parent has written and a symbol more; without a parent, for nothing. */
function addNode(parent: i32, symbol: i32): i32 {
  const node = nodes++;
  need(Bundle.written, nodes);
  need(Bundle.passings, passedCount + end + 1);
  if (parent < 0) {
    setNum(passing, 0, 1);
    setInt(isPassed, 0, 1);
  } else {
    const to = load<i32>(nodeAt(parent), WrittenBytes.to);
    for (let i = load<i32>(nodeAt(parent), WrittenBytes.from); i < to; i++) {
      pass(num(passedShare, i), int(arcStart, int(passed, i)) + symbol);
    }
  }
  const from = passedCount;
  // Arcs lead to later contexts, so what is passed is complete when its turn comes.
  const words = end >> 5;
  for (let word = 0; word <= words; word++) {
    const bits = isPassed + (<usize>word << 2);
    while (load<u32>(bits) != 0) {
      const own = load<u32>(bits);
      store<u32>(bits, own & (own - 1));
      const c = (word << 5) + <i32>ctz(own);
      if (c == end) break;
      const through = num(passing, c);
      setNum(passing, c, 0);
      if (through < leastPart) continue;
      const share = through / num(posterior, c);
      setInt(passed, passedCount, c);
      setNum(passedShare, passedCount++, share);
      pass(share, int(arcStart, c) + free);
    }
  }
  const at = nodeAt(node);
  store<i32>(at, symbol, WrittenBytes.symbol);
  store<i32>(at, -1, WrittenBytes.child);
  store<i32>(at, -1, WrittenBytes.sibling);
  store<i32>(at, from, WrittenBytes.from);
  store<i32>(at, passedCount, WrittenBytes.to);
  store<i32>(at, 0, WrittenBytes.isFound);
  store<f64>(at, num(passing, end), WrittenBytes.end);
  setNum(passing, end, 0);
  if (parent >= 0) {
    store<i32>(at, load<i32>(nodeAt(parent), WrittenBytes.child), WrittenBytes.sibling);
    store<i32>(nodeAt(parent), node, WrittenBytes.child);
  }
  return node;
}
