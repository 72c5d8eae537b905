// `npm run mutate`: changes the sources in small ways, one at a time, and looks whether a test notices (StrykerJS). It is
// installed beside the other packages when first asked for, and not kept in package.json: few need it, and rarely.
//   npm run mutate                                  src/confidence, by the tests in test/confidence
//   npm run mutate -- learn engine                  other folders of src/, each by the tests of the same name
//   npm run mutate -- confidence/threshold.ts       one file
//   npm run mutate -- engine --sample 80 --seed 1   80 lines of the code, drawn at random: all of it takes a day
// The report, with every change that no test noticed, is reports/mutation/index.html.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { say } from "./needs.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const VERSION = "9.6.1";
const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}`);

if (!packages.every((name) => existsSync(join(root, "node_modules", name)))) {
  say("installing StrykerJS");
  const wanted = packages.map((name) => `${name}@${VERSION}`);
  const { status } = spawnSync("npm", ["install", "--no-save", ...wanted], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const { values: flags, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string" }, seed: { type: "string", default: "1" } },
});
const places = asked.length > 0 ? asked : ["confidence"];
/** Where what is in a folder is tested, too: training mostly by training something. */
const elsewhere = { learn: ["tasks/tag", "tasks/segment", "toy"] };
const folders = [...new Set(places.map((place) => place.split("/")[0]))].flatMap((folder) => [
  folder,
  ...(elsewhere[/** @type {keyof typeof elsewhere} */ (folder)] ?? []),
]);
/** @param {string} folder */
const filesIn = (folder) =>
  readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`);
const files = places
  .flatMap((place) => (place.endsWith(".ts") ? place : filesIn(place)))
  .filter((file) => !file.startsWith("engine/wasm/assembly/"))
  .map((file) => `src/${file}`)
  .sort();

/**
 * Lines with code, drawn at random: those with the smallest hashes.
 * @param {number} count
 */
function sample(count) {
  const lines = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .map((text, i) => ({ text: text.trim(), at: `${file}:${i + 1}-${i + 1}` }))
      .filter(({ text }) => text.length > 3 && !/^(?:\/[/*]|\*|import |export (?:type|interface|\{))/.test(text)),
  );
  const hashed = lines.map(({ at }) => ({
    at,
    hash: createHash("sha256").update(`${flags.seed} ${at}`).digest("hex"),
  }));
  return hashed
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, count)
    .map(({ at }) => at);
}

const scratch = join(root, ".stryker");
mkdirSync(scratch, { recursive: true });
const tests = join(scratch, "vitest.config.mjs");
writeFileSync(
  tests,
  `import { mergeConfig } from "vitest/config";
import config from "../vitest.config.ts";
const own = mergeConfig(config, {});
own.test.include = ${JSON.stringify(folders.map((folder) => `test/${folder}/**/*.test.ts`))};
own.test.reporters = ["dot"];
export default own;
`,
);
const config = join(scratch, "stryker.json");
writeFileSync(
  config,
  JSON.stringify({
    mutate: flags.sample ? sample(Number(flags.sample)) : files,
    testRunner: "vitest",
    plugins: [packages[1]],
    vitest: { configFile: ".stryker/vitest.config.mjs", related: false },
    // The compiler of the project is another one; tests do not need types.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    coverageAnalysis: "perTest",
    concurrency: 1,
    ignoreStatic: true,
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 60,
    tempDirName: ".stryker/work",
    reporters: ["clear-text", "html", "json"],
    clearTextReporter: { allowColor: false, reportTests: false },
  }),
);
const { status } = spawnSync("npx", ["stryker", "run", ".stryker/stryker.json"], { cwd: root, stdio: "inherit" });
rmSync(join(scratch, "work"), { recursive: true, force: true });
process.exitCode = status ?? 1;
