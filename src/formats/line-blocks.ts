// Lines as they come, in blocks: what every text format is parsed from, wherever the text is. lines.ts reads them from files.

/** Consecutive lines, without their ends. */
export interface LineBlock {
  /** Number of the first, counted from 1. */
  first: number;
  lines: string[];
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
