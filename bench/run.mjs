// `npm run bench [-- names]`: runs parts of the benchmarks, each in a process of its own, and writes what they found into
// results.json, README.md and plots. Without names: all parts but the long ones. `--list` names them, `--report` only writes
// README.md anew from results.json.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { conditions, say } from "./harness.mjs";
import { report, textOf } from "./report.mjs";

/** Parts in the order of the report; `long` ones run only when they are named. */
const parts = {
  kernels: { about: "WebAssembly vs. the reference kernel" },
  threads: { about: "one thread vs. two" },
  letters: { about: "handwritten words, compared with the npm package crfsuite" },
  chunking: { about: "CoNLL-2000: training time and F1, compared with crfsuite", long: true },
  accuracy: { about: "RCMS, beam and exact search at equal accuracy", long: true },
  growth: { about: "growth with length, contexts, labels, order, features" },
  decipherment: { about: "an EM pass, shared vs. dense rows" },
  throughput: { about: "words, tokens and letters per second, also in pipes" },
  serve: { about: "requests to `stargram serve` on loopback" },
  rivals: { about: "whole commands of other taggers on the same files" },
  startup: { about: "one line through `stargram predict`" },
  profile: { about: "where the time goes, and how far from the bound" },
};

const resultsFile = fileURLToPath(new URL("results.json", import.meta.url));

/** @returns {Record<string, import("./report.mjs").Measured>} */
function readResults() {
  try {
    return JSON.parse(readFileSync(resultsFile, "utf8"));
  } catch {
    return {};
  }
}

/** @param {string} name */
async function runPart(name) {
  const before = conditions();
  const began = performance.now();
  /** @type {{ run(): Promise<import("./harness.mjs").PartResult> }} */
  const { run } = await import(`./parts/${name}.mjs`);
  const { plots = {}, ...result } = await run();
  const seconds = Math.round((performance.now() - began) / 1e3);
  const loads = [before.load, Number(loadavg()[0].toFixed(1))];
  const measured = {
    ...result,
    plots: Object.keys(plots),
    conditions: { ...before, load: loads.join(" to "), seconds },
  };
  for (const [file, svg] of Object.entries(plots)) writeFileSync(new URL(file, import.meta.url), svg);
  const found = { ...readResults(), [name]: measured };
  const ordered = Object.fromEntries(Object.keys(parts).flatMap((key) => (found[key] ? [[key, found[key]]] : [])));
  writeFileSync(resultsFile, `${JSON.stringify(ordered, null, 2)}\n`);
  report(ordered);
  process.stdout.write(`${textOf(name, measured)}\n`);
}

const words = process.argv.slice(2);
const unknown = words.filter((word) => !Object.hasOwn(parts, word) && word !== "--list" && word !== "--report");
if (unknown.length > 0) {
  say(`no such part: ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  process.exitCode = 2;
} else if (words[0] === "--list") {
  for (const [name, part] of Object.entries(parts)) {
    console.log(`${name.padEnd(14)}${part.about}${"long" in part ? " (long: only when named)" : ""}`);
  }
} else if (words[0] === "--report") {
  report(readResults());
} else if (words.length === 1) {
  await runPart(words[0]);
} else {
  const names =
    words.length > 0 ? words : Object.entries(parts).flatMap(([name, part]) => ("long" in part ? [] : [name]));
  for (const name of names) {
    say(`benchmark: ${name}`);
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}
