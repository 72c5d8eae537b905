// One line through `stargram predict` with a model of about 10 MB, and where that time goes: stages are commands that do a
// little more each, so differences are what each stage takes.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { saveModel } from "#stargram/workflows/disk.js";
import { brown } from "../data.mjs";
import { check, commandLine, number, runNode, say, spread, spreadText } from "../harness.mjs";

const ROUNDS = 15;
const WANTED_BYTES = 10e6;
/** The last stage. */
const WHOLE = "predicting with the 10 MB model";

/**
 * Saves a tagger of about the wanted size: trained on as many sentences as make it so large.
 * @param {string} file
 * @param {ReturnType<typeof brown>} sentences
 */
async function saveLarge(file, sentences) {
  let count = 5_000;
  let bytes = 0;
  for (let attempt = 0; attempt < 4; attempt++) {
    say(`  training on ${count} sentences`);
    const tagger = await Tagger.train(sentences.slice(0, count), { order: 2, l2: 0.1, passes: 1, heldOut: 0, seed: 1 });
    await saveModel(tagger, file);
    bytes = statSync(file).size;
    if (Math.abs(bytes / WANTED_BYTES - 1) < 0.15 || count === sentences.length) break;
    count = Math.min(sentences.length, Math.round((count * WANTED_BYTES) / bytes));
  }
  return { count, bytes };
}

/** Times of each stage, round by round, and peak memory of the whole. @param {Record<string, string[]>} stages */
async function timesOf(stages) {
  say("  starting");
  /** @type {Record<string, { cpu: number, clock: number }[]>} */
  const times = Object.fromEntries(Object.keys(stages).map((name) => [name, []]));
  let peak = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, words] of Object.entries(stages)) {
      const done = await runNode(words);
      if (round > 0) times[name].push(done); // the first fills the disk cache
      if (name === WHOLE) peak = done.peak;
    }
  }
  return { times, peak };
}

/** @param {readonly { cpu: number, clock: number }[]} own @param {"cpu" | "clock"} by */
const milliseconds = (own, by) => spread(own.map((one) => 1e3 * one[by]));

/**
 * A row for each stage: what it takes, and what it takes more than the one before.
 * @param {Awaited<ReturnType<typeof timesOf>>["times"]} times
 */
function rowsOf(times) {
  const stages = Object.entries(times);
  return stages.map(([name, own], i) => {
    const before = stages[i - 1]?.[1];
    const added = before ? spread(own.map((one, round) => 1e3 * (one.cpu - before[round].cpu))) : undefined;
    const fastest = Math.min(...own.map(({ clock }) => 1e3 * clock));
    return [
      name,
      spreadText(milliseconds(own, "cpu")),
      added ? spreadText(added) : "",
      spreadText(milliseconds(own, "clock")),
      number(fastest),
    ];
  });
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const isBusy = loadavg()[0] > 1;
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const model = join(folder, "model.sg");
  const sentences = brown();
  const { count, bytes } = await saveLarge(model, sentences);
  const small = join(folder, "small.sg");
  await saveModel(await Tagger.train(sentences.slice(0, 20), { order: 2, l2: 0.1, passes: 1, heldOut: 0 }), small);
  const line = join(folder, "line.txt");
  writeFileSync(line, "The\ndog\nbarks\n.\n");
  const { times, peak } = await timesOf({
    "Node alone": ["-e", ""],
    "loading the command (`stargram predict --help`)": [commandLine, "predict", "--help"],
    "predicting with a model trained on 20 sentences": [commandLine, "predict", small, line],
    [WHOLE]: [commandLine, "predict", model, line],
  });
  rmSync(folder, { recursive: true });
  const what = "one line through `stargram predict` with a 10 MB model";
  const byClock = check(`${what}, wall-clock time`, "<=", 150, milliseconds(times[WHOLE], "clock").median, " ms");
  return {
    title: "Starting up",
    about:
      `One sentence through \`stargram predict\` with a model of ${number(bytes / 1e6)} MB (parts of speech, ${count} sentences of ` +
      "the Brown corpus). Each row does what the row above does and a little more. Times are milliseconds.",
    tables: [
      {
        title: "",
        head: ["stage", "processor", "more than the row above", "clock", "clock, fastest"],
        rows: rowsOf(times),
      },
    ],
    notes: [`Peak memory of \`stargram predict\`: ${number(peak / 2 ** 20)} MB.`],
    checks: [
      check(`${what}, processor time`, "<=", 150, milliseconds(times[WHOLE], "cpu").median, " ms"),
      isBusy ? { ...byClock, found: `${byClock.found} on a busy machine`, met: undefined } : byClock,
    ],
    figures: { bytes, times },
  };
}
