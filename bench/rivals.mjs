// Other programs that are measured beside Stargram: the npm package `crfsuite`, fetched on demand into a cache folder outside
// this project, and programs on the PATH.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { say } from "./harness.mjs";

/** The same folder as that of data sets, which users can choose. */
const folder = join(process.env.STARGRAM_CACHE ?? join(homedir(), ".cache", "stargram"), "bench");
const version = "1.0.1";

/**
 * @typedef {{
 *   Trainer: new (options?: { debug?: boolean }) => {
 *     append(items: readonly (readonly string[])[], labels: readonly string[]): void,
 *     set_params(options: Record<string, string>): void, train(file: string): number,
 *   },
 *   Tagger: new () => { open(file: string): boolean, tag(items: readonly (readonly string[])[]): string[] },
 * }} CrfSuite
 */

/**
 * The npm package crfsuite, or why it cannot be had. Its code is C and is compiled when it is installed.
 * @returns {{ crfsuite: CrfSuite, why?: undefined } | { crfsuite?: undefined, why: string }}
 */
export function npmCrfsuite() {
  const require = createRequire(join(folder, "package.json"));
  if (!existsSync(join(folder, "node_modules", "crfsuite"))) {
    mkdirSync(folder, { recursive: true });
    say(`  installing crfsuite ${version} in ${folder}`);
    const words = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", `crfsuite@${version}`];
    const npm = process.env.npm_execpath;
    // Newer versions of npm run the install scripts only of packages that they are told to trust.
    const env = { ...process.env, npm_config_allow_scripts: "crfsuite" };
    if (npm) spawnSync(process.execPath, [npm, ...words], { env, cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    else
      spawnSync("npm", words, {
        env,
        cwd: folder,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32",
      });
  }
  try {
    return { crfsuite: require("crfsuite") };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { why: `the npm package crfsuite cannot be loaded: ${reason}` };
  }
}

/** Where a program is on the PATH, or undefined. @param {string} name */
export function onPath(name) {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    for (const ending of endings) {
      const file = join(place, name + ending);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

/** A sentence that says which of the programs are absent. @param {readonly string[]} names */
export function absent(names) {
  const gone = names.filter((name) => !onPath(name));
  return gone.length === 0
    ? []
    : [`Not on the PATH, so not measured: ${gone.map((name) => `\`${name}\``).join(", ")}.`];
}
