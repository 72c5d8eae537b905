// Training of a tagger: from labelled sequences to rows, weights, and what is known of how it went.

import { Alphabet } from "../../engine/alphabet.js";
import type { GivenLabel, TaggingSequence } from "../../formats/sequence.js";
import { type ChoosingOptions, type Chosen, chooseAndTrain, type Fitted, usualShare } from "../../learn/choose.js";
import { leastSeconds, slowNotice } from "../../learn/estimate.js";
import { choosingOptions, trainingOptions } from "../../learn/options.js";
import { hookNames, hooksOf } from "../../learn/training.js";
import { areChunkLabels } from "../../metrics/tagging.js";
import { InputError } from "../../util/errors.js";
import { checkOption, declaredOf } from "../../util/options.js";
import { leastCount } from "./attributes.js";
import { type Corpus, CorpusBuilder, joinCorpora } from "./corpus.js";
import {
  encoderInputs,
  encoderPasses,
  encoderShape,
  newEncoder,
  type SlotEncoder,
  type TaggerEncoder,
} from "./encoder.js";
import { attributeMaker, type FeatureSource, functionOf } from "./features.js";
import { labelParts } from "./label-parts.js";
import { TaggerLearner } from "./learner.js";
import { lexiconsOf } from "./lexicon.js";
import { carriedWeights, mergeRows } from "./merge.js";
import {
  attributeOptions,
  type ChosenOptions,
  inferenceOf,
  labelOptions,
  lightInference,
  readTaggerOptions,
  type TaggerOptions,
} from "./options.js";
import { taggerRows } from "./rows.js";
import { translated, translationFor } from "./scheme.js";
import { Tagger, type TaggerSummary, type TrainTaggerOptions } from "./tagger.js";
import { type Vectors, vectorNames, vectorRows, vectorsFor } from "./vectors.js";

const otherNames = [
  "template",
  "templateFile",
  "features",
  "lexicon",
  "vectors",
  "vectorsWords",
  "from",
  "keep",
  "dev",
  "checkpoint",
  "note",
] as const;

type Sequences = Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>;

/** Learns from labelled sequences. Labels may be partly unknown. */
export async function trainTagger(sequences: Sequences, given: TrainTaggerOptions): Promise<Tagger> {
  const others = [...hookNames, ...otherNames];
  const kept = given.keep ? given.from : undefined;
  const open = readTaggerOptions(given, { others, from: kept });
  if (given.keep && !kept) throw new InputError("option `keep` needs `from`: a tagger to keep");
  if (given.from?.encoder) {
    throw new InputError("option `from`: a tagger with an encoder cannot go on learning", {
      hint: "train anew, on all examples",
    });
  }
  if (given.vectors !== undefined && open.encoder !== "none") {
    throw new InputError("option `vectors` cannot be used with option `encoder`, which learns its own");
  }
  // One that is kept sees words as it did.
  const textVersion = kept?.source.kind === "text" ? (kept.source.version ?? 1) : undefined;
  const lexicons = given.lexicon ? lexiconsOf(given.lexicon) : (kept?.lexicons ?? []);
  const words = given.vectors || kept?.vectors ? new Alphabet() : undefined;
  const wordNumber = words && ((word: string) => words.add(word));
  const maker = attributeMaker(given, { conjoin: open.conjoin, lexicons, wordNumber }, textVersion);
  const labels = new Alphabet(given.from?.labels.all());
  const attributes = new Alphabet(kept?.attributes.all());
  const conjoined = new Alphabet(kept?.conjoined.all());
  const reader = new Reader(maker, { labels, attributes, conjoined });
  const readOwn = await reader.read(sequences);
  if (!reader.source) throw new InputError("there are no sequences to learn from");
  if (labels.size === 0) throw new InputError("no position has a label to learn from");
  const readDev = given.dev && (await reader.readKnown(given.dev));
  if (readDev?.sequenceCount === 0) throw new InputError("option `dev`: there are no sequences to choose by");
  const vectors = words && (await vectorsOf(given, words, kept));
  const [read, readJudges] = [readOwn, readDev].map((one) => one && withVectors(one, words, vectors)) as [
    Corpus,
    Corpus?,
  ];
  const vectorIds = vectors && Int32Array.from(vectorNames(vectors.dimension), (name) => attributes.add(name));
  const translation = kept ? kept.translation : translationFor(read, labels, open);
  const symbols = translation ? new Alphabet(given.from?.symbols.all()) : labels;
  const own = translation ? translated(read, labels, symbols, translation) : read;
  const judges = translation && readJudges ? translated(readJudges, labels, symbols, translation, true) : readJudges;
  const sizes = { labels: symbols.size, attributes: attributes.size, conjoined: conjoined.size };
  const isText = reader.source.kind === "text";
  const leastCountOf = (attribute: number): number =>
    Math.max(open.minCount, isText ? leastCount(attributes.nameOf(attribute)) : 1);
  const names = symbols.all();
  const { labelParts: separator, shortlist } = labelOptions(names, open, translation);
  const parts = labelParts(names, separator);
  const isEncoded = open.encoder !== "none";
  const leastRow = isEncoded ? () => Number.POSITIVE_INFINITY : leastCountOf;
  const ownRows = taggerRows(own, sizes, { ...open, leastCount: leastRow, parts, vectorIds });
  const rows = kept ? mergeRows(kept.rows, ownRows, { old: kept.attributes.size, fresh: attributes.size }) : ownRows;
  if (vectors) rows.vectorRows = vectorRows(attributes, rows.attributeRow, vectors.dimension);
  const marksSpans = areChunkLabels(names);
  const corpus = judges ? joinCorpora(own, judges) : own;
  const inputs = isEncoded ? encoderInputs(own, attributes.size, leastCountOf) : new Int32Array(0);
  const shape = encoderShape(open, inputs, symbols.size);
  const finalInference = inferenceOf({ ...open, shortlist });
  const { beamTraining } = open;
  const facts = { finalInference, shortlist, names: marksSpans ? names : undefined, beamTraining };
  const learner = new TaggerLearner(
    corpus,
    rows,
    lightInference(finalInference),
    facts,
    shape && ((backend) => newEncoder(shape, inputs, own, backend, open.dropout)),
  );
  const timed = shape && given.passes === undefined ? { ...open, passes: encoderPasses(own.sequenceCount) } : open;
  const choosing = choosingOf(timed, { marksSpans, l2: kept ? 0 : undefined });
  if (open.mode === "exact") announce(learner, open, given);
  const fitted = await chooseAndTrain(learner, choosing, hooksOf(given), {
    start: given.from ? carriedWeights(given.from, { symbols, attributes, conjoined, rows }) : undefined,
    checkpoint: given.checkpoint,
    judges: judges?.sequenceCount,
    ...penaltySearch,
  });
  const scheme: TaggerOptions["scheme"] = translation?.learned ?? "data";
  const known = { ...open, labelParts: separator, shortlist, scheme };
  const options = optionsOf({ ...known, passes: timed.passes }, choosing, fitted.chosen, own.sequenceCount);
  // What is saved is single precision; rounding here makes a saved and loaded tagger answer exactly as this one.
  const weights = fitted.weights.map(Math.fround);
  checkLearned(weights, options, labels.size > 1 && !fitted.stopped);
  return new Tagger({
    labels,
    symbols,
    translation,
    attributes,
    conjoined,
    rows,
    weights,
    options,
    source: reader.source,
    lexicons,
    encoder: keptOf(learner.engine.encoder),
    vectors,
    summary: summaryOf(own, fitted),
    note: given.note ?? {},
    features: functionOf(given.features),
  });
}

/** The network as it is kept. */
function keptOf(encoder: SlotEncoder | undefined): TaggerEncoder | undefined {
  if (!encoder) return undefined;
  const { network, inputs } = encoder;
  const { shape, parameters, scale } = network;
  return { shape, parameters: Float32Array.from(parameters), inputs, scale: Math.fround(scale) };
}

/** Says how long exact inference will take, where that is long: it keeps every context that the data has. */
function announce(learner: TaggerLearner, { order, passes }: ChosenOptions, { onNotice }: TrainTaggerOptions): void {
  const { labelTree, table } = learner.engine.rows;
  if (!onNotice || labelTree.row.length * table.symbolCount < CHEAP) return;
  const { sequenceStart, sequenceCount } = learner.corpus;
  const lengths = Int32Array.from({ length: sequenceCount }, (_, s) => sequenceStart[s + 1] - sequenceStart[s]);
  const why = `exact inference of order ${order} keeps up to ${labelTree.row.length} contexts`;
  const text = slowNotice(leastSeconds(learner, lengths), passes, why);
  if (text) onNotice(`${text}; option \`mode\` rcms keeps the few that matter`);
}

/** With fewer expansions of a position, exact inference is quick. */
const CHEAP = 10_000;

/**
 * On five sets of data (chunks, names, parts of speech), a penalty of 1 was the best or nearly so; what short runs prefer by
 * less than 3 % of the errors is chance.
 */
const penaltySearch = { usualPenalty: 1, leastGain: 0.03 };

/** With the words of positions as numbers, where vectors are to come. */
interface ReadCorpus extends Corpus {
  words: Int32Array;
}

/** The vectors of a training: those given, or those of a tagger that is kept. */
async function vectorsOf(given: TrainTaggerOptions, words: Alphabet, kept: Tagger | undefined): Promise<Vectors> {
  const { vectors, vectorsWords: most = attributeOptions.vectorsWords.default } = given;
  if (vectors === undefined) return kept?.vectors as Vectors;
  if (kept) throw new InputError("option `vectors` cannot be used where a tagger is kept: it has its own, or none");
  checkOption(attributeOptions.vectorsWords, "vectorsWords", most);
  return vectorsFor(vectors, words, most);
}

/** The corpus with the vectors of its words: those alone that it needs, so that threads can share them. */
function withVectors({ words, ...corpus }: ReadCorpus, names?: Alphabet, vectors?: Vectors): Corpus {
  if (!names || !vectors) return corpus;
  const { dimension, values } = vectors;
  const numbers = names.all().map((name) => vectors.numberOf(name));
  const own = new Float64Array(numbers.length * dimension);
  numbers.forEach((number, word) => {
    if (number >= 0) own.set(values.subarray(number * dimension, (number + 1) * dimension), word * dimension);
  });
  return {
    ...corpus,
    vectors: { dimension, values: own, words: words.map((word) => (numbers[word] < 0 ? -1 : word)) },
  };
}

/** Sequences as numbers. */
class Reader {
  source: FeatureSource | undefined;

  constructor(
    private readonly maker: ReturnType<typeof attributeMaker>,
    private readonly alphabets: { labels: Alphabet; attributes: Alphabet; conjoined: Alphabet },
  ) {}

  /** Those to learn from: what is new gets a number. */
  async read(sequences: Sequences): Promise<ReadCorpus> {
    const builder = this.builder(true);
    const documents = new Documents();
    for await (const sequence of sequences) {
      checkLabelled(sequence);
      documents.add(sequence);
      const kind = this.maker.sourceOf(sequence);
      this.source ??= kind;
      this.maker.add(builder, sequence, this.source);
    }
    return { ...builder.build(), groups: documents.groups(), words: builder.takeWords() };
  }

  /** Those to choose by: a label that the others do not have cannot be learned, so its position is left open. */
  async readKnown(sequences: Sequences): Promise<ReadCorpus> {
    const builder = this.builder(false);
    const { labels } = this.alphabets;
    const known = (given: GivenLabel): GivenLabel => {
      const left = (typeof given === "string" ? [given] : (given ?? [])).filter((label) => labels.indexOf(label) >= 0);
      return left.length > 0 ? left : null;
    };
    for await (const sequence of sequences) {
      checkLabelled(sequence);
      this.maker.add(builder, { ...sequence, labels: sequence.labels?.map(known) }, this.source as FeatureSource);
    }
    return { ...builder.build(), words: builder.takeWords() };
  }

  private builder(grows: boolean): CorpusBuilder {
    const { labels, attributes, conjoined } = this.alphabets;
    return new CorpusBuilder(labels, attributes, conjoined, grows);
  }
}

/** Numbers the documents of sequences. */
class Documents {
  private readonly numbers: number[] = [];
  private latest: Pick<TaggingSequence, "file" | "document"> | undefined;
  private count = 0;

  add({ file, document }: TaggingSequence): void {
    if (file !== this.latest?.file || document !== this.latest?.document) this.count++;
    this.latest = { file, document };
    this.numbers.push(this.count - 1);
  }

  /** [sequences] undefined if the data tells of fewer than would do to hold some out. */
  groups(): Int32Array | undefined {
    return this.count < FEWEST_DOCUMENTS ? undefined : Int32Array.from(this.numbers);
  }
}

/** With fewer documents, the one held out would decide too much. */
const FEWEST_DOCUMENTS = 20;

function checkLabelled(sequence: TaggingSequence): void {
  if (!sequence?.labels) throw new InputError("a sequence has no labels to learn from", sequence ?? {});
}

/** What `chooseAndTrain` is told; `l2` is what to take if none is given, in place of choosing. */
function choosingOf(open: ChosenOptions, { marksSpans, l2 }: { marksSpans: boolean; l2?: number }): ChoosingOptions {
  const { select = marksSpans ? "f1" : "accuracy" } = open;
  if (select === "f1" && !marksSpans) {
    throw new InputError("option `select`: F1 is for labels that mark spans, such as B-NP, I-NP, O", {
      hint: "choose by accuracy or likelihood",
    });
  }
  return { ...declaredOf({ ...trainingOptions, ...choosingOptions }, open), l2: open.l2 ?? l2, select };
}

/** Options of which those about labels are known. */
type LabelledOptions = ChosenOptions & Pick<TaggerOptions, "labelParts" | "shortlist" | "scheme">;

/** Options as they were in the end. */
function optionsOf(
  open: LabelledOptions,
  { select }: ChoosingOptions,
  { l2 }: Chosen,
  sequences: number,
): TaggerOptions {
  return { ...open, l2, select, heldOut: open.heldOut ?? usualShare(sequences) };
}

/** Refuses weights that no prediction can be made with, or that a penalty made to say nothing. */
function checkLearned(weights: Float64Array, { l1 }: TaggerOptions, hadToLearn: boolean): void {
  if (!weights.every(Number.isFinite)) {
    throw new InputError("the weights grew without bound", { hint: "try a smaller rate or a larger l2" });
  }
  if (l1 > 0 && hadToLearn && weights.every((weight) => weight === 0)) {
    throw new InputError("nothing was learned: the penalty holds every weight at zero", {
      hint: `try an l1 below ${l1}`,
    });
  }
}

function summaryOf(corpus: Corpus, { history, bestPass, stopped, chosen }: Fitted): TaggerSummary {
  const { sequenceCount: sequences, labels } = corpus;
  return { sequences, positions: labels.length, history, bestPass, stopped, chosen };
}
