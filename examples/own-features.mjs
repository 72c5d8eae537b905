// Your own features: a function of the columns and a position. Here letters are the tokens, and the label says whether a word
// begins, so that `thedogbarks` can be cut into words. The function is not part of a model file: give it again after loading.

import { decodeModel, encodeModel, Tagger } from "stargram";

/** The letters at each distance, alone and together with those between. @type {import("stargram").FeatureFunction} */
function features(columns, i) {
  const letter = (/** @type {number} */ at) => columns[at]?.[0] ?? "#";
  const made = [];
  for (let from = -3; from <= 0; from++) {
    let text = "";
    for (let to = from; to <= from + 3; to++) {
      text += letter(i + to);
      made.push(`${from}..${to}=${text}`);
    }
  }
  return made;
}

const words =
  "the a this my old big red small dog cat house river tree barks sees finds likes sleeps runs and or but near under".split(
    " ",
  );
let state = 7;
function pick() {
  state = (state * 48271) % 2147483647;
  return words[state % words.length];
}

/** @param {readonly string[]} sentence */
function glued(sentence) {
  const columns = [...sentence.join("")].map((letter) => [letter]);
  const labels = sentence.flatMap((word) => [...word].map((_, i) => (i === 0 ? "begin" : "inside")));
  return { columns, labels };
}

const data = Array.from({ length: 300 }, () => glued([pick(), pick(), pick(), pick(), pick()]));
const tagger = await Tagger.train(data, { features, order: 3, passes: 4, l2: 0.1 });

/** @param {Tagger} model @param {string} text */
function cut(model, text) {
  const { labels, probability } = model.predict({ columns: [...text].map((letter) => [letter]) });
  const read = [...text].map((letter, i) => (labels[i] === "begin" && i > 0 ? ` ${letter}` : letter)).join("");
  return `${read} (${probability.toFixed(3)})`;
}

for (const text of ["theoldcatsleepsundermytree", "thisriverornearmyhouse", "adogandacat"])
  console.log(cut(tagger, text));

// A model as bytes, as it could come over a network; `loadModel` and `saveModel` do the same with files.
const loaded = decodeModel(encodeModel(tagger));
if (loaded instanceof Tagger) {
  loaded.setFeatures(features);
  console.log(`loaded: ${cut(loaded, "bigcatlikessmalldog")}`);
}
