// Compiles src/ to dist/, and beside it what the commands need of demo/, experiments/ and apps/review/. The compiler writes to
// a folder beside dist/ that takes its place only when all went well, so a failed build leaves the last good one alone and
// files of deleted sources do not linger. dist/.built holds the hash of what the build was made from; scripts/ready.mjs
// compares it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildKernel, kernelCodes } from "./build-kernel.mjs";
import { requirePackages } from "./needs.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(root, "dist", ".built");

/** The hash of everything that decides what the build looks like: names and contents. */
export function sourceHash() {
  const hash = createHash("sha256");
  const sources = ["src", "demo", "experiments", "apps/review"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|html|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !kernelCodes.includes(path))
    .sort();
  const settings = [
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    "scripts/build.mjs",
    "scripts/build-kernel.mjs",
    "scripts/bundle.mjs",
  ];
  for (const path of [...sources, ...settings.map((name) => join(root, name))]) {
    const content = readFileSync(path);
    hash.update(`${path.slice(root.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** The hash dist/ was built from; empty when there is no build. */
export function builtHash() {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return "";
  }
}

/** Builds; false when a compiler found errors, which it has then printed. */
export async function build() {
  requirePackages();
  if (!(await buildKernel())) return false;
  // Taken first: a source changed while the compiler runs must count as newer than the build.
  const hash = sourceHash();
  const fresh = join(root, `dist.${process.pid}`);
  const old = join(root, `dist.${process.pid}.old`);
  try {
    const compiler = createRequire(import.meta.url)
      .resolve("typescript/package.json")
      .replace("package.json", "bin/tsc");
    const values = [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", fresh];
    if (spawnSync(process.execPath, values, { stdio: "inherit" }).status !== 0) return false;
    // Loaded here: ready.mjs imports this file before the packages are installed.
    const { bundleCommand, compileBeside, makeReviewPage } = await import("./bundle.mjs");
    await bundleCommand(fresh);
    await compileBeside(fresh);
    await makeReviewPage(fresh);
    const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const path of Object.values(bin)) {
      const program = join(fresh, path.replace(/^dist\//, ""));
      if (existsSync(program)) chmodSync(program, 0o755);
    }
    writeFileSync(join(fresh, ".built"), hash);
    // The explorer is built apart (build-web.mjs), and says itself whether it is up to date.
    moveIfThere(join(root, "dist", "web"), join(fresh, "web"));
    moveIfThere(join(root, "dist"), old);
    renameSync(fresh, join(root, "dist"));
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

/** @param {string} from @param {string} to */
function moveIfThere(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ENOENT") throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await build())) process.exitCode = 1;
