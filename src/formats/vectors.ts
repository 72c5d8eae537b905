// Word vectors as text, as word2vec, GloVe and fastText write them: a word and its numbers on each line, between spaces,
//   the 0.418 0.24968 -0.41242 …
// and, of word2vec and fastText, a first line with how many words and how many numbers there are. Nothing here needs a file system.

import { InputError, type Place } from "../util/errors.js";
import { type Lines, linesOf } from "./line-blocks.js";

/** Vectors as a program may give them: their text, its lines, or lines of a file. */
export type VectorSource = string | Lines;

export interface WordVectors {
  words: string[];
  dimension: number;
  /** [words][dimension] */
  values: Float32Array;
}

/** Numbers of a vector, at most. */
const MOST_NUMBERS = 4096;

/**
 * Those of the vectors whose words are wanted, in the order of the source; of words that come twice, the first. `isWanted` is told
 * how many lines with a word came before.
 */
export async function readVectors(
  source: VectorSource,
  isWanted: (word: string, before: number) => boolean,
): Promise<WordVectors> {
  const { file, blocks } = typeof source === "string" ? linesOf(source) : source;
  const seen = new Set<string>();
  const words: string[] = [];
  let values = new Float32Array(1024);
  let dimension = 0;
  let count = 0;
  for await (const { first, lines } of blocks) {
    for (let i = 0; i < lines.length; i++) {
      const place = { file, line: first + i };
      const fields = fieldsOf(lines[i]);
      if (fields.length === 0) continue;
      if (place.line === 1 && isHeading(fields)) {
        dimension = checkDimension(Number(fields[1]), place);
        continue;
      }
      dimension ||= checkDimension(fields.length - 1, place);
      if (fields.length <= dimension) {
        throw new InputError(`${fields.length - 1} numbers after the word, expected ${dimension}`, place);
      }
      // A few words of large collections hold spaces.
      const word = fields.slice(0, fields.length - dimension).join(" ");
      if (seen.has(word) || !isWanted(word, count++)) continue;
      seen.add(word);
      const end = (words.push(word) + 1) * dimension;
      if (end > values.length) values = larger(values, 2 * end);
      putNumbers(fields, dimension, values, (words.length - 1) * dimension, place);
    }
  }
  if (count === 0) throw new InputError("there are no vectors", { file, hint: "give a word and its numbers per line" });
  return { words, dimension, values: values.slice(0, words.length * dimension) };
}

/** What stands between spaces or tabs; one of them may stand at the end. */
function fieldsOf(line: string): string[] {
  const fields = line.split(/[ \t]/);
  while (fields.length > 0 && fields.at(-1) === "") fields.pop();
  return fields;
}

/** Whether a line says how many words and numbers there are. */
function isHeading(fields: readonly string[]): boolean {
  return fields.length === 2 && fields.every((field) => /^\d+$/.test(field));
}

function checkDimension(dimension: number, place: Place): number {
  if (dimension >= 1 && dimension <= MOST_NUMBERS) return dimension;
  const found = dimension < 1 ? "no number after the word" : `a vector has ${dimension} numbers`;
  throw new InputError(`${found}: vectors have 1 to ${MOST_NUMBERS}`, {
    ...place,
    hint: "give vectors as text: a word and its numbers per line, separated by spaces",
  });
}

function putNumbers(fields: readonly string[], dimension: number, to: Float32Array, at: number, place: Place): void {
  const first = fields.length - dimension;
  for (let d = 0; d < dimension; d++) {
    const text = fields[first + d];
    const number = text === "" ? Number.NaN : Math.fround(Number(text));
    if (!Number.isFinite(number)) {
      throw new InputError(`\`${text.slice(0, 40)}\` should be a number, number ${d + 1} of ${dimension}`, place);
    }
    to[at + d] = number;
  }
}

function larger(values: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const more = new Float32Array(length);
  more.set(values);
  return more;
}
