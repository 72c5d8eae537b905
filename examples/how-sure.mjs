// Answer what is sure, hand the rest to a person: a threshold found on held-out data, above which 95 % of all answers are
// right, with a confidence of 95 % in that promise. The data is made up: readings of a noisy sensor that is in one of three
// states and seldom changes. docs/how-sure-is-sure.md explains what is promised.

import { calibrate, evaluate, Tagger } from "stargram";

let state = 1;
function random() {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
}

/** Six readings with the true state of each; some runs are much noisier than others. */
function run() {
  const noise = random() < 0.3 ? 0.55 : 0.08;
  let current = Math.floor(random() * 3);
  const labels = [];
  const columns = [];
  for (let i = 0; i < 6; i++) {
    if (random() < 0.15) current = Math.floor(random() * 3);
    labels.push(["low", "middle", "high"][current]);
    const seen = random() < noise ? Math.floor(random() * 3) : current;
    columns.push([["L", "M", "H"][seen]]);
  }
  return { columns, labels };
}
const percent = (/** @type {unknown} */ share) => `${(100 * Number(share)).toFixed(1)} %`;
const runs = (/** @type {number} */ count) => Array.from({ length: count }, run);

const tagger = await Tagger.train(runs(1000), { passes: 4, l2: 0.1 });

const heldOut = runs(2000);
const { report } = await evaluate(tagger, heldOut);
console.log(`answering everything: ${percent(report.sequenceAccuracy)} of the runs right in all six states`);

const found = await calibrate(tagger, heldOut, { precision: 0.95 });
if (!found.promised) throw new Error("no threshold keeps this promise: more held-out data, or a better model");
console.log(`answer at a probability of ${found.guarantee.threshold.toFixed(3)} or more`);

// From now on the tagger keeps the promise by itself, and so does its model file.
let answered = 0;
let right = 0;
for (const one of runs(2000)) {
  const result = tagger.answer(one, { precision: 0.95 });
  if (!result.answered) continue; // result.candidates are for a person to choose from
  answered++;
  if (result.labels.every((label, i) => label === one.labels[i])) right++;
}
console.log(`of 2000 fresh runs ${answered} answered, ${percent(right / answered)} of them right`);
