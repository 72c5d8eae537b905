// Pairs as numbers: inputs with their right answers in flat arrays. Symbols of inputs and of outputs have alphabets of
// their own; pairs with the same input become one input with several answers.

import { Alphabet } from "../../engine/alphabet.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { areStrings } from "../../util/checks.js";
import { InputError, type Place } from "../../util/errors.js";
import { marksOf } from "./attributes.js";

/** Refuses what is no pair to learn from. Programs without types may give anything. */
export function checkPair(pair: SymbolPair): void {
  const { input, output, attributes, file, line } = pair ?? {};
  checkSymbols("input", input, { file, line });
  checkSymbols("output", output, { file, line });
  checkAttributes(attributes, { file, line });
  if (input.length === 0) throw new InputError("the input is empty", { file, line });
}

/** Refuses what is no sequence of symbols. */
export function checkSymbols(side: "input" | "output", symbols: unknown, place: Place = {}): void {
  if (areStrings(symbols)) return;
  const hint = `such as ${side}: ${side === "input" ? '[..."phone"]' : '["F", "OW", "N"]'}`;
  throw new InputError(`\`${side}\` should be an array of symbols, each of them text`, { ...place, hint });
}

/** Refuses what is no list of attributes. */
export function checkAttributes(attributes: unknown, place: Place = {}): void {
  if (attributes === undefined || areStrings(attributes)) return;
  throw new InputError("`attributes` should be an array, each of them text", {
    ...place,
    hint: 'such as attributes: ["V", "PST"]',
  });
}

export interface PairCorpus {
  inputCount: number;
  /** [inputCount + 1] first symbol of each input in `inputs`. */
  inputStart: Int32Array;
  inputs: Int32Array;
  /** [inputCount + 1] first mark of each input in `marks`. */
  markStart: Int32Array;
  /** Marks of inputs: what holds for the whole of them; see attributes.ts. */
  marks: Int32Array;
  /** [inputCount + 1] first answer of each input. */
  answerStart: Int32Array;
  /** [answers + 1] first symbol of each answer in `outputs`. */
  outputStart: Int32Array;
  outputs: Int32Array;
  /** [answers] how many pairs gave the answer. */
  answerCount: Int32Array;
}

/** An input as numbers, with what holds for the whole of it. */
export interface MarkedInput {
  symbols: Int32Array;
  marks: Int32Array;
  /** Its number among those that are learned from, if it will come again: its rows are then remembered. */
  example?: number;
}

interface Answers {
  input: ArrayLike<number>;
  marks: ArrayLike<number>;
  /** By their numbers as text. */
  answers: Map<string, { output: ArrayLike<number>; count: number }>;
}

/** Gathers pairs; those with the same input are put together. */
export class PairCorpusBuilder {
  private readonly byInput = new Map<string, Answers>();

  constructor(
    readonly inputSymbols: Alphabet,
    readonly outputSymbols: Alphabet,
    readonly marks = new Alphabet(),
    /** Whether marks that are new get numbers. */
    private readonly learnsMarks = true,
  ) {}

  add(pair: Pick<SymbolPair, "input" | "output" | "attributes">): void {
    this.addNumbers(
      pair.input.map((symbol) => this.inputSymbols.add(symbol)),
      marksOf(pair.attributes, this.marks, this.learnsMarks),
      pair.output.map((symbol) => this.outputSymbols.add(symbol)),
      1,
    );
  }

  /** Adds as many pairs of symbols of the alphabets. */
  addNumbers(input: ArrayLike<number>, marks: ArrayLike<number>, output: ArrayLike<number>, count: number): void {
    const key = inputKey(input, marks);
    let entry = this.byInput.get(key);
    if (!entry) {
      entry = { input, marks, answers: new Map() };
      this.byInput.set(key, entry);
    }
    const outputKey = Array.prototype.join.call(output);
    const known = entry.answers.get(outputKey);
    if (known) known.count += count;
    else entry.answers.set(outputKey, { output, count });
  }

  get inputCount(): number {
    return this.byInput.size;
  }

  build(): PairCorpus {
    const entries = [...this.byInput.values()];
    const inputStart = new Int32Array(entries.length + 1);
    const markStart = new Int32Array(entries.length + 1);
    const answerStart = new Int32Array(entries.length + 1);
    const answerList: { output: ArrayLike<number>; count: number }[] = [];
    entries.forEach(({ input, marks, answers }, i) => {
      inputStart[i + 1] = inputStart[i] + input.length;
      markStart[i + 1] = markStart[i] + marks.length;
      answerStart[i + 1] = answerStart[i] + answers.size;
      answerList.push(...answers.values());
    });
    const outputStart = new Int32Array(answerList.length + 1);
    answerList.forEach(({ output }, a) => {
      outputStart[a + 1] = outputStart[a] + output.length;
    });
    const corpus: PairCorpus = {
      inputCount: entries.length,
      inputStart,
      inputs: new Int32Array(inputStart[entries.length]),
      markStart,
      marks: new Int32Array(markStart[entries.length]),
      answerStart,
      outputStart,
      outputs: new Int32Array(outputStart[answerList.length]),
      answerCount: Int32Array.from(answerList, ({ count }) => count),
    };
    entries.forEach(({ input, marks }, i) => {
      corpus.inputs.set(input, inputStart[i]);
      corpus.marks.set(marks, markStart[i]);
    });
    answerList.forEach(({ output }, a) => {
      corpus.outputs.set(output, outputStart[a]);
    });
    return corpus;
  }
}

/** All pairs of some corpora with the same alphabets. */
export function togetherOf(corpora: readonly PairCorpus[]): PairCorpus {
  const builder = new PairCorpusBuilder(new Alphabet(), new Alphabet());
  for (const corpus of corpora) {
    for (let i = 0; i < corpus.inputCount; i++) {
      for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
        const { symbols, marks } = markedInputOf(corpus, i);
        builder.addNumbers(symbols, marks, answerOf(corpus, a), corpus.answerCount[a]);
      }
    }
  }
  return builder.build();
}

/** The inputs of a corpus and then those of another, with the same alphabets; none are put together. */
export function appended(first: PairCorpus, second: PairCorpus): PairCorpus {
  const list = (a: Int32Array, b: Int32Array): Int32Array => Int32Array.from([...a, ...b]);
  const starts = (a: Int32Array, b: Int32Array): Int32Array =>
    list(
      a,
      b.subarray(1).map((start) => start + a[a.length - 1]),
    );
  return {
    inputCount: first.inputCount + second.inputCount,
    inputStart: starts(first.inputStart, second.inputStart),
    inputs: list(first.inputs, second.inputs),
    markStart: starts(first.markStart, second.markStart),
    marks: list(first.marks, second.marks),
    answerStart: starts(first.answerStart, second.answerStart),
    outputStart: starts(first.outputStart, second.outputStart),
    outputs: list(first.outputs, second.outputs),
    answerCount: list(first.answerCount, second.answerCount),
  };
}

/** The corpus of some inputs. */
export function inputsOf(corpus: PairCorpus, inputs: Int32Array): PairCorpus {
  const answers: number[] = [];
  for (const i of inputs) for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) answers.push(a);
  const [inputStart, symbols] = picked(corpus.inputStart, corpus.inputs, inputs);
  const [markStart, marks] = picked(corpus.markStart, corpus.marks, inputs);
  const [outputStart, outputs] = picked(corpus.outputStart, corpus.outputs, answers);
  const [answerStart] = picked(corpus.answerStart, corpus.answerCount, inputs);
  const answerCount = Int32Array.from(answers, (a) => corpus.answerCount[a]);
  const read = { inputCount: inputs.length, inputStart, inputs: symbols, markStart, marks };
  return { ...read, answerStart, outputStart, outputs, answerCount };
}

/** Some of the stretches of a list, one after another: where each begins, and what they hold. */
function picked(start: Int32Array, list: Int32Array, which: ArrayLike<number>): [start: Int32Array, list: Int32Array] {
  const starts = new Int32Array(which.length + 1);
  for (let i = 0; i < which.length; i++) starts[i + 1] = starts[i] + start[which[i] + 1] - start[which[i]];
  const found = new Int32Array(starts[which.length]);
  for (let i = 0; i < which.length; i++) found.set(list.subarray(start[which[i]], start[which[i] + 1]), starts[i]);
  return [starts, found];
}

/** The same pairs read and written from right to left. */
export function reversedCorpus(corpus: PairCorpus): PairCorpus {
  const reversed = (start: Int32Array, list: Int32Array): Int32Array => {
    const found = list.slice();
    for (let i = 0; i + 1 < start.length; i++) found.subarray(start[i], start[i + 1]).reverse();
    return found;
  };
  const { inputStart, inputs, outputStart, outputs } = corpus;
  return { ...corpus, inputs: reversed(inputStart, inputs), outputs: reversed(outputStart, outputs) };
}

export function inputOf(corpus: PairCorpus, i: number): Int32Array {
  return corpus.inputs.subarray(corpus.inputStart[i], corpus.inputStart[i + 1]);
}

export function markedInputOf(corpus: PairCorpus, i: number): MarkedInput {
  return { symbols: inputOf(corpus, i), marks: corpus.marks.subarray(corpus.markStart[i], corpus.markStart[i + 1]) };
}

/** An input with its marks as text. */
export function inputKey(symbols: ArrayLike<number>, marks: ArrayLike<number>): string {
  const join = Array.prototype.join;
  return marks.length === 0 ? join.call(symbols) : `${join.call(symbols)};${join.call(marks)}`;
}

export function answerOf(corpus: PairCorpus, answer: number): Int32Array {
  return corpus.outputs.subarray(corpus.outputStart[answer], corpus.outputStart[answer + 1]);
}
