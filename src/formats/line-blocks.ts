// Lines as they come, in blocks: what every text format is parsed from, wherever the text is. lines.ts reads them from files.

/** Consecutive lines, without their ends. */
export interface LineBlock {
  /** Number of the first line, counted from 1. */
  first: number;
  lines: string[];
  /** [lines] the ending of each line, if it is not always a line feed; the last line of a file may have none. */
  ends?: string[];
}

/** Consecutive lines as bytes: UTF-8 without zero bytes, lines ended by LF or CRLF, the last one by nothing. */
export interface ByteBlock {
  /** Number of the first line, counted from 1. */
  first: number;
  /** How many lines there are. */
  count: number;
  bytes: Uint8Array;
  /** Whether the last line has no newline; it is then the last line of its source. */
  isLast?: boolean;
}

/** The lines of one source. */
export interface Lines {
  /** The name of the source for errors: a path, `-` for standard input. */
  file?: string;
  blocks: AsyncIterable<LineBlock> | Iterable<LineBlock>;
}

/** The lines of a text. */
export function linesOf(text: string, file?: string): Lines {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return { file, blocks: lines.length > 0 ? [{ first: 1, lines }] : [] };
}

/** Bytes, or text, as they come: a stream of Node.js or of the web is one. */
export type ByteStream = AsyncIterable<Uint8Array | string>;

/** A path, `-` for standard input, a stream of bytes, or lines that were read before. */
export type LineSource = string | ByteStream | LineBlock;

export interface LineOptions {
  /** The name for errors; default the path, or none for a stream. */
  file?: string;
}

/** Some of the lines of a block, with their ends. */
export function blockFrom({ first, lines, ends }: LineBlock, from: number, to = lines.length): LineBlock {
  return { first: first + from, lines: lines.slice(from, to), ends: ends?.slice(from, to) };
}

/** A block and the one that follows it. */
export function joinedBlocks(one: LineBlock, next: LineBlock): LineBlock {
  const endsOf = ({ lines, ends }: LineBlock): string[] => ends ?? lines.map(() => "\n");
  const ends = one.ends || next.ends ? [...endsOf(one), ...endsOf(next)] : undefined;
  return { first: one.first, lines: [...one.lines, ...next.lines], ends };
}
