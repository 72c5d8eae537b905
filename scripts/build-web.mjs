// The explorer as a static site: apps/explorer built by vite into dist/web, with its models (see explorer-models.mjs). Nothing is done
// when it is up to date: dist/web/.built holds the hash of what it was made from.
//   node scripts/build-web.mjs
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, builtHash, root, sourceHash } from "./build.mjs";
import { makeModels, modelsFolder } from "./explorer-models.mjs";
import { say } from "./needs.mjs";

const site = join(root, "dist", "web");

/** The hash of everything that the site is made from. */
function webHash() {
  const hash = createHash("sha256").update(sourceHash()).update(modelsFolder());
  const own = readdirSync(join(root, "apps", "explorer"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const settings = ["vite.config.js", "package-lock.json", "scripts/build-web.mjs"].map((name) => join(root, name));
  for (const path of [...own, ...settings]) hash.update(`${path.slice(root.length)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

/** Builds the site and what it needs; false when the compiler found errors, which it has then printed. */
export async function buildWeb() {
  if (builtHash() !== sourceHash() && !(await build())) return false;
  const hash = webHash();
  const stamp = join(site, ".built");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash && existsSync(modelsFolder())) return true;
  const models = await makeModels((what) => say(`making the explorer's models: ${what}`));
  say("building the explorer (apps/explorer to dist/web)");
  const { build: bundle } = await import("vite");
  const fresh = join(root, `dist.web.${process.pid}`);
  try {
    await bundle({ configFile: join(root, "vite.config.js"), logLevel: "warn", build: { outDir: fresh } });
    cpSync(models, join(fresh, "models"), { recursive: true });
    writeFileSync(join(fresh, "models", "given.json"), "[]"); // `stargram explore` puts the models given in its place
    writeFileSync(
      join(fresh, "files.js"),
      `self.site = ${JSON.stringify({ version: hash, files: filesOf(fresh) })};\n`,
    );
    writeFileSync(join(fresh, ".built"), hash);
    rmSync(site, { recursive: true, force: true });
    renameSync(fresh, site);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/**
 * What the site needs without a network, for apps/explorer/public/offline.js.
 * @param {string} folder
 */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "offline.js")
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await buildWeb())) process.exitCode = 1;
