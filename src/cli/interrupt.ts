// Ctrl-C in long work: the first lets the step at hand finish, so that what was learned is saved.

import { say } from "./output.js";

/** Ctrl-C: while data is read it ends the program; then the first stops the training, the second ends the program. */
export class Interrupt {
  asked = false;
  private training = false;
  private readonly signals = ["SIGINT", "SIGTERM"] as const;
  private readonly onSignal = (): void => {
    if (this.asked || !this.training) process.exit(130);
    this.asked = true;
    if (this.quiet) return;
    if (process.stderr.isTTY) process.stderr.write("\n");
    say("stopping after this step; once more to end at once");
  };

  constructor(private readonly quiet: boolean) {
    for (const signal of this.signals) process.on(signal, this.onSignal);
  }

  trainingStarts(): void {
    this.training = true;
  }

  end(): void {
    for (const signal of this.signals) process.off(signal, this.onSignal);
  }
}
