// What lies where in the memory that TypeScript and AssemblyScript share. Both sides compile this file, so it holds nothing
// but enumerations and constants.
//   word      4 bytes: a whole number, or the address of an array
//   record    a block with named fields, counted in words from 0 on; where bytes are meant, the enumeration says so
// `count` and `bytes` end an enumeration: how many fields there are, how large a record is.

export const WORD = 4;
export const NUMBER = 8;

/** A `SlotGraph`. */
export enum GraphField {
  slotCount,
  symbolCount,
  branchStart,
  branchSlot,
  branchFirst,
  branchEnd,
  incomingStart,
  incoming,
  count,
}

/** A `RowSpace`; the records of its families follow. */
export enum SpaceField {
  tableStart,
  tableSymbols,
  symbolCount,
  /** 0 if there are none. */
  offsets,
  familyCount,
  count,
}

/** A `RowFamily`. */
export enum FamilyField {
  /** Records of the tree's nodes. */
  nodes,
  /** Children of nodes with several: by event, -1 for none; or, if events are far apart, how many, and the event and node of each. */
  children,
  skip,
  pairs,
  keyed,
  depth,
  count,
}

/** A node of a row tree: all that a step down the tree needs of it, in a quarter of a cache line. */
export enum NodeField {
  /** The least event of a child. */
  leastEvent,
  /** One past the greatest, less that. */
  events,
  /**
   * The child, if `events` is 1. Else where its children are: one for each event from the least on; or -1 less than where
   * the list to be searched begins.
   */
  children,
  /** -1 for none. */
  row,
  count,
}

/** In place of how many entries a row has, in a tree that carries its weights: one for every symbol. */
export const DENSE_ENTRIES = -1;

/** `StartNodes`, one record a family; zeros for a family that has none. */
export enum StartField {
  offsets,
  nodes,
  count,
}

/** `FrozenRows`, and the factors that were made of them so far; see assembly/chain/factors.ts. */
export enum FrozenField {
  weights,
  nodeCount,
  /** [nodeCount] number of a node's vector, -1 if it has none yet. */
  nodeVector,
  vectors,
  /** How many vectors there is room for. */
  room,
  used,
  allRows,
  /** Records: MemoBytes; 0 if what is met of a context does not follow from what was met of the one before. */
  memo,
  /** The most decisions that contexts remembered when it was filled. */
  memoLongest,
  count,
}

// A kernel's state: the room of each bundle, the address of each array, what it is asked for, and numbers.

/** Arrays of a kernel that grow together. */
export enum Bundle {
  slots,
  contexts,
  rows,
  arcs,
  lists,
  groups,
  scratch,
  kept,
  claims,
  segments,
  walks,
  telling,
  chain,
  chainSlots,
  chainEmissions,
  outputs,
  edges,
  branchings,
  written,
  passings,
  count,
}

/** Arrays of a kernel, bundle after bundle. Those that a `Trellis` has too are called the same. */
export enum KernelArray {
  // slots
  slotStart,
  /** f64: logarithm by which the shares in `best` of a slot's contexts are to be multiplied. */
  bestScale,
  // contexts
  contextSlot,
  contextParent,
  contextSymbol,
  contextLength,
  contextCommon,
  arcStart,
  rowStart,
  logForward,
  mass,
  posterior,
  /** f64: share of a context's forward mass that the best path to it has. */
  best,
  /** The context and the symbol that the best path came from. */
  bestFrom,
  bestSymbol,
  // rows
  rows,
  // arcs
  arcScore,
  arcTarget,
  arcMass,
  // lists
  /** Contexts that lead into the slot at hand, segment after segment, each sorted by suffix. */
  list,
  /** Pairs of words: decisions that each remembers, and of these in common with the next of the list. */
  listSuffix,
  /** f64: `best` of each, on one scale. */
  listBest,
  /** Where two lists are merged. */
  listMerged,
  // groups
  /** Records: GroupBytes. */
  groups,
  // scratch
  /** f64: numbers of the slot at hand; whoever uses it says what lies where. */
  scratch,
  // kept
  /** f64: masses of the expansions kept at the slot at hand. */
  keptMass,
  /** u64: symbol << 32 | group. */
  keptKey,
  /** Keys or masses while they are sorted. */
  keptScratch,
  // claims
  /** Arcs that lead to a kept context, and f64: their masses. */
  claimedArc,
  claimedMass,
  // segments
  segmentFirst,
  segmentEnd,
  segmentList,
  segmentGroup,
  // walks
  /** Nodes on the way down row trees. */
  walks,
  // telling
  /** Records: TellingBytes. */
  tellingGroups,
  /** Groups in the order in which they closed, and those that are open. */
  tellingClosed,
  tellingOpen,
  /** The group of each context of the list. */
  tellingMember,
  // chain
  /** Records: ChainBytes. */
  chain,
  // chainSlots
  /** [slots] where the contexts of a slot begin. */
  chainSlots,
  // chainEmissions
  /** [slots][symbols] f64: exp(slot score - the greatest of the slot); one slot if they need not last. */
  chainEmissions,
  // outputs
  /** f64: the best score from a context to the end. */
  rest,
  /** f64: how probable it is to pass a context with what is written by then; zeros while nothing is summed. */
  passing,
  /** A bit for each context that is passed. */
  isPassed,
  /** Where the edges of a context begin, and how many there are. */
  edgeStart,
  edgeCount,
  // edges
  /** Arcs that a path may take, the best of a context first, and f64: the score of each with the best that follows. */
  edge,
  edgeBound,
  // branchings
  /** Records: BranchingBytes, in a heap. */
  branchings,
  // written
  /** Records: WrittenBytes. */
  written,
  // passings
  /** Contexts that are passed with what is written, and f64: the probability of each by that of passing it at all. */
  passed,
  passedShare,
  count,
}

/** What a kernel is asked for. */
export enum CallField {
  space,
  weights,
  graph,
  slotScores,
  /** The following are 0 for none. */
  slotInput,
  slotSymbols,
  starts,
  forced,
  limits,
  mode,
  contexts,
  order,
  /** The most decisions that a context may remember. */
  longest,
  /** Whether contexts have the rows of all suffixes, and remember only what rows can tell apart. */
  allRows,
  byRows,
  /** Where to add expected counts, of which arcs; `counts` may be 0. */
  counts,
  slotCounts,
  arcs,
  /** Where to write the decisions of the best path, last first, and the probability of each, first first; 0 for none. */
  path,
  confidences,
  /** FrozenField, and the most decisions that a walk down its tree takes. */
  frozen,
  frozenDepth,
  /** Records of families whose trees carry their weights (../weighed-tree.ts), instead of rows and weights; 0 for none. */
  weighed,
  /** Of outputs: the symbol that writes nothing, how many are wanted, and paths to be looked at. */
  free,
  most,
  paths,
  /**
   * Where to write paths, [paths + 1][slotCount + 1]: how many decisions, and these, first first. And f64: of each output its log
   * and the number of its path.
   */
  outputPaths,
  outputLogs,
  count,
}

/** Numbers that a kernel is given, and that it answers with. */
export enum CallNumber {
  lightest,
  factor,
  logPartition,
  bestScore,
  averageContextLength,
  /** Of outputs: how far below the most probable one they may be, and paths below the best. */
  within,
  reach,
  count,
}

export const ARRAYS_AT = Bundle.count * WORD;
export const CALL_AT = ARRAYS_AT + KernelArray.count * WORD;
export const CALL_NUMBERS_AT = (CALL_AT + CallField.count * WORD + 7) & ~7;
export const STATE_BYTES = CALL_NUMBERS_AT + CallNumber.count * NUMBER;

export enum Mode {
  rcms,
  beam,
  exact,
}

/**
 * What `bestOfChain` returns in place of a number of decisions: a number lost digits; some factor is out of bounds. And `bestOutputs`
 * in place of one of outputs: it takes too much room; it gave up before the backward pass.
 */
export enum NoAnswer {
  givesUp = -1,
  outOfBounds = -2,
  noBackward = -3,
}

// Records by bytes.

/** Contexts next to each other whose expansions by a symbol are one context. */
export enum GroupBytes {
  /** Its contexts: from here up to there. */
  members = 0,
  membersEnd = 4,
  /** Decisions its expansions remember, and of these in common with those of the next group. */
  length = 8,
  common = 12,
  /** Trellis: address of the masses of its expansions, from the first symbol of the segment on. */
  masses = 16,
  /** Chain: address of the first of the groups that its expansions claim, 0 while it is not known. */
  claimStart = 20,
  /** Chain: number of the next group that has several members, -1 after the last. */
  nextSeveral = 24,
  bytes = 32,
}

/** Expansions by one symbol that rows cannot tell apart. */
export enum TellingBytes {
  /** The context that its first expansion comes from. */
  parent = 0,
  /** Decisions remembered, and of these in common with the group that closed after it. */
  length = 4,
  common = 8,
  /** Whether it has any mass. */
  isPossible = 12,
  /** The context that it becomes. */
  target = 16,
  bytes = 20,
}

/** What was found for a context, by the node that the context it goes on from leaves to it, and its symbol. */
export enum MemoBytes {
  /** node * symbols + symbol, -1 for none. */
  name = 0,
  /** The node that it leaves to those that go on from it, and the number of the vector of the deepest one met. */
  node = 4,
  vector = 8,
  bytes = 16,
}

/** Logarithm of how many there are. */
export const MEMO_BITS = 13;

/** A context of a chain. */
export enum ChainBytes {
  parent = 0,
  symbol = 4,
  length = 8,
  common = 12,
  /** Of `⋆`: the latest decision of the best path to it. */
  bestSymbol = 16,
  /** Address of the factors of its rows. */
  factors = 24,
  /** The first context of its claim, those of the slot before from there to its parent. */
  claimedFrom = 28,
  /** Its part of the forward mass of its slot, and the mass of the best path, on a scale of its own. */
  share = 32,
  best = 40,
  /** The deepest node of the row tree that is met on the way down those of its decisions that its expansions remember. */
  node = 48,
  bytes = 56,
}

/**
 * A context of a chain in the backward pass, when the best path has been read: lists of claims, a mass where that of the best
 * path was and, once a slot is done, another where its share was.
 */
export enum ChainBackwardBytes {
  /** The first in the list of contexts of the next slot whose claims this is the last of, -1 for none; in such a list, the next. */
  entered = 16,
  /** The same for those whose claims this is the first of. */
  left = 20,
  /** What was there before its claim was entered. */
  before = 32,
  /** Mass of all that may follow a context, on a scale of its slot. */
  backward = 40,
}

/** A path that leaves another one. */
export enum BranchingBytes {
  /** The score of the whole path, and so far. */
  bound = 0,
  done = 8,
  /** The path that it leaves, with how many of its decisions it begins. */
  path = 16,
  common = 20,
  /** Where it leaves it, and by which of the context's edges. */
  context = 24,
  choice = 28,
  /** Of equals the one that was opened first comes first. */
  order = 32,
  bytes = 40,
}

/** What was written so far, in a tree: the first is nothing, and a child writes one symbol more. */
export enum WrittenBytes {
  symbol = 0,
  /** A child, and another child of the same parent; -1 for none. */
  child = 4,
  sibling = 8,
  /** Where its contexts begin, and end. */
  from = 12,
  to = 16,
  /** Whether an output of this kind was met. */
  isFound = 20,
  /** The probability that it is all that is written. */
  end = 24,
  bytes = 32,
}

// The loops of training, beside inference.

/** What a loop is asked for. */
export enum LoopField {
  /** Slot scores or slot counts, [length][symbolCount]. */
  slots,
  symbolCount,
  length,
  from,
  /** `PositionRows`; `values` and `map` may be 0. */
  start,
  ids,
  values,
  map,
  tableStart,
  tableSymbols,
  weights,
  /** `GradientArrays` */
  gradient,
  touched,
  touchedCount,
  isTouched,
  /** Rows to be noted as touched. */
  rows,
  rowCount,
  /** `AdaGradArrays` beside weights, and `AdaGradStep`. */
  squares,
  sums,
  settled,
  step,
  seed,
  /** `WasmDenseRows` */
  densePlaces,
  denseNext,
  denseEnd,
  denseList,
  count,
}

/** In place of the address of a row with an entry for every symbol. */
export enum DenseRow {
  unknown = 0,
  /** It is added entry by entry, from the table. */
  sparse = 1,
  /** Added to an address: there is a copy with the entries it has (`SparseEntryBytes`), one after another. */
  isCopy = 2,
}

/** An entry of such a copy. */
export enum SparseEntryBytes {
  weight = 0,
  /** Of the symbol's number in a slot, in bytes from the first. */
  place = 8,
  /** 1 in the last entry, else 0. */
  isLast = 12,
  bytes = 16,
}

/** So many rows are added to a slot at once; each takes 16 bytes in a list. */
export const DENSE_AT_ONCE = 64;

export enum LoopNumber {
  rate,
  delta,
  l1,
  l2,
  threshold,
  count,
}

export const LOOP_NUMBERS_AT = (LoopField.count * WORD + 7) & ~7;
export const LOOP_BYTES = LOOP_NUMBERS_AT + LoopNumber.count * NUMBER;

/** `TreeWalks` and where what is found goes; addresses but for the counts. */
export enum WalkField {
  /** A record as that of a family: FamilyField, of which what is about its tree. */
  tree,
  roots,
  kinds,
  classes,
  lastClass,
  positions,
  positionStart,
  kind,
  walkStart,
  least,
  numbers,
  rows,
  starts,
  /** Instead of these two, with a tree that carries its weights: [positions][classes][symbolCount] where to add weights. */
  scores,
  symbolCount,
  count,
}

/** What a loop over a dense layer is asked for, see `DenseLayer` and `AdamArrays`; sizes and strides in numbers. */
export enum DenseField {
  input,
  inputStride,
  inputSize,
  /** Of Adam: the parameters. */
  weights,
  bias,
  output,
  outputStride,
  outputSize,
  positions,
  /** Gradients; that of the input may be 0. */
  outputGradient,
  inputGradient,
  weightsGradient,
  biasGradient,
  /** Of Adam, beside parameters and their gradient. */
  means,
  squares,
  count,
  /** Of embeddings: which inputs each position has, and their values. */
  start,
  ids,
  values,
  /** Of dropout: numbers below this strike, and the states of four generators. */
  bound,
  lane0,
  lane1,
  lane2,
  lane3,
  fields,
}

/** What a step of Adam is made of, and what dropout leaves is multiplied by. */
export enum DenseNumber {
  /** The rate, divided by the correction of means. */
  rate,
  beta1,
  beta2,
  /** 1 − beta. */
  rest1,
  rest2,
  /** 1 / the correction of squares. */
  squareScale,
  epsilon,
  factor,
  count,
}

export const DENSE_NUMBERS_AT = (DenseField.fields * WORD + 7) & ~7;
export const DENSE_BYTES = DENSE_NUMBERS_AT + DenseNumber.count * NUMBER;
