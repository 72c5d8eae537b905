// Learning from labels that are incomplete: `null` where nothing is known, a list where one of several is right. Nine of ten
// labels are hidden here, and the tagger still learns the rule; it can also fill in what is missing around what is known.

import { Tagger } from "stargram";

const kinds = { det: ["the", "a", "my"], noun: ["dog", "cat", "saw", "can"], verb: ["saw", "can", "sees", "fed"] };
let state = 3;
function random() {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
}
const pick = (/** @type {readonly string[]} */ words) => words[Math.floor(random() * words.length)];

/** `the can saw a dog`: what `can` and `saw` are, only their place tells. */
function sentence() {
  const labels = ["det", "noun", "verb", "det", "noun"];
  const columns = labels.map((kind) => [pick(kinds[/** @type {keyof typeof kinds} */ (kind)])]);
  return { columns, labels };
}

const full = Array.from({ length: 400 }, sentence);
const partial = full.map(({ columns, labels }) => ({
  columns,
  labels: labels.map((label, i) => {
    if (random() < 0.1) return label;
    // A word list says what a word can be, not what it is here.
    const possible = Object.entries(kinds).flatMap(([kind, words]) => (words.includes(columns[i][0]) ? [kind] : []));
    return random() < 0.5 ? possible : null;
  }),
}));
const known = partial.flatMap(({ labels }) => labels).filter((label) => typeof label === "string").length;
console.log(`${known} of ${partial.length * 5} labels are known outright`);

const tagger = await Tagger.train(partial, { passes: 6, l2: 0.1, heldOut: 0 });
const test = Array.from({ length: 200 }, sentence);
const right = test.flatMap(({ columns, labels }) =>
  tagger.predict({ columns }).labels.filter((y, i) => y === labels[i]),
);
console.log(`${((100 * right.length) / (test.length * 5)).toFixed(1)} % right on sentences it has not seen`);

// Probabilities given what is known: here somebody says that the second word is a verb.
const columns = [["saw"], ["can"], ["fed"]];
const free = tagger.predict({ columns });
const given = tagger.predict({ columns }, { known: [null, "verb", null] });
console.log(`free:  ${free.labels.join(" ")} (${free.probability.toFixed(3)})`);
console.log(`given: ${given.labels.join(" ")} (${given.probability.toFixed(3)})`);
