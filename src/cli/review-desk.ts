// Where what is left to a person goes: counted, and written to a review file if there is one.

import type { Calibration, Unit } from "../confidence/calibration.js";
import { ConfidenceCounts, driftOf } from "../confidence/drift.js";
import { type ReviewItem, ReviewWriter } from "../formats/review.js";
import type { ReviewCheck } from "../formats/review-item.js";
import { generator, uniform } from "../util/random.js";
import { counted, percent } from "../util/text.js";
import { goOnUnread, say } from "./output.js";

/** Answers that are drawn to be checked: the share of them, and the promise. */
export interface Checking {
  share: number;
  promise: ReviewCheck;
}

/** Which answers are drawn depends on nothing but their number. */
const CHECK_SEED = 20;

/** What was asked of a prediction. */
interface DeskPromise {
  precision?: number;
  coverage?: number;
  unit?: Unit;
}

export class ReviewDesk {
  /** Of inputs, or of their parts where a promise is about these. */
  answered = 0;
  seen = 0;
  private inputs = 0;
  /** Answers that were drawn to be checked: of inputs. */
  private checks = 0;
  /** How sure the model is of all inputs, where it is known how sure it should be. */
  readonly sureness: ConfidenceCounts | undefined;

  private constructor(
    private readonly path: string | undefined,
    private readonly writer: ReviewWriter | undefined,
    private readonly calibration: Calibration | undefined,
    private readonly checking: Checking | undefined,
  ) {
    if (calibration?.quantiles) this.sureness = new ConfidenceCounts(calibration.quantiles);
  }

  static async open(path: string | undefined, calibration?: Calibration, checking?: Checking): Promise<ReviewDesk> {
    if (path === undefined) return new ReviewDesk(path, undefined, calibration, undefined);
    const writer = await ReviewWriter.create(path);
    // `| head` cuts what is printed, not what a person is to decide.
    goOnUnread();
    return new ReviewDesk(path, writer, calibration, checking);
  }

  /** Counts an input; `item` is asked for if it was left, with the number of the input. */
  async count(answered: boolean, item: (number: number) => ReviewItem): Promise<void> {
    this.inputs++;
    this.seen++;
    if (answered) this.answered++;
    const check = answered ? this.drawn() : undefined;
    if (!answered || check) await this.writer?.add({ ...item(this.inputs), ...(check && { check }) });
  }

  /** The promise of an answer that is to be checked, if it is drawn. */
  private drawn(): ReviewCheck | undefined {
    const { checking } = this;
    if (!checking || uniform(generator(CHECK_SEED, this.inputs)) >= checking.share) return undefined;
    this.checks++;
    return checking.promise;
  }

  /** Counts the parts of an input; `item` is asked for if one of them was left. */
  async countParts(answered: readonly boolean[], item: (number: number) => ReviewItem): Promise<void> {
    this.inputs++;
    this.seen += answered.length;
    const sure = answered.filter((one) => one).length;
    this.answered += sure;
    const promise = sure > 0 ? this.drawn() : undefined;
    const check = promise && { ...promise, answered: answered.flatMap((isSure, part) => (isSure ? [part] : [])) };
    if (sure < answered.length || check) await this.writer?.add({ ...item(this.inputs), ...(check && { check }) });
  }

  /** Ends the file and says how much was answered, if a precision was promised. */
  async end({ precision, coverage, unit = "sequence" }: DeskPromise): Promise<void> {
    await this.writer?.end();
    this.sayDrift();
    if (coverage !== undefined) this.sayCovered();
    if (precision === undefined) return;
    const left = this.seen - this.answered;
    const share = this.seen > 0 ? ` (${percent(this.answered / this.seen)})` : "";
    const where = this.path === undefined ? "left to a person" : `left to a person in ${this.path}`;
    const noun = unit === "sequence" ? "" : ` ${unit}s`;
    say(`${counted(this.answered)} of ${counted(this.seen)}${noun} answered${share}, ${counted(left)} ${where}`);
    if (this.checks > 0) say(`${counted(this.checks)} answered inputs are in ${this.path} for checking`);
    if (this.path !== undefined && left > 0) process.stderr.write(`  next: stargram review ${this.path}\n`);
  }

  private sayCovered(): void {
    const share = this.seen > 0 ? ` (${percent(this.answered / this.seen)})` : "";
    const where = this.path === undefined ? "" : `; the others are in ${this.path}`;
    say(`${counted(this.answered)} of ${counted(this.seen)} inputs have a set of one${share}${where}`);
  }

  /** Warns where inputs are not like those that the model was calibrated on. */
  private sayDrift(): void {
    const { sureness, calibration } = this;
    const found = sureness && driftOf(sureness, calibration?.quantiles ?? [], calibration?.examples ?? 0);
    if (!found) return;
    const difference = `their confidences differ by ${percent(found.difference)} where chance gives ${percent(found.expected)} at most`;
    say(`warning: these inputs differ from those that the model was calibrated on: ${difference}`);
    process.stderr.write("  the promise may not hold here: calibrate on data like this\n");
  }
}
