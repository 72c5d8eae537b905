// Predicting for the inputs of a source and printing: what `predict` does on each of its threads.

import type { Lines } from "../formats/line-blocks.js";
import type { Asked, LearningTask, PredictionAsked, Predictor } from "../tasks/task.js";
import { say, write, writeJson } from "./output.js";
import type { ReviewDesk } from "./review-desk.js";

/** What was asked for, by names of options. */
export interface PredictAsked {
  prediction: PredictionAsked;
  /** How the input is read, where that is said. */
  rereading: Asked;
  precision?: number;
}

/** Predicts for all inputs of a source, and prints. */
export async function predictInputs(
  task: LearningTask,
  model: Predictor,
  lines: Lines,
  { prediction: asked, rereading, precision }: PredictAsked,
  desk: ReviewDesk,
  mayBeEmpty = false,
): Promise<void> {
  const { predicting } = task;
  const said = new Set<string>();
  const use = { answers: "ignored", mayBeEmpty, asked: { ...rereading, ...asked } } as const;
  for await (const input of predicting.inputs(model, lines, use)) {
    if (precision !== undefined) {
      const answer = predicting.answer(model, input, { ...asked, precision });
      await desk.count(answer.answered, (number) => task.reviewing.item(model, input, answer.candidates, number));
      if (asked.json) await writeJson(predicting.answerJson(model, input, answer));
      else await write(predicting.answerText(model, input, answer, asked));
      continue;
    }
    const prediction = predicting.predict(model, input, asked);
    for (const notice of predicting.notices?.(prediction) ?? []) {
      if (!said.has(notice)) say(notice);
      said.add(notice);
    }
    if (asked.json) await writeJson(predicting.json(model, input, prediction));
    else await write(predicting.text(model, input, prediction, asked));
  }
}
