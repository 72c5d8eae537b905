// Training of a tagger: from labelled sequences to rows, weights, and what is known of how it went.

import { Alphabet } from "../../engine/alphabet.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { chooseL2 } from "../../learn/choose-l2.js";
import { trainingOptions } from "../../learn/options.js";
import { train } from "../../learn/train.js";
import { hookNames, hooksOf, type Trained } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { declaredOf } from "../../util/options.js";
import { type Corpus, CorpusBuilder } from "./corpus.js";
import { attributeMaker, type FeatureSource, functionOf } from "./features.js";
import { TaggerLearner } from "./learner.js";
import { carriedWeights, mergeRows } from "./merge.js";
import { inferenceOf, readTaggerOptions, type TaggerOptions } from "./options.js";
import { taggerRows } from "./rows.js";
import { Tagger, type TaggerSummary, type TrainTaggerOptions } from "./tagger.js";

const otherNames = ["template", "templateFile", "features", "from", "keep", "checkpoint", "note"] as const;

/** Learns from labelled sequences. Labels may be partly unknown. */
export async function trainTagger(
  sequences: Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>,
  given: TrainTaggerOptions,
): Promise<Tagger> {
  const others = [...hookNames, ...otherNames];
  const chosen = readTaggerOptions(given, { others, from: given.keep ? given.from : undefined });
  const hooks = hooksOf(given);
  const maker = attributeMaker(given, chosen.conjoin);
  const labels = new Alphabet(given.from?.labels.all());
  const kept = given.keep ? given.from : undefined;
  if (given.keep && !kept) throw new InputError("option `keep` needs `from`: a tagger to keep");
  const attributes = new Alphabet(kept?.attributes.all());
  const conjoined = new Alphabet(kept?.conjoined.all());
  const builder = new CorpusBuilder(labels, attributes, conjoined, true);
  let source: FeatureSource | undefined;
  for await (const sequence of sequences) {
    if (!sequence?.labels) throw new InputError("a sequence has no labels to learn from", sequence ?? {});
    const kind = maker.sourceOf(sequence);
    source ??= kind;
    maker.add(builder, sequence, source);
  }
  if (!source) throw new InputError("there are no sequences to learn from");
  const corpus = builder.build();
  if (labels.size === 0) throw new InputError("no position has a label to learn from");
  const sizes = { labels: labels.size, attributes: attributes.size, conjoined: conjoined.size };
  const ownRows = taggerRows(corpus, sizes, chosen);
  const rows = kept ? mergeRows(kept.rows, ownRows, { old: kept.attributes.size, fresh: attributes.size }) : ownRows;
  const learner = new TaggerLearner(corpus, rows, inferenceOf(chosen));
  let choseInHaste = false;
  const stopsChoosing = (): boolean => {
    choseInHaste ||= hooks.shouldStop?.() ?? false;
    return choseInHaste;
  };
  const l2 =
    chosen.l2 ??
    given.checkpoint?.l2 ??
    (kept ? 0 : await chooseL2(learner, declaredOf(trainingOptions, chosen), stopsChoosing));
  const options: TaggerOptions = { ...chosen, l2 };
  const start = given.from ? carriedWeights(given.from, { labels, attributes, conjoined, rows }) : undefined;
  // A training stopped while its penalty was chosen has nothing to go on from: an undisturbed one might choose another.
  const trainingHooks = choseInHaste ? { ...hooks, onCheckpoint: undefined } : hooks;
  const trained = await train(learner, declaredOf(trainingOptions, options), trainingHooks, {
    start,
    checkpoint: given.checkpoint,
  });
  // What is saved is single precision; rounding here makes a saved and loaded tagger answer exactly as this one.
  const weights = trained.weights.map(Math.fround);
  checkLearned(weights, options, labels.size > 1 && !trained.stopped);
  return new Tagger({
    labels,
    attributes,
    conjoined,
    rows,
    weights,
    options,
    source,
    summary: summaryOf(corpus, trained),
    note: given.note ?? {},
    features: functionOf(given.features),
  });
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

function summaryOf(corpus: Corpus, trained: Trained): TaggerSummary {
  return {
    sequences: corpus.sequenceCount,
    positions: corpus.labels.length,
    history: trained.history,
    bestPass: trained.bestPass,
    stopped: trained.stopped,
  };
}
