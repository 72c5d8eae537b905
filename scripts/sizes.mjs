// What an entry of the package weighs in a page: bundled for browsers and minified by rolldown, then packed with gzip. A bundle
// has a first part, which a page loads to predict, and parts that are loaded when a training begins. Needs the build.
//   node scripts/sizes.mjs     prints a table, in kB (1000 bytes)
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What programs import: all of an entry, and the one function that loads any model. @returns {[string, string][]} */
function uses() {
  const tasks = readdirSync(join(root, "dist", "tasks"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const entries = ["stargram", "stargram/engine", ...tasks.map(({ name }) => `stargram/tasks/${name}`).sort()];
  return [
    ...entries.map((entry) => /** @type {[string, string]} */ ([entry, `export * from "${entry}";`])),
    ["decodeModel of stargram", 'export { decodeModel } from "stargram";'],
  ];
}

/** @typedef {{ entry: string, first: number, later: number }} Size bytes, minified and packed */

/**
 * @param {string} entry
 * @param {string} program
 * @returns {Promise<Size>}
 */
async function sizeOf(entry, program) {
  const id = "\0program";
  const bundle = await rolldown({
    cwd: root,
    input: id,
    platform: "browser",
    plugins: [
      {
        name: "program",
        resolveId: (name) => (name === id ? id : undefined),
        load: (name) => (name === id ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = output.filter((chunk) => chunk.type === "chunk");
  // All that the first part imports comes with it.
  const atOnce = new Set(chunks.filter((chunk) => chunk.isEntry));
  for (const { imports } of atOnce) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) atOnce.add(chunk);
  }
  const packed = (/** @type {boolean} */ first) =>
    chunks.filter((chunk) => atOnce.has(chunk) === first).reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  return { entry, first: packed(true), later: packed(false) };
}

/** @returns {Promise<Size[]>} */
export async function sizes() {
  const found = [];
  for (const [entry, program] of uses()) found.push(await sizeOf(entry, program));
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log("| entry | at once | when a training begins |\n|---|---|---|");
  const kilobytes = (/** @type {number} */ bytes) => (bytes > 0 ? `${Math.round(bytes / 1000)} kB` : "");
  for (const { entry, first, later } of await sizes()) {
    console.log(`| ${entry} | ${kilobytes(first)} | ${kilobytes(later)} |`);
  }
}
