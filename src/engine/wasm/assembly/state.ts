// The state of the kernel at hand: its arrays as addresses, and what it is asked for. ../layout.ts says what lies where;
// ../state.ts makes the arrays larger when asked to. `use` takes up a state; everything here then speaks of that kernel.

import { ARRAYS_AT, Bundle, CALL_AT, CALL_NUMBERS_AT, KernelArray } from "../layout";

// @ts-expect-error: decorators on functions are AssemblyScript
@external("host", "grow")
declare function growArrays(bundle: i32, count: i32): void;

let state: usize = 0;

// `KernelArray` says what they hold.
export let slotStart: usize = 0;
export let bestScale: usize = 0;
export let contextSlot: usize = 0;
export let contextParent: usize = 0;
export let contextSymbol: usize = 0;
export let contextLength: usize = 0;
export let contextCommon: usize = 0;
export let arcStart: usize = 0;
export let rowStart: usize = 0;
export let logForward: usize = 0;
export let mass: usize = 0;
export let posterior: usize = 0;
export let best: usize = 0;
export let bestFrom: usize = 0;
export let bestSymbol: usize = 0;
export let rows: usize = 0;
export let arcScore: usize = 0;
export let arcTarget: usize = 0;
export let arcMass: usize = 0;
export let list: usize = 0;
export let listSuffix: usize = 0;
export let listBest: usize = 0;
export let listMerged: usize = 0;
export let groups: usize = 0;
export let scratch: usize = 0;
export let keptMass: usize = 0;
export let keptKey: usize = 0;
export let keptScratch: usize = 0;
export let claimedArc: usize = 0;
export let claimedMass: usize = 0;
export let segmentFirst: usize = 0;
export let segmentEnd: usize = 0;
export let segmentList: usize = 0;
export let segmentGroup: usize = 0;
export let walks: usize = 0;
export let tellingGroups: usize = 0;
export let tellingClosed: usize = 0;
export let tellingOpen: usize = 0;
export let tellingMember: usize = 0;
export let chain: usize = 0;
export let chainSlots: usize = 0;
export let chainEmissions: usize = 0;
export let rest: usize = 0;
export let passing: usize = 0;
export let isPassed: usize = 0;
export let edgeStart: usize = 0;
export let edgeCount: usize = 0;
export let edge: usize = 0;
export let edgeBound: usize = 0;
export let branchings: usize = 0;
export let written: usize = 0;
export let passed: usize = 0;
export let passedShare: usize = 0;

export function use(address: usize): void {
  state = address;
  reload();
}

// @ts-expect-error
@inline
function array(number: i32): usize {
  return load<u32>(state + ARRAYS_AT + (<usize>number << 2));
}

function reload(): void {
  slotStart = array(KernelArray.slotStart);
  bestScale = array(KernelArray.bestScale);
  contextSlot = array(KernelArray.contextSlot);
  contextParent = array(KernelArray.contextParent);
  contextSymbol = array(KernelArray.contextSymbol);
  contextLength = array(KernelArray.contextLength);
  contextCommon = array(KernelArray.contextCommon);
  arcStart = array(KernelArray.arcStart);
  rowStart = array(KernelArray.rowStart);
  logForward = array(KernelArray.logForward);
  mass = array(KernelArray.mass);
  posterior = array(KernelArray.posterior);
  best = array(KernelArray.best);
  bestFrom = array(KernelArray.bestFrom);
  bestSymbol = array(KernelArray.bestSymbol);
  rows = array(KernelArray.rows);
  arcScore = array(KernelArray.arcScore);
  arcTarget = array(KernelArray.arcTarget);
  arcMass = array(KernelArray.arcMass);
  list = array(KernelArray.list);
  listSuffix = array(KernelArray.listSuffix);
  listBest = array(KernelArray.listBest);
  listMerged = array(KernelArray.listMerged);
  groups = array(KernelArray.groups);
  scratch = array(KernelArray.scratch);
  keptMass = array(KernelArray.keptMass);
  keptKey = array(KernelArray.keptKey);
  keptScratch = array(KernelArray.keptScratch);
  claimedArc = array(KernelArray.claimedArc);
  claimedMass = array(KernelArray.claimedMass);
  segmentFirst = array(KernelArray.segmentFirst);
  segmentEnd = array(KernelArray.segmentEnd);
  segmentList = array(KernelArray.segmentList);
  segmentGroup = array(KernelArray.segmentGroup);
  walks = array(KernelArray.walks);
  tellingGroups = array(KernelArray.tellingGroups);
  tellingClosed = array(KernelArray.tellingClosed);
  tellingOpen = array(KernelArray.tellingOpen);
  tellingMember = array(KernelArray.tellingMember);
  chain = array(KernelArray.chain);
  chainSlots = array(KernelArray.chainSlots);
  chainEmissions = array(KernelArray.chainEmissions);
  rest = array(KernelArray.rest);
  passing = array(KernelArray.passing);
  isPassed = array(KernelArray.isPassed);
  edgeStart = array(KernelArray.edgeStart);
  edgeCount = array(KernelArray.edgeCount);
  edge = array(KernelArray.edge);
  edgeBound = array(KernelArray.edgeBound);
  branchings = array(KernelArray.branchings);
  written = array(KernelArray.written);
  passed = array(KernelArray.passed);
  passedShare = array(KernelArray.passedShare);
}

/** Sees to room for `count` elements in the arrays of a bundle, which may move. */
export function need(bundle: Bundle, count: i32): void {
  if (count <= load<i32>(state + (<usize>bundle << 2))) return;
  growArrays(bundle, count);
  reload();
}

// What is asked for, and answers.

/** A field of `CallField`: a whole number, or an address. */
// @ts-expect-error
@inline
export function asked(field: i32): i32 {
  return load<i32>(state + CALL_AT + (<usize>field << 2));
}
// @ts-expect-error
@inline
export function askedArray(field: i32): usize {
  return <usize>asked(field);
}
/** A field of `CallNumber`. */
// @ts-expect-error
@inline
export function askedNumber(field: i32): f64 {
  return load<f64>(state + CALL_NUMBERS_AT + (<usize>field << 3));
}
// @ts-expect-error
@inline
export function answer(field: i32, value: f64): void {
  store<f64>(state + CALL_NUMBERS_AT + (<usize>field << 3), value);
}

// Numbers in arrays.

// @ts-expect-error
@inline
export function int(array: usize, i: i32): i32 {
  return load<i32>(array + (<usize>i << 2));
}
/** A field of a record that holds the address of an array. */
// @ts-expect-error
@inline
export function arrayAt(record: usize, field: i32): usize {
  return <usize>int(record, field);
}
// @ts-expect-error
@inline
export function setInt(array: usize, i: i32, value: i32): void {
  store<i32>(array + (<usize>i << 2), value);
}
// @ts-expect-error
@inline
export function num(array: usize, i: i32): f64 {
  return load<f64>(array + (<usize>i << 3));
}
// @ts-expect-error
@inline
export function setNum(array: usize, i: i32, value: f64): void {
  store<f64>(array + (<usize>i << 3), value);
}
