// `stargram cluster`: classes of words from text without labels, as a table for `train tag --lexicon`.

import type { Command } from "commander";
import { openLines } from "../../formats/lines.js";
import { sentencesOf } from "../../formats/raw-text.js";
import { type ClusterProgress, clusterOptions, clusterWords } from "../../learn/cluster-words.js";
import { numberless } from "../../util/characters.js";
import { InputError } from "../../util/errors.js";
import { choice } from "../../util/options.js";
import { counted, duration, plural } from "../../util/text.js";
import { addDeclared, givenOf } from "../declared.js";
import { explain } from "../help.js";
import { say, write } from "../output.js";

interface ClusterFlags {
  quiet?: boolean;
  tokens?: "words" | "spaces";
}

const reading = {
  tokens: choice(
    "tokens: words of running text, or text between spaces with one sentence per line",
    ["words", "spaces"] as const,
    { usual: "words", value: "kind" },
  ),
};

const notes = `
Prints a table, \`word TAB class TAB count\`. A class is a string of bits: classes with a common prefix are similar, and the tagger uses prefixes, too. Case matters; all digits are read as 0. Words share a class if the same words tend to occur before and after them. The same text and options give the same classes. Use a million words or more of the kind of text you want to tag.`;

export function register(program: Command): void {
  const command = program
    .command("cluster")
    .summary("make word classes from text without labels, for `train tag --lexicon`")
    .description("Cluster the words of TEXT by their neighbours, as attributes for a tagger with little labelled data.")
    .argument("<text...>", "plain text: files, gzipped or not, or `-` for standard input");
  addDeclared(command, { ...clusterOptions, ...reading })
    .option("--quiet", "print nothing but errors")
    .action(cluster);
  explain(command, {
    notes,
    examples: [
      ["stargram cluster news.txt > classes.tsv", "classes of the words of a text"],
      ["stargram train tag train.txt --lexicon classes.tsv --out model.sg", "a tagger that uses them"],
    ],
  });
}

async function cluster(files: string[], flags: ClusterFlags, command: Command): Promise<void> {
  const started = performance.now();
  const sentences: string[][] = [];
  for (const file of files) for await (const one of readSentences(file, flags.tokens ?? "words")) sentences.push(one);
  if (sentences.length === 0) throw new InputError("there are no words", { file: files[0] });
  const shows = !flags.quiet && process.stderr.isTTY === true;
  const found = clusterWords(sentences, {
    ...givenOf(command, clusterOptions),
    onProgress: shows ? showProgress : undefined,
  });
  if (shows) process.stderr.write(CLEAR_LINE);
  if (!flags.quiet) {
    const classes = new Set(found.map(({ bits }) => bits)).size;
    const tokens = sentences.reduce((sum, { length }) => sum + length, 0);
    say(
      `${plural(found.length, "word")} in ${plural(classes, "class").replace("classs", "classes")}, from ${counted(tokens)} tokens; ${duration((performance.now() - started) / 1000)}`,
    );
  }
  await write(found.map(({ word, bits, count }) => `${word}\t${bits}\t${count}\n`).join(""));
}

const CLEAR_LINE = "\r\x1b[K";

function showProgress({ pass, passes, done, total, moved }: ClusterProgress): void {
  process.stderr.write(
    `${CLEAR_LINE}pass ${pass} of at most ${passes}: ${counted(done)} of ${counted(total)} words, ${counted(moved)} moved`,
  );
}

/** The sentences of a file, a paragraph or a line at a time. */
async function* readSentences(file: string, tokens: "words" | "spaces"): AsyncGenerator<string[]> {
  let paragraph: string[] = [];
  const cut = function* (): Generator<string[]> {
    for (const sentence of sentencesOf(paragraph.join("\n"))) yield sentence.map(({ text }) => numberless(text));
    paragraph = [];
  };
  for await (const { lines } of openLines(file).blocks) {
    for (const line of lines) {
      if (tokens === "spaces") {
        const words = numberless(line)
          .split(/\s+/)
          .filter((word) => word !== "");
        if (words.length > 0) yield words;
      } else if (line.trim() === "") yield* cut();
      else paragraph.push(line);
    }
  }
  yield* cut();
}
