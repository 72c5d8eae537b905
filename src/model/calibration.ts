// What calibration found, as JSON in the metadata of a model file (`calibration`). A file without it holds a model that was
// never calibrated; one whose version is not known here is used as if it had none, since its promises cannot be read.

import * as v from "valibot";
import type { Calibration } from "../confidence/calibration.js";
import { type FileParts, type PartsReader, putJson } from "./parts.js";

const VERSION = 1;

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const rising = v.pipe(
  v.array(share),
  v.minLength(1),
  v.check((values) => values.every((value, i) => i === 0 || value >= values[i - 1])),
);

const mapSchema = v.variant("kind", [
  v.object({ kind: v.literal("temperature"), temperature: v.pipe(v.number(), v.minValue(1e-6), v.maxValue(1e6)) }),
  v.pipe(
    v.object({ kind: v.literal("isotonic"), from: rising, to: rising }),
    v.check(({ from, to }) => from.length === to.length),
  ),
]);

const guaranteeSchema = v.object({
  precision: share,
  confidence: share,
  threshold: share,
  placing: count,
  tested: count,
  answered: count,
  wrong: count,
  lowerBound: share,
  crossValidated: v.optional(count),
});

const partGuaranteeSchema = v.object({
  unit: v.picklist(["token", "span"]),
  precision: share,
  confidence: share,
  threshold: share,
  most: v.pipe(count, v.minValue(1)),
  placing: count,
  tested: count,
  parts: count,
  answered: count,
  wrong: count,
  per: v.optional(v.union([v.literal("label"), v.pipe(count, v.minValue(1))])),
  groups: v.optional(
    v.array(
      v.object({
        group: v.string(),
        threshold: share,
        most: v.pipe(count, v.minValue(1)),
        parts: count,
        answered: count,
        wrong: count,
      }),
    ),
  ),
  open: v.optional(v.array(v.string())),
  crossValidated: v.optional(count),
});

const coverageSchema = v.object({
  unit: v.picklist(["sequence", "token"]),
  coverage: share,
  threshold: share,
  outputs: v.pipe(count, v.minValue(1), v.maxValue(1000)),
  examples: count,
});

const recallSchema = v.object({
  recall: share,
  confidence: share,
  threshold: share,
  placing: count,
  tested: count,
  spans: count,
  found: count,
});

const calibrationSchema = v.object({
  version: v.literal(VERSION),
  guarantees: v.array(guaranteeSchema),
  partGuarantees: v.optional(v.array(partGuaranteeSchema)),
  coverages: v.optional(v.array(coverageSchema)),
  recalls: v.optional(v.array(recallSchema)),
  map: mapSchema,
  positionMap: v.optional(mapSchema),
  spanMap: v.optional(mapSchema),
  quantiles: v.optional(rising),
  examples: count,
});

export function putCalibration(parts: FileParts, calibration: Calibration | undefined): void {
  if (calibration) putJson(parts, "calibration", { version: VERSION, ...calibration });
}

export function readCalibration(reader: PartsReader): Calibration | undefined {
  if (!reader.hasJson("calibration")) return undefined;
  const { version } = reader.json("calibration", v.looseObject({ version: v.number() }));
  if (version !== VERSION) return undefined;
  const { version: _, ...calibration } = reader.json("calibration", calibrationSchema);
  return calibration;
}
