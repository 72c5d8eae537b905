// The choice of the backend: WebAssembly where it works, unless STARGRAM_KERNEL=js asks for the reference.

import type { Backend } from "./backend.js";
import { referenceBackend } from "./loops.js";
import { wasmBackend } from "./wasm.js";

let chosen: Backend | undefined;

/** The backend in use: one for each thread, since its memory is. */
export function backend(): Backend {
  chosen ??= wanted() === "js" ? referenceBackend : (wasmBackend() ?? referenceBackend);
  return chosen;
}

/** Uses a given backend from now on, as a thread does that joins another's memory. */
export function useBackend(backend: Backend): void {
  chosen = backend;
}

/** What STARGRAM_KERNEL says, where there is an environment. */
function wanted(): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.STARGRAM_KERNEL;
}
