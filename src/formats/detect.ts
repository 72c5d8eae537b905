// Guesses the format of a file from its first lines. A guess is given only where the lines fit one format and no other;
// else the user is asked. Labels taken for words would train without a complaint and be wrong.

import { InputError } from "../util/errors.js";
import { isBlank, separatorOf, splitColumns } from "./columns.js";

export type TaggingFormat = "columns" | "conllu" | "crfsuite" | "jsonl" | "letters";
export const taggingFormats: readonly TaggingFormat[] = ["columns", "conllu", "crfsuite", "jsonl", "letters"];

const linesLookedAt = 100;

/** The format of a file that begins with these lines. */
export function detectFormat(lines: readonly string[], file?: string): TaggingFormat {
  const filled = lines.filter((line) => !isBlank(line)).slice(0, linesLookedAt);
  if (filled.length === 0) throw unsure("there is no data", file);
  if (looksLikeLetters(filled[0])) return "letters";
  if (looksLikeJson(filled[0])) return "jsonl";
  if (looksLikeConllu(filled)) return "conllu";
  // Without tabs nothing but columns is left, right or wrong: its parser says which.
  if (filled.some((line) => !line.includes("\t") && splitColumns(line, "space").length > 1)) return "columns";
  if (filled.every((line) => !line.includes("\t"))) return "columns";

  const isExact = separatorOf(filled[0]) === "tab";
  const fields = filled.map((line) => line.split("\t").filter((field) => isExact || field !== "")); // [line][field]
  const counts = new Set(fields.map((row) => row.length));
  const rest = fields.flatMap((row) => row.slice(1));
  const attributeLike = rest.filter((field) => /.[=:\]]|^__.*__$/.test(field)).length / rest.length;
  if (counts.size > 1) {
    if (attributeLike > 0.75) return "crfsuite";
    throw unsure("the lines have different numbers of fields between tabs", file);
  }
  const width = fields[0].length;
  if (attributeLike === 1 && width > 2 && fieldsHaveNames(fields, width)) return "crfsuite";
  if (attributeLike < 0.5) return "columns";
  throw unsure("the fields between tabs may be columns or attributes", file);
}

/** Ten fields between tabs, an id first; there may be comments. */
export function looksLikeConllu(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => !line.startsWith("#"));
  return rows.length > 0 && rows.every((line) => /^\d+(?:[-.]\d+)?(?:\t[^\t]*){9}$/.test(line));
}

/** Many tabs, a number first, pixels from the seventh field on: nearly so is enough, for its parser to name the fault. */
function looksLikeLetters(line: string): boolean {
  const fields = line.split("\t");
  const pixels = fields.slice(6);
  const good = pixels.filter((pixel) => pixel === "0" || pixel === "1").length;
  return pixels.length >= 64 && /^\d+$/.test(fields[0]) && good >= 0.9 * pixels.length;
}

/** An object, or the beginning of one that we would know. */
function looksLikeJson(line: string): boolean {
  if (!line.trimStart().startsWith("{")) return false;
  if (/^\s*\{\s*"(tokens|columns|attributes|labels|id)"\s*:/.test(line)) return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Whether each field after the first begins with a name of its own on every line: `w[0]=`, `w[1]=`, … */
function fieldsHaveNames(fields: readonly string[][], width: number): boolean {
  const names = new Set<string>();
  for (let f = 1; f < width; f++) {
    const inColumn = new Set(fields.map((row) => /^[^=:]*/.exec(row[f])?.[0] ?? ""));
    if (inColumn.size !== 1) return false;
    for (const name of inColumn) names.add(name);
  }
  return names.size === width - 1;
}

function unsure(why: string, file: string | undefined): InputError {
  return new InputError(`cannot detect the format: ${why}`, {
    file,
    hint: `set it with option \`format\`: ${taggingFormats.join(", ")}`,
  });
}
