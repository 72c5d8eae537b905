// Signals in long work: the first lets the step at hand finish, so that what was learned is kept; the second ends at once.

import { constants } from "node:os";
import { say } from "./output.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** While data is read, a signal ends the program; then the first stops the training, the second ends the program. */
export class Interrupt {
  /** The exit code of the signal that asked to stop, 128 and its number; undefined as long as none did. */
  code: number | undefined;
  private training = false;
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    const code = 128 + constants.signals[signal];
    if (this.code !== undefined || !this.training) process.exit(code);
    this.code = code;
    if (this.quiet) return;
    if (process.stderr.isTTY) process.stderr.write("\n");
    say("stopping after this step; press Ctrl-C again to exit at once");
  };

  constructor(private readonly quiet: boolean) {
    for (const signal of signals) process.on(signal, this.onSignal);
  }

  get asked(): boolean {
    return this.code !== undefined;
  }

  trainingStarts(): void {
    this.training = true;
  }

  end(): void {
    for (const signal of signals) process.off(signal, this.onSignal);
  }
}
