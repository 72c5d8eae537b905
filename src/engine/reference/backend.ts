// The backend in plain TypeScript: what runs where WebAssembly does not.

import { type Backend, plainArrays } from "../backend.js";
import { ReferenceKernel } from "./kernel.js";
import { referenceLoops } from "./loops.js";

export const referenceBackend: Backend = {
  name: "js",
  arrays: plainArrays,
  loops: referenceLoops,
  makeKernel: () => new ReferenceKernel(),
  freeze: (space, weights) => ({ space, weights }),
};
