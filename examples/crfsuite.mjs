// Data in CRFsuite's format: `label TAB attribute[:value] TAB …`, a blank line between sequences, `\:` for a colon in a name. Such
// files are read as streams (also packed with gzip, also from standard input as `-`), and a tagger takes them as they are.

import { Readable } from "node:stream";
import { readTagging, Tagger } from "stargram";

// Weather from what people carry and how much of the sky is grey; `season\:autumn` is the name `season:autumn`.
const days = [
  ["rain", "carries=umbrella", "cloud:0.9", "season\\:autumn"],
  ["rain", "carries=umbrella", "cloud:0.8"],
  ["sun", "carries=hat", "cloud:0.1"],
  ["sun", "carries=hat", "cloud:0.2"],
  ["sun", "carries=nothing", "cloud:0.3"],
  ["rain", "carries=nothing", "cloud:0.9"],
];
const weeks = Array.from({ length: 30 }, (_, w) => days.map((_, d) => days[(w + d * (1 + 4 * (w % 2))) % days.length]));
const file = weeks.map((week) => week.map((day) => `${day.join("\t")}\n`).join("")).join("\n");

/** @param {string} text */
const read = (text) => readTagging(Readable.from([Buffer.from(text)]), { format: "crfsuite", labelled: true });

for await (const { attributes, values } of read(file)) {
  console.log(`first day of the first sequence: ${attributes?.[0].join(", ")}; values ${values?.[0]?.join(", ")}`);
  break;
}

const tagger = await Tagger.train(read(file), { order: 1, passes: 5, l2: 0.1 });
console.log(
  `${tagger.attributes.size} attributes, among them ${tagger.attributes.all().find((name) => name.includes(":"))}`,
);

for await (const sequence of read("_\tcarries=nothing\tcloud:0.95\n_\tcarries=hat\tcloud:0.05\n")) {
  const { labels, confidences = [] } = tagger.predict(sequence, { confidences: true });
  console.log(labels.map((label, i) => `${label} (${confidences[i].toFixed(2)})`).join(", "));
}
