// A transducer: pairs of different lengths, and nobody says which letter belongs to which. Here names in Greek letters are
// written in Latin ones by rules that the program is not told (`θ` is `th`, `ου` is `ou`, `μπ` begins a word as `b` and is `mb`
// within one); it learns them from 250 made-up names and writes names that it has not seen.

import { Transducer } from "stargram";

/** @type {[RegExp, string][]} */
const rules = [
  [/^μπ/, "b"],
  [/μπ/g, "mb"],
  [/ου/g, "ou"],
  [/θ/g, "th"],
  [/ψ/g, "ps"],
  [/χ/g, "ch"],
  [/φ/g, "ph"],
];
const single = Object.fromEntries(
  [..."αaβvγgδdεeζzηiιiκkλlμmνnξxοoπpρrσsςsτtυyωo"]
    .join("")
    .match(/../gu)
    ?.map((pair) => [...pair]) ?? [],
);
const syllables = "μπα μπε θα θε ψι χω φι φα κου λου να νε ρι ρω σα σο τη το δι γα λε μα πε".split(" ");

let state = 11;
function random() {
  state = (state * 48271) % 2147483647;
  return state / 2147483647;
}

function name() {
  let greek = "";
  for (let n = 2 + Math.floor(random() * 2); n > 0; n--) greek += syllables[Math.floor(random() * syllables.length)];
  if (random() < 0.5) greek += "ς";
  let latin = greek;
  for (const [from, to] of rules) latin = latin.replace(from, to);
  return { greek, latin: [...latin].map((letter) => single[letter] ?? letter).join("") };
}

const names = new Map(Array.from({ length: 350 }, name).map(({ greek, latin }) => [greek, latin]));
const pairs = [...names].map(([greek, latin]) => ({ input: [...greek], output: [...latin] }));
const transducer = await Transducer.train(pairs.slice(100), { passes: 3, order: 4, contexts: 4, heldOut: 0, l2: 0.1 });

const test = pairs.slice(0, 100);
const right = test.filter(({ input, output }) => transducer.predict(input).output.join("") === output.join(""));
console.log(`${right.length} of ${test.length} unseen names right, from ${pairs.length - 100} pairs`);

for (const text of ["μπαλου", "λαμπα", "ψιθουρος"]) {
  const { output, probability, alignment = [] } = transducer.predict([...text], { alignment: true });
  const steps = alignment.map(({ input, output: written }) => `${input}:${written.join("")}`).join(" ");
  console.log(`${text} → ${output.join("")} (${probability.toFixed(3)})  ${steps}`);
}
