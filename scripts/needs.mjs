// What a script needs before it can run: the packages of package-lock.json, and for some a build. Says in one line what is
// missing and what to do, and ends with 1; `npm start` and `npm test` do it themselves (ready.mjs).
//   node scripts/needs.mjs [build]
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ packages: Record<string, { version?: string, optional?: boolean, devOptional?: boolean }> }} Lockfile */

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Whether node_modules holds what the lockfile asks for, by the record that npm keeps of what it installed, and by the folders
 * that are there. Packages for other platforms are marked optional and are rightly absent.
 */
export function packagesInstalled() {
  const wanted = readLockfile("package-lock.json");
  const present = readLockfile("node_modules/.package-lock.json");
  if (!wanted || !present) return false;
  return Object.entries(wanted.packages).every(
    ([path, { version, optional, devOptional }]) =>
      path === "" ||
      optional ||
      devOptional ||
      (present.packages[path]?.version === version && existsSync(join(root, path))),
  );
}

/**
 * @param {string} path
 * @returns {Lockfile | undefined}
 */
function readLockfile(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return undefined;
  }
}

export function requirePackages() {
  if (packagesInstalled()) return;
  const found = existsSync(join(root, "node_modules")) ? "not those of package-lock.json" : "not installed";
  fail(`the packages are ${found}: run \`npm ci\``);
}

/** @param {string} what */
export function say(what) {
  process.stderr.write(`stargram: ${what}\n`);
}

/**
 * @param {string} why
 * @returns {never}
 */
export function fail(why) {
  say(why);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requirePackages();
  const isBuilt = existsSync(join(root, "dist", ".built"));
  if (process.argv.includes("build") && !isBuilt) fail("there is no build yet: run `npm run build`");
}
