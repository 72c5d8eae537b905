// CoNLL-2000 chunking: processor time of training and F1 on the test part, against the npm package crfsuite (L-BFGS, default
// settings) on the same attributes. The settings are those of the experiments, which were chosen on held-out training data.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaggingScore } from "#stargram/metrics/tagging.js";
import { chunkingAttributes } from "#stargram/tasks/tag/attributes.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { dataset, sequencesOf } from "../data.mjs";
import { check, number, say, timed } from "../harness.mjs";
import { absent, npmCrfsuite } from "../rivals.mjs";

const settings = { order: 2, contexts: 10, l2: 1, rate: 0.3, heldOut: 0, passes: 8, seed: 1 };

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const title = "Chunking: training time at equal F1";
  const paths = await dataset("conll2000");
  if (!paths) return { title, about: "The data set `conll2000` is missing.", tables: [], figures: {} };
  const read = async (/** @type {string} */ path) => {
    const sentences = await sequencesOf(path, { format: "columns", labelled: true });
    return sentences.map(({ columns = [], labels = [] }) => ({
      attributes: chunkingAttributes(columns),
      labels: /** @type {string[]} */ (labels),
    }));
  };
  const training = await read(paths["train.txt"]);
  const test = await read(paths["test.txt"]);
  const f1 = (/** @type {(attributes: string[][]) => readonly string[]} */ tag) => {
    const score = new TaggingScore();
    for (const { attributes, labels } of test) score.add(labels, [...tag(attributes)], 1);
    return 100 * (score.report().chunks?.f1 ?? Number.NaN);
  };
  const tokens = test.reduce((sum, { labels }) => sum + labels.length, 0);
  /** @type {{ name: string, training: number, f1: number, rate: number }[]} */
  const found = [];

  say("  training");
  /** @type {Tagger | undefined} */
  let tagger;
  const own = await timed(async () => {
    tagger = await Tagger.train(training, settings);
  });
  const made = /** @type {Tagger} */ (/** @type {unknown} */ (tagger));
  const tag = (/** @type {string[][]} */ attributes) => made.predict({ attributes }).labels;
  const ownF1 = f1(tag);
  const ownTagging = await timed(() => test.forEach(({ attributes }) => void tag(attributes)));
  found.push({ name: "Stargram, order 2, B = 10", training: own.cpu, f1: ownF1, rate: tokens / ownTagging.cpu });

  const { crfsuite, why } = npmCrfsuite();
  if (crfsuite) {
    say("  training crfsuite");
    const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
    const trainer = new crfsuite.Trainer();
    const rival = new crfsuite.Tagger();
    const { cpu } = await timed(() => {
      for (const { attributes, labels } of training) trainer.append(attributes, labels);
      trainer.train(join(folder, "chunking.crfsuite"));
    });
    rival.open(join(folder, "chunking.crfsuite"));
    const rivalF1 = f1((attributes) => rival.tag(attributes));
    const tagging = await timed(() => test.forEach(({ attributes }) => void rival.tag(attributes)));
    found.push({ name: "crfsuite, order 1, L-BFGS", training: cpu, f1: rivalF1, rate: tokens / tagging.cpu });
    rmSync(folder, { recursive: true });
  }
  const ratio = found[1] && found[0].training / found[1].training;
  return {
    title,
    about:
      `${training.length} sentences to train, ${test.length} to test (${tokens} tokens), attributes of CRFsuite's chunking ` +
      "example, given to both as arrays of strings. Processor time from these to a trained model.",
    tables: [
      {
        title: "",
        head: ["", "training, s", "chunk F1", "tokens/s in tagging"],
        rows: found.map((one) => [one.name, number(one.training), one.f1.toFixed(2), number(one.rate)]),
      },
    ],
    notes: [...(why ? [`${why}.`] : []), ...absent(["crfsuite", "wapiti", "crf_learn"])],
    checks: [
      check("chunking: F1", ">=", 93.6, Number(found[0].f1.toFixed(2))),
      check("chunking: training time against crfsuite's", "<=", 1, ratio, "×"),
    ],
    figures: { found },
  };
}
