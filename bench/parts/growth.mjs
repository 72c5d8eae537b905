// How time grows with the length of a sequence, contexts, labels, order and features: one thing at a time, on made-up
// sequences, with the exponent of a power law fitted to the upper part by least squares.

import { backend } from "#stargram/engine/choice.js";
import { linePlot } from "#stargram/metrics/svg.js";
import { TaggerLearner } from "#stargram/tasks/tag/learner.js";
import { taggerRows } from "#stargram/tasks/tag/rows.js";
import { madeUp, madeUpWeights } from "../data.mjs";
import { check, exponent, inTurns, number, say, spread } from "../harness.mjs";

const usual = { labels: 26, length: 50, attributes: 10, order: 3, contexts: 10, sequences: 10, training: 200 };
/** @typedef {typeof usual} Shape */

/** @type {Record<string, { title: string, unit: string, values: number[], from: number, most?: number, shape: (value: number) => Partial<Shape> }>} */
const series = {
  length: {
    title: "sequence length",
    unit: "positions",
    values: [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
    from: 1_000,
    most: 1.05,
    shape: (length) => ({ length, labels: 10, contexts: 5, sequences: 1 }),
  },
  contexts: {
    title: "contexts kept (B)",
    unit: "contexts",
    values: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    from: 20,
    most: 1.1,
    shape: (contexts) => ({ contexts, sequences: 2 }),
  },
  labels: {
    title: "labels",
    unit: "labels",
    values: [2, 5, 10, 20, 50, 100, 200, 500, 1_000],
    from: 50,
    most: 1.1,
    shape: (labels) => ({ labels, order: 2, sequences: 2 }),
  },
  order: {
    title: "order",
    unit: "labels back",
    values: [1, 2, 3, 4, 5, 6, 7, 8],
    from: 3,
    shape: (order) => ({ order }),
  },
  features: {
    title: "features per position",
    unit: "features",
    values: [1, 2, 5, 10, 20, 50, 100, 200],
    from: 20,
    shape: (attributes) => ({ attributes }),
  },
};

/**
 * Prediction (slot scores, best output) and learning (slot scores, forward and backward pass, expected counts).
 * @param {Partial<Shape>} given
 */
function workOf(given) {
  const { labels, length, attributes, order, contexts, sequences, training } = { ...usual, ...given };
  // Rows are those that a corpus of the usual size has, or the sequence at hand if it is longer.
  const count = Math.max(sequences, Math.ceil((training * usual.length) / length));
  const { corpus, sizes } = madeUp({ labels, length, attributes, sequences: count });
  const rows = taggerRows(corpus, sizes, { order, minCount: 1 });
  const learner = new TaggerLearner(corpus, rows, { mode: "rcms", recombine: true, order, contexts, rows: "all" });
  const { engine } = learner;
  const { arrays } = backend();
  const weights = arrays.placed(madeUpWeights(rows.table.symbols.length));
  const counts = arrays.float64(weights.length);
  const slotCounts = arrays.float64((length + 2) * (labels + 1));
  const frozen = engine.freeze(weights);
  return {
    positions: sequences * length,
    prediction() {
      for (let s = 0; s < sequences; s++) engine.bestOutput(learner.corpus, s, frozen);
    },
    learning() {
      for (let s = 0; s < sequences; s++) {
        engine.forward(learner.corpus, s, weights);
        engine.kernel.backward();
        engine.kernel.addExpectations(counts, slotCounts, 1);
      }
    },
  };
}

/**
 * Microseconds of a sequence (for length) or a position (for all else), and the exponent of a power law.
 * @typedef {{ points: [number, number][], band: [number, number, number][], exponent: number }} Curve
 */

const kinds = /** @type {const} */ (["prediction", "learning"]);

/**
 * @param {string} name
 * @returns {Promise<Record<"prediction" | "learning", Curve>>}
 */
async function measure(name) {
  const { values, from, shape } = series[name];
  const works = values.map((value) => workOf(shape(value)));
  const found = /** @type {Record<"prediction" | "learning", Curve>} */ ({});
  for (const kind of kinds) {
    const times = await inTurns(Object.fromEntries(values.map((value, i) => [`${value}:`, works[i][kind]])), {
      rounds: 5,
      least: 0.1,
    });
    const spreads = values.map((value, i) =>
      spread(times[`${value}:`].map(({ cpu }) => (1e6 * cpu) / (name === "length" ? 1 : works[i].positions))),
    );
    const points = values.map((value, i) => /** @type {[number, number]} */ ([value, spreads[i].median]));
    found[kind] = {
      points,
      band: values.map((value, i) => [value, spreads[i].low, spreads[i].high]),
      exponent: exponent(points.filter(([value]) => value >= from)),
    };
  }
  return found;
}

/**
 * @param {string} name
 * @param {Awaited<ReturnType<typeof measure>>} found
 */
function rowOf(name, found) {
  const { title, values, from } = series[name];
  const last = values.length - 1;
  return [
    title,
    `${number(values[0])} to ${number(values[last])}`,
    ...kinds.map((kind) => `${number(found[kind].points[0][1])} to ${number(found[kind].points[last][1])}`),
    `≥ ${number(from)}`,
    ...kinds.map((kind) => found[kind].exponent.toFixed(2)),
  ];
}

/**
 * @param {string} name
 * @param {Awaited<ReturnType<typeof measure>>} found
 */
function plotOf(name, found) {
  const { title, unit } = series[name];
  const log = (/** @type {number} */ value) => Math.log10(value);
  const tick = (/** @type {number} */ value) => number(Number((10 ** value).toPrecision(2)));
  return linePlot({
    title: `Time by ${title}`,
    x: { label: `${unit} (logarithmic)`, format: tick },
    y: { label: `microseconds per ${name === "length" ? "sequence" : "position"} (logarithmic)`, format: tick },
    series: kinds.map((kind) => ({
      name: `${kind}, exponent ${found[kind].exponent.toFixed(2)}`,
      points: found[kind].points.map(([x, y]) => /** @type {const} */ ([log(x), log(y)])),
      band: found[kind].band.map(([x, low, high]) => /** @type {const} */ ([log(x), log(low), log(high)])),
    })),
  });
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  /** @type {string[][]} */
  const rows = [];
  /** @type {Record<string, string>} */
  const plots = {};
  /** @type {import("../harness.mjs").Check[]} */
  const checks = [];
  /** @type {Record<string, unknown>} */
  const figures = {};
  for (const [name, { title, from, most }] of Object.entries(series)) {
    say(`  ${title}`);
    const found = await measure(name);
    figures[name] = { unit: name === "length" ? "µs per sequence" : "µs per position", fittedFrom: from, ...found };
    rows.push(rowOf(name, found));
    plots[`growth-${name}.svg`] = plotOf(name, found);
    if (most === undefined) continue;
    for (const kind of kinds) {
      checks.push(check(`growth exponent of ${title}, ${kind}`, "<=", most, Number(found[kind].exponent.toFixed(3))));
    }
  }
  return {
    title: "Growth",
    about:
      `Random sequences. One quantity varies at a time; the others are ${usual.labels} labels, order ${usual.order}, B = ${usual.contexts}, all rows, ` +
      `${usual.attributes} features per position, ${usual.length} positions per sequence (varying length: 10 labels, B = 5; varying labels: order 2). ` +
      "Prediction computes slot scores and the best output with its probability; learning computes slot scores, the forward and backward " +
      "pass and expected counts. Times are microseconds per position (varying length: per sequence); the exponent is fitted to the range given.",
    tables: [
      {
        title: "",
        head: [
          "varies",
          "range",
          "µs, prediction",
          "µs, learning",
          "fitted",
          "exponent, prediction",
          "exponent, learning",
        ],
        rows,
      },
    ],
    checks,
    plots,
    figures,
  };
}
