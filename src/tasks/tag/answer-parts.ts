// Answers label by label, or span by span: those that keep a promised precision. A label, or a span, that is not sure enough is
// left open.

import {
  answeredBy,
  type PartGuarantee,
  type PartUnit,
  type Per,
  partGuaranteeFor,
} from "../../confidence/calibration.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { checkAnswerOptions } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import type { PartsAnswered } from "../task.js";
import type { AnswerOptions, TaggedOutput, TaggerPrediction } from "./prediction.js";
import type { Tagger } from "./tagger.js";

export interface AnswerPartsOptions extends AnswerOptions {
  unit: PartUnit;
}

export interface TaggerPartsAnswer extends PartsAnswered<TaggerPrediction, TaggedOutput> {
  guarantee: PartGuarantee;
  /** Labels as far as they are answered; null where one is left, or belongs to a span that is. */
  labels: (string | null)[];
  candidates: TaggedOutput[];
}

/** [parts] the group of each part: its label, the type of a span, or the value of a column at its first token. */
export function partGroups(
  per: Per,
  unit: PartUnit,
  { labels, spans = [] }: Pick<TaggerPrediction, "labels" | "spans">,
  { columns = [], file, line }: TaggingSequence,
): string[] {
  const starts = unit === "token" ? labels.map((_, i) => i) : spans.map(({ from }) => from);
  if (per === "label") return unit === "token" ? [...labels] : spans.map(({ label }) => label);
  return starts.map((i) => {
    const value = columns[i]?.[per - 1];
    if (value !== undefined) return value;
    const width = columns[0]?.length ?? 0;
    throw new InputError(`option \`per\`: there is no column ${per}, only ${width}`, { file, line });
  });
}

export function answerParts(
  tagger: Tagger,
  sequence: TaggingSequence,
  options: AnswerPartsOptions,
  names: readonly string[],
): TaggerPartsAnswer {
  checkAnswerOptions(options, [...names, "unit"]);
  const { precision, unit, candidates = 9, ...asked } = options;
  const guarantee = partGuaranteeFor(tagger.calibration, precision, unit);
  const prediction = tagger.predict(sequence, { ...asked, confidences: true, spans: unit === "span" || asked.spans });
  const { spans = [], confidences = [] } = prediction;
  const sureness = unit === "token" ? confidences : spans.map(({ probability }) => probability);
  const groups = guarantee.per === undefined ? [] : partGroups(guarantee.per, unit, prediction, sequence);
  const sure = new Set(answeredBy(guarantee, sureness, groups));
  const answered = sureness.map((_, part) => sure.has(part));
  const labels: (string | null)[] = [...prediction.labels];
  answered.forEach((isAnswered, part) => {
    if (isAnswered) return;
    const { from, to } = unit === "token" ? { from: part, to: part + 1 } : spans[part];
    labels.fill(null, from, to);
  });
  const { nbest = [] } = sure.size < answered.length ? tagger.predict(sequence, { nbest: candidates }) : {};
  return { unit, guarantee, prediction, answered, labels, candidates: nbest };
}
