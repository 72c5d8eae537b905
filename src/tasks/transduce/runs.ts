// The trainings (*runs*) of a transducer. With many inputs one part is held out, which chooses the best pass; then the model goes
// on with all of them. With few, parts are held out in turn (cross-validation), and then a run learns from everything, for as
// many passes as were best on average.

import { meanHistory } from "../../learn/choose.js";
import { crossParts, type Part, split } from "../../learn/held-out.js";
import { scoreOf, train } from "../../learn/train.js";
import type { Checkpoint, Pass, Trained, TrainingHooks, TrainingOptions } from "../../learn/training.js";
import type { TransducerLearner } from "./learner.js";
import type { JudgedWeights } from "./tuning.js";

/** Parts of a cross-validation. */
const PARTS = 4;
/** Passes over everything of a model that goes on. */
const GO_ON_PASSES = 2;

export interface RunSettings {
  /** Whether parts are held out in turn. */
  crosses: boolean;
  /** The seed of what is held out: the same for all members of an ensemble. */
  seed: number;
  /** Whether to learn from what was held out, too, when everything is chosen. */
  refit: boolean;
  /** What to learn from and what to judge by, where that is given: then what judges is never learned from. */
  part?: Part;
  start?: Float64Array;
  checkpoint?: Checkpoint;
}

/** A training, and what the choices that follow are judged by; nothing if it was stopped. */
export interface Runs {
  trained: Trained;
  judged: JudgedWeights[];
}

export async function runAll(
  learner: TransducerLearner,
  options: TrainingOptions,
  hooks: TrainingHooks,
  settings: RunSettings,
): Promise<Runs> {
  const parts = settings.crosses ? crossParts(learner.exampleCount, { count: PARTS, seed: settings.seed }) : [];
  return parts.length > 0
    ? crossValidated(learner, options, hooks, settings, parts)
    : heldOut(learner, options, hooks, settings);
}

async function heldOut(
  learner: TransducerLearner,
  options: TrainingOptions,
  hooks: TrainingHooks,
  { refit, seed, part: given, start, checkpoint }: RunSettings,
): Promise<Runs> {
  const part = given ?? split(learner.exampleCount, { ...options, seed });
  const { room, ...trained } = await train(learner, options, hooks, { start, checkpoint, more: true, part });
  if (trained.stopped) return { trained, judged: [] };
  const judged = part.heldOut.length > 0 ? [{ ...part, weights: trained.weights }] : [];
  if (!refit || given || judged.length === 0) return { trained, judged };
  const further = { ...options, passes: GO_ON_PASSES };
  const again = await train(learner, further, titled(hooks, "learning from everything"), {
    start: trained.weights,
    part: everything(learner),
    room,
    goesOn: true,
  });
  const { weights } = again.stopped ? trained : again;
  return { trained: { ...trained, weights, stopped: again.stopped }, judged };
}

async function crossValidated(
  learner: TransducerLearner,
  options: TrainingOptions,
  hooks: TrainingHooks,
  { start, checkpoint }: RunSettings,
  parts: readonly Part[],
): Promise<Runs> {
  const judged: JudgedWeights[] = [];
  const histories: Pass[][] = [];
  const whole = { ...options, patience: options.passes };
  for (const [n, part] of parts.entries()) {
    const { room: _, ...trained } = await train(learner, whole, titled(hooks, `part ${n + 1} of ${parts.length}`), {
      start,
      part,
    });
    if (trained.stopped) return { trained, judged: [] };
    judged.push({ ...part, weights: trained.weights });
    histories.push([...trained.history]);
  }
  const history = meanHistory(histories);
  const scores = history.map(({ heldOut }) => (heldOut ? scoreOf(heldOut, options.select) : 0));
  const bestPass = scores.indexOf(Math.max(...scores)) + 1;
  const all = { ...whole, passes: bestPass };
  const { weights, stopped } = await train(learner, all, hooks, {
    start,
    checkpoint,
    part: everything(learner),
    more: true,
  });
  return { trained: { weights, history, bestPass, stopped }, judged };
}

function everything({ exampleCount }: TransducerLearner): Part {
  return { training: Int32Array.from({ length: exampleCount }, (_, i) => i), heldOut: new Int32Array(0) };
}

/** Hooks of a run that a training which goes on repeats: it leaves no checkpoint. */
export function titled({ onCheckpoint: _, onProgress, ...hooks }: TrainingHooks, title: string): TrainingHooks {
  const full = (inner: string | undefined): string => (inner === undefined ? title : `${title}, ${inner}`);
  return {
    ...hooks,
    onProgress: onProgress && ((progress) => onProgress({ ...progress, title: full(progress.title) })),
  };
}
