// What every tagging format is: a parser that takes the lines of a file one by one and gives a sequence whenever one is
// complete. Also the reading of a label, which the text formats share.

import { InputError, type Place } from "../util/errors.js";
import type { ColumnPlaces, Separator } from "./columns.js";
import type { LabelField } from "./conllu-tagging.js";
import type { GivenLabel, TaggingSequence } from "./sequence.js";

export interface SequenceParser {
  /** Takes a line, without its end, and its number. */
  line(text: string, number: number): TaggingSequence | undefined;
  /** Says that there are no more lines. */
  end(): TaggingSequence | undefined;
}

export interface ParserOptions extends ColumnPlaces {
  /** Whether the data has labels. If false, labels in the data are dropped. */
  labelled: boolean;
  /** Whether `A|B` means "A or B" rather than a label of that name. Default false. */
  labelSets?: boolean;
  /** Columns: what separates them. Default: tabs if the first line has any, else spaces. */
  separator?: Separator;
  /** CoNLL-U: the label. Default `upos`. */
  column?: LabelField;
  /** The file's name, for errors. */
  file?: string;
}

/** A label as text: `_` is unknown, `A|B` a set where `labelSets` is on. */
export function parseLabel(text: string, options: ParserOptions, place: Place): GivenLabel {
  if (text === "_") return null;
  if (!options.labelSets || !text.includes("|")) return text;
  const labels = [...new Set(text.split("|"))];
  if (labels.includes("") || labels.includes("_")) {
    throw new InputError(`the set of labels \`${text}\` has a part without a label`, {
      ...place,
      hint: "write a set as `A|B`, or `_` if the label is unknown",
    });
  }
  return labels.length === 1 ? labels[0] : labels;
}
