// RCMS, beam search and exact inference at equal accuracy: handwritten words, each way of search trained and judged with the
// same number of contexts, on folds other than the test set of the experiments. The fewest contexts that reach a share of
// the words right, and what a letter then takes.
import { linePlot } from "#stargram/metrics/svg.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { letters, numbered } from "../data.mjs";
import { inTurns, number, say, spread, spreadText } from "../harness.mjs";

const TRAINING = [0, 2, 3, 4, 5, 6, 7, 8];
const HELD_OUT = [9];
const SHARES = [0.75, 0.8, 0.85, 0.9, 0.92];
const usual = { order: 3, rows: /** @type {const} */ ("longest"), rate: 0.2, l2: 0, heldOut: 0, passes: 6, seed: 1 };

/** @type {{ mode: "rcms" | "beam" | "exact", contexts: number, passes?: number }[]} */
const settings = [
  ...[2, 5, 10, 20, 40].map((contexts) => ({ mode: /** @type {const} */ ("rcms"), contexts })),
  ...[5, 10, 20, 40, 100, 200].map((contexts) => ({ mode: /** @type {const} */ ("beam"), contexts })),
  { mode: "exact", contexts: 0, passes: 3 },
];
const nameOf = { rcms: "RCMS", beam: "beam", exact: "exact" };

const modes = /** @type {const} */ (["rcms", "beam", "exact"]);

/** @typedef {{ mode: "rcms" | "beam" | "exact", contexts: number, right: number, name: string }} Judged */
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
  for (const { mode, contexts, passes = usual.passes } of settings) {
    const name = mode === "exact" ? "exact" : `${nameOf[mode]}, B = ${contexts}`;
    say(`  ${name}`);
    const tagger = await Tagger.train(training, { ...usual, passes, mode, contexts });
    const right = judged.filter(({ attributes, labels = [] }) => {
      return tagger.predict({ attributes }).labels.every((label, i) => label === labels[i]);
    }).length;
    found.push({ mode, contexts, right: right / judged.length, name });
    const { corpus, engine } = numbered(tagger, judged);
    const frozen = engine.freeze(tagger.weights);
    works[name] = () => {
      for (let s = 0; s < corpus.sequenceCount; s++) engine.bestOutput(corpus, s, frozen);
    };
  }
  return { found, works };
}

/**
 * The fastest setting of a mode that gets a share of the words right.
 * @param {"rcms" | "beam" | "exact"} mode
 * @param {number} share
 * @param {readonly Judged[]} found
 * @param {Spreads} microseconds
 */
function fastest(mode, share, found, microseconds) {
  const enough = found.filter((one) => one.mode === mode && one.right >= share);
  const least = enough.sort((a, b) => microseconds[a.name].median - microseconds[b.name].median)[0];
  if (!least) return "not reached";
  return `${mode === "exact" ? "" : `B = ${least.contexts}: `}${number(microseconds[least.name].median)} µs`;
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
      label: "microseconds a letter (logarithmic)",
      format: (value) => (Number.isInteger(value) ? number(10 ** value) : ""),
    },
    y: { label: "words right", format: "percent" },
    series: modes.map((mode) => ({
      name: nameOf[mode],
      points: found
        .filter((one) => one.mode === mode)
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
      `Handwritten words, 8 × 4 pixels, order 3, \`longest\` rows; trained on folds ${TRAINING.join(", ")} for ${usual.passes} passes ` +
      `(exact: 3) and judged on fold ${HELD_OUT.join()}. Each way is trained with the search it is judged with. Microseconds a ` +
      "letter: slot scores, and the best output with its probability.",
    tables: [
      {
        title: "The fastest that gets so many words right",
        head: ["words right", ...modes.map((mode) => nameOf[mode])],
        rows: SHARES.map((share) => [
          percent(share),
          ...modes.map((mode) => fastest(mode, share, found, microseconds)),
        ]),
      },
      {
        title: "All settings",
        head: ["", "words right", "µs a letter"],
        rows: found.map(({ name, right }) => [name, percent(right), spreadText(microseconds[name])]),
      },
    ],
    plots: { "accuracy.svg": plotOf(found, microseconds) },
    figures: { found, microseconds },
  };
}
