// WebAssembly against the reference kernel on the inference loops alone: slot scores are computed before.
import { useBackend } from "#stargram/engine/choice.js";
import { TaggerEngine } from "#stargram/tasks/tag/learner.js";
import { taggerRows } from "#stargram/tasks/tag/rows.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { letters, madeUp, madeUpWeights, pronunciations } from "../data.mjs";
import { backends, loopsOf, record } from "../engines.mjs";
import { check, inTurns, number, rate, say, speedUp, spreadText } from "../harness.mjs";

const SEQUENCES = 100;
const loops = /** @type {const} */ (["forward", "best", "counts", "output"]);

/** @typedef {import("../harness.mjs").Spread} Spread */
/** @typedef {{ ratio: Spread, perSecond: { js: Spread, wasm: Spread } }} Measured */

/**
 * Problems of made-up sequences.
 * @param {{ labels: number, length: number, attributes: number }} shape
 * @param {import("#stargram/engine/trellis.js").Inference} inference
 */
function madeUpCase(shape, inference) {
  const { corpus, sizes } = madeUp({ ...shape, sequences: SEQUENCES });
  const rows = taggerRows(corpus, sizes, { order: inference.order, minCount: 1 });
  const engine = new TaggerEngine(rows, inference);
  const weights = madeUpWeights(rows.table.symbols.length);
  const recorded = record(engine.kernel, () => {
    for (let s = 0; s < SEQUENCES; s++) engine.forward(corpus, s, weights);
  });
  return { recorded, weights, decisions: SEQUENCES * shape.length };
}

/**
 * Problems of handwritten words under a model that was trained on others.
 * @param {Partial<import("#stargram/tasks/tag/options.js").TaggerOptions>} options
 */
async function lettersCase(options) {
  const training = await letters([2, 3]);
  const words = await letters([0]);
  if (!training || !words) return undefined;
  const tagger = await Tagger.train(training, { ...options, passes: 3, heldOut: 0, l2: 0, seed: 1 });
  const engine = engineOf(tagger);
  const some = words.slice(0, SEQUENCES);
  const recorded = record(engine.kernel, () => {
    for (const word of some) tagger.predict(word);
  });
  return {
    recorded,
    weights: tagger.weights,
    decisions: some.reduce((sum, { labels }) => sum + (labels?.length ?? 0), 0),
  };
}

async function transducerCase() {
  const pairs = pronunciations(1500);
  const transducer = await Transducer.train(pairs, { passes: 2, l2: 4, seed: 1 });
  const engine = engineOf(transducer);
  const recorded = record(engine.kernel, () => {
    for (const { input } of pairs.slice(0, SEQUENCES)) transducer.predict(input);
  });
  return {
    recorded,
    weights: transducer.weights,
    decisions: pairs.slice(0, SEQUENCES).reduce((sum, { input }) => sum + input.length, 0),
  };
}

/**
 * @param {Tagger | Transducer} model
 * @returns {{ kernel: import("#stargram/engine/backend.js").Kernel }}
 */
function engineOf(model) {
  // Not public, and wanted here alone.
  return /** @type {any} */ (model).engine;
}

/** What is measured, by name; a case is undefined where its data is missing. */
function casesByName() {
  const rcms = /** @type {const} */ ({ mode: "rcms", recombine: true });
  const text = { labels: 26, length: 10, attributes: 15 };
  return {
    "26 labels, order 3, B = 10, longest rows": () =>
      madeUpCase(text, { ...rcms, order: 3, contexts: 10, rows: "longest" }),
    "26 labels, order 5, B = 20, all rows": () => madeUpCase(text, { ...rcms, order: 5, contexts: 20, rows: "all" }),
    "letters, order 3, B = 10, longest rows": () => lettersCase({ order: 3, contexts: 10, rows: "longest" }),
    "letters, order 5, B = 20, all rows": () => lettersCase({ order: 5, contexts: 20, rows: "all" }),
    "22 labels (chunking), order 2, B = 10, all rows": () =>
      madeUpCase({ labels: 22, length: 24, attributes: 20 }, { ...rcms, order: 2, contexts: 10, rows: "all" }),
    "200 labels, order 2, B = 20, all rows": () =>
      madeUpCase({ labels: 200, length: 24, attributes: 20 }, { ...rcms, order: 2, contexts: 20, rows: "all" }),
    "spelling to sound, order 8, B = 6": transducerCase,
  };
}

/**
 * Each loop in both kernels, in turns.
 * @param {NonNullable<Awaited<ReturnType<typeof lettersCase>>>} made
 */
async function measure({ recorded, weights, decisions }) {
  const js = loopsOf(backends.js, recorded, weights);
  const wasm = loopsOf(backends.wasm, recorded, weights);
  const found = /** @type {Record<(typeof loops)[number], Measured>} */ ({});
  for (const loop of loops) {
    const times = await inTurns({ js: js[loop], wasm: wasm[loop] }, { rounds: 7, least: 0.1 });
    found[loop] = {
      ratio: speedUp(times.js, times.wasm),
      perSecond: { js: rate(times.js, decisions), wasm: rate(times.wasm, decisions) },
    };
  }
  return found;
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  useBackend(backends.js);
  /** @type {string[][]} */
  const rows = [];
  /** @type {Record<string, unknown>} */
  const figures = {};
  let lowest = Number.POSITIVE_INFINITY;
  for (const [name, make] of Object.entries(casesByName())) {
    const made = await make();
    if (!made) {
      rows.push([name, "data missing", "", "", "", ""]);
      continue;
    }
    say(`  ${name}`);
    const found = await measure(made);
    const ratios = loops.map((loop) => found[loop].ratio);
    figures[name] = found;
    rows.push([name, ...ratios.map(spreadText), number(found.output.perSecond.wasm.median)]);
    if (!name.startsWith("22 labels")) lowest = Math.min(lowest, ...ratios.map(({ median }) => median));
  }
  return {
    title: "WebAssembly vs. the reference kernel",
    about:
      "How many times as fast WebAssembly is, for the inference loops alone (slot scores are computed before): the forward pass; the forward pass " +
      "and the best path; the forward and backward pass with expected counts (learning); and the best output alone (prediction), for which " +
      "WebAssembly needs no trellis if the model is a tagger. The last column is the number of positions per second in WebAssembly, best output.",
    tables: [
      {
        title: "",
        head: ["problem", "forward", "forward, best path", "forward, backward, counts", "best output", "positions/s"],
        rows,
      },
    ],
    checks: [check("WebAssembly vs. the reference kernel, 26 labels or more, slowest case", ">=", 3, lowest, "×")],
    figures,
  };
}
