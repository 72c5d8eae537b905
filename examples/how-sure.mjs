// Answer what is sure, hand the rest to a person: a threshold found on held-out data, above which 95 % of all answers are
// right, with a confidence of 95 % in that promise. The data is made up: readings of a noisy sensor that is in one of three
// states and seldom changes. docs/how-sure-is-sure.md explains what is promised.

import { chooseMap, findThreshold, Tagger } from "stargram";

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
const runs = (/** @type {number} */ count) => Array.from({ length: count }, run);

const tagger = await Tagger.train(runs(1000), { passes: 4, l2: 0.1 });

/** @param {{ columns: string[][], labels: string[] }} one */
const isRight = (one) => tagger.predict(one).labels.every((label, i) => label === one.labels[i]);

const answers = runs(2000).map((one) => ({ confidence: tagger.predict(one).probability, correct: isRight(one) }));
const everything = answers.filter(({ correct }) => correct).length / answers.length;
console.log(`answering everything: ${(100 * everything).toFixed(1)} % of the runs right in all six states`);

const guarantee = findThreshold(answers, { precision: 0.95, confidence: 0.95 });
if (!guarantee) throw new Error("no threshold keeps this promise: more held-out data, or a better model");
console.log(`answer at a probability of ${guarantee.threshold.toFixed(3)} or more`);

// With this the tagger keeps the promise by itself, and so does its model file.
tagger.calibration = { guarantees: [guarantee], map: chooseMap(answers).map, examples: answers.length };

let answered = 0;
let right = 0;
const fresh = runs(2000);
for (const one of fresh) {
  const result = tagger.answer(one, { precision: 0.95, candidates: 3 });
  if (!result.answered) continue; // result.candidates are for a person to choose from
  answered++;
  if (isRight(one)) right++;
}
console.log(
  `of ${fresh.length} fresh runs ${answered} answered, ${((100 * right) / answered).toFixed(1)} % of them right`,
);
