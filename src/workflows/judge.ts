// A model's answers on examples with whether they are right: what calibration and comparison are made of.

import type { PartUnit } from "../confidence/calibration.js";
import type { Cluster } from "../confidence/clustered.js";
import type { Outcomes } from "../confidence/conformal.js";
import type { GroupedCluster } from "../confidence/grouped.js";
import type { Answer } from "../metrics/answers.js";
import { columnsOf } from "../metrics/answers.js";
import type { Asked, Judgement, LearningTask, Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";

export interface Judged {
  /** Of whole outputs. */
  answers: Answer[];
  /** Of their parts, such as the labels of tokens, sequence by sequence; units that outputs do not have are missing. */
  parts: Partial<Record<PartUnit, GroupedCluster[]>>;
  /** [examples] how many spans there are in truth; 0 where outputs have none. */
  trueSpans: number[];
  /** Examples left out since the data does not say what is right. */
  partial: number;
  /** Where they are asked for: what outputs, and parts sequence by sequence, may be. */
  outcomes: Outcomes[];
  partOutcomes: (readonly Outcomes[])[];
  possible: NonNullable<Judgement["possible"]>[];
}

export async function judge(
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  options: Asked = {},
): Promise<Judged> {
  const judged = nothingJudged(task, model);
  await judgeInto(judged, task, model, inputs, options);
  return judged;
}

export function nothingJudged(task: LearningTask, model: Predictor): Judged {
  const units = task.predicting.parts?.units(model) ?? [];
  const parts = Object.fromEntries(units.map((unit) => [unit, []]));
  return { answers: [], parts, trueSpans: [], partial: 0, outcomes: [], partOutcomes: [], possible: [] };
}

/** Judges more examples. */
export async function judgeInto(
  judged: Judged,
  task: LearningTask,
  model: Predictor,
  inputs: AsyncIterable<unknown>,
  options: Asked = {},
): Promise<void> {
  const units = task.predicting.parts?.units(model) ?? [];
  for await (const one of task.evaluating.cases(inputs)) {
    const judgement = task.evaluating.judge(model, one, options);
    if (!judgement) {
      judged.partial++;
      continue;
    }
    judged.answers.push(judgement.whole);
    judged.trueSpans.push(judgement.trueSpans ?? 0);
    if (judgement.outcomes) judged.outcomes.push(judgement.outcomes);
    if (judgement.possible) judged.possible.push(judgement.possible);
    if (judgement.partOutcomes) judged.partOutcomes.push(judgement.partOutcomes);
    units.forEach((unit, n) => {
      const own = (n === 0 ? judgement.parts : judgement.spans) ?? [];
      judged.parts[unit]?.push({ ...columnsOf(own), group: own.map(({ group = "" }) => group) });
    });
  }
}

/** Answers of a unit, sequence by sequence; a unit that outputs do not have is refused. */
export function partsOf({ parts }: Judged, unit: PartUnit, model: { kind: string }): GroupedCluster[] {
  const found = parts[unit];
  if (found) return found;
  const others = Object.keys(parts);
  const why =
    others.length > 0
      ? unit === "span"
        ? "its labels mark none"
        : "its outputs have no tokens"
      : "its outputs vary in length, and only a whole output has an exact probability";
  throw new InputError(`option \`unit\`: this ${model.kind} has no ${unit}s: ${why}`, {
    hint: ["leave out option `unit`", ...others.map((other) => `or take \`${other}\``)].join(", "),
  });
}

/** All answers of clusters together. */
export function allOf(clusters: readonly Cluster[]): { confidence: Float64Array; correct: Uint8Array } {
  const count = clusters.reduce((sum, { confidence }) => sum + confidence.length, 0);
  const confidence = new Float64Array(count);
  const correct = new Uint8Array(count);
  let at = 0;
  for (const one of clusters) {
    for (let i = 0; i < one.confidence.length; i++) {
      confidence[at] = one.confidence[i];
      correct[at++] = one.correct[i] ? 1 : 0;
    }
  }
  return { confidence, correct };
}
