// A sequence to tag as every data format gives it: columns of text, attributes with values, or both, and the labels as
// far as they are known.

/** One position's answer as data gives it: a label, a set of allowed labels (partial), or null (unknown, `_`). */
export type GivenLabel = string | readonly string[] | null;

/** A sequence to tag, with or without labels. Either columns (tokens and what goes with them) or attributes, or both. */
export interface TaggingSequence {
  columns?: string[][]; // [length][columns], without the label column
  attributes?: string[][]; // [length][any] names
  values?: (number[] | undefined)[]; // [length][same], absent where all are 1
  labels?: GivenLabel[]; // [length]
  /** The part of a data set it belongs to, where the data says so. */
  fold?: number;
  id?: string;
  /** Where it begins. */
  file?: string;
  line?: number;
}
