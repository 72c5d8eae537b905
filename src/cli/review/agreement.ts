// How often people took what the model thought best: of items, and of labels where items have tokens. Where labels mark spans,
// spans are counted, by their types. Counts follow every answer and every undo.

import { answerLabels, type ReviewItem } from "../../formats/review-item.js";
import { areChunkLabels, chunksOf } from "../../metrics/tagging.js";
import type { Agreement, LabelAgreement } from "./protocol.js";

export class AgreementCounts {
  private readonly counts = { best: 0, other: 0, own: 0 };
  private readonly labels = new Map<string, LabelAgreement>();

  /** Counts an answered item, or takes it back. */
  count({ answer, candidates, tokens }: ReviewItem, by: 1 | -1): void {
    const [best] = candidates;
    if (!best) return;
    if (answer === best.text) this.counts.best += by;
    else if (candidates.some(({ text }) => text === answer)) this.counts.other += by;
    else this.counts.own += by;
    const length = tokens?.tokens.length ?? 0;
    const proposed = tokens && answerLabels(best.text, length);
    const given = tokens && answerLabels(answer, length);
    if (!proposed || !given) return;
    const marked = areChunkLabels(tokens.labels) ? spansOf : labelsOf;
    this.compare(marked(proposed, proposed), marked(given, proposed), by);
  }

  /** By label, the most frequent first. */
  view(): Agreement {
    const labels = [...this.labels.values()].filter(({ proposed, added }) => proposed + added > 0);
    labels.sort((a, b) => b.proposed + b.added - a.proposed - a.added || (a.label < b.label ? -1 : 1));
    return { ...this.counts, labels };
  }

  private compare(proposed: ReadonlyMap<string, string>, given: ReadonlyMap<string, string>, by: 1 | -1): void {
    for (const [place, label] of proposed) {
      const tally = this.tallyOf(label);
      tally.proposed += by;
      if (given.has(place)) tally.kept += by;
    }
    for (const [place, label] of given) if (!proposed.has(place)) this.tallyOf(label).added += by;
  }

  private tallyOf(label: string): LabelAgreement {
    let tally = this.labels.get(label);
    if (!tally) {
      tally = { label, proposed: 0, kept: 0, added: 0 };
      this.labels.set(label, tally);
    }
    return tally;
  }
}

type Marked = (labels: readonly (string | null)[], proposed: readonly (string | null)[]) => Map<string, string>;

/** Labels by place and label; a label that nobody knows neither agrees nor disagrees with the one proposed. */
const labelsOf: Marked = (labels, proposed) =>
  new Map(
    labels.flatMap((label, i) => {
      const own = label ?? proposed[i];
      return own === null ? [] : [[`${i} ${own}`, own]];
    }),
  );

/** Spans by place and type. */
const spansOf: Marked = (labels, proposed) =>
  new Map(
    chunksOf(labels.map((label, i) => label ?? proposed[i] ?? "O")).map(({ type, start, end }) => [
      `${start} ${end} ${type}`,
      type,
    ]),
  );
