// One EM pass of decipherment: 2,000 sentences of 500 words under a substitution, order 2, 60 contexts. Dense (the reference
// kernel) against shared back-off rows, on one thread and on two.
import { readFileSync } from "node:fs";
import { Alphabet } from "#stargram/engine/alphabet.js";
import { ngramModel } from "#stargram/engine/ngram.js";
import { ReferenceKernel } from "#stargram/engine/reference/kernel.js";
import { commonClauses } from "#stargram/formats/clauses.js";
import { emissionsOf, LocalExpecter } from "#stargram/learn/em.js";
import { ThreadedExpecter } from "#stargram/learn/em-threads.js";
import { dataset, novels, shuffled } from "../data.mjs";
import { check, inTurns, number, rate, say, speedUp, spread, spreadText } from "../harness.mjs";

const SENTENCES = 2_000;
/** EM passes before the one that is measured: by then contexts are long. */
const PASSES_BEFORE = 4;

/** Sentences of the 500 commonest words. */
async function sentences() {
  const paths = await dataset("tatoeba");
  if (paths) {
    const lines = readFileSync(paths["top500-sentences.txt"], "utf8").split("\n");
    return { name: "Tatoeba", lines: lines.filter((line) => line !== "") };
  }
  return { name: "Gutenberg", lines: commonClauses(novels()) };
}

/** The sentences to decipher (each word stands for itself), the language of the others, and the emissions that some EM passes lead to. */
async function prepared() {
  const { name, lines } = await sentences();
  const words = new Alphabet();
  const sequences = lines.map((line) => Int32Array.from(line.split(" "), (word) => words.add(word)));
  const order = shuffled(sequences, 1);
  const secret = order.slice(0, SENTENCES);
  const ngram = ngramModel(order.slice(SENTENCES, 24_666), words.size);
  const count = words.size;
  /** @type {import("#stargram/engine/trellis.js").Inference} */
  const inference = { mode: "rcms", contexts: 60, order: 2, recombine: true, rows: "all" };
  const model = { ngram, plainCount: count, cipherCount: count, inference };

  const local = new LocalExpecter(model, secret);
  let logEmission = emissionsOf(new Float64Array(count * count), count, count, 1);
  for (let pass = 0; pass < PASSES_BEFORE; pass++) {
    const found = await local.expect(logEmission);
    if (found) logEmission = emissionsOf(found.counts, count, count, 0.01);
  }
  return { name, secret, model, local, logEmission };
}

/** @typedef {Awaited<ReturnType<typeof prepared>>} Prepared */

/**
 * Times and log-likelihoods of an EM pass over some of the sentences, dense and with shared rows.
 * @param {Prepared} prepared
 * @param {readonly Int32Array[]} part
 */
async function sharedAgainstDense({ model, local, logEmission }, part) {
  say("  shared against dense");
  const { ngram, inference } = model;
  const localPart = new LocalExpecter(model, part);
  const kernel = new ReferenceKernel();
  /** @type {Record<string, number | undefined>} */
  const logLikelihood = {};
  const times = await inTurns(
    {
      dense: () => {
        let sum = 0;
        for (const sequence of part) {
          const problem = local.counter.problem(sequence, logEmission);
          sum += kernel.forward(problem, ngram.space, ngram.weights, inference).logPartition;
          kernel.backward();
          kernel.addExpectations(undefined, new Float64Array(problem.graph.slotCount * problem.graph.symbolCount), 1);
        }
        logLikelihood.dense = sum;
      },
      shared: async () => {
        logLikelihood.shared = (await localPart.expect(logEmission))?.logLikelihood;
      },
    },
    { rounds: 5, least: 0, warmUps: 1 },
  );
  return { times, logLikelihood };
}

/**
 * Times of whole passes.
 * @param {Prepared} prepared
 */
async function oneAndTwoThreads({ model, secret, local, logEmission }) {
  say("  whole passes on one thread and on two");
  const two = new ThreadedExpecter(model, secret, 2);
  const passes = await inTurns(
    { one: () => local.expect(logEmission), two: () => two.expect(logEmission) },
    { rounds: 3, least: 0, warmUps: 1 },
  );
  await two.close();
  return passes;
}

/** @param {readonly Int32Array[]} sequences */
const tokenCount = (sequences) => sequences.reduce((sum, { length }) => sum + length, 0);

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const given = await prepared();
  // The dense loop takes long: a part of the sentences says how it compares.
  const part = given.secret.slice(0, 200);
  const { times, logLikelihood } = await sharedAgainstDense(given, part);
  const passes = await oneAndTwoThreads(given);
  const ratio = speedUp(times.dense, times.shared);
  const tokens = tokenCount(given.secret);
  const partTokens = tokenCount(part);
  return {
    title: "An EM pass of the decipherer",
    about:
      `${number(SENTENCES)} sentences of ${given.name} (${tokens} words, vocabulary ${given.model.plainCount}), order 2, B = 60, after ` +
      `${PASSES_BEFORE} passes. *Shared* computes scores that several contexts have in common through back-off only once. *Dense* is the ` +
      `reference kernel, which combines every context with every word. They are compared on the first ${part.length} sentences, with one thread.`,
    tables: [
      {
        title: "",
        head: ["", "words/s", "seconds per pass, processor", "seconds per pass, clock"],
        rows: [
          [
            "dense",
            spreadText(rate(times.dense, partTokens)),
            `${number((spread(times.dense.map(({ cpu }) => cpu)).median * tokens) / partTokens)} (extrapolated)`,
            "",
          ],
          .../** @type {const} */ (["one", "two"]).map((threads) => [
            `shared, ${threads === "one" ? "one thread" : "two threads"}`,
            spreadText(rate(passes[threads], tokens)),
            spreadText(spread(passes[threads].map(({ cpu }) => cpu))),
            spreadText(spread(passes[threads].map(({ clock }) => clock))),
          ]),
        ],
      },
    ],
    notes: [
      `Shared is ${spreadText(ratio)} times as fast as dense.`,
      `Log-likelihood of these sentences: dense ${logLikelihood.dense?.toFixed(6)}, shared ${logLikelihood.shared?.toFixed(6)}.`,
    ],
    checks: [check("EM pass of the decipherer: shared vs. dense rows", ">=", 5, ratio.median, "×")],
    figures: { ratio, times, passes },
  };
}
