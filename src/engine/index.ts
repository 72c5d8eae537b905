// The engine, for those who build a task. `backend()` is the fast one: `backend().workSpace()` makes kernels and arrays, and
// gives their memory back when it is disposed of.
//   kernel.forward(problem, space, weights, inferenceWith({ order: 3 }))      context sets, masses, the log-partition
//   kernel.bestPath()   nbest(kernel, 5)   decisionProbabilities(kernel)      answers
//   new ClampedGradient(workSpace, kernel)                                    E[features | clamp] - E[features]
// Restrictions are clamps; whatever else is asked of a trellis, also under a clamp, is asked of its lattice.

export { Alphabet } from "./alphabet.js";
export type {
  Arrays,
  Backend,
  BestOutput,
  FrozenRows,
  GradientArrays,
  Kernel,
  Loops,
  Owner,
  PositionRows,
  WorkSpace,
} from "./backend.js";
export { type Spent, searchWithin } from "./budget.js";
export { decisionProbabilities, inferenceWith, nbest, rowFamily } from "./builders.js";
export { backend } from "./choice.js";
export { allowedClamp, type Band, type Clamp, type ClampedLattice, clampTrellis, outputClamp } from "./clamp.js";
export { ClampedGradient } from "./clamped-gradient.js";
export type { DecisionCounter } from "./counter.js";
export { type Inference, withContexts } from "./inference.js";
export {
  bestPath,
  bestPaths,
  type Lattice,
  logPartition,
  type Path,
  type Posteriors,
  posteriors,
  sampler,
  trellisLattice,
} from "./lattice.js";
export { type NgramModel, type NgramOptions, ngramModel, ngramScore } from "./ngram.js";
export type { Problem, RowFamily, RowSpace, StartNodes } from "./problem.js";
export { type RowTable, RowTableBuilder, type RowTree, RowTreeBuilder } from "./rows.js";
export { type Branch, chainGraph, openChainGraph, type SlotGraph, slotGraph } from "./slots.js";
export { BEGIN, type Trellis } from "./trellis.js";
