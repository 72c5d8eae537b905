// A training that a command runs. After every pass, and when it is stopped, all that is needed to go on is written beside the
// model (MODEL.checkpoint); --resume goes on from there, with the same settings and data, and gives the very model that an
// undisturbed training would have given. A model takes the place of an older one only when it is complete: what a stopped
// training has learned is in MODEL.partial.

import { createHash } from "node:crypto";
import { stat, unlink } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { LineBlock } from "../formats/line-blocks.js";
import { checkOverwrite } from "../formats/safe-file.js";
import type { TrainingHooks } from "../learn/training.js";
import { DataFingerprint, decodeCheckpoint, encodeCheckpoint, type SavedTraining } from "../model/checkpoint.js";
import { checkpointFile, readModelBytes, writeFileSafely } from "../model/file.js";
import { aKind, type LearningTask, learningTasks, type Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { plural } from "../util/text.js";
import { saveModel } from "../workflows/disk.js";
import { OLD_SHARD_EXAMPLES } from "../workflows/queue/shards.js";
import { Interrupt } from "./interrupt.js";
import { CheckFailed, flagOf, quoted, Stopped, say, withFlags } from "./output.js";
import { checkOutput } from "./place.js";
import { ProgressLine } from "./progress.js";

export interface TrainingFlags {
  out: string;
  resume?: boolean;
  quiet?: boolean;
  json?: boolean;
  force?: boolean;
  /** The model to go on with. */
  from?: string;
  /** Review files whose answers are learned from. */
  add?: string[];
  /** Examples to choose by. */
  dev?: string;
}

/** Everything that decides which model comes out, apart from the data: kept in the checkpoint. */
const settingsSchema = v.object({
  /** The kind of model. */
  task: v.string(),
  /** Options of the training that were given, files as their text. */
  options: v.record(v.string(), v.unknown()),
  /** How data is read, as far as it was given. */
  reading: v.record(v.string(), v.unknown()),
  deterministic: v.optional(v.boolean()),
  /** SHA-256 of the model that training began with. */
  from: v.optional(v.string()),
  /** Bytes of memory that it may take: attributes that do not fit are left out. */
  memory: v.optional(v.number()),
  /** Trained by a queue: the number of shards, or 0 for as many as the data makes. */
  shards: v.optional(v.number()),
  /** Examples of a shard, about, where the data makes them. */
  shardSize: v.optional(v.number()),
  /** The kernel that computes: no two give the same bits. */
  kernel: v.optional(v.string()),
});
export type Settings = v.InferOutput<typeof settingsSchema>;

/** Where a training is kept while it is unfinished. */
export interface Unfinished {
  /** The checkpoint; undefined if none is to be written. */
  path?: string;
  /** The training in it that is to go on. */
  saved?: SavedTraining;
  /** Whether it holds this training: it was resumed from there, or has been written there. */
  isKept?: boolean;
}

/** Checks what a command is given to learn from and where it is to write, and finds the training to be resumed. */
export async function beginTraining(
  task: LearningTask,
  files: readonly string[],
  { out, resume, quiet, from, force, add = [], dev }: TrainingFlags,
): Promise<Unfinished> {
  if (files.length === 0 && (add.length === 0 || from === undefined)) {
    throw new InputError(`nothing to learn from: no ${task.learning.about.data}`, {
      hint: `give ${dataName(task)}, or --from MODEL and --add ANSWERS to learn only from answers`,
    });
  }
  const { isFile } = await checkOutput(out, [...files, ...add, ...(dev === undefined ? [] : [dev])], force);
  const path = `${out}.checkpoint`;
  if (isFile && (await exists(path))) await checkOverwrite(path, checkpointFile, force);
  const saved = resume ? await readCheckpoint(path, task) : undefined;
  if (!resume && !quiet && isFile && (await exists(path))) {
    say(`${path} is from an unfinished run, which this run will replace; --resume would continue it`);
  }
  return { path: isFile ? path : undefined, saved, isKept: saved !== undefined };
}

/** DATA, PAIRS: what the help calls the argument. */
export function dataName({ learning }: LearningTask): string {
  return learning.about.data.split(" ").at(-1)?.toUpperCase() ?? "DATA";
}

async function readCheckpoint(path: string, task: LearningTask): Promise<SavedTraining> {
  if (!(await exists(path))) {
    throw new InputError("there is no unfinished run to resume", {
      file: path,
      hint: "train without --resume",
    });
  }
  const saved = decodeCheckpoint(await readModelBytes(path), path);
  const other = learningTasks().find(({ kind }) => kind === saved.settings.task && kind !== task.kind);
  if (other) {
    throw new InputError(`this is an unfinished run of ${aKind(other)}, not of ${aKind(task)}`, {
      file: path,
      hint: `continue it with \`stargram train ${other.name}\`, or start again without --resume`,
    });
  }
  return saved;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** What tells a model that training begins with from others. */
export function modelFingerprint(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Settings too long to be shown, or that are fingerprints. */
const LONGEST_SHOWN = 60;

/** The settings of the training to be resumed, if there is one; what is given anew must be the same. */
export function resumedSettings(chosen: Settings, { saved, path }: Unfinished): Settings {
  if (!saved) return chosen;
  const parsed = v.safeParse(settingsSchema, saved.settings);
  if (!parsed.success) {
    throw new InputError("the checkpoint is from another version of Stargram", {
      file: path,
      hint: "start again without --resume",
    });
  }
  const { kernel } = parsed.output;
  if (kernel !== undefined && kernel !== chosen.kernel) {
    throw new InputError(
      `the run to resume used the kernel \`${kernel}\`, not \`${chosen.kernel}\`: the model would be different`,
      { file: path, hint: `set STARGRAM_KERNEL=${kernel}, or start again without --resume` },
    );
  }
  const named = ({ options, reading, deterministic, from, shards }: Settings) => ({
    ...reading,
    ...options,
    deterministic,
    from,
    ...(shards !== 0 && { shards }),
  });
  const before: Record<string, unknown> = named(parsed.output);
  for (const [name, now] of Object.entries(named(chosen))) {
    const then = before[name];
    if (now === undefined || isDeepStrictEqual(now, then)) continue;
    const isLong = [now, then].some((value) => String(value).length > LONGEST_SHOWN);
    const values = isLong ? "" : ` (${now} now, ${then ?? "not given"} then)`;
    throw new InputError(`${flagOf(name)} differs from the run to resume${values}`, {
      file: path,
      hint: "leave the option out, or start again without --resume",
    });
  }
  if ((parsed.output.shards === undefined) !== (chosen.shards === undefined)) {
    const was = parsed.output.shards === undefined ? "did not use" : "used";
    throw new InputError(`the run to resume ${was} a queue: the model would be different`, {
      file: path,
      hint: parsed.output.shards === undefined ? "leave out --queue" : "give --queue again",
    });
  }
  if (before.from !== undefined && chosen.from === undefined) {
    throw new InputError("the run to resume started with --from a model", {
      file: path,
      hint: "give --from again",
    });
  }
  return parsed.output.shards === 0 ? { shardSize: OLD_SHARD_EXAMPLES, ...parsed.output } : parsed.output;
}

/** A training that a command runs: what it reads, how far it is, signals, checkpoints. */
export class TrainingRun {
  private readonly progress: ProgressLine;
  private readonly interrupt: Interrupt;
  private readonly data = new DataFingerprint();
  private examples = 0;
  /** Whether there is anything to go on with if it is stopped. */
  private canGoOn: boolean;
  private hasWarned = false;

  constructor(
    private readonly unfinished: Unfinished,
    /** What is read, one of it. */
    private readonly example: string,
    private readonly quiet = false,
    /** Replace a file in the place of the checkpoint whatever it is. */
    private readonly force = false,
  ) {
    this.progress = new ProgressLine(process.stderr.isTTY === true && !quiet);
    this.interrupt = new Interrupt(quiet);
    this.canGoOn = unfinished.saved !== undefined;
  }

  /** Is told what decides each example. */
  read(decisive: unknown): void {
    this.data.add(decisive);
    this.progress.reading(++this.examples, `${this.example}s`);
  }

  /** Passes on lines of what is read last, to the end. */
  async *readLines(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
    for await (const block of blocks) {
      this.data.add(block.lines);
      yield block;
    }
    this.allRead();
  }

  /** Is told that all is read and nothing is learned yet. */
  allRead(): void {
    const { path, saved } = this.unfinished;
    if (saved && saved.data !== this.data.value()) {
      throw new InputError(`the ${this.example}s are not those of the run to resume`, {
        file: path,
        hint: "give the same files in the same order, or start again without --resume",
      });
    }
    this.interrupt.trainingStarts();
  }

  hooks(settings: Settings): Pick<TrainingHooks, "onProgress" | "shouldStop" | "onCheckpoint" | "onNotice"> {
    return {
      onNotice: (text) => {
        if (!this.quiet) say(withFlags(text));
      },
      onProgress: (state) => this.progress.training(state),
      shouldStop: () => this.interrupt.asked,
      onCheckpoint: async (checkpoint) => {
        this.canGoOn = true;
        const { path } = this.unfinished;
        if (path === undefined) return;
        try {
          const bytes = encodeCheckpoint({ settings, data: this.data.value(), checkpoint });
          await writeFileSafely(path, bytes, { kind: checkpointFile, force: this.force });
          this.unfinished.isKept = true;
        } catch (error) {
          this.warn(error);
        }
      },
    };
  }

  /** A training that cannot be kept goes on all the same: there may be room for its model. */
  private warn(error: unknown): void {
    if (!(error instanceof InputError)) throw error;
    if (this.hasWarned || this.quiet) return;
    this.hasWarned = true;
    this.progress.end();
    say(`${error.message}; training continues, but cannot be resumed from here`);
  }

  /** Refuses a training that was stopped before it learned anything. */
  checkLearned({ stopped }: { stopped: boolean }): void {
    this.progress.end();
    if (!stopped || this.canGoOn) return;
    const why = "stopped before the first pass: nothing was learned or saved";
    throw this.interrupt.code === undefined ? new CheckFailed(why) : new Stopped(why, this.interrupt.code);
  }

  /** The exit code of what stopped it. */
  get stopCode(): number {
    return this.interrupt.code ?? 1;
  }

  end(): void {
    this.progress.end();
    this.interrupt.end();
  }
}

/** Saves a model that was trained, and reports it. One that was stopped does not take the place of a finished one. */
export async function finishTraining(
  task: LearningTask,
  model: Predictor,
  files: readonly string[],
  { out, from, dev, force, add = [] }: TrainingFlags,
  { isKept, path }: Unfinished,
  run: TrainingRun,
  report: (file: string) => Promise<void>,
): Promise<void> {
  const start = from === undefined ? [] : ["--from", from];
  const judges = dev === undefined ? [] : ["--dev", dev];
  const given = [...files, ...start, ...judges, ...add.flatMap((file) => ["--add", file])].map(quoted).join(" ");
  const next = isKept ? `; continue with: stargram train ${task.name} ${given} --out ${quoted(out)} --resume` : "";
  const { stopped } = model.summary;
  const file = stopped && path !== undefined ? `${out}.partial` : out;
  try {
    await saveModel(model, file, { force });
  } catch (error) {
    if (next !== "") say(`training is saved up to the last checkpoint${next}`);
    throw error;
  }
  await report(file);
  if (stopped) {
    const kept = `stopped early: the model so far is in ${file}`;
    throw new Stopped(`${kept}${next}`, run.stopCode);
  }
  if (isKept && path !== undefined) await unlink(path).catch(() => undefined);
  if (path !== undefined) await removeOurs(`${out}.partial`);
}

/** Removes what a training that was stopped and resumed has left. */
async function removeOurs(path: string): Promise<void> {
  if (!(await exists(path))) return;
  try {
    await readModelBytes(path);
  } catch {
    return; // not ours
  }
  await unlink(path).catch(() => undefined);
}

/** `3 pairs`, for messages. */
export function examplesOf(count: number, { learning }: LearningTask): string {
  return plural(count, learning.example);
}
