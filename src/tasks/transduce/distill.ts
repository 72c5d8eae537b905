// Distilling: a slow transducer, such as an ensemble, answers inputs that nobody has labelled, and a fast one learns from these
// answers and from the pairs that the first remembers. Some of these pairs are kept apart: they choose and calibrate, so that
// probabilities say how often the fast one is right and not how often it agrees. Answers of a model are not remembered as pairs.

import type { SymbolPair } from "../../formats/pair-lines.js";
import type { TrainingHooks } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { generator, shuffle } from "../../util/random.js";
import { attributesOfMarks, marksOf } from "./attributes.js";
import { END, isEdge, START } from "./emits.js";
import { answerOf, markedInputOf, PairCorpusBuilder } from "./pairs.js";
import { cut, joined } from "./symbols.js";
import { Transducer } from "./transducer.js";

export interface DistillOptions extends TrainingHooks {
  seed?: number;
  /** Told how many inputs are answered. */
  onAnswer?(count: number): void;
}

/** Part of the seed, beside those of a training; see preparation.ts. */
const DISTILL_PART = -5;
/** Of the pairs that are remembered, this share chooses and calibrates: so many at least and at most, and none of fewer than thrice the least. */
const JUDGES = { share: 0.1, least: 50, most: 2_000 };

/** A pair, and how many times it was seen. */
interface CountedPair {
  pair: SymbolPair;
  count: number;
}

export async function distill(
  teacher: Transducer,
  inputs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  { seed = teacher.options.seed, onAnswer, ...hooks }: DistillOptions = {},
): Promise<Transducer> {
  const known = remembered(teacher);
  const answered = await answers(teacher, inputs, known, onAnswer);
  if (answered.length === 0) {
    throw new InputError("nothing to learn from: all inputs are training pairs of the model, or have unknown symbols");
  }
  const judges = judgesOf(known.length);
  const order = shuffle(Int32Array.from(known.keys()), generator(seed, DISTILL_PART));
  const listed = [...order].map((i) => known[i]);
  const { input, output } = teacher.options;
  const student = await Transducer.train([...repeated(listed.slice(judges)), ...answered], {
    ...hooks,
    seed,
    ensemble: 1,
    input,
    output,
    lookup: false,
    note: teacher.note,
    ...(judges > 0 && { dev: listed.slice(0, judges).map(({ pair }) => pair) }),
  });
  return teacher.remembered ? remembering(student, known) : student;
}

function judgesOf(count: number): number {
  const { share, least, most } = JUDGES;
  return count < 3 * least ? 0 : Math.min(most, Math.max(least, Math.floor(count * share)));
}

function* repeated(pairs: Iterable<CountedPair>): Generator<SymbolPair> {
  for (const { pair, count } of pairs) for (let n = 0; n < count; n++) yield pair;
}

/** The pairs that a transducer remembers, as they were given. */
function remembered({ remembered: corpus, inputSymbols, outputSymbols, marks, options }: Transducer): CountedPair[] {
  const pairs: CountedPair[] = [];
  for (let i = 0; corpus && i < corpus.inputCount; i++) {
    const found = markedInputOf(corpus, i);
    const names = Array.from(found.symbols, (symbol) => inputSymbols.nameOf(symbol));
    const own = options.edgeEmit > 0 ? names.filter((name) => !isEdge(name)) : names;
    const attributes = attributesOfMarks(Array.from(found.marks, (mark) => marks.nameOf(mark)));
    for (let a = corpus.answerStart[i]; a < corpus.answerStart[i + 1]; a++) {
      const written = Array.from(answerOf(corpus, a), (symbol) => outputSymbols.nameOf(symbol));
      const pair = { input: joined(own, options.input), output: joined(written, options.output) };
      pairs.push({ pair: marks.size > 0 ? { ...pair, attributes } : pair, count: corpus.answerCount[a] });
    }
  }
  return pairs;
}

/** What the teacher writes for each input that is new, and whose symbols it knows. */
async function answers(
  teacher: Transducer,
  inputs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  known: readonly CountedPair[],
  onAnswer: DistillOptions["onAnswer"],
): Promise<SymbolPair[]> {
  const key = ({ input, attributes }: SymbolPair): string => JSON.stringify([input, attributes]);
  const seen = new Set(known.map(({ pair }) => key(pair)));
  const answered: SymbolPair[] = [];
  for await (const { input, attributes } of inputs) {
    const pair = teacher.marks.size > 0 ? { input, attributes: attributes ?? [] } : { input };
    if (seen.has(key({ ...pair, output: [] }))) continue;
    seen.add(key({ ...pair, output: [] }));
    const { output, unknown } = teacher.predict(input, { attributes });
    if (unknown.length === 0) answered.push({ ...pair, output });
    onAnswer?.(answered.length);
  }
  return answered;
}

/** The same transducer with pairs that it remembers; those with symbols that it does not know are left out. */
function remembering(student: Transducer, pairs: readonly CountedPair[]): Transducer {
  const { inputSymbols, outputSymbols, marks, options, summary, note, words, powers, calibration } = student;
  const builder = new PairCorpusBuilder(inputSymbols, outputSymbols, marks, false);
  for (const { pair, count } of pairs) {
    const symbols = cut(pair.input, options.input);
    const input = (options.edgeEmit > 0 ? [START, ...symbols, END] : symbols).map((name) => inputSymbols.indexOf(name));
    const output = cut(pair.output, options.output).map((name) => outputSymbols.indexOf(name));
    if (input.includes(-1) || output.includes(-1)) continue;
    builder.addNumbers(input, marksOf(pair.attributes, marks, false), output, count);
  }
  const [parts] = student.members;
  return new Transducer({
    ...parts,
    inputSymbols,
    outputSymbols,
    marks,
    options: { ...options, lookup: true },
    summary,
    note,
    wordCounts: words?.counts,
    powers,
    calibration,
    remembered: builder.build(),
  });
}
