// Checks what users will install: packs the package, has publint and attw look at it, installs it into an empty folder
// with its runtime dependencies alone, and there imports each entry, runs the command, follows the links of its pages and builds and runs a web page.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./build.mjs";
import { checkWebApp } from "./check-web-app.mjs";
import { packageExports } from "./exports.mjs";

const { name, version, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), `${name}-package-`));
try {
  const archive = join(folder, `${name}-${version}.tgz`);
  run(root, "npm", "pack", "--pack-destination", folder, "--loglevel=error");
  run(root, "npx", "--no-install", "publint", "run", archive, "--strict");
  run(root, "npx", "--no-install", "attw", archive, "--profile", "esm-only", "--no-emoji");

  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run(
    folder,
    "npm",
    "install",
    archive,
    "--omit=dev",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  );
  const entries = Object.keys(packageExports()).filter((entry) => !entry.endsWith(".json"));
  const imports = entries.map((entry) => `await import("${entry.replace(".", name)}");`).join(" ");
  run(folder, "node", "--input-type=module", "--eval", imports);
  // One from the bundle, all commands, and one whose sources lie beside src/.
  for (const command of Object.keys(bin)) {
    for (const words of [["--version"], ["--help"], ["experiment", "speech", "--help"]]) {
      run(folder, "npx", "--no-install", command, ...words);
    }
  }
  const broken = brokenLinks(join(folder, "node_modules", name));
  if (broken.length > 0) fail(`links to files that are not in the package:\n  ${broken.join("\n  ")}`);
  console.log("> examples/web, built by vite and run in a browser");
  const wrong = await checkWebApp(folder);
  if (wrong) fail(wrong);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Links of the package's pages that lead to no file of it. Pictures are left out: those of the explorer are not packed,
 * as the explorer itself is.
 * @param {string} installed
 */
function brokenLinks(installed) {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .flatMap((page) => {
      const prose = readFileSync(join(installed, page), "utf8").replace(/^```[\s\S]*?^```/gm, "");
      const targets = [...prose.matchAll(/(?<!!)\[[^\]]*\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => match[1]);
      const lost = targets.filter((target) => !existsSync(join(installed, dirname(page), target)));
      return lost.map((target) => `${page}: ${target}`);
    });
}

/**
 * Runs a program to its end; the first that fails ends the check.
 * @param {string} cwd
 * @param {string} program
 * @param {string[]} values
 */
function run(cwd, program, ...values) {
  console.log(`> ${program} ${values.join(" ").replaceAll(folder, "…")}`);
  const done = spawnSync(program, values, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (done.status !== 0) fail();
}

/** @param {string} [message] */
function fail(message) {
  if (message) console.error(message);
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
}
