// Sequences in columns, read from bytes: src/formats/columns.ts without text. Every value becomes its number.

import { columnsExpected, DOCUMENT_START, type Separator, separatorOf } from "../../../formats/columns.js";
import { checkSequenceLength } from "../../../formats/limits.js";
import type { ByteBlock } from "../../../formats/line-blocks.js";
import { type ByteValues, HASH_BEGIN, HASH_FACTOR, type ValueMatrix } from "../values.js";

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

/** What the first line decides for all. */
export interface ColumnsSettled {
  separator: Separator;
  /** How many columns there are, and on which line they were counted. */
  width: number;
  widthLine: number;
}

export interface ByteColumnsOptions extends Partial<ColumnsSettled> {
  /** For errors. */
  file?: string;
}

export class ByteColumns implements ValueMatrix {
  /** [length][width] the values of the sequence at hand. */
  numbers = new Int32Array(1024);
  length = 0;
  /** Columns of every line, the label too; 0 before the first. */
  width = 0;
  /** Where the sequence at hand begins. */
  line = 0;
  readonly file: string | undefined;
  private widthLine = 0;
  private separator: Separator | undefined;
  /** How many of `numbers` are filled, those of the line at hand too. */
  private filled = 0;
  private readonly documentStart: Uint8Array = encoder.encode(DOCUMENT_START);

  constructor(
    private readonly values: ByteValues,
    { separator, width = 0, widthLine = 0, file }: ByteColumnsOptions,
    /** Told of every sequence that is complete; the sequence is gone afterwards. */
    private readonly onSequence: () => void,
  ) {
    this.separator = separator;
    this.width = width;
    this.widthLine = widthLine;
    this.file = file;
  }

  settled(): ColumnsSettled | undefined {
    const { separator, width, widthLine } = this;
    return separator && width > 0 ? { separator, width, widthLine } : undefined;
  }

  take({ first, bytes }: ByteBlock): void {
    let number = first;
    for (let at = 0; at <= bytes.length; number++) {
      if (this.isBlankAt(bytes, at)) {
        this.end();
        at = nextLine(bytes, at);
        continue;
      }
      this.separator ??= separatorOf(lineAt(bytes, at));
      const from = this.filled;
      const next = this.separator === "tab" ? this.splitAtTabs(bytes, at) : this.splitAtSpaces(bytes, at);
      if (this.isDocumentStart(bytes, at, from)) {
        this.filled = from;
        this.end();
      } else this.closeLine(number, this.filled - from);
      at = next;
    }
  }

  /** Ends the sequence at hand, if there is one. */
  end(): void {
    if (this.length > 0) this.onSequence();
    this.length = 0;
    this.filled = 0;
  }

  /** The text of the values of the sequence at hand, [length][width]. */
  texts(): string[][] {
    return Array.from({ length: this.length }, (_, i) =>
      Array.from({ length: this.width }, (_, c) => this.values.valueOf(this.numbers[i * this.width + c]) as string),
    );
  }

  private closeLine(number: number, count: number): void {
    const { file } = this;
    if (this.width === 0) {
      this.width = count;
      this.widthLine = number;
    } else if (count !== this.width) {
      throw columnsExpected(this.width, this.widthLine, count, this.separator as Separator, { file, line: number });
    }
    if (this.length === 0) this.line = number;
    this.length++;
    checkSequenceLength(this.length, { file, line: this.line });
  }

  /** Whether nothing but spaces and tabs stands on a line. */
  private isBlankAt(bytes: Uint8Array, begin: number): boolean {
    let at = begin;
    while (at < bytes.length && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
    return at === bytes.length || bytes[at] === NEWLINE || bytes[at] === RETURN;
  }

  /** Whether the first value of a line, which is number `from`, is that of a line between documents. */
  private isDocumentStart(bytes: Uint8Array, begin: number, from: number): boolean {
    if (bytes[begin] > SPACE && bytes[begin] !== DASH) return false;
    const { documentStart, values } = this;
    return values.strings.isSame(this.numbers[from], documentStart, 0, documentStart.length);
  }

  /** Adds the values of a line; returns where the next line begins. */
  private splitAtSpaces(bytes: Uint8Array, begin: number): number {
    const size = bytes.length;
    let at = begin;
    for (;;) {
      let code = at < size ? bytes[at] : NEWLINE;
      while (code === SPACE || code === TAB) code = ++at < size ? bytes[at] : NEWLINE;
      if (code === NEWLINE) return at + 1;
      if (code === RETURN) return at + 2;
      const from = at;
      let hash = HASH_BEGIN;
      while (code > SPACE || (code !== SPACE && code !== TAB && code !== NEWLINE && code !== RETURN)) {
        hash = Math.imul(hash ^ code, HASH_FACTOR);
        code = ++at < size ? bytes[at] : NEWLINE;
      }
      this.push(this.values.numberOf(bytes, from, at, hash));
    }
  }

  private splitAtTabs(bytes: Uint8Array, begin: number): number {
    const size = bytes.length;
    let at = begin;
    for (;;) {
      const from = at;
      let code = at < size ? bytes[at] : NEWLINE;
      let hash = HASH_BEGIN;
      while (code > SPACE || (code !== TAB && code !== NEWLINE && code !== RETURN)) {
        hash = Math.imul(hash ^ code, HASH_FACTOR);
        code = ++at < size ? bytes[at] : NEWLINE;
      }
      this.push(this.values.numberOf(bytes, from, at, hash));
      if (code === NEWLINE) return at + 1;
      if (code === RETURN) return at + 2;
      at++;
    }
  }

  private push(number: number): void {
    if (this.filled === this.numbers.length) {
      const larger = new Int32Array(2 * this.filled);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.filled++] = number;
  }
}

/** Where the last blank line ends; -1 if there is none. */
export function lastBlank(bytes: Uint8Array): number {
  let end = bytes.length;
  let isBlank = true;
  for (let at = bytes.length - 1; at >= 0; at--) {
    const code = bytes[at];
    if (code === NEWLINE) {
      if (isBlank) return end;
      end = at;
      isBlank = true;
    } else if (code !== SPACE && code !== TAB && code !== RETURN) isBlank = false;
  }
  return isBlank ? end : -1;
}

/** Where the line after the one at a place begins. */
function nextLine(bytes: Uint8Array, begin: number): number {
  let at = begin;
  while (at < bytes.length && bytes[at] !== NEWLINE) at++;
  return at + 1;
}

function lineAt(bytes: Uint8Array, begin: number): string {
  const next = nextLine(bytes, begin);
  return decoder.decode(bytes.subarray(begin, next - 1)).replace(/\r$/, "");
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
