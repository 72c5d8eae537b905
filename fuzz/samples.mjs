// Small models of every kind, and a checkpoint, to be damaged.
import { encodeCheckpoint } from "#stargram/model/checkpoint.js";
import { LanguageModel } from "#stargram/tasks/decipher/language.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { Transducer } from "#stargram/tasks/transduce/transducer.js";
import { encodeModel } from "#stargram/workflows/model.js";

const sentences = [
  {
    columns: [
      ["the", "x"],
      ["dog", "y"],
      ["barks", "z"],
    ],
    labels: ["DT", "NN", "VB"],
  },
  {
    columns: [
      ["a", "x"],
      ["cat", "y"],
    ],
    labels: ["DT", "NN"],
  },
];
/** In IOB1, which is learned as BIO. */
const names = [
  { columns: [["in"], ["New"], ["York"]], labels: ["O", "I-LOC", "I-LOC"] },
  { columns: [["Rome"], ["Anna"], ["Bob"]], labels: ["I-LOC", "I-PER", "B-PER"] },
];
const pairs = ["ab", "ba", "aab", "bb", "abba"].map((word) => ({ input: [...word], output: [...word.toUpperCase()] }));

/** @returns {Promise<import("./targets.mjs").Models>} */
export async function sampleModels() {
  /** @type {import("#stargram/learn/training.js").Checkpoint | undefined} */
  let kept;
  const tagger = await Tagger.train(sentences, {
    ...{ passes: 2, heldOut: 0, order: 2, contexts: 5, l2: 0.1 },
    template: 'U0:%x[0,0]\nU1:%m[0,0,"^.?.?"]\n*2:%x[-1,0]\nB\n',
    onCheckpoint: async (checkpoint) => {
      kept = structuredClone(checkpoint);
    },
  });
  const spans = await Tagger.train(names, {
    ...{ passes: 2, heldOut: 0, order: 2, contexts: 5, l2: 0.1, scheme: "bio", constrained: true },
    lexicon: [
      { name: "places", text: "New York\tLOC\nRome\n" },
      { name: "classes", text: "in\t0110\nRome\t01110\n" },
    ],
    vectors: "in 1 0\nrome -1 2\n",
  });
  const transducer = await Transducer.train(pairs, { passes: 2, heldOut: 0, contexts: 5, l2: 0.1 });
  const language = LanguageModel.fromText(["the dog barks at the cat", "a cat"], { level: "char", order: 2 });
  if (!kept) throw new Error("no checkpoint was made");
  return {
    tagger: encodeModel(tagger),
    spans: encodeModel(spans),
    transducer: encodeModel(transducer),
    language: encodeModel(language),
    checkpoint: encodeCheckpoint({
      settings: { task: "tagger", options: {}, reading: {} },
      data: "0",
      checkpoint: kept,
    }),
  };
}
