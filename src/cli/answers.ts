// The answers of review files, to learn from.

import { access } from "node:fs/promises";
import { type ReviewItem, readReview } from "../formats/review.js";
import { InputError } from "../util/errors.js";

/** The answered items of a review file; one without any is refused. */
export async function readAnswers(file: string): Promise<ReviewItem[]> {
  const isOpen = await access(`${file}.journal`).then(
    () => true,
    () => false,
  );
  if (isOpen) {
    throw new InputError("a review of this file is still open, so some answers are not in it yet", {
      file,
      hint: `end it with Ctrl-C; if it crashed, open and end it again: stargram review ${file}`,
    });
  }
  const items = (await readReview(file)).filter((item) => item.status === "answered");
  if (items.length > 0) return items;
  throw new InputError("no item of the review file is answered", { file, hint: `run: stargram review ${file}` });
}
