// What a person hears when the data does not fit into memory: that it is read from disk, and what is left out.

import type { TrainingHooks } from "../../learn/training.js";
import { bytesText, counted, plural } from "../../util/text.js";
import type { Reader } from "./reading.js";

export class MemoryNotices {
  constructor(
    private readonly reader: Reader,
    private readonly hooks: TrainingHooks,
  ) {
    const { stored, dropped } = reader;
    if (stored)
      this.say(`training reads its data from disk, ${bytesText(stored.bytes)} of it, to stay within ${this.memory}`);
    if (dropped > 0) {
      const fit = counted(reader.sizes?.names ?? 0);
      this.say(
        `the dictionary was full: rare attributes were dropped ${counted(dropped)} times while reading; ${fit} fit`,
      );
    }
  }

  leftOut(least: number, attributes: number): void {
    const { weights = 0 } = this.reader.sizes ?? {};
    const who = `${plural(attributes, "attribute")} seen fewer than ${plural(least, "time")}`;
    this.say(`left out: ${who}; about ${counted(weights)} weights fit into ${this.memory}`);
  }

  private get memory(): string {
    return `option \`memory\` (${bytesText(this.hooks.scratch?.memory ?? 0)})`;
  }

  private say(text: string): void {
    this.hooks.onNotice?.(text);
  }
}
