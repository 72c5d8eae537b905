// Which Stargram this is.

import { readFileSync } from "node:fs";
import { backend } from "../engine/choice.js";

const kernels = { js: "reference kernel", wasm: "WebAssembly kernel" };

/** `stargram 0.1.0 (WebAssembly kernel)`. */
export function versionLine(): string {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return `${name} ${version} (${kernels[backend().name]})`;
}
