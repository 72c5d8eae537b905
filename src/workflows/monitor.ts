// Whether a promised precision is kept: bounds from answers that people checked. These are items of a review that were answered and
// drawn at random to be checked, or examples with their right answers, on which the model answers anew.

import { answeredBy, guaranteeFor, partGuaranteeFor, type Unit } from "../confidence/calibration.js";
import { type PrecisionBounds, PrecisionMonitor } from "../confidence/monitor.js";
import { answerLabels, type ReviewCheck, type ReviewItem } from "../formats/review-item.js";
import { chunksOf } from "../metrics/tagging.js";
import type { Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import type { Judged } from "./judge.js";

/** What came of it: the promise is kept or broken with the confidence, or it is not clear yet. */
export interface Monitored extends PrecisionBounds {
  unit: Unit;
  /** What was promised, and with what confidence bounds and state are true at all times. */
  promised: number;
  confidence: number;
  state: "kept" | "broken" | "open";
  /** Checks that nobody has answered yet, and those after them: they do not count until then. */
  waiting: number;
}

/** Answers of one sequence that were checked, and the wrong ones among them. */
interface Counts {
  answered: number;
  wrong: number;
}

/** From review files, in the order of their items. */
export function monitorReviews(items: readonly ReviewItem[], confidence: number): Monitored {
  const checks = items.filter((item): item is ReviewItem & { check: ReviewCheck } => item.check !== undefined);
  if (checks.length === 0) {
    throw new InputError("the review has no answers to check", {
      hint: "draw some with option `check` when predicting, such as 0.05 of all answers",
    });
  }
  const { precision, unit, most } = checks[0].check;
  if (checks.some(({ check }) => check.precision !== precision || check.unit !== unit)) {
    throw new InputError("the answers to check were given under different promises", {
      hint: "give files of one promise",
    });
  }
  // People go through the least sure first, so those that are answered are no fair sample; those before the first that is
  // open are, as the order of the file has nothing to do with how sure the model is.
  const open = checks.findIndex(({ status }) => status !== "answered");
  const done = open < 0 ? checks : checks.slice(0, open);
  const greatest = checks.reduce((largest, { check }) => Math.max(largest, check.most), most);
  return monitored(done.map(countsOf), { precision, unit, most: greatest, confidence }, checks.length - done.length);
}

/** The answers of an item that were checked. A label that nobody knows says nothing. */
function countsOf({ answer, candidates, tokens, check, line }: ReviewItem & { check: ReviewCheck }): Counts {
  const best = candidates[0]?.text;
  if (check.unit === "sequence" || !tokens) return { answered: 1, wrong: answer === best ? 0 : 1 };
  const length = tokens.tokens.length;
  const [proposed, given] = [best ?? "", answer].map((text) => answerLabels(text, length));
  if (!proposed || !given) throw new InputError(`expected one label for each of the ${length} tokens`, { line });
  let [answered, wrong] = [0, 0];
  const spans = chunksOf(proposed.map((label) => label ?? "O"));
  const right = new Set(chunksOf(given.map((label) => label ?? "O")).map((span) => JSON.stringify(span)));
  for (const part of check.answered ?? []) {
    const span = check.unit === "span" ? spans[part] : { start: part, end: part + 1 };
    if (!span || given.slice(span.start, span.end).includes(null)) continue;
    answered++;
    const isRight = check.unit === "span" ? right.has(JSON.stringify(span)) : given[part] === proposed[part];
    if (!isRight) wrong++;
  }
  return { answered, wrong };
}

/** From examples with their right answers, judged as they come. */
export function monitorJudged(
  { calibration }: Predictor,
  { answers, parts }: Judged,
  { precision, unit, confidence }: { precision: number; unit: Unit; confidence: number },
): Monitored {
  if (unit === "sequence") {
    const { threshold } = guaranteeFor(calibration, precision);
    const counts = answers.map((one) => {
      const answered = one.confidence >= threshold ? 1 : 0;
      return { answered, wrong: one.correct ? 0 : answered };
    });
    return monitored(counts, { precision, unit, most: 1, confidence }, 0);
  }
  const guarantee = partGuaranteeFor(calibration, precision, unit);
  const counts = (parts[unit] ?? []).map((cluster) => {
    const sure = answeredBy(guarantee, cluster.confidence, cluster.group);
    return { answered: sure.length, wrong: sure.filter((part) => !cluster.correct[part]).length };
  });
  return monitored(counts, { precision, unit, most: mostOf(guarantee), confidence }, 0);
}

/** Answers of one sequence, at most: of all groups together. */
export function mostOf({ most, groups }: { most: number; groups?: readonly { most: number }[] }): number {
  return groups ? groups.reduce((sum, group) => sum + group.most, 0) : most;
}

function monitored(
  counts: readonly Counts[],
  { precision, unit, most, confidence }: { precision: number; unit: Unit; most: number; confidence: number },
  waiting: number,
): Monitored {
  const monitor = new PrecisionMonitor(most, confidence);
  for (const { answered, wrong } of counts) monitor.add(answered, wrong);
  const bounds = monitor.bounds();
  const state = bounds.upper < precision ? "broken" : bounds.lower >= precision ? "kept" : "open";
  return { unit, promised: precision, confidence, state, waiting, ...bounds };
}
