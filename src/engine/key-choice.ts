// The loops that walk through keys: WebAssembly where the backend is.

import { backend } from "./choice.js";
import type { KeyLoops } from "./keys.js";
import { referenceKeyLoops } from "./reference/keys.js";
import { WasmKeyLoops } from "./wasm/keys.js";

let chosen: KeyLoops | undefined;

/** One for each thread, since its memory is. */
export function keyLoops(): KeyLoops {
  chosen ??= backend().name === "wasm" ? new WasmKeyLoops() : referenceKeyLoops;
  return chosen;
}
