// The checkpoint of a training: the state of the learner in full precision, so that a resumed training gives the very same
// model, and the settings and a fingerprint of the data, so that it is not resumed with others.
//   weights, squares, sums, best F64 [entries]; settled I32 [rows]; numbers F64: pass, position, step, …; tally I32, if the learner
//   keeps one; encoderParameters, encoderMeans, encoderSquares F32 and encoderStep, if a network learns

import { createHash, type Hash } from "node:crypto";
import * as v from "valibot";
import type { EncoderState } from "../learn/learner.js";
import type { Checkpoint } from "../learn/training.js";
import { InputError } from "../util/errors.js";
import { decodeKind, encodeKind } from "./kind.js";
import {
  countSchema,
  currently,
  emptyParts,
  type FileParts,
  finiteOrNot,
  historySchema,
  PartsReader,
  putJson,
} from "./parts.js";

export interface SavedTraining {
  /** Everything that was chosen: options, and how the data is read. */
  settings: Record<string, unknown>;
  /** Fingerprint of the data. */
  data: string;
  checkpoint: Checkpoint;
}

/** Trainings that are over, by which something is chosen. */
const overSchema = v.array(
  currently({
    history: historySchema,
    bestPass: countSchema,
    losses: v.array(finiteOrNot),
    likelihoodLosses: v.optional(v.array(finiteOrNot)),
  }),
);

const whole = ["pass", "position", "step", "averageFrom", "bestPass"] as const;
const sums = ["l2", "passLogLikelihood", "passContextLength"] as const;

export function encodeCheckpoint({ settings, data, checkpoint }: SavedTraining): Uint8Array {
  const parts = emptyParts();
  putJson(parts, "settings", settings);
  putJson(parts, "data", data);
  putJson(parts, "history", checkpoint.history);
  if (checkpoint.chosen) putJson(parts, "chosen", checkpoint.chosen);
  if (checkpoint.over) putJson(parts, "over", checkpoint.over);
  const { weights, squares, sums: totals, best, settled } = checkpoint;
  parts.tensors = {
    weights: { data: weights },
    squares: { data: squares },
    sums: { data: totals },
    best: { data: best },
    settled: { data: settled },
    numbers: { data: Float64Array.from([...whole, ...sums], (name) => checkpoint[name]) },
    // None before the end of the first pass: minus infinity, which no finite number stands for.
    bestScore: { data: Float64Array.from(checkpoint.bestPass > 0 ? [checkpoint.bestScore] : []) },
  };
  if (checkpoint.tally) parts.tensors.tally = { data: checkpoint.tally };
  if (checkpoint.encoder) putEncoderState(parts, checkpoint.encoder);
  return encodeKind("checkpoint", parts);
}

export function decodeCheckpoint(bytes: Uint8Array, file?: string): SavedTraining {
  const { kind, content } = decodeKind(bytes, file);
  if (kind !== "checkpoint") throw new InputError("this is a model, not a training checkpoint", { file });
  const reader = new PartsReader(content, file);
  const weights = reader.floats("weights");
  const numbers = reader.floats("numbers", whole.length + sums.length);
  const bestScore = reader.floats("bestScore");
  const named = Object.fromEntries([...whole, ...sums].map((name, i) => [name, numbers[i]])) as Record<
    (typeof whole)[number] | (typeof sums)[number],
    number
  >;
  for (const name of whole) {
    if (!Number.isSafeInteger(named[name]) || named[name] < 0) throw reader.damaged(`its \`${name}\` is not a count`);
  }
  if (bestScore.length !== (named.bestPass > 0 ? 1 : 0)) throw reader.damaged("its best pass has no score");
  return {
    settings: reader.json("settings", v.record(v.string(), v.unknown())),
    data: reader.json("data", v.string()),
    checkpoint: {
      ...named,
      weights,
      squares: reader.floats("squares", weights.length),
      sums: reader.floats("sums", weights.length),
      best: reader.floats("best", weights.length),
      settled: reader.integers("settled"),
      bestScore: bestScore.length > 0 ? bestScore[0] : Number.NEGATIVE_INFINITY,
      history: reader.json("history", historySchema),
      chosen: reader.hasJson("chosen") ? reader.json("chosen", v.record(v.string(), v.unknown())) : undefined,
      over: reader.hasJson("over") ? reader.json("over", overSchema) : undefined,
      tally: reader.has("tally") ? reader.integers("tally") : undefined,
      encoder: readEncoderState(reader),
    },
  };
}

function putEncoderState(parts: FileParts, { parameters, means, squares, step }: EncoderState): void {
  parts.tensors.encoderParameters = { data: parameters };
  parts.tensors.encoderMeans = { data: means };
  parts.tensors.encoderSquares = { data: squares };
  parts.tensors.encoderStep = { data: Int32Array.of(step) };
}

function readEncoderState(reader: PartsReader): EncoderState | undefined {
  if (!reader.has("encoderStep")) return undefined;
  const [step] = reader.plainIntegers("encoderStep");
  const parameters = Float32Array.from(reader.floats("encoderParameters"));
  const others = (name: string): Float32Array => Float32Array.from(reader.floats(name, parameters.length));
  return { parameters, means: others("encoderMeans"), squares: others("encoderSquares"), step };
}

/** The fingerprint of data that is read piece by piece: SHA-256 of the pieces as JSON, a line each. */
export class DataFingerprint {
  private readonly hash: Hash = createHash("sha256");

  add(piece: unknown): void {
    this.hash.update(`${JSON.stringify(piece)}\n`);
  }

  /** May be asked for while more is to come. */
  value(): string {
    return this.hash.copy().digest("hex");
  }
}
