// The backend in plain TypeScript: what runs where WebAssembly does not. Its arrays are collected as any other, so there is
// nothing to dispose of.

import { type Backend, type FrozenRows, plainArrays, type WorkSpace } from "../backend.js";
import type { RowSpace } from "../problem.js";
import { ReferenceKernel } from "./kernel.js";
import { referenceLoops } from "./loops.js";

const nothing = { dispose(): void {}, [Symbol.dispose](): void {} };

export const referenceBackend: Backend = {
  name: "js",
  arrays: plainArrays,
  loops: referenceLoops,
  makeKernel: () => new ReferenceKernel(),
  freeze: (space: RowSpace, weights: Float64Array): FrozenRows => ({ space, weights, ...nothing }),
  workSpace: (): WorkSpace => ({ ...referenceBackend, ...nothing }),
};
