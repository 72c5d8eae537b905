// The column `source` of a review item: the model's input as JSON, which comes back when the item is answered.

import * as v from "valibot";
import { InputError } from "../util/errors.js";
import type { ReviewItem } from "./review-item.js";

/** What an item's source holds, checked; one that was tampered with is refused at its line. */
export function sourceOf<S extends v.GenericSchema>(item: ReviewItem, file: string, schema: S): v.InferOutput<S> {
  const hint = "do not edit the column `source`";
  let value: unknown;
  try {
    value = JSON.parse(item.source);
  } catch (cause) {
    throw new InputError("the source is not valid JSON", { file, line: item.line, hint, cause });
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw new InputError("the source is not what this kind of model reads", { file, line: item.line, hint });
}

/** The column of the answer in a review file, counted from 1: for errors. */
export const ANSWER_COLUMN = 4;
