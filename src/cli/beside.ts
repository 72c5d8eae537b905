// What is printed line by line, kept beside the lines that are read: blank lines where there is nothing to print, or the lines
// themselves, with their ends, where nothing but answers may change.

import type { LineBlock, Lines } from "../formats/line-blocks.js";
import type { LinesOfInput } from "../tasks/task.js";
import { write } from "./output.js";

/** Blank lines, in pieces that are not too long for a text. */
export async function writeBlank(lines: number): Promise<void> {
  for (let left = lines; left > 0; left -= 1 << 16) await write("\n".repeat(Math.min(left, 1 << 16)));
}

export class Beside {
  /** The line of the source that the next line printed stands beside; at first that of the first. */
  private next: number | undefined;
  /** Of the first and beyond the last line read. */
  private first = 1;
  private beyond = 1;
  private isByLine: boolean;
  /** Not known before the first input. */
  private isKept: boolean | undefined;
  /** What was read and is not printed yet, unless it is not needed. */
  private held: LineBlock[] = [];

  constructor(
    private readonly source: Lines["blocks"],
    { isByLine = false, isKept }: { isByLine?: boolean; isKept?: boolean } = {},
  ) {
    this.isByLine = isByLine;
    this.isKept = isKept;
  }

  /** The source, watched. */
  async *blocks(): AsyncGenerator<LineBlock> {
    for await (const block of this.source) {
      if (this.beyond === 1) this.first = block.first;
      this.beyond = block.first + block.lines.length;
      if (this.isKept !== false) this.held.push(block);
      yield block;
    }
  }

  /** Goes to the line that an input begins at. */
  async reach({ first, isKept = false }: LinesOfInput): Promise<void> {
    this.isByLine = true;
    this.isKept ??= isKept;
    if (!this.isKept) this.held = [];
    await this.skipTo(first);
  }

  /** Prints what stands beside the lines of the input that was reached. */
  async print(text: string, { first, count }: LinesOfInput): Promise<void> {
    this.next = first + count;
    if (!this.isKept) return write(text);
    // The line that ends it is there or not, and may hold spaces.
    const last = first + count - 1;
    const lines = text.split("\n");
    const made = Array.from({ length: count - 1 }, (_, i) => lines[i] + (this.lineAt(first + i)?.end ?? "\n"));
    await write(made.join("") + this.whole(last));
    this.next = last + 1;
    this.forget();
  }

  async end(): Promise<void> {
    if (this.isByLine) await this.skipTo(this.beyond);
  }

  private async skipTo(line: number): Promise<void> {
    const next = this.next ?? this.first;
    if (!this.isKept) return writeBlank(line - next);
    for (let n = next; n < line; n++) await write(this.whole(n));
    this.next = Math.max(next, line);
    this.forget();
  }

  /** A line that was read, with its end; nothing beyond the last. */
  private whole(number: number): string {
    const line = this.lineAt(number);
    return line ? line.text + line.end : "";
  }

  private lineAt(number: number): { text: string; end: string } | undefined {
    const block = this.held.find(({ first, lines }) => number >= first && number < first + lines.length);
    if (!block) return undefined;
    const at = number - block.first;
    return { text: block.lines[at], end: block.ends?.[at] ?? "\n" };
  }

  /** Lets go of blocks that are printed. */
  private forget(): void {
    const { next = 0 } = this;
    while (this.held.length > 0 && this.held[0].first + this.held[0].lines.length <= next) this.held.shift();
  }
}
