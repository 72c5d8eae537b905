// A model on a test: each input is a question that has the model answer it and tells how sure and how right it was.

import { pixelAttributes, pixelsOf } from "../../../demo/digits.js";
import { InputError, type Tagger, type TaggingSequence } from "../../../src/browser.js";
import { columnsParser } from "../../../src/formats/columns.js";
import { crfsuiteParser } from "../../../src/formats/crfsuite.js";
import { detectFormat, taggingFormats } from "../../../src/formats/detect.js";
import { jsonlParser } from "../../../src/formats/jsonl.js";
import { lettersParser, pixelChoices } from "../../../src/formats/letters.js";
import { detectLayout, joinSymbols, kindsOf, layoutOf, parsePair } from "../../../src/formats/pair-lines.js";
import { pause } from "../../../src/util/pause.js";
import type { TestFormat } from "../catalogue.js";
import { type Choice, type Judged, unknownLabel } from "../protocol.js";
import type { Handler } from "./calls.js";
import { fetched } from "./fetched.js";
import { inferenceOf, tagger, transducer } from "./models.js";

/** Has the model answer one input, and judges it. */
type Question = (choice?: Choice) => Judged;

export const evaluate: Handler<"evaluate"> = async (params, { progress, stopped }) => {
  const { model, url, text, file, format, choice } = params;
  const content = text ?? new TextDecoder().decode(await fetched(url as string, "test data", () => undefined));
  const questions = questionsOf[format](content, model, file);
  if (questions.length === 0) {
    throw new InputError(format === "pairs" ? "holds no pairs" : "holds no sequences with known labels", {
      file,
      hint: format === "pairs" ? "a pair is an input, a tab and an output" : "a label stands in the last column",
    });
  }
  const judged: Judged[] = [];
  let paused = performance.now();
  for (const ask of questions) {
    if (stopped()) break;
    judged.push(ask(choice));
    if (performance.now() - paused < 40) continue;
    progress(judged.length / questions.length);
    await pause();
    paused = performance.now();
  }
  return { judged, stopped: judged.length < questions.length };
};

/** The inputs of a test, by its format. */
const questionsOf: Record<TestFormat, (content: string, model: string, file?: string) => Question[]> = {
  digits(content, model) {
    return (JSON.parse(content) as { truth: string; digits: string[] }[]).map(({ truth, digits }) => (choice) => {
      const attributes = digits.map((digit) => pixelAttributes(pixelsOf(digit)));
      return { ...judgeLabels(model, { attributes }, [...truth], "", choice), digits };
    });
  },

  sequences(content, model, file) {
    // As on the command line: a position without one true label is not counted, nor is a sequence without any other.
    const labelled = sequencesOf(content, tagger(model), file).filter(({ labels = [] }) =>
      labels.some((label) => typeof label === "string"),
    );
    return labelled.map((sequence) => (choice) => {
      const truth = (sequence.labels ?? []).map((label) => (typeof label === "string" ? label : unknownLabel));
      const words = sequence.columns?.map((row) => row[0]) ?? [sequence.id ?? `sequence at line ${sequence.line}`];
      return judgeLabels(model, sequence, truth, " ", choice, words.join(" "));
    });
  },

  pairs(content, model, file) {
    const answers = new Map<string, { input: readonly string[]; outputs: Set<string> }>();
    const { read, written } = kindsOf(layoutOf(transducer(model)));
    const lines = content.split(/\r?\n/);
    const layout = detectLayout(lines, layoutOf(transducer(model)));
    lines.forEach((line, i) => {
      const pair = parsePair(line, layout, false, { file, line: i + 1 });
      if (!pair) return;
      const key = joinSymbols(pair.input, read);
      const known = answers.get(key) ?? { input: pair.input, outputs: new Set<string>() };
      answers.set(key, { ...known, outputs: known.outputs.add(joinSymbols(pair.output, written)) });
    });
    return [...answers].map(([text, { input, outputs }]) => (choice) => {
      const inference = choice && { mode: choice.inference, contexts: choice.contexts };
      const { output, probability } = transducer(model).predict(input, { inference });
      const answer = joinSymbols(output, written);
      return {
        input: text,
        output: answer,
        truth: [...outputs].join(" or "),
        confidence: probability,
        correct: outputs.has(answer),
      };
    });
  },
};

function judgeLabels(
  model: string,
  sequence: TaggingSequence,
  truth: string[],
  between: string,
  choice?: Choice,
  input = "",
): Judged {
  const { labels, probability } = tagger(model).predict(sequence, { inference: choice && inferenceOf(choice) });
  return {
    input,
    output: labels.join(between),
    truth: truth.join(between),
    confidence: probability,
    correct: labels.every((label, i) => truth[i] === unknownLabel || label === truth[i]),
  };
}

/** Labelled sequences in the format that the model's training data had, or else the one that the text shows. */
function sequencesOf(content: string, { note }: Tagger, file?: string): TaggingSequence[] {
  const lines = content.replace(/^\ufeff/, "").split(/\r?\n/);
  const input = (note.input ?? {}) as { format?: unknown; pixels?: unknown; labelSets?: unknown };
  const format = taggingFormats.find((known) => known === input.format) ?? detectFormat(lines, file);
  const options = { labelled: true, labelSets: input.labelSets === true, file };
  const parser = {
    columns: columnsParser,
    crfsuite: crfsuiteParser,
    jsonl: jsonlParser,
    letters: (common: typeof options) =>
      lettersParser({ ...common, pixels: pixelChoices.find((choice) => choice === input.pixels) }),
  }[format](options);
  return [...lines.map((line, i) => parser.line(line, i + 1)), parser.end()].filter(
    (sequence) => sequence !== undefined,
  );
}
