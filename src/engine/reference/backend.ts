// The backend in plain TypeScript: what runs where WebAssembly does not. Its arrays are collected as any other, so there is
// nothing to dispose of.

import { type Backend, type FrozenRows, plainArrays, type WorkSpace } from "../backend.js";
import { BackoffCounter } from "../counter.js";
import type { RowSpace } from "../problem.js";
import { referenceDense } from "./dense.js";
import { ReferenceKernel } from "./kernel.js";
import { referenceLoops } from "./loops.js";

const nothing = { dispose(): void {}, [Symbol.dispose](): void {} };

export const referenceBackend: Backend = {
  name: "js",
  arrays: plainArrays,
  loops: referenceLoops,
  dense: referenceDense,
  makeKernel: () => new ReferenceKernel(),
  freeze: (space: RowSpace, weights: Float64Array): FrozenRows => ({ space, weights, ...nothing }),
  // In plain TypeScript every symbol of every context costs more than the entries of its rows.
  makeCounter: (space, weights, inference) => new BackoffCounter(space, weights, inference),
  workSpace: (): WorkSpace => ({ ...referenceBackend, ...nothing }),
};
