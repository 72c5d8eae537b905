// Reading Morse as a task. Data: signs TAB word, one pair per line; `predict` takes signs alone, too.

import { InputError, type Lines, learningTask } from "stargram/engine";
import { signsOf } from "./code.js";
import { morseCodec } from "./codec.js";
import type { MorseExample } from "./learner.js";
import { type MorseOutput, type MorsePrediction, MorseReader, morseOptions } from "./reader.js";

interface Place {
  file?: string;
  line?: number;
}

function exampleOf(signs: string, word: string | undefined, place: Place): MorseExample {
  if (!/^[.-]+$/.test(signs)) throw new InputError(`\`${signs}\` is not made of dots and dashes`, place);
  if (word !== undefined && !/^[a-z]+$/.test(word)) throw new InputError(`\`${word}\` is not a word of a to z`, place);
  if (word !== undefined && signsOf(word) !== signs) {
    throw new InputError(`the signs of \`${word}\` are ${signsOf(word)}, not ${signs}`, place);
  }
  return { signs, word };
}

async function* readLines({ file, blocks }: Lines, isAnswerNeeded: boolean): AsyncGenerator<MorseExample> {
  for await (const { first, lines } of blocks) {
    for (const [i, text] of lines.entries()) {
      if (text.trim() === "") continue;
      const [signs, word] = text.trim().split(/\s+/);
      const place = { file, line: first + i };
      if (isAnswerNeeded && word === undefined) throw new InputError("there is no word after the signs", place);
      yield exampleOf(signs, word, place);
    }
  }
}

function line(...cells: (string | number)[]): string {
  return `${cells.join("\t")}\n`;
}

export const morseTask = learningTask<MorseReader, MorseExample, MorsePrediction, MorseOutput>({
  name: "morse",
  kind: "morse",
  noun: "Morse reader",
  codec: morseCodec,

  learning: {
    example: "word",
    about: { description: "Learn to read Morse code without pauses.", data: "words" },
    options: morseOptions,
    async *read(sources) {
      for (const lines of sources) yield* readLines(lines, true);
    },
    train: (examples, { given, files: _, keep: __, ...rest }) => MorseReader.train(examples, given, rest),
    // More words for a reader are learned with the rows that it has.
    alwaysKeeps: true,
  },

  predicting: {
    inputs: (_, lines, { answers }) => readLines(lines, answers !== "ignored"),
    predict: (reader, { signs }, asked) => reader.predict(signs, asked),
    json: (_, { signs }, prediction) => ({ signs, ...prediction }),
    text: (_, { signs }, { nbest, ...best }) =>
      (nbest ?? [best]).map(({ word, probability }) => line(signs, word, probability)).join(""),
    answerJson: (_, { signs }, { answered, prediction, candidates }) =>
      answered ? { signs, answered, ...prediction } : { signs, answered, candidates },
    answerText: (_, { signs }, { answered, prediction: { word, probability } }) =>
      answered ? line(signs, word, probability, "answered") : line(signs, "", probability, "left"),
  },

  evaluating: {
    judge(reader, { signs, word }, { inference }) {
      if (word === undefined) return undefined;
      const found = reader.predict(signs, { inference });
      return { whole: { confidence: found.probability, correct: found.word === word }, parts: [] };
    },
  },

  reviewing: {
    item: (_, { signs }, candidates, number) => ({
      id: String(number),
      kind: "text",
      input: signs,
      answer: "",
      status: "",
      candidates: candidates.map(({ word, probability }) => ({ text: word, probability })),
      source: JSON.stringify({ signs }),
    }),
    example: ({ input, answer, line }, file) => exampleOf(input, answer.trim(), { file, line }),
  },
});
