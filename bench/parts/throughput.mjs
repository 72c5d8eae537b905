// How much each task does in a second: tagging text and transducing words through `stargram predict` in a pipe, reading and
// printing included, and in a program; deciphering from cipher to key.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCipher } from "#stargram/tasks/decipher/cipher-text.js";
import { Decipherer } from "#stargram/tasks/decipher/decipherer.js";
import { encipher } from "#stargram/tasks/decipher/encipher.js";
import { LanguageModel } from "#stargram/tasks/decipher/language.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { saveModel } from "#stargram/workflows/disk.js";
import { brown, columnText, novels, pronunciations } from "../data.mjs";
import { commandLine, inTurns, number, rate, runNode, say, spread, spreadText } from "../harness.mjs";
import { phonetisaurus } from "../rivals.mjs";

const ROUNDS = 5;

/**
 * `stargram predict` with a file on standard input, and the same with one line, which says what starting up takes.
 * @param {string} model
 * @param {string} input
 * @param {string} oneLine
 * @param {number} units
 */
async function piped(model, input, oneLine, units) {
  const whole = [];
  const rest = [];
  let peak = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = await runNode([commandLine, "predict", model], { input: oneLine });
    const all = await runNode([commandLine, "predict", model], { input });
    whole.push(units / all.cpu);
    rest.push(units / (all.cpu - start.cpu));
    peak = Math.max(peak, all.peak);
  }
  return { whole: spread(whole), rest: spread(rest), peak };
}

/**
 * @typedef {{ name: string, model: Tagger | Transducer, text: string, first: string, units: number, inProgram: () => void }} Work
 * `text` is what goes through the pipe, `first` one line of it.
 */

/**
 * A model in a program and in a pipe: a row of the table, and its figures.
 * @param {Work} work
 */
async function measure({ name, model, text, first, units, inProgram }) {
  say(`  ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const file = join(folder, "model.sg");
  await saveModel(model, file);
  writeFileSync(join(folder, "input.txt"), text);
  writeFileSync(join(folder, "one.txt"), first);
  const pipe = await piped(file, join(folder, "input.txt"), join(folder, "one.txt"), units);
  const program = rate((await inTurns({ inProgram }, { rounds: ROUNDS, least: 0.5, warmUps: 1 })).inProgram, units);
  const row = [
    name,
    number(units),
    spreadText(program),
    spreadText(pipe.rest),
    spreadText(pipe.whole),
    `${number(pipe.peak / 2 ** 20)} MB`,
    `${number(statSync(file).size / 2 ** 20)} MB`,
  ];
  rmSync(folder, { recursive: true });
  return { row, figures: { program, pipe } };
}

/** @returns {Promise<Work>} */
async function tagging() {
  const sentences = brown();
  const unseen = sentences.slice(2000);
  const tagger = await Tagger.train(sentences.slice(0, 2000), { order: 2, contexts: 20, l2: 0.1, passes: 3, seed: 1 });
  return {
    name: `tagging parts of speech (tokens; ${tagger.labels.size} labels, order 2, B = 20)`,
    model: tagger,
    text: columnText(unseen, false),
    first: columnText(unseen.slice(0, 1), false),
    units: unseen.reduce((sum, { columns = [] }) => sum + columns.length, 0),
    inProgram: () => {
      for (const { columns } of unseen) tagger.predict({ columns }, { confidences: true });
    },
  };
}

/**
 * @param {import("#stargram/formats/pair-lines.js").SymbolPair[]} training
 * @param {import("#stargram/formats/pair-lines.js").SymbolPair[]} others
 * @returns {Promise<Work & { known: (readonly string[])[] }>} `known`: the words whose letters all were trained on
 */
async function transducing(training, others) {
  const transducer = await Transducer.train(training, { passes: 2, l2: 4, seed: 1 });
  const words = others.map(({ input }) => input);
  const known = words.filter((word) => word.every((letter) => transducer.inputSymbols.indexOf(letter) >= 0));
  return {
    name: "transducing spelling to sound (words; order 8, B = 6)",
    model: transducer,
    text: known.map((word) => `${word.join("")}\n`).join(""),
    first: `${known[0].join("")}\n`,
    units: known.length,
    inProgram: () => {
      for (const word of known) transducer.predict(word);
    },
    known,
  };
}

/** Processor seconds from a cipher to its key. */
async function deciphering() {
  say("  deciphering");
  const language = LanguageModel.fromText(novels("austen-persuasion").split("\n"), { level: "char", order: 3 });
  const message = novels("chesterton-thursday").replace(/\s+/g, " ").slice(50_000, 50_600);
  const { text } = encipher(message, { seed: 1 });
  const cipher = readCipher(text, "char");
  const characters = cipher.sequences.reduce((sum, { length }) => sum + length, 0);
  const { decipher } = await inTurns(
    { decipher: () => new Decipherer(language, { oneToOne: true, seed: 1 }).solve(cipher.sequences) },
    { rounds: 3, least: 0, warmUps: 1 },
  );
  return { seconds: spread(decipher.map(({ cpu }) => cpu)), characters };
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const pairs = pronunciations(6000);
  const training = pairs.slice(0, 3000);
  const tagger = await tagging();
  const tagged = await measure(tagger);
  const transducer = await transducing(training, pairs.slice(3000));
  const transduced = await measure(transducer);
  const deciphered = await deciphering();
  const { seconds, characters } = deciphered;
  return {
    title: "Throughput",
    about:
      "Units per second of processor time: in a program (`predict`), and through `stargram predict` in a pipe, including reading and printing, " +
      "without and with startup. The models were trained on parts of the Brown corpus and of the CMU dictionary.",
    tables: [
      {
        title: "",
        head: ["task", "units", "in a program", "in a pipe", "with startup", "peak memory", "model"],
        rows: [tagged.row, transduced.row],
      },
    ],
    notes: [
      `Deciphering ${characters} characters of simple substitution with default settings: ${spreadText(seconds)} s, ${number(characters / seconds.median)} characters per second.`,
      ...phonetisaurus(training, transducer.known),
    ],
    figures: { [tagger.name]: tagged.figures, [transducer.name]: transduced.figures, deciphering: deciphered },
  };
}
