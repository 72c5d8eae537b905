// The choice of the backend: WebAssembly where it works, unless STARGRAM_KERNEL=js asks for the reference; where it says
// `wasm`, nothing else will do.

import { MachineError } from "../util/errors.js";
import type { Backend } from "./backend.js";
import { referenceBackend } from "./reference/backend.js";
import { wasmBackend } from "./wasm/backend.js";

let chosen: Backend | undefined;

/** The backend in use: one for each thread, since its memory is. */
export function backend(): Backend {
  if (chosen) return chosen;
  const name = wanted();
  const fast = name === "js" ? undefined : wasmBackend();
  if (name === "wasm" && !fast) throw new MachineError("STARGRAM_KERNEL=wasm, but WebAssembly does not work here");
  if (!fast && name === undefined) {
    // biome-ignore lint/suspicious/noConsole: a developer has to learn why it is slow, and nothing else reaches them in a page
    console.warn(
      "stargram: WebAssembly cannot be used here; using the slower JavaScript kernel (see docs/web-page.md)",
    );
  }
  chosen = fast ?? referenceBackend;
  return chosen;
}

/** Uses a given backend from now on, as a thread does that joins another's memory. */
export function useBackend(backend: Backend): void {
  chosen = backend;
}

/** STARGRAM_KERNEL, where there is an environment; undefined if unset or empty. */
function wanted(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const name = process?.env?.STARGRAM_KERNEL;
  if (name && name !== "js" && name !== "wasm") {
    throw new MachineError(`the environment has STARGRAM_KERNEL=${name}; it is \`js\` or \`wasm\``);
  }
  return name || undefined;
}
