// Contexts to a mean: of a model with a range of contexts, how sure is sure enough is chosen so that searches take so many contexts
// for each decision on average, as held-out inputs show. An answer so depends on its input alone, not on those before it.

import { type Spent, sureFor } from "../engine/budget.js";
import type { LearningTask, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { asTheyCome } from "./examples.js";

export interface Steered {
  /** What is sure enough: outputs of this probability are not searched for again. */
  sure: number;
  /** Contexts for each decision, averaged over the inputs. */
  contexts: number;
}

/**
 * Chooses how sure is sure enough, if a mean is given, and then makes a promise on the same inputs. Promises that the model had were
 * measured with another search and are dropped; if the new one cannot be made, everything stays as it was.
 */
export async function withMeanContexts<R extends { promised: boolean }>(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  mean: number | undefined,
  promise: (inputs: AsyncIterable<unknown>) => Promise<R>,
): Promise<R & { steered?: Steered }> {
  if (mean === undefined) return promise(inputs);
  const { calibration, options } = model;
  const { sure } = options as { sure: number };
  const all: unknown[] = [];
  for await (const input of inputs) all.push(input);
  const steered = steerContexts(task, model, all, mean);
  const made = await promise(asTheyCome(all));
  if (!made.promised) {
    model.setSure?.(sure);
    model.calibration = calibration;
  }
  return { ...made, steered };
}

function steerContexts(task: LearningTask, model: Predictor, inputs: readonly unknown[], mean: number): Steered {
  const { contexts } = model.options as { contexts?: number | { least: number } };
  if (!model.setSure || typeof contexts !== "object") {
    throw new InputError(
      "option `meanContexts` needs a model that was trained with a range of contexts, such as 5..100",
    );
  }
  if (mean < contexts.least) {
    throw new InputError(`option \`meanContexts\` must be at least ${contexts.least}, with which every search begins`);
  }
  const searches = inputs.flatMap((input) => {
    const { spent } = task.predicting.predict(model, input, { inference: { sure: 1 } }) as { spent?: Spent };
    return spent ?? [];
  });
  if (searches.length === 0) throw new InputError("there are no inputs");
  const found = sureFor(searches, mean);
  model.setSure(found.sure);
  model.calibration = undefined;
  return found;
}
