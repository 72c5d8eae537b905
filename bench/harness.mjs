// Measuring: alternatives take turns round by round, after a warm-up, so that a machine that gets busier or hotter does so
// for all of them; ratios are taken within a round. Times are processor time of this process (and time on the clock), given
// as median and quartiles. tinybench is not used since it runs its tasks one after the other.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const commandLine = join(root, "dist", "cli", "stargram.cjs");

/** @typedef {{ median: number, low: number, high: number }} Spread median and quartiles */
/** @typedef {{ cpu: number, clock: number }} Times seconds */
/** @typedef {{ what: string, wanted: string, found: string, met: boolean | undefined }} Check */
/** @typedef {{ title: string, head: string[], rows: string[][] }} Table */
/**
 * What a part of the benchmarks gives back; `plots` are file names in bench/ with their pictures.
 * @typedef {{
 *   title: string, about: string, tables: Table[], checks?: Check[], notes?: string[], plots?: Record<string, string>,
 *   figures: Record<string, unknown>,
 * }} PartResult
 */

/**
 * Processor and clock seconds of a piece of work.
 * @param {() => unknown} work
 * @returns {Promise<Times>}
 */
export async function timed(work) {
  const began = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu); // microseconds
  return { cpu: (user + system) / 1e6, clock: (performance.now() - began) / 1e3 };
}

/**
 * Runs alternatives in turns. Each does its work as often as makes a round at least `least` processor seconds long.
 * Gives the seconds of one piece of work, round by round.
 * @template {string} Name
 * @param {Record<Name, () => unknown>} alternatives
 * @param {{ rounds?: number, least?: number, warmUps?: number }} options
 * @returns {Promise<Record<Name, Times[]>>}
 */
export async function inTurns(alternatives, { rounds = 7, least = 0.2, warmUps = 2 } = {}) {
  const names = /** @type {Name[]} */ (Object.keys(alternatives));
  const found = /** @type {Record<Name, Times[]>} */ ({});
  const repeats = /** @type {Record<Name, number>} */ ({});
  for (const name of names) {
    found[name] = [];
    let once = Number.POSITIVE_INFINITY; // seconds
    for (let i = 0; i < warmUps; i++) once = Math.min(once, (await timed(alternatives[name])).cpu);
    repeats[name] = warmUps === 0 ? 1 : Math.max(1, Math.min(100_000, Math.ceil(least / Math.max(once, 1e-6))));
  }
  for (let round = 0; round < rounds; round++) {
    // Every other round backwards, so that none is always the first after another.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const count = repeats[name];
      const { cpu, clock } = await timed(async () => {
        for (let i = 0; i < count; i++) await alternatives[name]();
      });
      found[name].push({ cpu: cpu / count, clock: clock / count });
    }
  }
  return found;
}

/**
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}

/**
 * How many times faster `fast` was than `slow`, round by round.
 * @param {readonly Times[]} slow
 * @param {readonly Times[]} fast
 * @param {{ slow?: number, fast?: number, by?: "cpu" | "clock" }} units pieces of work each did; default the same
 */
export function speedUp(slow, fast, { slow: slowUnits = 1, fast: fastUnits = 1, by = "cpu" } = {}) {
  return spread(slow.map((one, i) => one[by] / slowUnits / (fast[i][by] / fastUnits)));
}

/**
 * Units a second of processor time.
 * @param {readonly Times[]} times
 * @param {number} units
 */
export function rate(times, units) {
  return spread(times.map(({ cpu }) => units / cpu));
}

/** The slope of log y over log x by least squares: y grows as x to the power of it.
 * @param {readonly (readonly [x: number, y: number])[]} points */
export function exponent(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (/** @type {number} */ i) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let covariance = 0;
  let variance = 0;
  for (const [x, y] of logs) {
    covariance += (x - meanX) * (y - meanY);
    variance += (x - meanX) ** 2;
  }
  return covariance / variance;
}

/** Numbers in [0, 1) from a seed (mulberry32).
 * @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Three significant digits, thousands apart.
 * @param {number} value */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.01) return value.toExponential(1);
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** @param {Spread} values */
export function spreadText({ median, low, high }) {
  return `${number(median)} (${number(low)}–${number(high)})`;
}

/**
 * @param {string} what
 * @param {">=" | "<="} sense
 * @param {number} wanted
 * @param {number | undefined} found undefined if it could not be measured
 * @param {string} unit
 * @returns {Check}
 */
export function check(what, sense, wanted, found, unit = "") {
  const sign = sense === ">=" ? "≥" : "≤";
  const met = found === undefined ? undefined : sense === ">=" ? found >= wanted : found <= wanted;
  return {
    what,
    wanted: `${sign} ${number(wanted)}${unit}`,
    found: found === undefined ? "not measured" : `${number(found)}${unit}`,
    met,
  };
}

/** Where and when: for each part of the results. */
export function conditions() {
  const git = (/** @type {string[]} */ ...words) =>
    spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
  const changed = git("status", "--porcelain", "--", "src") !== "";
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    commit: `${git("rev-parse", "--short", "HEAD")}${changed ? " with changes" : ""}`,
    node: process.version,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    load: Number(loadavg()[0].toFixed(1)), // of the last minute
  };
}

/**
 * Peak memory in bytes; `main` and `helper` are the processor seconds of the main thread and of the busiest other one, where
 * the system tells them (Linux) and `watch` asks for them.
 * @typedef {Times & { peak: number, output: string, main: number, helper: number }} Finished
 */

/**
 * Runs a program of Node's in a process of its own. Its processor time and peak memory are those it sees itself when it exits.
 * @param {string[]} words
 * @param {{ input?: string, env?: Record<string, string>, keepOutput?: boolean, watch?: boolean }} options `input` is a file for standard input
 * @returns {Promise<Finished>}
 */
export async function runNode(words, { input, env = {}, keepOutput = false, watch = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const usage = join(folder, "usage.json");
  const from = input === undefined ? undefined : openSync(input, "r");
  try {
    const began = performance.now();
    const child = spawn(
      process.execPath,
      ["--require", fileURLToPath(new URL("usage.cjs", import.meta.url)), ...words],
      {
        stdio: [from ?? "ignore", "pipe", "pipe"],
        env: { ...process.env, ...env, STARGRAM_BENCH_USAGE: usage },
      },
    );
    let output = "";
    let error = "";
    child.stdout?.on("data", (chunk) => {
      if (keepOutput) output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      error = (error + chunk).slice(-4000);
    });
    const threads = watch ? watchThreads(/** @type {number} */ (child.pid)) : undefined;
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
    const clock = (performance.now() - began) / 1e3;
    if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${error}`);
    return {
      ...JSON.parse(readFileSync(usage, "utf8")),
      clock,
      output,
      ...(threads?.stop() ?? { main: 0, helper: 0 }),
    };
  } finally {
    if (from !== undefined) closeSync(from);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Looks again and again at the processor time of each thread of a process.
 * @param {number} pid
 */
function watchThreads(pid) {
  const TICK = 0.01; // seconds
  /** @type {Map<number, number>} */
  const seconds = new Map();
  const look = () => {
    try {
      for (const id of readdirSync(`/proc/${pid}/task`)) {
        const fields = readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ");
        seconds.set(Number(id), TICK * (Number(fields[11]) + Number(fields[12])));
      }
    } catch {
      // It has ended, or this is another system.
    }
  };
  const timer = setInterval(look, 20);
  return {
    stop() {
      clearInterval(timer);
      const others = [...seconds].filter(([id]) => id !== pid).map(([, value]) => value);
      return { main: seconds.get(pid) ?? 0, helper: Math.max(0, ...others) };
    },
  };
}

/** Says on standard error what is going on. @param {string} what */
export function say(what) {
  process.stderr.write(`${what}\n`);
}
