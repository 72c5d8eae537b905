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
import { brown, novels, pronunciations } from "../data.mjs";
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

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  /** @type {string[][]} */
  const rows = [];
  /** @type {Record<string, unknown>} */
  const figures = {};
  /**
   * @param {string} name
   * @param {Tagger | Transducer} model
   * @param {{ text: string, first: string, units: number, inProgram: () => void }} work
   */
  const measure = async (name, model, { text, first, units, inProgram }) => {
    say(`  ${name}`);
    const file = join(folder, "model.sg");
    await saveModel(model, file);
    writeFileSync(join(folder, "input.txt"), text);
    writeFileSync(join(folder, "one.txt"), first);
    const pipe = await piped(file, join(folder, "input.txt"), join(folder, "one.txt"), units);
    const program = rate((await inTurns({ inProgram }, { rounds: ROUNDS, least: 0.5, warmUps: 1 })).inProgram, units);
    rows.push([
      name,
      number(units),
      spreadText(program),
      spreadText(pipe.rest),
      spreadText(pipe.whole),
      `${number(pipe.peak / 2 ** 20)} MB`,
      `${number(statSync(file).size / 2 ** 20)} MB`,
    ]);
    figures[name] = { program, pipe };
  };

  const sentences = brown();
  const unseen = sentences.slice(2000);
  const tagger = await Tagger.train(sentences.slice(0, 2000), { order: 2, contexts: 20, l2: 0.1, passes: 3, seed: 1 });
  const textOf = (/** @type {typeof sentences} */ some) =>
    some.map(({ columns = [] }) => `${columns.map(([word]) => `${word}\n`).join("")}\n`).join("");
  await measure(`tagging parts of speech (tokens; ${tagger.labels.size} labels, order 2, B = 20)`, tagger, {
    text: textOf(unseen),
    first: textOf(unseen.slice(0, 1)),
    units: unseen.reduce((sum, { columns = [] }) => sum + columns.length, 0),
    inProgram: () => {
      for (const { columns } of unseen) tagger.predict({ columns }, { confidences: true });
    },
  });

  const pairs = pronunciations(6000);
  const transducer = await Transducer.train(pairs.slice(0, 3000), { passes: 2, l2: 4, seed: 1 });
  const words = pairs.slice(3000).map(({ input }) => input);
  const known = words.filter((word) => word.every((letter) => transducer.inputSymbols.indexOf(letter) >= 0));
  await measure("transducing spelling to sound (words; order 8, B = 6)", transducer, {
    text: known.map((word) => `${word.join("")}\n`).join(""),
    first: `${known[0].join("")}\n`,
    units: known.length,
    inProgram: () => {
      for (const word of known) transducer.predict(word);
    },
  });
  rmSync(folder, { recursive: true });

  say("  deciphering");
  const language = LanguageModel.fromText(novels("austen-persuasion").split("\n"), { level: "char", order: 3 });
  const message = novels("chesterton-thursday").replace(/\s+/g, " ").slice(50_000, 50_600);
  const { text } = encipher(message, { seed: 1 });
  const cipher = readCipher(text, "char");
  const characters = cipher.sequences.reduce((sum, { length }) => sum + length, 0);
  const found = (
    await inTurns(
      { decipher: () => new Decipherer(language, { oneToOne: true, seed: 1 }).solve(cipher.sequences) },
      { rounds: 3, least: 0, warmUps: 1 },
    )
  ).decipher;
  const seconds = spread(found.map(({ cpu }) => cpu));
  figures.deciphering = { seconds, characters };
  return {
    title: "Throughput",
    about:
      "Units a second of processor time: in a program (`predict`), and through `stargram predict` in a pipe, reading and " +
      "printing included, without and with what starting up takes. Models were trained on parts of the Brown corpus and of " +
      "the CMU dictionary.",
    tables: [
      {
        title: "",
        head: ["task", "units", "in a program", "in a pipe", "with start", "peak memory", "model"],
        rows,
      },
    ],
    notes: [
      `Deciphering ${characters} characters of simple substitution, from cipher to key, default settings: ${spreadText(seconds)} s, ${number(characters / seconds.median)} characters a second.`,
      ...phonetisaurus(pairs.slice(0, 3000), known),
    ],
    figures,
  };
}
