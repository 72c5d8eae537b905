// The arrays of one kernel, as addresses in memory. A kernel's state is a block of i32: first the room of each group of
// arrays, then the address of each array, in the order of `reload`; src/engine/wasm/kernel.ts lays it out in the same order and
// makes the arrays larger when asked to. `use` takes up a state; everything here then speaks of that kernel.

// @ts-expect-error: decorators on functions are AssemblyScript
@external("host", "grow")
declare function growArrays(state: usize, group: i32, count: i32): void;

let state: usize = 0;

// Groups of arrays that grow together.
const SLOTS = 0;
const CONTEXTS = 1;
const ROWS = 2;
const ARCS = 3;
const LISTS = 4;
const SUMS = 5;
const KEPT = 6;
const SEGMENTS = 7;
const WALKS = 8;
const CHAIN = 9;
const CHAIN_GROUPS = 10;
const CHAIN_SLOTS = 11;
const CHAIN_EMISSIONS = 12;
const GROUPS = 13;

export let slotStart: usize = 0;
/** f64: logarithm by which the shares in `best` of a slot's contexts are to be multiplied. */
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
/** f64: share of a context's forward mass that the best path to it has. */
export let best: usize = 0;
/** The context and the symbol that the best path came from. */
export let bestFrom: usize = 0;
export let bestSymbol: usize = 0;
export let rows: usize = 0;
export let arcScore: usize = 0;
export let arcTarget: usize = 0;
export let arcMass: usize = 0;
/** Contexts that lead into the slot at hand, segment after segment, each sorted by suffix. */
export let list: usize = 0;
/** Length of the common suffix with the next of the list. */
export let listCommon: usize = 0;
export let listScratch: usize = 0;
/** Where in `list` a group begins: contexts whose expansions by a symbol are one context. */
export let groupStart: usize = 0;
/** Decisions the expansions of a group remember. */
export let groupLength: usize = 0;
/** Of which in common with the next group of the segment. */
export let groupCommon: usize = 0;
/** Address of the masses of a group's expansions, from the first symbol of the segment on. */
export let groupRow: usize = 0;
/** f64: `best` of the contexts in `list`, on one scale. */
export let listBest: usize = 0;
/** f64: masses of groups with several members. */
export let sums: usize = 0;
/** f64 */
export let keptMass: usize = 0;
/** u64: symbol << 32 | group */
export let keptKey: usize = 0;
export let stack: usize = 0;
export let segmentFirst: usize = 0;
export let segmentEnd: usize = 0;
export let segmentList: usize = 0;
export let segmentGroup: usize = 0;

/** i32: see space.ts. */
let walks: usize = 0;

/** Contexts and groups of best.ts, which says what is in them. */
export let chain: usize = 0;
export let chainGroups: usize = 0;
/** [slots] where the contexts of a slot begin. */
export let chainSlots: usize = 0;
/** [slots][symbols] f64: see best.ts. */
export let chainEmissions: usize = 0;

export let contextCount: i32 = 0;

export function setContextCount(count: i32): void {
  contextCount = count;
}

export function use(address: usize): void {
  state = address;
  reload();
}

function reload(): void {
  const at = state + (GROUPS << 2);
  slotStart = load<u32>(at);
  bestScale = load<u32>(at, 4);
  contextSlot = load<u32>(at, 8);
  contextParent = load<u32>(at, 12);
  contextSymbol = load<u32>(at, 16);
  contextLength = load<u32>(at, 20);
  contextCommon = load<u32>(at, 24);
  arcStart = load<u32>(at, 28);
  rowStart = load<u32>(at, 32);
  logForward = load<u32>(at, 36);
  mass = load<u32>(at, 40);
  posterior = load<u32>(at, 44);
  best = load<u32>(at, 48);
  bestFrom = load<u32>(at, 52);
  bestSymbol = load<u32>(at, 56);
  rows = load<u32>(at, 60);
  arcScore = load<u32>(at, 64);
  arcTarget = load<u32>(at, 68);
  arcMass = load<u32>(at, 72);
  list = load<u32>(at, 76);
  listCommon = load<u32>(at, 80);
  listScratch = load<u32>(at, 84);
  groupStart = load<u32>(at, 88);
  groupLength = load<u32>(at, 92);
  groupCommon = load<u32>(at, 96);
  groupRow = load<u32>(at, 100);
  listBest = load<u32>(at, 104);
  sums = load<u32>(at, 108);
  keptMass = load<u32>(at, 112);
  keptKey = load<u32>(at, 116);
  stack = load<u32>(at, 120);
  segmentFirst = load<u32>(at, 124);
  segmentEnd = load<u32>(at, 128);
  segmentList = load<u32>(at, 132);
  segmentGroup = load<u32>(at, 136);
  walks = load<u32>(at, 140);
  chain = load<u32>(at, 144);
  chainGroups = load<u32>(at, 148);
  chainSlots = load<u32>(at, 152);
  chainEmissions = load<u32>(at, 156);
}

function need(group: i32, count: i32): void {
  if (count <= load<i32>(state + (group << 2))) return;
  growArrays(state, group, count);
  reload();
}

export function needSlots(count: i32): void {
  need(SLOTS, count + 1);
}
export function needContexts(count: i32): void {
  need(CONTEXTS, count + 1);
}
export function needRows(count: i32): void {
  need(ROWS, count);
}
export function needArcs(count: i32): void {
  need(ARCS, count);
}
export function needLists(count: i32): void {
  need(LISTS, count + 1);
}
export function needSums(count: i32): void {
  need(SUMS, count);
}
export function needKept(count: i32): void {
  need(KEPT, count + 1);
}
export function needSegments(count: i32): void {
  need(SEGMENTS, count + 1);
}

export function needChain(count: i32): void {
  need(CHAIN, count);
}
export function needChainGroups(count: i32): void {
  need(CHAIN_GROUPS, count);
}
export function needChainSlots(count: i32): void {
  need(CHAIN_SLOTS, count);
}
export function needChainEmissions(count: i32): void {
  need(CHAIN_EMISSIONS, count);
}

/** Room for walks down trees; returns where it is. */
export function needWalks(count: i32): usize {
  need(WALKS, count);
  return walks;
}

// Numbers in arrays.

// @ts-expect-error
@inline
export function int(array: usize, i: i32): i32 {
  return load<i32>(array + (<usize>i << 2));
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
