// Which Stargram this is.

import { readFileSync } from "node:fs";

/** `stargram 0.1.0 (reference kernel)`. */
export function versionLine(): string {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return `${name} ${version} (reference kernel)`;
}
