// What the functions in a profile belong to, by the folder of dist/ they come from.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./harness.mjs";

export const kinds = /** @type {const} */ ([
  "kernel",
  "garbage collector",
  "engine beside it",
  "features and task",
  "learning",
  "model file",
  "reading and printing",
  "Node and the rest",
]);

/** @typedef {typeof kinds[number]} Kind */

/** Folders and single files of dist/; a file's own line comes before its folder's. @type {[start: string, kind: Kind][]} */
const places = [
  ["engine/reference/", "kernel"],
  ["engine/wasm/", "kernel"],
  ["engine/backoff/", "kernel"],
  ["engine/merge.js", "kernel"],
  ["engine/backend.js", "kernel"],
  ["engine/choice.js", "kernel"],
  // The alphabet looks up attributes and symbols, and `Numbers` holds what was found.
  ["engine/alphabet.js", "features and task"],
  ["util/numbers.js", "features and task"],
  ["engine/", "engine beside it"],
  ["util/", "engine beside it"],
  ["tasks/", "features and task"],
  ["learn/", "learning"],
  ["model/", "model file"],
  ["workflows/", "reading and printing"],
  ["formats/", "reading and printing"],
  ["datasets/", "reading and printing"],
  ["cli/", "reading and printing"],
  ["metrics/", "reading and printing"],
  ["confidence/", "reading and printing"],
];

const dist = `${pathToFileURL(join(root, "dist")).href}/`;

/**
 * Refuses what is ours and has no kind, above all files bundled from several folders, so that no time is booked wrongly.
 * @param {{ functionName: string, url: string }} frame
 * @returns {Kind}
 */
export function kindOf({ functionName, url }) {
  if (url.startsWith("wasm:")) return "kernel";
  if (functionName === "(garbage collector)") return "garbage collector";
  const address = url.startsWith("/") ? pathToFileURL(url).href : url;
  if (!address.startsWith(dist)) return "Node and the rest";
  const file = address.slice(dist.length);
  const place = file.endsWith(".cjs") ? undefined : places.find(([start]) => file.startsWith(start));
  if (!place)
    throw new Error(`the time of \`${functionName}\` in dist/${file} cannot be placed: profile what it is made of`);
  return place[1];
}
