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

/** @typedef {{ attributes: string[][], labels: string[] }} Sentence */

/** @param {string} path @returns {Promise<Sentence[]>} */
async function read(path) {
  const sentences = await sequencesOf(path, { format: "columns", labelled: true });
  return sentences.map(({ columns = [], labels = [] }) => ({
    attributes: chunkingAttributes(columns),
    labels: /** @type {string[]} */ (labels),
  }));
}

/** @param {readonly Sentence[]} test */
const tokenCount = (test) => test.reduce((sum, { labels }) => sum + labels.length, 0);

/**
 * F1 of chunks, and tokens a second of processor time.
 * @param {(attributes: string[][]) => readonly string[]} tag
 * @param {readonly Sentence[]} test
 */
async function judge(tag, test) {
  const score = new TaggingScore();
  for (const { attributes, labels } of test) score.add(labels, [...tag(attributes)], 1);
  const { cpu } = await timed(() => test.forEach(({ attributes }) => void tag(attributes)));
  return { f1: 100 * (score.report().chunks?.f1 ?? Number.NaN), rate: tokenCount(test) / cpu };
}

/** @param {readonly Sentence[]} training @param {readonly Sentence[]} test */
async function own(training, test) {
  say("  training");
  /** @type {Tagger | undefined} */
  let tagger;
  const { cpu } = await timed(async () => {
    tagger = await Tagger.train(training, settings);
  });
  const made = /** @type {Tagger} */ (/** @type {unknown} */ (tagger));
  const judged = await judge((attributes) => made.predict({ attributes }).labels, test);
  return { name: "Stargram, order 2, B = 10", training: cpu, ...judged };
}

/**
 * @param {NonNullable<ReturnType<typeof npmCrfsuite>["crfsuite"]>} crfsuite
 * @param {readonly Sentence[]} training
 * @param {readonly Sentence[]} test
 */
async function rival(crfsuite, training, test) {
  say("  training crfsuite");
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const trainer = new crfsuite.Trainer();
  const tagger = new crfsuite.Tagger();
  const { cpu } = await timed(() => {
    for (const { attributes, labels } of training) trainer.append(attributes, labels);
    trainer.train(join(folder, "chunking.crfsuite"));
  });
  tagger.open(join(folder, "chunking.crfsuite"));
  const judged = await judge((attributes) => tagger.tag(attributes), test);
  rmSync(folder, { recursive: true });
  return { name: "crfsuite, order 1, L-BFGS", training: cpu, ...judged };
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const title = "Chunking: training time at equal F1";
  const paths = await dataset("conll2000");
  if (!paths) return { title, about: "The data set `conll2000` is missing.", tables: [], figures: {} };
  const training = await read(paths["train.txt"]);
  const test = await read(paths["test.txt"]);
  const found = [await own(training, test)];
  const { crfsuite, why } = npmCrfsuite();
  if (crfsuite) found.push(await rival(crfsuite, training, test));
  const ratio = found[1] && found[0].training / found[1].training;
  return {
    title,
    about:
      `${training.length} training sentences, ${test.length} test sentences (${tokenCount(test)} tokens), with the attributes of CRFsuite's chunking ` +
      "example, given to both programs as arrays of strings. Training is the processor time from these arrays to a trained model.",
    tables: [
      {
        title: "",
        head: ["", "training, s", "chunk F1", "tokens/s when tagging"],
        rows: found.map((one) => [one.name, number(one.training), one.f1.toFixed(2), number(one.rate)]),
      },
    ],
    notes: [...(why ? [`${why}.`] : []), ...absent(["crfsuite", "wapiti", "crf_learn"])],
    checks: [
      check("chunking: F1", ">=", 93.6, Number(found[0].f1.toFixed(2))),
      check("chunking: training time relative to crfsuite", "<=", 1, ratio, "×"),
    ],
    figures: { found },
  };
}
