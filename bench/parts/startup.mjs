// One line through `stargram predict` with a model of about 10 MB, and where that time goes: stages are programs that do a
// little more each, so differences are what each stage takes.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveModel } from "../../dist/model/disk.js";
import { Tagger } from "../../dist/tasks/tagger.js";
import { brown } from "../data.mjs";
import { check, commandLine, number, root, runNode, say, spread, spreadText } from "../harness.mjs";

const ROUNDS = 15;
const WANTED_BYTES = 10e6;

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const model = join(folder, "model.sg");
  const sentences = brown();
  // As many sentences as make a model of the wanted size.
  let count = 5_000;
  let bytes = 0;
  for (let attempt = 0; attempt < 4; attempt++) {
    say(`  training on ${count} sentences`);
    const tagger = await Tagger.train(sentences.slice(0, count), { order: 2, l2: 0.1, epochs: 1, heldOut: 0, seed: 1 });
    await saveModel(tagger, model);
    bytes = statSync(model).size;
    if (Math.abs(bytes / WANTED_BYTES - 1) < 0.15 || count === sentences.length) break;
    count = Math.min(sentences.length, Math.round((count * WANTED_BYTES) / bytes));
  }
  const line = join(folder, "line.txt");
  writeFileSync(line, "The\ndog\nbarks\n.\n");

  const dist = new URL("../../dist/", import.meta.url).href;
  const stage = (/** @type {string} */ code) => ["--input-type=module", "-e", code];
  const load = `const { loadModel } = await import("${dist}model/disk.js"); const model = await loadModel(${JSON.stringify(model)});`;
  /** @type {Record<string, string[]>} */
  const stages = {
    "Node alone": stage(""),
    "imports of the command": stage(`await import("commander"); await import("${dist}cli/commands/predict.js");`),
    "reading the model": stage(`await import("commander"); await import("${dist}cli/commands/predict.js"); ${load}`),
    "the prediction": stage(
      `await import("commander"); await import("${dist}cli/commands/predict.js"); ${load} model.predict({ columns: [["The"], ["dog"], ["barks"], ["."]] }, { confidences: true });`,
    ),
    "stargram predict": [commandLine, "predict", model, line],
  };
  say("  starting");
  /** @type {Record<string, { cpu: number, clock: number }[]>} */
  const times = Object.fromEntries(Object.keys(stages).map((name) => [name, []]));
  let peak = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, words] of Object.entries(stages)) {
      const done = await runNode(words, { env: { NODE_PATH: join(root, "node_modules") } });
      if (round > 0) times[name].push(done); // the first fills the disk cache
      if (name === "stargram predict") peak = done.peak;
    }
  }
  rmSync(folder, { recursive: true });
  const names = Object.keys(stages);
  const milliseconds = (/** @type {string} */ name, /** @type {"cpu" | "clock"} */ by) =>
    spread(times[name].map((one) => 1e3 * one[by]));
  const rows = names.map((name, i) => {
    const before = names[i - 1];
    const added = before
      ? spread(times[name].map((one, round) => 1e3 * (one.cpu - times[before][round].cpu)))
      : undefined;
    const fastest = Math.min(...times[name].map(({ clock }) => 1e3 * clock));
    return [
      name,
      spreadText(milliseconds(name, "cpu")),
      added ? spreadText(added) : "",
      spreadText(milliseconds(name, "clock")),
      number(fastest),
    ];
  });
  const whole = milliseconds("stargram predict", "cpu");
  return {
    title: "Starting up",
    about:
      `One sentence through \`stargram predict\` with a model of ${number(bytes / 1e6)} MB (parts of speech, ${count} sentences of ` +
      "the Brown corpus). Each line does what the line above does and a little more; milliseconds.",
    tables: [
      {
        title: "",
        head: ["up to", "processor", "more than the line above", "clock", "clock, fastest"],
        rows,
      },
    ],
    notes: [`Peak memory of \`stargram predict\`: ${number(peak / 2 ** 20)} MB.`],
    checks: [
      check(
        "one line through `stargram predict` with a model of 10 MB, processor time",
        "<=",
        150,
        whole.median,
        " ms",
      ),
    ],
    figures: { bytes, times },
  };
}
