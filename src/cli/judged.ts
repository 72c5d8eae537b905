// A model's answers on labelled data with whether they are right: what calibration and comparison are made of.

import { layoutOf } from "../formats/pair-lines.js";
import { readPairs } from "../formats/read.js";
import type { Answer } from "../metrics/answers.js";
import { Transducer } from "../tasks/transduce/transducer.js";
import type { Model } from "../workflows/model.js";
import { readForModel, taggerOf } from "./input.js";
import { type InferenceFlags, inferenceFrom, type ReadFlags, refuseFlags } from "./options.js";

export interface Judged {
  /** Of whole outputs. */
  answers: Answer[];
  /** Of labels at their positions; none for transducers. */
  positions: Answer[];
  /** Sequences left out as some of their labels are not known. */
  partial: number;
}

export async function judge(
  model: Model,
  path: string,
  files: readonly string[],
  flags: ReadFlags & InferenceFlags,
): Promise<Judged> {
  const judged: Judged = { answers: [], positions: [], partial: 0 };
  if (model instanceof Transducer) {
    refuseFlags(flags, ["format", "pixels", "folds"], "taggers", path);
    for (const { input, outputs } of (await pairsByInput(model, files)).values()) {
      const { output, probability } = model.predict(input);
      judged.answers.push({ confidence: probability, correct: outputs.has(JSON.stringify(output)) });
    }
    return judged;
  }
  const tagger = taggerOf(model, path);
  const inference = inferenceFrom(flags);
  for (const file of files) {
    for await (const { sequence } of readForModel(file, tagger, { ...flags, labels: "needed", unknown: "allow" })) {
      const gold = sequence.labels ?? [];
      if (!gold.every((label) => typeof label === "string")) {
        judged.partial++;
        continue;
      }
      const { labels, probability, confidences = [] } = tagger.predict(sequence, { inference, confidences: true });
      judged.answers.push({ confidence: probability, correct: labels.every((label, i) => label === gold[i]) });
      labels.forEach((label, i) => {
        judged.positions.push({ confidence: confidences[i], correct: label === gold[i] });
      });
    }
  }
  return judged;
}

/** Inputs with all their right answers, as JSON. */
async function pairsByInput(
  transducer: Transducer,
  files: readonly string[],
): Promise<Map<string, { input: readonly string[]; outputs: Set<string> }>> {
  const layout = layoutOf(transducer);
  const pairs = new Map<string, { input: readonly string[]; outputs: Set<string> }>();
  for (const file of files) {
    for await (const { input, output } of readPairs(file, layout)) {
      const key = JSON.stringify(input);
      const known = pairs.get(key);
      if (known) known.outputs.add(JSON.stringify(output));
      else pairs.set(key, { input, outputs: new Set([JSON.stringify(output)]) });
    }
  }
  return pairs;
}
