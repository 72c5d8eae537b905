// Handwritten words, 8 × 4 pixels a letter: tagging rate against the npm package crfsuite at order 1, the rate of a training
// pass, and the peak memory of training. Both are given the same attributes (names of the pixels that are set).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { letterAttributes } from "#stargram/formats/letters.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { dataset, letters, numbered } from "../data.mjs";
import {
  check,
  commandLine,
  inTurns,
  number,
  rate,
  runNode,
  say,
  speedUp,
  spread,
  spreadText,
  timed,
} from "../harness.mjs";
import { npmCrfsuite, taggersOnPath } from "../rivals.mjs";

/** @typedef {import("#stargram/formats/sequence.js").TaggingSequence} TaggingSequence */

const RIVAL = "crfsuite, order 1";
const TRAINING = [0, 2, 3, 4, 5, 6, 7, 8, 9];
const TEST = [1];

const settings = {
  "order 3, B = 10": { order: 3, contexts: 10, rows: /** @type {const} */ ("longest") },
  "order 5, B = 20": { order: 5, contexts: 20, rows: /** @type {const} */ ("all") },
};
const learning = { rate: 0.2, l2: 0, heldOut: 0, seed: 1 };

/**
 * The processor seconds of each training pass.
 * @param {readonly TaggingSequence[]} words
 * @param {Partial<import("#stargram/tasks/tag/options.js").TaggerOptions>} options
 */
async function trainPasses(words, options) {
  /** @type {number[]} */
  const seconds = [];
  let began = process.cpuUsage();
  let hasBegun = false;
  const tagger = await Tagger.train(words, {
    ...options,
    onExample() {
      // What comes before is the reading of the words.
      if (!hasBegun) began = process.cpuUsage();
      hasBegun = true;
    },
    onProgress({ done, total, history, pass }) {
      if (done < total || history.length < pass) return;
      const { user, system } = process.cpuUsage(began);
      seconds.push((user + system) / 1e6);
      began = process.cpuUsage();
    },
  });
  return { tagger, seconds };
}

/**
 * The tagger's work alone: attributes as numbers.
 * @param {Tagger} tagger
 * @param {readonly TaggingSequence[]} words
 */
function inferenceAlone(tagger, words) {
  const { corpus, engine } = numbered(tagger, words);
  const frozen = engine.freeze(tagger.weights);
  return () => {
    for (let s = 0; s < corpus.sequenceCount; s++) engine.bestOutput(corpus, s, frozen);
  };
}

/**
 * A model that tags: its answer to a word, and what is measured.
 * @typedef {{ tag: (word: TaggingSequence) => readonly string[], measured: Record<string, () => void> }} Contender
 */

/** @param {readonly TaggingSequence[]} words */
const letterCount = (words) => words.reduce((sum, { labels = [] }) => sum + labels.length, 0);

/** Attributes of a picture. */
const attributesOf = letterAttributes("8x4");

/**
 * The npm package crfsuite, trained.
 * @param {readonly TaggingSequence[]} training
 * @param {readonly TaggingSequence[]} test
 * @returns {Promise<{ contender?: Contender, seconds: number, why?: string }>} processor seconds of training, or why it is missing
 */
async function trainedCrfsuite(training, test) {
  const { crfsuite, why } = npmCrfsuite();
  if (!crfsuite) return { seconds: 0, why };
  say("  training crfsuite");
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const file = join(folder, "letters.crfsuite");
  const trainer = new crfsuite.Trainer();
  for (const { attributes = [], labels = [] } of training) trainer.append(attributes, /** @type {string[]} */ (labels));
  const { cpu } = await timed(() => trainer.train(file));
  const rival = new crfsuite.Tagger();
  rival.open(file);
  rmSync(folder, { recursive: true });
  return {
    seconds: cpu,
    contender: {
      tag: ({ attributes = [] }) => rival.tag(attributes),
      measured: {
        "": () => {
          for (const { attributes = [] } of test) rival.tag(attributes);
        },
        ", from pictures": () => {
          for (const { columns = [] } of test) rival.tag(columns.map(([bitmap]) => attributesOf(bitmap)));
        },
      },
    },
  };
}

/**
 * @param {Tagger} tagger
 * @param {readonly TaggingSequence[]} test
 * @returns {Contender}
 */
function contenderOf(tagger, test) {
  return {
    tag: (word) => tagger.predict(word).labels,
    measured: {
      "": () => {
        for (const { attributes } of test) tagger.predict({ attributes });
      },
      ", numbered": inferenceAlone(tagger, test),
      ", from pictures": () => {
        for (const { columns = [] } of test)
          tagger.predict({ attributes: columns.map(([bitmap]) => attributesOf(bitmap)) });
      },
    },
  };
}

/**
 * Shares of the words and of the letters that are right.
 * @param {Contender} contender
 * @param {readonly TaggingSequence[]} test
 */
function shareRight({ tag }, test) {
  const outputs = test.map(tag);
  const good = outputs.map((labels, w) => labels.filter((label, i) => label === test[w].labels?.[i]).length);
  return {
    letters: good.reduce((sum, count) => sum + count, 0) / letterCount(test),
    words: good.filter((count, w) => count === test[w].labels?.length).length / test.length,
  };
}

/**
 * Peak memory and processor time of the command that trains, and of Node alone.
 * @param {string} path
 */
async function trainingMemory(path) {
  say("  peak memory of training");
  const out = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const child = await runNode([
    commandLine,
    ...["train", "tag", path, "--format", "letters", "--pixels", "8x4", "--folds", TRAINING.join(",")],
    ...["--order", "3", "--contexts", "10", "--rows", "longest", "--l2", "0", "--held-out", "0"],
    ...["--passes", "3", "--quiet", "--out", join(out, "model.sg")],
  ]);
  rmSync(out, { recursive: true });
  return { child, bare: await runNode(["-e", "0"]) };
}

/**
 * Trains all, judges them and measures them in turns.
 * @param {readonly TaggingSequence[]} training
 * @param {readonly TaggingSequence[]} test
 */
async function measured(training, test) {
  const rival = await trainedCrfsuite(training, test);
  /** @type {Record<string, Contender>} */
  const contenders = rival.contender ? { [RIVAL]: rival.contender } : {};
  /** @type {Record<string, import("../harness.mjs").Spread>} letters a second in a pass */
  const passRates = {};
  for (const [name, setting] of Object.entries(settings)) {
    say(`  training ${name}`);
    const { tagger, seconds } = await trainPasses(training, { ...learning, ...setting, passes: 6 });
    // The first pass is left out: it compiles.
    passRates[name] = spread(seconds.slice(1).map((second) => letterCount(training) / second));
    contenders[name] = contenderOf(tagger, test);
  }
  const right = Object.fromEntries(Object.entries(contenders).map(([name, one]) => [name, shareRight(one, test)]));
  say("  tagging");
  const alternatives = Object.entries(contenders).flatMap(([name, one]) =>
    Object.entries(one.measured).map(([suffix, work]) => [name + suffix, work]),
  );
  const times = await inTurns(Object.fromEntries(alternatives), { rounds: 9, least: 0.2 });
  const rates = Object.fromEntries(Object.entries(times).map(([name, own]) => [name, rate(own, letterCount(test))]));
  /** @param {string} name */
  const against = (name) => (times[RIVAL] && times[name] ? speedUp(times[RIVAL], times[name]) : undefined);
  return { rates, against, right, passRates, rival };
}

/**
 * @param {Awaited<ReturnType<typeof measured>>} found
 * @param {number} trainingLetters
 * @returns {import("../harness.mjs").PartResult["tables"]}
 */
function tablesOf({ rates, against, right, passRates }, trainingLetters) {
  /** @param {import("../harness.mjs").Spread | undefined} one */
  const textOr = (one) => (one ? spreadText(one) : "–");
  return [
    {
      title: "Tagging, letters per second",
      head: ["", "numbered", "predict", "from pictures", "predict vs. crfsuite", "words right", "letters right"],
      rows: Object.entries(right).map(([name, { words, letters: single }]) => [
        name,
        textOr(rates[`${name}, numbered`]),
        spreadText(rates[name]),
        spreadText(rates[`${name}, from pictures`]),
        name === RIVAL ? "1" : textOr(against(name)),
        `${(100 * words).toFixed(1)} %`,
        `${(100 * single).toFixed(1)} %`,
      ]),
    },
    {
      title: "Training",
      head: ["", "letters/s", "seconds per pass"],
      rows: Object.entries(passRates).map(([name, one]) => [
        name,
        spreadText(one),
        number(trainingLetters / one.median),
      ]),
    },
  ];
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const title = "Handwritten words";
  const paths = await dataset("letters");
  const training = await letters(TRAINING);
  const test = await letters(TEST);
  if (!paths || !training || !test) {
    return { title, about: "The data set `letters` is missing.", tables: [], figures: {} };
  }
  // What they learned from does not change their rate.
  const onPath = taggersOnPath(training.slice(0, 1000), test);
  const found = await measured(training, test);
  const { rates, against, right, passRates, rival } = found;
  const { child, bare } = await trainingMemory(paths["letter.data.gz"]);
  const [three, five] = Object.keys(settings);
  const megabytes = child.peak / 2 ** 20;
  return {
    title,
    about:
      `${test.length} words (${letterCount(test)} letters) of fold 1; the models were trained on the other folds in six passes. ` +
      "`predict` goes from names of attributes, the same arrays of strings that crfsuite gets, to labels with their probability. `numbered` starts " +
      "with attributes already looked up and gives only the best labels. `from pictures` includes making the attributes from pixels, for both " +
      "programs. crfsuite uses L-BFGS with its default settings.",
    tables: tablesOf(found, letterCount(training)),
    notes: [
      ...onPath.notes,
      ...(rival.contender ? [] : [`${rival.why}.`]),
      ...Object.entries(onPath.rates).map(
        ([name, one]) => `\`${name}\` on the PATH, from a file, first order: ${number(one)} letters per second.`,
      ),
      ...(rival.seconds ? [`crfsuite trained for ${number(rival.seconds)} s in total.`] : []),
      `\`stargram train tag\` (order 3, B = 10, three passes): ${number(child.cpu)} s of processor time, peak memory ${number(megabytes)} MB (Node alone: ${number(bare.peak / 2 ** 20)} MB).`,
    ],
    checks: [
      check("letters: predict at order 3, B = 10 vs. crfsuite at order 1", ">=", 1, against(three)?.median, "×"),
      check("letters: predict at order 5, B = 20 vs. crfsuite at order 1", ">=", 0.5, against(five)?.median, "×"),
      check("letters: training pass at order 3, B = 10", ">=", 40_000, passRates[three].median, " letters/s"),
      check("letters: peak memory of training", "<=", 300, megabytes, " MB"),
    ],
    figures: {
      rates,
      against: { [three]: against(three), [five]: against(five) },
      passRates,
      right,
      rivalTraining: rival.seconds,
      onPath: onPath.rates,
      peak: child.peak,
    },
  };
}
