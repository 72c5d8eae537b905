// The progress of a training on a terminal: a line that is written over while a pass goes on, and a line for each pass that
// is over. Off a terminal nothing is shown.

import type { TrainingProgress } from "../learn/training.js";
import { likelihoodText } from "../tasks/contents.js";
import { counted, duration, percent } from "../util/text.js";

const CLEAR_LINE = "\r\x1b[K";

export class ProgressLine {
  private shown = 0; // ms
  private passes = 0;
  private firstShare: number | undefined;
  private began = 0; // ms
  private title: string | undefined;

  constructor(
    private readonly on: boolean,
    private readonly out: { write(text: string): unknown } = process.stderr,
  ) {}

  reading(count: number, things: string): void {
    if (!this.on || Date.now() - this.shown < 100) return;
    this.shown = Date.now();
    this.out.write(`${CLEAR_LINE}reading: ${counted(count)} ${things}`);
  }

  training(progress: TrainingProgress): void {
    if (!this.on) return;
    const { pass, passes, done, total, history, title } = progress;
    if (title !== this.title) {
      this.title = title;
      this.firstShare = undefined;
      this.out.write(`${CLEAR_LINE}${title}\n`);
    }
    const share = (pass - 1 + done / Math.max(1, total)) / passes;
    if (this.firstShare === undefined) {
      this.firstShare = share;
      this.passes = done === total ? history.length - 1 : history.length;
      this.began = Date.now();
    }
    for (; this.passes < history.length; this.passes++) this.out.write(`${CLEAR_LINE}${this.pass(progress)}\n`);
    const elapsed = (Date.now() - this.began) / 1000;
    const gained = share - this.firstShare;
    const left = gained > 0 ? `, at most ${duration((elapsed * (1 - share)) / gained)} left` : "";
    const part = percent(done / Math.max(1, total)).replace(/\.\d+/, "");
    this.out.write(`${CLEAR_LINE}pass ${pass} of ${passes}: ${part}${left}`);
  }

  private pass({ passes, history }: TrainingProgress): string {
    const { pass, trainLogLikelihood, heldOut } = history[this.passes];
    const training = `log-likelihood ${likelihoodText(trainLogLikelihood)}`;
    if (!heldOut) return `pass ${pass} of ${passes}: ${training}`;
    const judged = `held out ${likelihoodText(heldOut.logLikelihood)}, ${percent(heldOut.accuracy)} right`;
    return `pass ${pass} of ${passes}: ${training}, ${judged}`;
  }

  /** Leaves the terminal clean. */
  end(): void {
    if (this.on) this.out.write(CLEAR_LINE);
  }
}
