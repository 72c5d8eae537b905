// What machines do for each other: jobs. A job is of a *kind*, which every worker knows; it is given parameters and blobs of bytes
// named by their SHA-256, and what it gives back depends on nothing else. So a job has a name, the hash of all that, and whoever
// does it, however often, the result is the same.

import { createHash } from "node:crypto";
import { InputError } from "../util/errors.js";

/** Something that workers can do. */
export interface JobKind<Parameters = unknown> {
  readonly name: string;
  /** Runs on a thread of a worker. What an InputError says is told to whoever submitted it, and the job is not tried again. */
  run(parameters: Parameters, blobs: JobBlobs): Promise<Uint8Array> | Uint8Array;
}

/** The bytes that a job was given, by name, and what was made of bytes with that hash before: models need not be read again. */
export interface JobBlobs {
  bytes(name: string): Uint8Array;
  /** What `make` makes of a blob; the last few are kept. */
  made<T>(name: string, make: (bytes: Uint8Array) => T): T;
}

/** A job as it lies in the queue. */
export interface JobData {
  /** Of the program: another one may compute other bits. */
  version: string;
  kind: string;
  parameters: unknown;
  /** SHA-256 by name. */
  blobs: Record<string, string>;
  /** For people: `lines 1 to 2000`. Not part of the name. */
  what: string;
  /** A job that takes longer is given up. Not part of the name. */
  seconds: number;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The name of a job: a hash of what it does. BullMQ takes no names that are numbers. */
export function nameOf({ version, kind, parameters, blobs }: JobData): string {
  const named = Object.keys(blobs)
    .sort()
    .map((name) => [name, blobs[name]]);
  return `j${createHash("sha256")
    .update(JSON.stringify([version, kind, parameters, named]))
    .digest("hex")
    .slice(0, 40)}`;
}

/** Refuses what is no job of ours, or one of another version. */
export function checkJob(name: string | undefined, data: unknown, version: string): JobData {
  const job = data as JobData;
  const isJob =
    typeof job === "object" &&
    job !== null &&
    typeof job.kind === "string" &&
    typeof job.blobs === "object" &&
    job.blobs;
  if (!isJob || typeof job.version !== "string") throw new InputError("this is not a Stargram job");
  if (job.version !== version) throw new InputError(`this job is from ${job.version}, the worker is ${version}`);
  if (nameOf(job) !== name) throw new InputError("the name of this job does not match its contents");
  for (const hash of Object.values(job.blobs)) {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new InputError("this job names a blob by something that is not a hash");
  }
  return job;
}

/** A job that was tried often enough: set aside. */
export class SetAside extends Error {
  constructor(
    readonly what: string,
    readonly reason: string,
  ) {
    super(`${what} failed and skipped: ${reason}`);
  }
}
