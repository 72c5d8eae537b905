// The progress of work that a queue shares out, on a terminal: shards, workers, rate, time left.

import type { QueueState } from "../../cluster/submitter.js";
import { counted, duration, plural } from "../../util/text.js";

const CLEAR_LINE = "\r\x1b[K";

export class QueueProgress {
  /** How many shards there are, as soon as that is known. */
  total: number | undefined;
  private shown = 0; // ms
  private began: number | undefined; // ms

  constructor(
    private readonly on: boolean,
    private readonly out: { write(text: string): unknown } = process.stderr,
  ) {}

  show({ done, waiting, workers }: QueueState): void {
    if (!this.on || Date.now() - this.shown < 100) return;
    this.shown = Date.now();
    this.began ??= Date.now();
    const seconds = (Date.now() - this.began) / 1000;
    const rate = done > 0 && seconds > 0 ? done / seconds : undefined;
    const of = this.total === undefined ? "" : ` of ${counted(this.total)}`;
    const speed = rate === undefined ? "" : `, ${rate.toPrecision(2)} per second`;
    const left = rate === undefined || this.total === undefined ? "" : `, ${duration((this.total - done) / rate)} left`;
    const shards = `${counted(done)}${of} shards, ${counted(waiting)} under way`;
    this.out.write(`${CLEAR_LINE}${shards}, ${plural(workers, "worker")}${speed}${left}`);
  }

  end(): void {
    if (this.on) this.out.write(CLEAR_LINE);
  }
}
