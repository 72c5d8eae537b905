// A sequence to tag as every data format gives it: columns of text, attributes with values, or both, and the labels as
// far as they are known. Programs without types may give anything: what is not of this shape is refused by name.

import { areStrings } from "../util/checks.js";
import { InputError } from "../util/errors.js";
import type { RawToken } from "./raw-text.js";

/** One position's answer as data gives it: a label, a set of allowed labels (partial), or null (unknown, `_`). */
export type GivenLabel = string | readonly string[] | null;

/** A sequence to tag, with or without labels. Either columns (tokens and what goes with them) or attributes, or both. */
export interface TaggingSequence {
  columns?: string[][]; // [length][columns], without the label column
  attributes?: string[][]; // [length][any] names
  values?: (number[] | undefined)[]; // [length][same], absent where all are 1
  labels?: GivenLabel[]; // [length]
  /** The part of a data set it belongs to, if the data says so. */
  fold?: number;
  /** The document it belongs to, counted from 1 within its file, if the data says so. */
  document?: number;
  id?: string;
  /** The lines it was read from, where answers are written back into them, and on which of these each position stands. */
  source?: { lines: readonly string[]; at: readonly number[] };
  /** Running text: the place of each position in it; and a part of it that holds them all, which begins at `from`. */
  running?: { tokens: readonly RawToken[]; text: string; from: number };
  /** Where it begins. */
  file?: string;
  line?: number;
}

/** Refuses what is no sequence; returns its length. */
export function checkSequence(sequence: TaggingSequence, labels: readonly GivenLabel[] | undefined): number {
  const { columns, attributes, values } = sequence ?? {};
  const refuse = (reason: string, hint?: string) => new InputError(reason, { ...placeOf(sequence), hint });
  checkRows("columns", columns, refuse);
  checkRows("attributes", attributes, refuse);
  const length = (columns ?? attributes)?.length;
  if (length === undefined) {
    throw refuse("the sequence has neither `columns` nor `attributes`", 'such as columns: [["the"], ["dog"]]');
  }
  const checkLength = (name: string, given: readonly unknown[] | undefined): void => {
    if (given === undefined) return;
    if (!Array.isArray(given)) throw refuse(`\`${name}\` should be an array with an entry for each position`);
    if (given.length !== length) throw refuse(`${given.length} ${name} for ${length} positions`);
  };
  checkLength("attributes", attributes);
  checkLength("values", values);
  checkLength("labels", labels);
  values?.forEach((row, i) => {
    if (row && row.length !== attributes?.[i].length) {
      throw refuse(`\`values[${i}]\` has ${row.length} values for ${attributes?.[i].length ?? 0} attributes`);
    }
  });
  labels?.forEach((label, i) => {
    if (label === null || typeof label === "string" || areStrings(label)) return;
    throw refuse(`\`labels[${i}]\` should be text, null or an array of labels`);
  });
  return length;
}

function checkRows(name: string, rows: unknown, refuse: (reason: string, hint?: string) => InputError): void {
  if (rows === undefined) return;
  if (!Array.isArray(rows)) throw refuse(`\`${name}\` should be an array with an entry for each position`);
  for (let i = 0; i < rows.length; i++) {
    if (areStrings(rows[i])) continue;
    throw refuse(`\`${name}[${i}]\` should be an array of text`, `such as ${name}: [["the"], ["dog"]]`);
  }
}

function placeOf(sequence: TaggingSequence): { file?: string; line?: number } {
  const { file, line } = sequence ?? {};
  return { file, line };
}
