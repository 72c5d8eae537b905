// Training of a segmenter: from texts with segments to rows, weights, and what is known of how it went.

import { Alphabet } from "../../engine/alphabet.js";
import { readLexicon } from "../../formats/lexicon.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { chooseAndTrain, usualShare } from "../../learn/choose.js";
import { choosingOptions, trainingOptions } from "../../learn/options.js";
import { hookNames, hooksOf } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { declaredOf } from "../../util/options.js";
import { keptOf } from "../tag/encoder.js";
import { OUTSIDE, positionsOf, type SegmentedText } from "./example.js";
import { Gatherer } from "./gather.js";
import { carriedWeights } from "./kept.js";
import { SegmenterLearner } from "./learner.js";
import { learningNetwork } from "./network.js";
import { inferenceOf, readSegmenterOptions, type SegmenterOptions } from "./options.js";
import { segmentText } from "./positions.js";
import { Segmenter, type TrainSegmenterOptions } from "./segmenter.js";

const otherNames = ["input", "lexicon", "lexiconFile", "from", "keep", "checkpoint", "note"] as const;

/** Passes of a network: after 16, three of four sets were worse on held-out texts. */
const NETWORK_PASSES = 10;

/** How many segments back a decision looks by default: lengths of words before tell little, labels do. */
const LABELLED_ORDER = 2;

/** Learns from texts with segments. */
export async function trainSegmenter(
  examples: Iterable<SegmentedText> | AsyncIterable<SegmentedText>,
  given: TrainSegmenterOptions,
): Promise<Segmenter> {
  const { from, keep } = given;
  if (keep && !from) throw new InputError("option `keep` needs option `from`");
  const kept = keep ? from : undefined;
  const chosen = readSegmenterOptions(given, { others: [...hookNames, ...otherNames], from, keep });
  const gatherer = await gathered(examples, given, kept);
  const order = chosen.order ?? (gatherer.hasLabels ? LABELLED_ORDER : 0);
  const prepared = gatherer.prepare({ ...chosen, order });
  const { parts, rows, corpus } = prepared;
  const inference = inferenceOf({ ...chosen, order });
  const outside = parts.labels.indexOf(OUTSIDE);
  const network = learningNetwork(prepared, chosen, { from, keep });
  const learner = new SegmenterLearner(corpus, rows, inference, outside, chosen.beamTraining, network);
  const isTimed = given.passes === undefined && network !== undefined && !keep;
  const passes = isTimed ? NETWORK_PASSES : chosen.passes;
  const open = { ...declaredOf({ ...trainingOptions, ...choosingOptions }, chosen), passes };
  const fitted = await chooseAndTrain(learner, { ...open, l2: chosen.l2 ?? (kept ? 0 : undefined) }, hooksOf(given), {
    start: from && carriedWeights(from, { parts, rows }),
    checkpoint: given.checkpoint,
  });
  const { heldOut = usualShare(corpus.textCount) } = chosen;
  const options: SegmenterOptions = { ...chosen, passes, order, heldOut, l2: fitted.chosen.l2 };
  // What is saved is single precision; rounding here makes a saved and loaded segmenter answer exactly as this one.
  const weights = fitted.weights.map(Math.fround);
  if (!weights.every(Number.isFinite)) {
    throw new InputError("the weights grew without bound", { hint: "try a smaller rate or a larger l2" });
  }
  const { history, bestPass, stopped, chosen: found } = fitted;
  const segments = corpus.gold.filter((symbol) => symbol >= 0).length;
  const texts = corpus.textCount;
  const summary = { texts, positions: corpus.gold.length, segments, history, bestPass, stopped, chosen: found };
  const encoder = keptOf(learner.engine.encoder);
  learner.engine.dispose();
  return new Segmenter({ parts, rows, weights, encoder, options, summary, note: given.note ?? {} });
}

async function gathered(
  examples: Iterable<SegmentedText> | AsyncIterable<SegmentedText>,
  given: TrainSegmenterOptions,
  kept: Segmenter | undefined,
): Promise<Gatherer> {
  let gatherer: Gatherer | undefined;
  for await (const example of examples) {
    if (!gatherer) {
      const input = kept?.parts.input ?? given.input ?? (example?.columns ? "tokens" : "chars");
      const lexicon = given.lexicon === undefined ? undefined : lexiconOf(given.lexicon, input, given.lexiconFile);
      const labels = given.from?.parts.labels.all();
      gatherer = new Gatherer(input, lexicon ?? kept?.parts.lexicon ?? new Alphabet(), kept, labels);
    }
    gatherer.add(example);
  }
  if (!gatherer) throw new InputError("there are no texts to learn from");
  return gatherer;
}

/** The words or phrases of a lexicon, as segments read. */
function lexiconOf(given: string, input: SymbolKind, file: string | undefined): Alphabet {
  const lexicon = new Alphabet();
  for (const { text } of readLexicon(given, file)) {
    const positions = positionsOf({ text }, input);
    if (positions.columns.length > 0) lexicon.add(segmentText(positions, 0, positions.columns.length, input));
  }
  return lexicon;
}
