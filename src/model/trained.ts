// What every trained model keeps in its file, beside what is special to its kind: its options, how its training went, its
// note, and what calibration found.
//   metadata   options, summary, note, calibration (JSON)

import * as v from "valibot";
import type { Calibration } from "../confidence/calibration.js";
import { type Declared, type OptionsOf, storedOptions } from "../util/options.js";
import { putCalibration, readCalibration } from "./calibration.js";
import {
  countSchema,
  currently,
  type FileParts,
  finiteOrNot,
  heldOutSchema,
  historySchema,
  type PartsReader,
  putJson,
} from "./parts.js";

const rangeSchema = v.strictObject({ least: v.number(), most: v.number() });
export const optionsSchema = v.record(
  v.string(),
  v.union([v.number(), v.boolean(), v.string(), v.array(v.number()), rangeSchema]),
);

export const noteSchema = v.record(v.string(), v.unknown());

/** What a summary of any training has. */
const trainingEntries = {
  history: historySchema,
  bestPass: countSchema,
  stopped: v.boolean(),
  chosen: v.optional(
    currently({
      l2: finiteOrNot,
      passes: countSchema,
      temperature: finiteOrNot,
      select: v.picklist(["likelihood", "accuracy", "f1"]),
      parts: countSchema,
      judges: countSchema,
      heldOut: heldOutSchema,
      refit: v.boolean(),
    }),
  ),
};

/** Puts what every trained model keeps. */
export function putTrained(
  parts: FileParts,
  {
    options,
    summary,
    note,
    calibration,
  }: { options: object; summary: object; note: object; calibration?: Calibration },
): void {
  putJson(parts, "options", options);
  putJson(parts, "summary", summary);
  putJson(parts, "note", note);
  putCalibration(parts, calibration);
}

/**
 * Reads it back. Options that the file does not have get their defaults, or those of `instead`; `summary` says what else a
 * summary holds beside `history`, `bestPass` and `stopped`.
 */
export function readTrained<D extends Declared, E extends v.ObjectEntries = Record<never, never>>(
  reader: PartsReader,
  declared: D,
  { instead = {}, summary }: { instead?: Partial<OptionsOf<D>>; summary?: E } = {},
) {
  const found = reader.json("options", optionsSchema);
  return {
    options: reader.guard(() => storedOptions(declared, found, instead)),
    summary: reader.json("summary", currently({ ...(summary as E), ...trainingEntries })),
    note: reader.json("note", noteSchema),
    calibration: readCalibration(reader),
  };
}
