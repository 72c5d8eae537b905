// What the commands that train have in common. After every pass, and on Ctrl-C, all that is needed to go on is written beside
// the model (MODEL.checkpoint); --resume goes on from there, with the same settings and data, and gives the very model that
// an undisturbed training would have given.

import { createHash } from "node:crypto";
import { stat, unlink } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { TrainingHooks } from "../learn/training.js";
import { DataFingerprint, decodeCheckpoint, encodeCheckpoint, type SavedTraining } from "../model/checkpoint.js";
import { readModelBytes, writeFileSafely } from "../model/file.js";
import { InputError } from "../util/errors.js";
import { saveModel } from "../workflows/disk.js";
import type { Model } from "../workflows/model.js";
import { Interrupt } from "./interrupt.js";
import { CheckFailed, flagOf, quoted, say } from "./output.js";
import { checkOutput } from "./place.js";
import { ProgressLine } from "./progress.js";

/** What is trained, and the command that does it. */
const commands = { tagger: "stargram train tag", transducer: "stargram train transduce" };
export type TrainedTask = keyof typeof commands;

export interface TrainingFlags {
  out: string;
  resume?: boolean;
  quiet?: boolean;
  json?: boolean;
  /** The model to go on with. */
  from?: string;
  /** Review files whose answers are learned from. */
  add?: string[];
}

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
  task: TrainedTask,
  files: readonly string[],
  { out, resume, quiet, from, add = [] }: TrainingFlags,
): Promise<Unfinished> {
  if (files.length === 0 && (add.length === 0 || from === undefined)) {
    const [wanted, name] = task === "tagger" ? ["is no data", "DATA"] : ["are no pairs", "PAIRS"];
    throw new InputError(`there ${wanted} to learn from`, {
      hint: `give ${name}, or --from MODEL and --add ANSWERS to learn from answers alone`,
    });
  }
  const { isFile } = await checkOutput(out, [...files, ...add]);
  const path = `${out}.checkpoint`;
  const saved = resume ? await readCheckpoint(path, task) : undefined;
  if (!resume && !quiet && isFile && (await exists(path))) {
    say(`${path} holds an unfinished training, which this one will replace; --resume would go on with it`);
  }
  return { path: isFile ? path : undefined, saved, isKept: saved !== undefined };
}

async function readCheckpoint(path: string, task: TrainedTask): Promise<SavedTraining> {
  if (!(await exists(path))) {
    throw new InputError("there is no unfinished training to resume", {
      file: path,
      hint: "it is kept beside the model until the training is complete; train without --resume",
    });
  }
  const saved = decodeCheckpoint(await readModelBytes(path), path);
  const other = task === "tagger" ? "transducer" : "tagger";
  if (saved.settings.task === other) {
    throw new InputError(`this is the unfinished training of a ${other}, not of a ${task}`, {
      file: path,
      hint: `go on with it by \`${commands[other]}\`, or train anew without --resume`,
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
const unshown = ["template", "from"];

/** Refuses settings, by name, that are given anew to a training and are not those it was given before. */
export function checkResumed(
  given: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  file: string | undefined,
): void {
  for (const [name, now] of Object.entries(given)) {
    const then = before[name];
    if (now === undefined || isDeepStrictEqual(now, then)) continue;
    const values = unshown.includes(name) ? "" : ` (${now} now, ${then ?? "not given"} then)`;
    throw new InputError(`${flagOf(name)} is not that of the training to be resumed${values}`, {
      file,
      hint: "leave the option out, or train anew without --resume",
    });
  }
  if (before.from !== undefined && given.from === undefined) {
    throw new InputError("the training to be resumed began with --from a model", { file, hint: "give --from again" });
  }
}

/** A training that a command runs: what it reads, how far it is, Ctrl-C, checkpoints. */
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
    /** What is read, in the plural. */
    private readonly things: string,
    private readonly quiet = false,
  ) {
    this.progress = new ProgressLine(process.stderr.isTTY === true && !quiet);
    this.interrupt = new Interrupt(quiet);
    this.canGoOn = unfinished.saved !== undefined;
  }

  /** Is told what decides each example. */
  read(example: unknown): void {
    this.data.add(example);
    this.progress.reading(++this.examples, this.things);
  }

  /** Is told that all is read and nothing is learned yet; `chooses` if the L2 penalty is to be chosen first. */
  allRead(chooses: boolean): void {
    const { path, saved } = this.unfinished;
    if (saved && saved.data !== this.data.value()) {
      throw new InputError(`the ${this.things} are not those of the training to be resumed`, {
        file: path,
        hint: "give the same files in the same order, or train anew without --resume",
      });
    }
    if (chooses && !saved) this.progress.choosing();
    this.interrupt.trainingStarts();
  }

  hooks(settings: Record<string, unknown>): Pick<TrainingHooks, "onProgress" | "shouldStop" | "onCheckpoint"> {
    return {
      onProgress: (state) => this.progress.training(state),
      shouldStop: () => this.interrupt.asked,
      onCheckpoint: async (checkpoint) => {
        this.canGoOn = true;
        const { path } = this.unfinished;
        if (path === undefined) return;
        try {
          await writeFileSafely(path, encodeCheckpoint({ settings, data: this.data.value(), checkpoint }));
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
    say(`${error.message}; training goes on, but could not be resumed from here`);
  }

  /** Refuses a training that was stopped before it learned anything. */
  checkLearned({ stopped }: { stopped: boolean }): void {
    this.progress.end();
    if (stopped && !this.canGoOn) {
      throw new CheckFailed("stopped before the first pass: nothing was learned, nothing is saved");
    }
  }

  end(): void {
    this.progress.end();
    this.interrupt.end();
  }
}

/** Saves a model that was trained, reports it, and says how to go on if it was stopped or cannot be saved. */
export async function finishTraining(
  task: TrainedTask,
  model: Model & { summary: { stopped: boolean } },
  files: readonly string[],
  { out, from, add = [], quiet }: TrainingFlags,
  { isKept }: Unfinished,
  report: () => Promise<void>,
): Promise<void> {
  const sayHowToGoOn = (why: string): void => {
    if (quiet || !isKept) return;
    const start = from === undefined ? [] : ["--from", from];
    const given = [...files, ...start, ...add.flatMap((file) => ["--add", file])].map(quoted).join(" ");
    say(`${why}; go on with: ${commands[task]} ${given} --out ${quoted(out)} --resume`);
  };
  try {
    await saveModel(model, out);
  } catch (error) {
    sayHowToGoOn("what was learned is kept up to the last checkpoint");
    throw error;
  }
  const { stopped } = model.summary;
  if (!stopped) await unlink(`${out}.checkpoint`).catch(() => undefined);
  await report();
  if (stopped) sayHowToGoOn("stopped");
}
