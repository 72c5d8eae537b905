// Which Stargram this is.

import { readFileSync } from "node:fs";
import { backend } from "../engine/choice.js";

const kernels = { js: "reference kernel", wasm: "WebAssembly kernel" };

/** `stargram 0.1.0 (WebAssembly kernel)`. */
export function versionLine(): string {
  return `stargram ${packageVersion()} (${kernels[backend().name]})`;
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
