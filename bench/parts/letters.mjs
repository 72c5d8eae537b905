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

const TRAINING = [0, 2, 3, 4, 5, 6, 7, 8, 9];
const TEST = [1];

const settings = {
  "order 3, B = 10": { order: 3, contexts: 10, rows: /** @type {const} */ ("longest") },
  "order 5, B = 20": { order: 5, contexts: 20, rows: /** @type {const} */ ("all") },
};
const learning = { rate: 0.2, l2: 0, heldOut: 0, seed: 1 };

/**
 * The processor seconds of each training pass.
 * @param {readonly import("#stargram/formats/sequence.js").TaggingSequence[]} words
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
 * @param {readonly import("#stargram/formats/sequence.js").TaggingSequence[]} words
 */
function inferenceAlone(tagger, words) {
  const { corpus, engine } = numbered(tagger, words);
  const frozen = engine.freeze(tagger.weights);
  return () => {
    for (let s = 0; s < corpus.sequenceCount; s++) engine.bestOutput(corpus, s, frozen);
  };
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
  const letterCount = (/** @type {typeof test} */ words) =>
    words.reduce((sum, { labels = [] }) => sum + labels.length, 0);
  const testLetters = letterCount(test);
  // What they learned from does not change their rate.
  const onPath = taggersOnPath(training.slice(0, 1000), test);
  const { notes } = onPath;
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));

  /** @type {Record<string, () => void>} */
  const alternatives = {};
  /** @type {Record<string, { words: number, letters: number }>} */
  const right = {};
  const judge = (
    /** @type {string} */ name,
    /** @type {(word: import("#stargram/formats/sequence.js").TaggingSequence) => readonly string[]} */ tag,
  ) => {
    const outputs = test.map(tag);
    const good = outputs.map((labels, w) => labels.filter((label, i) => label === test[w].labels?.[i]).length);
    right[name] = {
      letters: good.reduce((sum, count) => sum + count, 0) / testLetters,
      words: good.filter((count, w) => count === test[w].labels?.length).length / test.length,
    };
  };

  const { crfsuite, why } = npmCrfsuite();
  let rivalTraining = 0;
  if (crfsuite) {
    say("  training crfsuite");
    const trainer = new crfsuite.Trainer();
    for (const { attributes = [], labels = [] } of training)
      trainer.append(attributes, /** @type {string[]} */ (labels));
    const file = join(folder, "letters.crfsuite");
    rivalTraining = (await timed(() => trainer.train(file))).cpu;
    const rival = new crfsuite.Tagger();
    rival.open(file);
    alternatives["crfsuite, order 1"] = () => {
      for (const { attributes = [] } of test) rival.tag(attributes);
    };
    judge("crfsuite, order 1", ({ attributes = [] }) => rival.tag(attributes));
    alternatives["crfsuite, order 1, from pictures"] = () => {
      for (const { columns = [] } of test) rival.tag(columns.map(([bitmap]) => attributesOf(bitmap)));
    };
  } else notes.push(`${why}.`);

  const attributesOf = letterAttributes("8x4");
  /** @type {Record<string, number[]>} */
  const passes = {};
  for (const [name, setting] of Object.entries(settings)) {
    say(`  training ${name}`);
    const { tagger, seconds } = await trainPasses(training, { ...learning, ...setting, passes: 6 });
    passes[name] = seconds;
    judge(name, (word) => tagger.predict(word).labels);
    alternatives[name] = () => {
      for (const { attributes } of test) tagger.predict({ attributes });
    };
    alternatives[`${name}, numbered`] = inferenceAlone(tagger, test);
    alternatives[`${name}, from pictures`] = () => {
      for (const { columns = [] } of test)
        tagger.predict({ attributes: columns.map(([bitmap]) => attributesOf(bitmap)) });
    };
  }
  rmSync(folder, { recursive: true });
  say("  tagging");
  const times = await inTurns(alternatives, { rounds: 9, least: 0.2 });

  const rates = Object.fromEntries(Object.entries(times).map(([name, own]) => [name, rate(own, testLetters)]));
  const against = (/** @type {string} */ name, /** @type {string} */ suffix) => {
    const rival = times[`crfsuite, order 1${suffix}`];
    return rival && times[name + suffix] ? speedUp(rival, times[name + suffix]) : undefined;
  };
  const rows = ["crfsuite, order 1", ...Object.keys(settings)]
    .filter((name) => times[name])
    .map((name) => [
      name,
      rates[`${name}, numbered`] ? spreadText(rates[`${name}, numbered`]) : "–",
      spreadText(rates[name]),
      spreadText(rates[`${name}, from pictures`]),
      name.startsWith("crfsuite")
        ? "1"
        : against(name, "")
          ? spreadText(/** @type {import("../harness.mjs").Spread} */ (against(name, "")))
          : "–",
      `${(100 * right[name].words).toFixed(1)} %`,
      `${(100 * right[name].letters).toFixed(1)} %`,
    ]);

  // The first pass is left out: it compiles.
  const passRates = Object.fromEntries(
    Object.entries(passes).map(([name, seconds]) => [
      name,
      spread(seconds.slice(1).map((second) => letterCount(training) / second)),
    ]),
  );
  say("  peak memory of training");
  const flags = [
    "--format",
    "letters",
    "--pixels",
    "8x4",
    "--folds",
    TRAINING.join(","),
    "--order",
    "3",
    "--contexts",
    "10",
  ];
  const out = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const child = await runNode([
    commandLine,
    ...["train", "tag", paths["letter.data.gz"], ...flags, "--rows", "longest", "--l2", "0", "--held-out", "0"],
    ...["--passes", "3", "--quiet", "--out", join(out, "model.sg")],
  ]);
  rmSync(out, { recursive: true });
  const bare = await runNode(["-e", "0"]);

  const [three, five] = Object.keys(settings);
  return {
    title,
    about:
      `${test.length} words (${testLetters} letters) of fold 1, models trained on the other folds, six passes. ` +
      "`predict`: from names of attributes to labels with their probability, the same arrays of strings that crfsuite is " +
      "given. `numbered`: attributes looked up before, best labels alone. `from pictures`: attributes made of pixels too, " +
      "for both. crfsuite: L-BFGS with its default settings.",
    tables: [
      {
        title: "Tagging, letters a second",
        head: ["", "numbered", "predict", "from pictures", "predict against crfsuite", "words right", "letters right"],
        rows,
      },
      {
        title: "Training",
        head: ["", "letters/s in a pass", "seconds a pass"],
        rows: Object.entries(passRates).map(([name, one]) => [
          name,
          spreadText(one),
          number(letterCount(training) / one.median),
        ]),
      },
    ],
    notes: [
      ...notes,
      ...Object.entries(onPath.rates).map(
        ([name, one]) => `\`${name}\` on the PATH, from a file, first order: ${number(one)} letters a second.`,
      ),
      ...(rivalTraining ? [`crfsuite trained for ${number(rivalTraining)} s in all.`] : []),
      `\`stargram train tag\` (order 3, B = 10, three passes): ${number(child.cpu)} s of processor time, peak memory ${number(child.peak / 2 ** 20)} MB (Node alone: ${number(bare.peak / 2 ** 20)} MB).`,
    ],
    checks: [
      check(
        "letters: predict at order 3, B = 10 against crfsuite at order 1",
        ">=",
        1,
        against(three, "")?.median,
        "×",
      ),
      check(
        "letters: predict at order 5, B = 20 against crfsuite at order 1",
        ">=",
        0.5,
        against(five, "")?.median,
        "×",
      ),
      check("letters: training pass at order 3, B = 10", ">=", 40_000, passRates[three].median, " letters/s"),
      check("letters: peak memory of training", "<=", 300, child.peak / 2 ** 20, " MB"),
    ],
    figures: {
      rates,
      against: { [three]: against(three, ""), [five]: against(five, "") },
      passRates,
      right,
      rivalTraining,
      onPath: onPath.rates,
      peak: child.peak,
    },
  };
}
