// The direction of imports in src/. Layers, lowest first; a file imports from its own layer and those below. Files
// beside the layers (src/index.ts) may import any layer and no layer imports them, nor anything outside src/. The layers that
// run in a browser import nothing of Node's, and src/browser.ts and src/engine-entry.ts reach nothing of Node's through any chain of imports.
//   node scripts/layers.mjs [SRC]    prints each violation as file:line and exits 1 if there is one
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const layers = [
  ...["util", "engine", "metrics", "confidence", "learn", "formats", "datasets", "model"],
  ...["cluster", "tasks", "workflows", "cli"],
];
const browserLayers = new Set(["util", "engine", "metrics", "confidence", "tasks"]);
/** Entries that run in a browser, too. */
const browserEntries = ["browser.ts", "engine-entry.ts"];

/** @typedef {{ specifier: string, line: number, loads: boolean }} Import `loads`: not for its types alone, nor on demand */
/** @typedef {{ file: string, line: number, message: string }} Violation */

// The formatter puts each statement at the start of a line, so these skip comments and strings well enough.
const patterns = [
  // import … from "x", export … from "x", with `type` as the second word or not
  { form: /^[ \t]*(?:import|export)\b([^;"'()=]*?)\bfrom\s*["']([^"']+)["']/gm, loads: true },
  // import "x"
  { form: /^[ \t]*import\b(\s*)["']([^"']+)["']/gm, loads: true },
  // import("x"), also in a type
  { form: /\bimport\s*\((\s*)["'`]([^"'`]+)["'`]/g, loads: false },
  // new URL("./x.js", import.meta.url): a worker's program
  { form: /\bnew URL\((\s*)["'`]([^"'`]+)["'`],\s*import\.meta\.url/g, loads: false },
];

/**
 * @param {string} source
 * @returns {Import[]} in the order of their lines
 */
export function importsOf(source) {
  const found = [];
  for (const { form, loads } of patterns) {
    for (const match of source.matchAll(form)) {
      const specifier = match[2];
      const place = match.index + match[0].lastIndexOf(specifier);
      const line = source.slice(0, place).split("\n").length;
      found.push({ specifier, line, loads: loads && !/^\s+type\b/.test(match[1]) });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

/**
 * @param {Map<string, string>} sources file, relative to src/ and with `/`, to its text
 * @returns {Violation[]}
 */
export function violations(sources) {
  /** @type {Violation[]} */
  const found = [];
  for (const [file, source] of sources) {
    const layer = layerOf(file);
    if (layer === undefined) {
      if (file.includes("/")) found.push({ file, line: 1, message: `not in a layer (${layers.join(", ")})` });
      continue;
    }
    for (const { specifier, line } of importsOf(source)) {
      const message = specifier.startsWith(".")
        ? wrongDirection(layer, targetOf(file, specifier))
        : browserLayers.has(layer) && isBuiltin(specifier)
          ? `${layer} runs in a browser and must not import ${specifier}`
          : undefined;
      if (message) found.push({ file, line, message });
    }
  }
  return [...found, ...nodeWithinReach(sources)];
}

/**
 * @param {string} layer
 * @param {string} target
 */
function wrongDirection(layer, target) {
  const other = layerOf(target);
  // Other files, such as a page, are read and not imported.
  if (other === undefined) return target.endsWith(".ts") ? `${layer} must not import ${target}` : undefined;
  if (layers.indexOf(other) <= layers.indexOf(layer)) return undefined;
  return `${layer} must not import ${target}: ${other} lies above it`;
}

/**
 * Follows what these entries load, and names each import of Node's with the chain that leads to it.
 * @param {Map<string, string>} sources
 * @returns {Violation[]}
 */
function nodeWithinReach(sources) {
  const found = [];
  const chains = new Map(browserEntries.map((entry) => [entry, entry]));
  for (const [file, chain] of chains) {
    for (const { specifier, line, loads } of importsOf(sources.get(file) ?? "")) {
      if (!loads) continue;
      const target = targetOf(file, specifier);
      if (specifier.startsWith(".")) {
        if (!chains.has(target)) chains.set(target, `${chain} > ${target}`);
      } else if (isBuiltin(specifier) && !browserLayers.has(layerOf(file) ?? "")) {
        found.push({ file, line, message: `${specifier} is reached from a browser: ${chain}` });
      }
    }
  }
  return found;
}

/**
 * The layer a file lies in; undefined outside the layers.
 * @param {string} file
 */
function layerOf(file) {
  const [folder, ...rest] = file.split("/");
  return rest.length > 0 && layers.includes(folder) ? folder : undefined;
}

/**
 * The file a relative import names, relative to src/: `./y.js` in engine/x.ts is engine/y.ts.
 * @param {string} file
 * @param {string} specifier
 */
function targetOf(file, specifier) {
  const path = relative(resolve("src"), resolve("src", dirname(file), specifier));
  return path.split(sep).join("/").replace(/\.js$/, ".ts");
}

/**
 * @param {string} folder
 * @returns {Map<string, string>}
 */
export function readSources(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return new Map(files.sort().map((file) => [file.split(sep).join("/"), readFileSync(join(folder, file), "utf8")]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL("../src", import.meta.url));
  const found = violations(readSources(folder));
  for (const { file, line, message } of found) console.error(`${join(relative("", folder), file)}:${line}: ${message}`);
  if (found.length > 0) process.exitCode = 1;
}
