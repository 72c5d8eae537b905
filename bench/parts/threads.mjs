// One thread against two, in training and in prediction, through the command line. What starting up and reading the data take
// is subtracted by measuring a short and a long run. On a machine that others use, the clock says little about threads: the
// processor time of the busiest thread says how long two threads would take on cores of their own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { brown, columnText, dataset } from "../data.mjs";
import { check, commandLine, number, runNode, say, spread, spreadText } from "../harness.mjs";

const ROUNDS = 5;

/**
 * @param {(size: "short" | "long", threads: number, flags: string[]) => string[]} words the command line
 * @param {Record<string, { threads: number, flags?: string[] }>} alternatives the first is what others are compared to
 */
async function measure(words, alternatives) {
  /** @type {Record<string, { clock: number, busiest: number, cpu: number }[]>} */
  const found = Object.fromEntries(Object.keys(alternatives).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { threads, flags = [] }] of Object.entries(alternatives)) {
      const short = await runNode([commandLine, ...words("short", threads, flags)], { watch: true });
      const long = await runNode([commandLine, ...words("long", threads, flags)], { watch: true });
      found[name].push({
        clock: long.clock - short.clock,
        cpu: long.cpu - short.cpu,
        busiest: Math.max(long.main - short.main, long.helper - short.helper),
      });
    }
  }
  const [first, ...others] = Object.keys(alternatives);
  const ratio = (/** @type {string} */ name, /** @type {"clock" | "busiest" | "cpu"} */ by) =>
    spread(found[first].map((one, i) => one[by] / found[name][i][by]));
  return Object.fromEntries(
    others.map((name) => [
      name,
      { clock: ratio(name, "clock"), busiest: ratio(name, "busiest"), cpu: ratio(name, "cpu") },
    ]),
  );
}

/** @typedef {Awaited<ReturnType<typeof measure>>} Ratios */

const pair = { "one thread": { threads: 1 }, "two threads": { threads: 2 } };

/**
 * @param {string} data the file of the letters
 * @param {string} folder for what is written
 */
function training(data, folder) {
  say("  training on letters");
  return measure(
    (size, threads, flags) => [
      ...["train", "tag", data, "--format", "letters", "--pixels", "8x4", "--folds", "0,2-9"],
      ...["--order", "3", "--contexts", "10", "--rows", "longest", "--l2", "0", "--held-out", "0", "--quiet"],
      ...["--passes", size === "short" ? "1" : "9", "--threads", String(threads), ...flags],
      ...["--out", join(folder, "letters.sg")],
    ],
    { ...pair, "two threads, --deterministic": { threads: 2, flags: ["--deterministic"] } },
  );
}

/** @param {string} folder for what is written */
async function prediction(folder) {
  const sentences = brown();
  const labelled = join(folder, "training.txt");
  writeFileSync(labelled, columnText(sentences.slice(0, 1500), true));
  const short = join(folder, "short.txt");
  const long = join(folder, "long.txt");
  // Long enough that every thread has compiled what it runs often.
  writeFileSync(short, columnText(sentences.slice(1500), false));
  writeFileSync(long, columnText(Array.from({ length: 4 }, () => sentences.slice(1500)).flat(), false));
  const model = join(folder, "brown.sg");
  say("  predicting parts of speech");
  await runNode([
    commandLine,
    ...["train", "tag", labelled, "--order", "2", "--contexts", "20", "--l2", "0.1", "--passes", "3", "--quiet"],
    ...["--out", model],
  ]);
  return measure(
    (size, threads) => ["predict", model, size === "short" ? short : long, "--threads", String(threads)],
    pair,
  );
}

/**
 * The clock decides, but only where threads had cores to run on.
 * @param {string} task
 * @param {Ratios} ratios
 * @param {boolean} isBusy
 */
function checkOf(task, ratios, isBusy) {
  const { clock, busiest } = ratios["two threads"];
  const decided = check(`two threads vs. one: ${task}`, ">=", 1.7, clock.median, "×");
  if (!isBusy) return decided;
  const text = `${decided.found} wall-clock time on a busy machine, at most ${number(busiest.median)}×`;
  return { ...decided, found: text, met: undefined };
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const isBusy = loadavg()[0] > 1;
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  /** @type {Record<string, Ratios>} */
  const found = {};
  const paths = await dataset("letters");
  if (paths) found["training, letters, order 3, B = 10"] = await training(paths["letter.data.gz"], folder);
  found["prediction, parts of speech, order 2, B = 20"] = await prediction(folder);
  rmSync(folder, { recursive: true });

  const rows = Object.entries(found).flatMap(([task, own]) =>
    Object.entries(own).map(([name, { clock, busiest, cpu }]) => [
      task,
      name,
      spreadText(clock),
      spreadText(busiest),
      number(1 / cpu.median),
    ]),
  );
  return {
    title: "One thread vs. two",
    about:
      "How many times as fast two threads are: by wall-clock time, which means little while other programs use the cores (see the load below), and " +
      "by the processor time of the busiest thread, which is the most that two free cores would allow. The last column is the processor time of " +
      "all threads together, relative to one thread. Startup and reading the data are not counted.",
    tables: [{ title: "", head: ["task", "", "wall-clock time", "busiest thread", "processor time"], rows }],
    checks: Object.entries(found).map(([task, ratios]) => checkOf(task, ratios, isBusy)),
    figures: found,
  };
}
