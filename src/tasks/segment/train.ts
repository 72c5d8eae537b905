// Training of a segmenter: from texts with their segments to attributes, rows and weights.

import { Alphabet } from "../../engine/alphabet.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { chooseL2 } from "../../learn/choose-l2.js";
import { trainingOptions } from "../../learn/options.js";
import { train } from "../../learn/train.js";
import { hookNames, hooksOf } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { declaredOf } from "../../util/options.js";
import { OUTSIDE, type SegmentedText } from "./example.js";
import { Gatherer } from "./gather.js";
import { SegmenterLearner } from "./learner.js";
import { inferenceOf, readSegmenterOptions, type SegmenterOptions } from "./options.js";
import { textPositions } from "./positions.js";
import { Segmenter, type TrainSegmenterOptions } from "./segmenter.js";

const otherNames = ["input", "lexicon", "lexiconFile", "from", "checkpoint", "note"] as const;

export async function trainSegmenter(
  texts: Iterable<SegmentedText> | AsyncIterable<SegmentedText>,
  given: TrainSegmenterOptions,
): Promise<Segmenter> {
  const chosen = readSegmenterOptions(given, { others: [...hookNames, ...otherNames] });
  if (given.from) throw new InputError("a segmenter cannot go on with another yet", { hint: "train on all texts" });
  const hooks = hooksOf(given);
  let gatherer: Gatherer | undefined;
  for await (const text of texts) {
    gatherer ??= newGatherer(given, text);
    gatherer.add(text);
  }
  if (!gatherer) throw new InputError("there are no texts to learn from");
  const { parts, rows, corpus } = gatherer.prepare(chosen);
  const learner = new SegmenterLearner(corpus, rows, inferenceOf(chosen), parts.labels.indexOf(OUTSIDE));
  let choseInHaste = false;
  const stopsChoosing = (): boolean => {
    choseInHaste ||= hooks.shouldStop?.() ?? false;
    return choseInHaste;
  };
  const l2 =
    chosen.l2 ?? given.checkpoint?.l2 ?? (await chooseL2(learner, declaredOf(trainingOptions, chosen), stopsChoosing));
  const options: SegmenterOptions = { ...chosen, l2 };
  // A training stopped while its penalty was chosen has nothing to go on from: an undisturbed one might choose another.
  const trainingHooks = choseInHaste ? { ...hooks, onCheckpoint: undefined } : hooks;
  const { weights, history, bestPass, stopped } = await train(
    learner,
    declaredOf(trainingOptions, options),
    trainingHooks,
    { checkpoint: given.checkpoint },
  );
  if (!weights.every(Number.isFinite)) {
    throw new InputError("the weights grew without bound", { hint: "try a smaller `rate` or a larger `l2`" });
  }
  const segments = corpus.gold.reduce((count, symbol) => count + (symbol >= 0 ? 1 : 0), 0);
  return new Segmenter({
    attributes: parts,
    rows,
    // What is saved is single precision; rounding here makes a saved and loaded segmenter answer exactly as this one.
    weights: weights.map(Math.fround),
    options,
    summary: { texts: corpus.textCount, segments, history, bestPass, stopped },
    note: given.note ?? {},
  });
}

function newGatherer({ input, lexicon = "" }: TrainSegmenterOptions, first: SegmentedText): Gatherer {
  const kind: SymbolKind = input ?? (first?.columns ? "tokens" : "chars");
  const entries = lexicon.split(/\r?\n/).flatMap((line) => {
    const { columns } = textPositions(line.trim(), kind);
    return columns.length > 0 ? [columns.map(([part]) => part).join(kind === "tokens" ? " " : "")] : [];
  });
  return new Gatherer(kind, new Alphabet([...new Set(entries)]));
}
