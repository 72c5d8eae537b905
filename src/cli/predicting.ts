// Predicting for the inputs of a source and printing: what `predict` does on each of its threads.

import type { Unit } from "../confidence/calibration.js";
import { escapeField } from "../formats/fields.js";
import type { Lines } from "../formats/line-blocks.js";
import type { Asked, LearningTask, PossibleSpan, PredictionAsked, Predictor } from "../tasks/task.js";
import { probabilityText } from "../util/text.js";
import { isSingle, reviewItem } from "../workflows/answer.js";
import { coveredInput, coveredJson, coveredText, type SetUnit } from "../workflows/coverage.js";
import { foundSpans } from "../workflows/found-spans.js";
import { Beside } from "./beside.js";
import { jsonLine, say, write, writeJson } from "./output.js";
import type { ReviewDesk } from "./review-desk.js";

/** What was asked for, by names of options. */
export interface PredictAsked {
  prediction: PredictionAsked;
  /** How the input is read, where that is said. */
  rereading: Asked;
  precision?: number;
  coverage?: number;
  recall?: number;
  /** What the precision or the coverage was promised for. */
  unit?: Unit;
}

/** Of lines that are a part of others. */
export interface PartOfSource {
  /** Whether what is printed stands beside the lines, as far as is known without an input among them. */
  isByLine: boolean;
  /** Whether lines beside inputs are printed as they are. */
  isKept?: boolean;
}

/** Inputs of which it is remembered what was printed, at most, and characters of one. */
const MOST_REMEMBERED = 1 << 14;
const LONGEST_REMEMBERED = 1 << 10;

/** Predicts for all inputs of a source, and prints. */
export async function predictInputs(
  task: LearningTask,
  model: Predictor,
  lines: Lines,
  { prediction: asked, rereading, precision, coverage, recall, unit = "sequence" }: PredictAsked,
  desk: ReviewDesk,
  part?: PartOfSource,
): Promise<void> {
  const { predicting } = task;
  const said = new Set<string>();
  const use = { answers: "ignored", mayBeEmpty: part !== undefined, asked: { ...rereading, ...asked } } as const;
  const beside = new Beside(lines.blocks, part);
  const printed = new Map<string, string>();
  for await (const input of predicting.inputs(model, { ...lines, blocks: beside.blocks() }, use)) {
    const place = isByLine({ prediction: asked, precision, coverage, recall, unit })
      ? predicting.linesOf?.(input)
      : undefined;
    if (place) await beside.reach(place);
    const print = (text: string): Promise<void> => (place ? beside.print(text, place) : write(text));
    if (recall !== undefined) {
      const { prediction, spans } = foundSpans(task, model, input, recall);
      desk.sureness?.add(prediction.probability);
      if (asked.json) await writeJson({ ...predicting.json(model, input, prediction), spans });
      else await write(spansText(spans));
      continue;
    }
    if (coverage !== undefined) {
      const covered = coveredInput(task, model, input, coverage, unit as SetUnit, asked.json === true);
      desk.sureness?.add(covered.prediction.probability);
      await desk.count(isSingle(covered), (number) => reviewItem(task, model, input, covered.set, number));
      if (asked.json) await writeJson(coveredJson(task, model, input, covered));
      else await print(coveredText(task, model, input, covered));
      continue;
    }
    if (precision !== undefined && unit !== "sequence" && predicting.parts) {
      const answer = predicting.parts.answer(model, input, { ...asked, precision, unit });
      desk.sureness?.add(answer.prediction.probability);
      const { answered, candidates, prediction } = answer;
      const shown = candidates.length > 0 ? candidates : [prediction];
      await desk.countParts(answered, (number) => reviewItem(task, model, input, shown, number));
      if (asked.json) await writeJson(predicting.parts.json(model, input, answer));
      else await print(predicting.parts.text(model, input, answer, asked));
      continue;
    }
    if (precision !== undefined) {
      const answer = predicting.answer(model, input, { ...asked, precision });
      desk.sureness?.add(answer.prediction.probability);
      const { candidates, prediction } = answer;
      const shown = candidates.length > 0 ? candidates : [prediction];
      await desk.count(answer.answered, (number) => reviewItem(task, model, input, shown, number));
      if (asked.json) await writeJson(predicting.answerJson(model, input, answer));
      else await write(predicting.answerText(model, input, answer, asked));
      continue;
    }
    const key = predicting.keyOf?.(input);
    let text = key === undefined ? undefined : printed.get(key);
    if (text === undefined) {
      const prediction = predicting.predict(model, input, asked);
      for (const notice of predicting.notices?.(prediction) ?? []) {
        if (!said.has(notice)) say(notice);
        said.add(notice);
      }
      text = asked.json
        ? jsonLine(predicting.json(model, input, prediction))
        : predicting.text(model, input, prediction, asked);
      if (key !== undefined && key.length + text.length < LONGEST_REMEMBERED) {
        if (printed.size === MOST_REMEMBERED) printed.clear();
        printed.set(key, text);
      }
    }
    await (asked.json ? write(text) : print(text));
  }
  await beside.end();
}

/** `3 TAB 5 TAB New York TAB LOC TAB 0.98`, a blank line after the last. */
function spansText(spans: readonly PossibleSpan[]): string {
  const lines = spans.map(({ from, to, words, label = "_", probability }) =>
    [String(from), String(to), escapeField(words), escapeField(label), probabilityText(probability)].join("\t"),
  );
  return `${lines.map((line) => `${line}\n`).join("")}\n`;
}

/** Whether nothing is promised. */
export function isPlain({ precision, coverage, recall }: Omit<PredictAsked, "rereading">): boolean {
  return precision === undefined && coverage === undefined && recall === undefined;
}

/** Whether a prediction is printed on as many lines as its input has. */
export function isByLine(asked: Omit<PredictAsked, "rereading">): boolean {
  const { json, nbest, contexts } = asked.prediction;
  return !json && !nbest && !contexts && (isPlain(asked) || asked.unit === "token");
}
