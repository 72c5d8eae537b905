// Training of a tagger: from labelled sequences to rows, weights, and what is known of how it went.

import { Alphabet } from "../../engine/alphabet.js";
import { GrowingAlphabet } from "../../engine/growing-alphabet.js";
import {
  type ChoosingOptions,
  type Chosen,
  chooseAndTrain,
  type Fitted,
  holdsOut,
  usualShare,
} from "../../learn/choose.js";
import { encoderPasses, encoderShape } from "../../learn/encoder/options.js";
import { leastSeconds, slowNotice } from "../../learn/estimate.js";
import { choosingOptions, trainingOptions } from "../../learn/options.js";
import { hookNames, hooksOf } from "../../learn/training.js";
import { areChunkLabels } from "../../metrics/tagging.js";
import { InputError } from "../../util/errors.js";
import { checkOption, declaredOf } from "../../util/options.js";
import { counted } from "../../util/text.js";
import { leastCount } from "./attributes.js";
import type { Corpus } from "./corpus.js";
import { encoderInputs, inputCount, keptOf, newEncoder } from "./encoder.js";
import {
  blocksIn,
  inScheme,
  isStored,
  lengthsOf,
  positionsOf,
  sequencesOf,
  withJudges,
  withVectors,
} from "./examples.js";
import { attributeMaker, functionOf } from "./features.js";
import { labelParts } from "./label-parts.js";
import { TaggerLearner } from "./learner.js";
import { type Lexicon, lexiconsOf } from "./lexicon.js";
import { MemoryNotices } from "./memory-notices.js";
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
import { OWN_CLASSES, withOwnClasses } from "./own-classes.js";
import { checkSlots, Reader, type Sequences } from "./reading.js";
import { type TaggerRows, taggerRows } from "./rows.js";
import { translated, translationFor } from "./scheme.js";
import { Tagger, type TaggerSummary, type TrainTaggerOptions } from "./tagger.js";
import { dropSmall } from "./unseen.js";
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

/** Learns from labelled sequences. Labels may be partly unknown. */
export async function trainTagger(sequences: Sequences, given: TrainTaggerOptions): Promise<Tagger> {
  const room: { reader?: Reader } = {};
  try {
    return await learnTagger(sequences, given, room);
  } finally {
    room.reader?.close();
  }
}

/** What is on disk in the end is left to be closed with the reader. */
async function learnTagger(
  sequences: Sequences,
  given: TrainTaggerOptions,
  room: { reader?: Reader },
): Promise<Tagger> {
  const others = [...hookNames, ...otherNames];
  const kept = given.keep ? given.from : undefined;
  const open = readTaggerOptions(given, { others, from: kept });
  if (given.keep && !kept) throw new InputError("option `keep` needs option `from`");
  if (given.from?.encoder) {
    throw new InputError("option `from`: a tagger with an encoder cannot continue training", {
      hint: "train again on all examples",
    });
  }
  if (given.vectors !== undefined && open.encoder !== "none") {
    throw new InputError("option `vectors` cannot be used with option `encoder`, which learns its own");
  }
  // One that is kept sees words as it did.
  const textVersion = kept?.source.kind === "text" ? (kept.source.version ?? 1) : undefined;
  const lexicons = [...(given.lexicon ? lexiconsOf(given.lexicon) : (kept?.lexicons ?? []))];
  const words = given.vectors || kept?.vectors ? new Alphabet() : undefined;
  const wordNumber = words && ((word: string) => words.add(word));
  const maker = attributeMaker(given, { conjoin: open.conjoin, lexicons, wordNumber }, textVersion);
  const labels = new Alphabet(given.from?.labels.all());
  const attributes = new GrowingAlphabet(kept?.attributes.all());
  const conjoined = new GrowingAlphabet(kept?.conjoined.all());
  const { encoder: kind } = open;
  const isEncoded = kind !== "none";
  // A network sees all sequences before it learns: they stay in memory.
  const scratch = isEncoded ? undefined : given.scratch;
  const reader = new Reader(maker, { labels, attributes, conjoined }, { scratch, hasWords: words !== undefined });
  room.reader = reader;
  const readOwn = await reader.read(await addOwnClasses(sequences, lexicons, open, given, maker));
  if (!reader.source) throw new InputError("there are no sequences to learn from");
  if (labels.size === 0) throw new InputError("no position has a label to learn from");
  const readDev = given.dev && (await reader.readKnown(given.dev));
  if (readDev?.sequenceCount === 0) throw new InputError("option `dev` has no sequences");
  const vectors = words && (await vectorsOf(given, words, kept));
  const read = withVectors(readOwn, words, vectors);
  const readJudges = readDev && (withVectors(readDev, words, vectors) as Corpus);
  const vectorIds = vectors && Int32Array.from(vectorNames(vectors.dimension), (name) => attributes.add(name));
  const translation = kept ? kept.translation : translationFor(read, labels, open);
  const symbols = translation ? new Alphabet(given.from?.symbols.all()) : labels;
  const own = inScheme(read, labels, symbols, translation);
  const judges = translation && readJudges ? translated(readJudges, labels, symbols, translation, true) : readJudges;
  const sizes = { labels: symbols.size, attributes: attributes.size, conjoined: conjoined.size };
  const isText = reader.source.kind === "text";
  const leastCountOf = (attribute: number): number =>
    Math.max(open.minCount, isText ? leastCount(attributes.nameOf(attribute)) : 1);
  const names = symbols.all();
  const { labelParts: separator, shortlist } = labelOptions(names, open);
  const parts = labelParts(names, separator);
  checkSlots(reader.longest, names.length + 1 + (parts?.names.length ?? 0));
  const leastRow = isEncoded ? () => Number.POSITIVE_INFINITY : leastCountOf;
  const notices = new MemoryNotices(reader, given);
  let unseen = false;
  const ownRows = taggerRows(own, sizes, {
    ...open,
    leastCount: leastRow,
    parts,
    vectorIds,
    counts: isStored(own) ? attributes.counts : undefined,
    mostWeights: reader.sizes?.weights,
    onLeftOut: (least, count) => notices.leftOut(least, count),
    onUnseen: () => {
      unseen = true;
    },
  });
  const sequenceCount = sequencesOf(own);
  const positions = positionsOf(own);
  const rows = kept ? mergeRows(kept.rows, ownRows, { old: kept.attributes.size, fresh: attributes.size }) : ownRows;
  if (vectors) rows.vectorRows = vectorRows(attributes, rows.attributeRow, vectors.dimension);
  const marksSpans = areChunkLabels(names);
  checkResumed(given, rows);
  const blocks = blocksIn(own, reader.order);
  const examples = withJudges(own, judges);
  const inputs = isEncoded
    ? encoderInputs((own as Corpus).attributes.ids, attributes.size, leastCountOf)
    : new Int32Array(0);
  const shape = kind === "none" ? undefined : encoderShape(kind, open, inputCount(inputs), symbols.size);
  const finalInference = inferenceOf({ ...open, shortlist });
  const { beamTraining } = open;
  const facts = { finalInference, shortlist, names: marksSpans ? names : undefined, beamTraining, blocks };
  const learner = new TaggerLearner(
    examples,
    rows,
    lightInference(finalInference),
    facts,
    shape &&
      ((backend) => {
        const { ids } = (own as Corpus).attributes;
        return newEncoder(shape, inputs, { ids, positions, examples: sequenceCount }, backend, open.dropout);
      }),
  );
  const timed = shape && given.passes === undefined ? { ...open, passes: encoderPasses(sequenceCount, LEARNED) } : open;
  const choosing = choosingOf(timed, { marksSpans, l2: kept ? 0 : undefined });
  if (open.mode === "exact") announce(learner, lengthsOf(examples), open, given);
  const from = {
    start: given.from ? carriedWeights(given.from, { symbols, attributes, conjoined, rows }) : undefined,
    checkpoint: given.checkpoint,
    judges: judges?.sequenceCount,
    neighbourGroups: sequenceCount < LONG_STRETCHES.fewest ? undefined : LONG_STRETCHES.groups,
    ...ofTagger,
  };
  // A margin makes weights larger: without a temperature, probabilities would be too high.
  const isTempered = !isEncoded && open.mode !== "beam" && holdsOut(learner, choosing, from);
  const { margin = isTempered ? USUAL_MARGIN : 0 } = open;
  learner.margin = margin;
  const fitted = await chooseAndTrain(learner, choosing, hooksOf(given), { ...from, tempersFirst: margin > 0 });
  const scheme: TaggerOptions["scheme"] = translation?.learned ?? "data";
  const classes = !given.lexicon && lexicons.some(({ name }) => name === OWN_CLASSES);
  const known = { ...open, labelParts: separator, shortlist, scheme, unseen, margin, classes };
  const options = optionsOf({ ...known, passes: timed.passes }, choosing, fitted.chosen, sequenceCount);
  // What is saved is single precision; rounding here makes a saved and loaded tagger answer exactly as this one.
  const weights = fitted.weights.map(Math.fround);
  if (unseen && reader.source.kind !== "given" && !vectors) dropSmall(weights, rows);
  checkLearned(weights, options, labels.size > 1 && !fitted.stopped);
  const encoder = keptOf(learner.engine.encoder);
  learner.engine.dispose();
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
    encoder,
    vectors,
    summary: summaryOf(sequenceCount, positions, fitted),
    note: given.note ?? {},
    features: functionOf(given.features),
  });
}

/**
 * Adds classes of the words to the lexicons, if nothing else tells of words, or those of the tagger that training starts from.
 * Returns the sequences again.
 */
async function addOwnClasses(
  sequences: Sequences,
  lexicons: Lexicon[],
  { classes: areWanted, encoder }: ChosenOptions,
  { lexicon, vectors, from, keep, onNotice }: TrainTaggerOptions,
  maker: ReturnType<typeof attributeMaker>,
): Promise<Sequences> {
  if (!areWanted || lexicon || vectors || keep || encoder !== "none") return sequences;
  if (from) {
    lexicons.push(...from.lexicons.filter(({ name }) => name === OWN_CLASSES));
    return sequences;
  }
  const found = await withOwnClasses(sequences, (first) => maker.seesWholeWords(first));
  if (found.classes) {
    lexicons.push(found.classes);
    const words = counted(found.classes.entries.length);
    onNotice?.(
      `${words} words are grouped into classes by their neighbours, for further attributes (option \`classes\`)`,
    );
  }
  return found.sequences;
}

/** With less memory, there may be fewer attributes than the training to be resumed had. */
function checkResumed({ checkpoint }: TrainTaggerOptions, { table }: TaggerRows): void {
  if (!checkpoint || checkpoint.weights.length === table.symbols.length) return;
  throw new InputError("the run to resume had other weights: option `memory` or the version was different", {
    hint: "resume it with the same memory, or start again",
  });
}

/** Sequences that a network learns from in all its passes, about. */
const LEARNED = 150_000;

/** Says how long exact inference will take, where that is long: it keeps every context that the data has. */
function announce(
  learner: TaggerLearner,
  lengths: Int32Array,
  { order, passes }: ChosenOptions,
  { onNotice }: TrainTaggerOptions,
): void {
  const { labelTree, table } = learner.engine.rows;
  if (!onNotice || labelTree.row.length * table.symbolCount < CHEAP) return;
  const why = `exact inference of order ${order} keeps up to ${labelTree.row.length} contexts`;
  const text = slowNotice(leastSeconds(learner, lengths), passes, why);
  if (text) onNotice(`${text}; option \`mode\` rcms keeps the few that matter`);
}

/** With fewer expansions of a position, exact inference is quick. */
const CHEAP = 10_000;

/**
 * On five sets of data (chunks, names, parts of speech), a penalty of 1 was the best or nearly so; what runs prefer by less than 3 % of
 * the errors is chance, unless the likelihood agrees. A penalty that fits leaves nothing to gain by stopping early, and a model got
 * better, if anything, by some more passes over everything. The temperature of fewer than 1,200 sequences was too much a matter
 * of chance where a fifth of them decided it.
 */
const ofTagger = { usualPenalty: 1, leastGain: 0.03, mostGoOn: 5, crossBelow: 1200 };

/**
 * New text is less like the data than a sentence is like one some pages before: of a hundred groups of neighbours, probabilities were
 * too high on stretches further away. Of fewer sequences, so few groups are too much a matter of chance.
 */
const LONG_STRETCHES = { groups: 20, fewest: 4000 };

/** With 2 the tagger did as well, with 3 not quite. */
const USUAL_MARGIN = 1;

/** The vectors of a training: those given, or those of a tagger that is kept. */
async function vectorsOf(given: TrainTaggerOptions, words: Alphabet, kept: Tagger | undefined): Promise<Vectors> {
  const { vectors, vectorsWords: most = attributeOptions.vectorsWords.default } = given;
  if (vectors === undefined) return kept?.vectors as Vectors;
  if (kept) throw new InputError("option `vectors` cannot be used with option `keep`");
  checkOption(attributeOptions.vectorsWords, "vectorsWords", most);
  return vectorsFor(vectors, words, most);
}

/** What `chooseAndTrain` is told; `l2` is what to take if none is given, in place of choosing. */
function choosingOf(open: ChosenOptions, { marksSpans, l2 }: { marksSpans: boolean; l2?: number }): ChoosingOptions {
  const { select = marksSpans ? "f1" : "accuracy" } = open;
  if (select === "f1" && !marksSpans) {
    throw new InputError("option `select`: F1 needs labels that mark spans, such as B-NP, I-NP, O", {
      hint: "choose by accuracy or likelihood",
    });
  }
  return { ...declaredOf({ ...trainingOptions, ...choosingOptions }, open), l2: open.l2 ?? l2, select };
}

/** Options of which those about labels are known. */
type LabelledOptions = ChosenOptions & Pick<TaggerOptions, "labelParts" | "shortlist" | "scheme" | "margin">;

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

function summaryOf(
  sequences: number,
  positions: number,
  { history, bestPass, stopped, chosen }: Fitted,
): TaggerSummary {
  return { sequences, positions, history, bestPass, stopped, chosen };
}
