// Pairs as numbers: inputs with their right answers in flat arrays. Symbols of inputs and of outputs have alphabets of
// their own; pairs with the same input become one input with several answers.

import { Alphabet } from "../../engine/alphabet.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { areStrings } from "../../util/checks.js";
import { InputError, type Place } from "../../util/errors.js";

/** Refuses what is no pair to learn from. Programs without types may give anything. */
export function checkPair(pair: SymbolPair): void {
  const { input, output, file, line } = pair ?? {};
  checkSymbols("input", input, { file, line });
  checkSymbols("output", output, { file, line });
  if (input.length === 0) throw new InputError("the input is empty", { file, line });
}

/** Refuses what is no sequence of symbols. */
export function checkSymbols(side: "input" | "output", symbols: unknown, place: Place = {}): void {
  if (areStrings(symbols)) return;
  const hint = `such as ${side}: ${side === "input" ? '[..."phone"]' : '["F", "OW", "N"]'}`;
  throw new InputError(`\`${side}\` should be an array of symbols, each of them text`, { ...place, hint });
}

export interface PairCorpus {
  inputCount: number;
  /** [inputCount + 1] first symbol of each input in `inputs`. */
  inputStart: Int32Array;
  inputs: Int32Array;
  /** [inputCount + 1] first answer of each input. */
  answerStart: Int32Array;
  /** [answers + 1] first symbol of each answer in `outputs`. */
  outputStart: Int32Array;
  outputs: Int32Array;
  /** [answers] how many pairs gave the answer. */
  answerCount: Int32Array;
}

interface Answers {
  input: ArrayLike<number>;
  /** By their numbers as text. */
  answers: Map<string, { output: ArrayLike<number>; count: number }>;
}

/** Gathers pairs; those with the same input are put together. */
export class PairCorpusBuilder {
  private readonly byInput = new Map<string, Answers>();

  constructor(
    readonly inputSymbols: Alphabet,
    readonly outputSymbols: Alphabet,
  ) {}

  add(pair: Pick<SymbolPair, "input" | "output">): void {
    this.addNumbers(
      pair.input.map((symbol) => this.inputSymbols.add(symbol)),
      pair.output.map((symbol) => this.outputSymbols.add(symbol)),
      1,
    );
  }

  /** Adds as many pairs of symbols of the alphabets. */
  addNumbers(input: ArrayLike<number>, output: ArrayLike<number>, count: number): void {
    const key = Array.prototype.join.call(input);
    let entry = this.byInput.get(key);
    if (!entry) {
      entry = { input, answers: new Map() };
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
    const answerStart = new Int32Array(entries.length + 1);
    const answerList: { output: ArrayLike<number>; count: number }[] = [];
    entries.forEach(({ input, answers }, i) => {
      inputStart[i + 1] = inputStart[i] + input.length;
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
      answerStart,
      outputStart,
      outputs: new Int32Array(outputStart[answerList.length]),
      answerCount: Int32Array.from(answerList, ({ count }) => count),
    };
    entries.forEach(({ input }, i) => {
      corpus.inputs.set(input, inputStart[i]);
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
        builder.addNumbers(inputOf(corpus, i), answerOf(corpus, a), corpus.answerCount[a]);
      }
    }
  }
  return builder.build();
}

/** The corpus of some inputs. */
export function inputsOf(corpus: PairCorpus, inputs: Int32Array): PairCorpus {
  const answers: number[] = [];
  for (const i of inputs) for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) answers.push(a);
  const [inputStart, symbols] = picked(corpus.inputStart, corpus.inputs, inputs);
  const [outputStart, outputs] = picked(corpus.outputStart, corpus.outputs, answers);
  const [answerStart] = picked(corpus.answerStart, corpus.answerCount, inputs);
  const answerCount = Int32Array.from(answers, (a) => corpus.answerCount[a]);
  return { inputCount: inputs.length, inputStart, inputs: symbols, answerStart, outputStart, outputs, answerCount };
}

/** Some of the stretches of a list, one after another: where each begins, and what they hold. */
function picked(start: Int32Array, list: Int32Array, which: ArrayLike<number>): [start: Int32Array, list: Int32Array] {
  const starts = new Int32Array(which.length + 1);
  for (let i = 0; i < which.length; i++) starts[i + 1] = starts[i] + start[which[i] + 1] - start[which[i]];
  const found = new Int32Array(starts[which.length]);
  for (let i = 0; i < which.length; i++) found.set(list.subarray(start[which[i]], start[which[i] + 1]), starts[i]);
  return [starts, found];
}

export function inputOf(corpus: PairCorpus, i: number): Int32Array {
  return corpus.inputs.subarray(corpus.inputStart[i], corpus.inputStart[i + 1]);
}

export function answerOf(corpus: PairCorpus, answer: number): Int32Array {
  return corpus.outputs.subarray(corpus.outputStart[answer], corpus.outputStart[answer + 1]);
}
