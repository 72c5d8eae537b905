// The npm package crfsuite as a command: `node crfsuite-tag.cjs PACKAGE MODEL FILE` prints the label of each line of attributes
// between tabs, a blank line after each sequence. CommonJS, so that it is not charged for Node's loader of ES modules.
const { readFileSync } = require("node:fs");

const [, , place, model, file] = process.argv;
const { Tagger } = require(place);
const tagger = new Tagger();
tagger.open(model);
let out = "";
for (const sequence of readFileSync(file, "utf8").trimEnd().split("\n\n")) {
  const items = sequence.split("\n").map((line) => line.split("\t").slice(1));
  out += `${tagger.tag(items).join("\n")}\n\n`;
}
process.stdout.write(out);
