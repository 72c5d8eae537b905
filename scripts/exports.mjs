// The entry points of package.json with patterns spelled out: `./tasks/*` stands for an entry a folder.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./build.mjs";

/** @typedef {string | { [condition: string]: Target }} Target */

/** @returns {Record<string, Target>} */
export function packageExports() {
  /** @type {Record<string, Target>} */
  const entries = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports;
  return Object.fromEntries(Object.entries(entries).flatMap(spelledOut));
}

/** @param {[path: string, target: Target]} entry @returns {[string, Target][]} */
function spelledOut([path, target]) {
  if (!path.includes("*")) return [[path, target]];
  const [before, after] = String(Object.values(target)[0]).split("*");
  const folders = readdirSync(join(root, before), { withFileTypes: true })
    .filter((one) => one.isDirectory() && existsSync(join(root, before, `${one.name}${after}`)))
    .map(({ name }) => name);
  return folders.map((name) => [path.replace("*", name), JSON.parse(JSON.stringify(target).replaceAll("*", name))]);
}
