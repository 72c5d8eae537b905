// RCMS, beam search and exact inference at equal accuracy: handwritten words, each way of search trained and judged with the
// same number of contexts, on folds other than the test set of the experiments; beside these RCMS with a budget of contexts, and
// beam search by weights that RCMS has learned. The fewest contexts that reach a share of the words right, and what a letter then
// takes.
import { linePlot } from "#stargram/metrics/svg.js";
import { inferenceOf } from "#stargram/tasks/tag/options.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { letters, numbered } from "../data.mjs";
import { inTurns, number, say, spread, spreadText } from "../harness.mjs";

const TRAINING = [0, 2, 3, 4, 5, 6, 7, 8];
const HELD_OUT = [9];
const SHARES = [0.75, 0.8, 0.85, 0.9, 0.92, 0.94];
const usual = { order: 3, rows: /** @type {const} */ ("longest"), rate: 0.2, l2: 0, heldOut: 0, passes: 6, seed: 1 };

/** @typedef {{ mode: "rcms" | "beam" | "exact", contexts: number | { least: number, most: number } }} Search */
/** @typedef {{ way: string, search: Search, read?: Search, passes?: number }} Setting */

/** @type {(mode: Search["mode"], contexts: Search["contexts"]) => Search} */
const by = (mode, contexts) => ({ mode, contexts });

/** @type {Setting[]} */
const settings = [
  ...[2, 5, 10, 20, 40].map((b) => ({ way: "RCMS", search: by("rcms", b) })),
  ...[20, 40, 100, 200].map((most) => ({ way: "RCMS, budget", search: by("rcms", { least: 5, most }) })),
  ...[5, 10, 20, 40, 100, 200].map((b) => ({ way: "beam", search: by("beam", b) })),
  ...[5, 10, 20, 40].map((b) => ({ way: "beam, RCMS's weights", search: by("rcms", b), read: by("beam", b) })),
  { way: "exact", search: by("exact", 0), passes: 3 },
];
const ways = [...new Set(settings.map(({ way }) => way))];

/** @param {Setting} setting */
function sizeOf({ way, search: { contexts } }) {
  if (way === "exact") return "";
  return typeof contexts === "number" ? `B = ${contexts}` : `B = ${contexts.least} to ${contexts.most}`;
}

/** @typedef {{ way: string, size: string, right: number, name: string }} Judged */
/** @typedef {Record<string, import("../harness.mjs").Spread>} Spreads */

/**
 * Trains and judges each setting; `works` tag all words again, to be timed.
 * @param {NonNullable<Awaited<ReturnType<typeof letters>>>} training
 * @param {NonNullable<Awaited<ReturnType<typeof letters>>>} judged
 */
async function trainAll(training, judged) {
  /** @type {Judged[]} */
  const found = [];
  /** @type {Record<string, () => void>} */
  const works = {};
  for (const setting of settings) {
    const { way, search, read, passes = usual.passes } = setting;
    const size = sizeOf(setting);
    const name = size ? `${way}, ${size}` : way;
    say(`  ${name}`);
    const tagger = await Tagger.train(training, { ...usual, passes, ...search });
    const right = judged.filter(({ attributes, labels = [] }) => {
      return tagger.predict({ attributes }, { inference: read }).labels.every((label, i) => label === labels[i]);
    }).length;
    found.push({ way, size, right: right / judged.length, name });
    const { corpus, engine } = numbered(tagger, judged);
    const frozen = engine.freeze(tagger.weights);
    const inference = inferenceOf({ ...tagger.options, ...read });
    works[name] = () => {
      for (let s = 0; s < corpus.sequenceCount; s++) engine.bestOutput(corpus, s, frozen, inference);
    };
  }
  return { found, works };
}

/**
 * The fastest setting of a way that gets a share of the words right.
 * @param {string} way
 * @param {number} share
 * @param {readonly Judged[]} found
 * @param {Spreads} microseconds
 */
function fastest(way, share, found, microseconds) {
  const enough = found.filter((one) => one.way === way && one.right >= share);
  const least = enough.sort((a, b) => microseconds[a.name].median - microseconds[b.name].median)[0];
  if (!least) return "not reached";
  return `${least.size && `${least.size}: `}${number(microseconds[least.name].median)} µs`;
}

/**
 * Share of the words right over time.
 * @param {readonly Judged[]} found
 * @param {Spreads} microseconds
 */
function plotOf(found, microseconds) {
  return linePlot({
    title: "Handwritten words: accuracy by time",
    x: {
      label: "microseconds per letter (logarithmic)",
      format: (value) => number(Number((10 ** value).toPrecision(2))),
    },
    y: { label: "words right", format: "percent" },
    series: ways.map((way) => ({
      name: way,
      points: found
        .filter((one) => one.way === way)
        .map(({ name, right }) => /** @type {const} */ ([Math.log10(microseconds[name].median), right])),
    })),
  });
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const title = "RCMS, beam and exact search at equal accuracy";
  const training = await letters(TRAINING);
  const judged = await letters(HELD_OUT);
  if (!training || !judged) return { title, about: "The data set `letters` is missing.", tables: [], figures: {} };
  const letterCount = judged.reduce((sum, { labels = [] }) => sum + labels.length, 0);

  const { found, works } = await trainAll(training, judged);
  say("  timing");
  const times = await inTurns(works, { rounds: 5, least: 0.1, warmUps: 1 });
  const microseconds = Object.fromEntries(
    Object.entries(times).map(([name, own]) => [name, spread(own.map(({ cpu }) => (1e6 * cpu) / letterCount))]),
  );
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  return {
    title,
    about:
      `Handwritten words, 8 × 4 pixels per letter, order 3, \`longest\` rows; trained on folds ${TRAINING.join(", ")} for ${usual.passes} passes ` +
      `(exact: 3) and evaluated on fold ${HELD_OUT.join()}. Each kind of search is evaluated on a model that was trained with it; the column ` +
      "*beam, RCMS's weights* is beam search on a model trained with RCMS. Times are microseconds per letter: slot scores, and the best output " +
      "with its probability.",
    tables: [
      {
        title: "The fastest setting for a share of words right",
        head: ["words right", ...ways],
        rows: SHARES.map((share) => [percent(share), ...ways.map((way) => fastest(way, share, found, microseconds))]),
      },
      {
        title: "All settings",
        head: ["", "words right", "µs per letter"],
        rows: found.map(({ name, right }) => [name, percent(right), spreadText(microseconds[name])]),
      },
    ],
    plots: { "accuracy.svg": plotOf(found, microseconds) },
    figures: { found, microseconds },
  };
}
