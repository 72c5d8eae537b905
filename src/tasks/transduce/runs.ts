// The trainings (*runs*) of a transducer. With many inputs one part is held out, which chooses the best pass; then the model goes
// on with all of them. With few, parts are held out in turn (cross-validation), and then a run learns from everything, for as
// many passes as were best on average.

import { AdaGrad } from "../../learn/adagrad.js";
import { meanHistory } from "../../learn/choose.js";
import { Gradient } from "../../learn/gradient.js";
import { crossParts, type Part, split } from "../../learn/held-out.js";
import { scoreOf, type TrainingRoom, train } from "../../learn/train.js";
import type { Checkpoint, Trained, TrainingHooks, TrainingOptions } from "../../learn/training.js";
import { entriesIn } from "./carry.js";
import type { Learners, TransducerLearner } from "./learner.js";
import type { JudgedRun } from "./tuning.js";

/** Parts of a cross-validation. */
const PARTS = 4;
/** Passes over everything of a model that goes on. */
export const GO_ON_PASSES = 2;

/** The parts of a cross-validation, if all inputs are to have their turn, or one part. */
export function partsOf(
  { exampleCount }: Learners,
  options: Pick<TrainingOptions, "heldOut" | "seed">,
  crosses: boolean,
): readonly Part[] {
  const parts = crosses ? crossParts(exampleCount, { count: PARTS, seed: options.seed }) : [];
  return parts.length > 0 ? parts : [split(exampleCount, options)];
}

/** The learner of the run that leaves checkpoints. */
export function mainLearner(learners: Learners, parts: readonly Part[]): TransducerLearner {
  return learners.of(parts.length > 1 ? undefined : parts[0].training);
}

export interface RunSettings {
  learners: Learners;
  parts: readonly Part[];
  /** Of these. */
  main: TransducerLearner;
  /** Whether to learn from what was held out, too, when everything is chosen. */
  refit: boolean;
  start?: Float64Array;
  checkpoint?: Checkpoint;
}

/** A training, and what the choices that follow are judged by; nothing if it was stopped. */
export interface Runs {
  trained: Trained;
  /** Whose rows the weights are of. */
  learner: TransducerLearner;
  judged: JudgedRun[];
}

export async function runAll(options: TrainingOptions, hooks: TrainingHooks, settings: RunSettings): Promise<Runs> {
  return settings.parts.length > 1
    ? crossValidated(options, hooks, settings)
    : heldOut(options, hooks, settings, settings.parts[0]);
}

async function heldOut(
  options: TrainingOptions,
  hooks: TrainingHooks,
  { learners, main, refit, start, checkpoint }: RunSettings,
  part: Part,
): Promise<Runs> {
  const { room, ...trained } = await train(main, options, hooks, { start, checkpoint, more: true, part });
  if (trained.stopped) return { trained, learner: main, judged: [] };
  const judged = part.heldOut.length > 0 ? [judgedBy(part, main, trained)] : [];
  if (!refit || judged.length === 0) return { trained, learner: main, judged };
  main.forget();
  const learner = learners.of();
  const again = await train(learner, { ...options, passes: GO_ON_PASSES }, titled(hooks, "training on everything"), {
    ...carriedOver(main, learner, trained.weights, room),
    part: everything(learner),
    goesOn: true,
  });
  learner.forget();
  if (again.stopped) return { trained: { ...trained, stopped: true }, learner: main, judged };
  const { weights, network } = again;
  return { trained: { ...trained, weights, network }, learner, judged };
}

/** Weights and lengths of steps of a learner, for one that has all of its rows and more. A network is copied. */
function carriedOver(
  from: TransducerLearner,
  to: TransducerLearner,
  weights: Float64Array,
  { adagrad }: TrainingRoom,
): { start: Float64Array; room: TrainingRoom } {
  if (from.encoder) to.encoder?.restore(from.encoder.state());
  const places = entriesIn(to.engine.rows, from.engine.rows);
  const carried = (values: Float64Array, into: Float64Array): Float64Array => {
    places.forEach((place, e) => {
      into[place] = values[e];
    });
    return into;
  };
  const room = { adagrad: new AdaGrad(to.table, adagrad.options), gradient: new Gradient(to.table) };
  carried(adagrad.squares, room.adagrad.squares);
  return { start: carried(weights, new Float64Array(to.table.symbols.length)), room };
}

async function crossValidated(
  options: TrainingOptions,
  hooks: TrainingHooks,
  { learners, parts, main, start, checkpoint }: RunSettings,
): Promise<Runs> {
  const ended: { part: Part; learner: TransducerLearner; trained: Trained; weights: Float64Array[] }[] = [];
  const whole = { ...options, patience: options.passes };
  for (const [n, part] of parts.entries()) {
    const learner = learners.of(part.training);
    const weights: Float64Array[] = []; // [passes]
    const { room: _, ...trained } = await train(learner, whole, titled(hooks, `part ${n + 1} of ${parts.length}`), {
      start,
      part,
      onWeights: (after) => weights.push(after),
    });
    learner.forget();
    if (trained.stopped) return { trained, learner, judged: [] };
    ended.push({ part, learner, trained, weights });
  }
  const history = meanHistory(ended.map(({ trained }) => [...trained.history]));
  const scores = history.map(({ heldOut }) => (heldOut ? scoreOf(heldOut, options.select) : 0));
  // A network is as it should be at the end of its passes.
  const bestPass = main.encoder ? scores.length : scores.indexOf(Math.max(...scores)) + 1;
  // The pass that was best for a part alone would make that part look easier than new inputs are.
  const judged = ended.map(({ part, learner, trained, weights }) =>
    judgedBy(part, learner, { ...trained, weights: weights[bestPass - 1] }),
  );
  const all = { ...whole, passes: bestPass };
  const { weights, network, stopped } = await train(main, all, hooks, {
    start,
    checkpoint,
    part: everything(main),
    more: true,
  });
  main.forget();
  return { trained: { weights, network, history, bestPass, stopped }, learner: main, judged };
}

function judgedBy(part: Part, learner: TransducerLearner, { weights, network }: Trained): JudgedRun {
  return { ...part, learner, weights, network: network && { parameters: network, scale: 1 } };
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
