// Answers with confidences, the input of every measure here, and their ranking from sure to unsure. Answers of equal
// confidence cannot be told apart by a threshold, so they are ranked together, as one group.

import { Numbers } from "../util/numbers.js";

export interface Answer {
  confidence: number;
  correct: boolean;
  /** Its group, if answers are counted in groups: its label, or the value of a column. */
  group?: string;
}

/** The same as parallel arrays, which are cheaper when there are millions; any number but 0 is correct. */
export interface AnswerColumns {
  confidence: ArrayLike<number>; // [count]
  correct: ArrayLike<boolean | number>; // [count]
}

/** Answers that come one by one, when there may be millions. */
export class AnswerLog {
  private readonly confidence = new Numbers((length) => new Float64Array(length));
  private readonly correct = new Numbers((length) => new Uint8Array(length));

  add(confidence: number, correct: boolean): void {
    this.confidence.push(confidence);
    this.correct.push(correct ? 1 : 0);
  }

  columns(): AnswerColumns {
    return { confidence: this.confidence.taken(), correct: this.correct.taken() };
  }
}

export type Answers = readonly Answer[] | AnswerColumns;

export interface Ranking {
  /** How many answers there are. */
  count: number;
  /** [group] the confidence shared by the group, descending. */
  confidence: Float64Array;
  /** [group] how many answers are at least as confident as this group. */
  answered: Uint32Array;
  /** [group] how many of those are correct. */
  correct: Uint32Array;
}

export function rankAnswers(answers: Answers): Ranking {
  const { confidence, correct } = columnsOf(answers);
  const count = confidence.length;
  if (correct.length !== count) throw new RangeError(`${count} confidences but ${correct.length} answers`);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    if (Number.isNaN(confidence[i])) throw new RangeError(`the confidence of answer ${i} is not a number`);
    order[i] = i;
  }
  order.sort((a, b) => confidence[b] - confidence[a]);

  const confidences: number[] = [];
  const answeredUpTo: number[] = [];
  const correctUpTo: number[] = [];
  let right = 0;
  for (let i = 0; i < count; i++) {
    if (correct[order[i]]) right++;
    if (i + 1 < count && confidence[order[i + 1]] === confidence[order[i]]) continue;
    confidences.push(confidence[order[i]]);
    answeredUpTo.push(i + 1);
    correctUpTo.push(right);
  }
  return {
    count,
    confidence: Float64Array.from(confidences),
    answered: Uint32Array.from(answeredUpTo),
    correct: Uint32Array.from(correctUpTo),
  };
}

export function columnsOf(answers: Answers): AnswerColumns {
  if ("confidence" in answers) return answers;
  return {
    confidence: Float64Array.from(answers, (answer) => answer.confidence),
    correct: Uint8Array.from(answers, (answer) => (answer.correct ? 1 : 0)),
  };
}
