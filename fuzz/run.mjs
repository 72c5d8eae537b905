// `npm run fuzz`: damages everything that Stargram reads, in process and through the command, and looks for faults: anything
// but an answer or a refusal, an answer that breaks a promise, and a case that does not end.
//   npm run fuzz -- --cases 1000000          so many in all, shared among targets
//   npm run fuzz -- --minutes 60 --seed 7    for so long
//   npm run fuzz -- --only columns,tagger    targets whose names contain one of these
//   npm run fuzz -- --commands 500           that many command lines (fuzz/commands.mjs), and nothing in process
//   npm run fuzz -- --list                   names the targets
// The same seed gives the same cases. What is found is kept in fuzz/found; a case that is mended moves to fuzz/cases, where
// `npm test` tries it again.
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { fuzzCommands } from "./commands.mjs";
import { sampleModels } from "./samples.mjs";
import { targetsOf } from "./targets.mjs";

/** A case that takes longer has no end, in ms: all do with less than a thousandth of it. */
const LONGEST = 30_000;

const { values: flags } = parseArgs({
  options: {
    cases: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    commands: { type: "string" },
    list: { type: "boolean" },
  },
});
const seed = Number(flags.seed);
const found = new URL("found/", import.meta.url);

/** @param {string} target @param {number} number @param {string} error @param {Uint8Array} [bytes] */
function keep(target, number, error, bytes) {
  mkdirSync(found, { recursive: true });
  const name = `${target.replaceAll(" ", "-")}-${seed}-${number}`;
  if (bytes) writeFileSync(new URL(`${name}.bin`, found), bytes);
  writeFileSync(new URL(`${name}.txt`, found), `${error}\n`);
  process.stderr.write(`${target}, seed ${seed}, case ${number}: ${error.split("\n")[0]}\n`);
}

/**
 * Does the cases of a target from one number to another on a thread of its own; returns how many faults there were.
 * @param {import("./targets.mjs").Models} models
 * @param {string} name
 * @param {number} from
 * @param {number} to
 * @returns {Promise<number>}
 */
async function batch(models, name, from, to) {
  const at = new Int32Array(new SharedArrayBuffer(4));
  at[0] = from - 1;
  const worker = new Worker(new URL("worker.mjs", import.meta.url), {
    workerData: { models, name, seed, from, to, at },
    resourceLimits: { maxOldGenerationSizeMb: 2048 },
  });
  let faults = 0;
  let last = -1;
  let since = Date.now();
  /** @type {string | undefined} */
  const ended = await new Promise((resolve) => {
    const watch = setInterval(() => {
      const now = Atomics.load(at, 0);
      if (now !== last) {
        last = now;
        since = Date.now();
      } else if (Date.now() - since > LONGEST) resolve(`no end after ${LONGEST / 1000} s`);
    }, 500);
    worker.on("message", (message) => {
      if (message === "done") return resolve(undefined);
      faults++;
      keep(name, message.number, message.error, message.bytes);
    });
    worker.on("error", (error) => resolve(String(error)));
    worker.on("exit", () => {
      clearInterval(watch);
      resolve("the thread ended");
    });
  });
  const stopped = Atomics.load(at, 0);
  await worker.terminate();
  if (ended === undefined) return faults;
  keep(name, stopped, ended);
  return faults + 1 + (stopped + 1 < to ? await batch(models, name, Math.max(from, stopped) + 1, to) : 0);
}

async function fuzzInProcess() {
  const models = await sampleModels();
  const all = targetsOf(models);
  await Promise.all(all.map((target) => target.close?.()));
  const wanted = flags.only?.split(",");
  const chosen = all.filter(({ name }) => !wanted || wanted.some((part) => name.includes(part)));
  if (flags.list) {
    process.stdout.write(`${all.map(({ name }) => name).join("\n")}\n`);
    return;
  }
  const minutes = flags.minutes === undefined ? undefined : Number(flags.minutes);
  const cases =
    flags.cases === undefined ? (minutes === undefined ? 100_000 : Number.POSITIVE_INFINITY) : Number(flags.cases);
  const shares = chosen.reduce((sum, { share }) => sum + share, 0);
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + 60_000 * minutes;
  const done = new Map(chosen.map(({ name }) => [name, 0]));
  let faults = 0;
  for (let all = false; !all; ) {
    all = true;
    for (const { name, share, batch: size } of chosen) {
      const before = done.get(name) ?? 0;
      const goal = Math.ceil((cases * share) / shares);
      const to = Math.min(goal, before + size);
      if (to <= before || Date.now() > until) continue;
      all = false;
      faults += await batch(models, name, before, to);
      done.set(name, to);
    }
    const total = [...done.values()].reduce((sum, count) => sum + count, 0);
    process.stderr.write(`${total} cases, ${faults} faults\n`);
  }
  for (const [name, count] of done) process.stdout.write(`${name}: ${count}\n`);
  const total = [...done.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${total} cases, ${faults} faults\n`);
  if (faults > 0) process.exitCode = 1;
}

if (flags.commands === undefined) await fuzzInProcess();
else {
  const faults = await fuzzCommands(Number(flags.commands), seed, keep);
  process.stdout.write(`${flags.commands} commands, ${faults} faults\n`);
  if (faults > 0) process.exitCode = 1;
}
