// A model's answers on examples with whether they are right: what calibration and comparison are made of.

import type { Answer } from "../metrics/answers.js";
import type { Asked, LearningTask, Predictor } from "../tasks/task.js";

export interface Judged {
  /** Of whole outputs. */
  answers: Answer[];
  /** Of their parts, such as the labels of tokens; none where outputs have no parts of their own. */
  parts: Answer[];
  /** Examples left out since the data does not say what is right. */
  partial: number;
}

export async function judge(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  options: Asked = {},
): Promise<Judged> {
  const judged: Judged = { answers: [], parts: [], partial: 0 };
  for await (const one of task.evaluating.cases(inputs)) {
    const judgement = task.evaluating.judge(model, one, options);
    if (!judgement) {
      judged.partial++;
      continue;
    }
    judged.answers.push(judgement.whole);
    for (const part of judgement.parts) judged.parts.push(part);
  }
  return judged;
}
