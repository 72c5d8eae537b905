// The models that are served. A file that is replaced is loaded again while requests go on: those that came before are answered
// by the model they were meant for, and a file that is no sound model changes nothing.

import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { modelPath, readModelBytes } from "../../model/file.js";
import { isLearningTask, type LearningTask, tasks } from "../../tasks/task.js";
import { InputError, unknownName } from "../../util/errors.js";
import { say } from "../output.js";
import type { Pool } from "./pool.js";

export interface ServedModel {
  name: string;
  path: string;
  task: LearningTask;
  /** That threads know it by. */
  number: number;
  /** The beginning of the SHA-256 of its file. */
  version: string;
  bytes: number;
  loaded: Date;
  contents: Record<string, unknown>;
  /** Requests that are being answered by it. */
  uses: number;
}

const LOOK_EVERY = 500; // ms

export class Models {
  private readonly served = new Map<string, ServedModel>();
  /** What the files looked like when they were read. */
  private readonly looks = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private next = 1;
  readonly reloads = { done: 0, refused: 0 };

  private constructor(private readonly pool: Pool) {}

  /** Loads `NAME=FILE` or `FILE`; a model is called as its file is, without the ending. */
  static async open(words: readonly string[], pool: Pool): Promise<Models> {
    const models = new Models(pool);
    for (const word of words) {
      const [, name, path] = /^([\w.-]+)=(.+)$/.exec(word) ?? [undefined, basename(word).replace(/\.[^.]*$/, ""), word];
      const before = models.served.get(name);
      if (before) {
        throw new InputError(`two models are called ${name}: ${before.path} and ${path}`, {
          hint: `rename one: OTHER=${path}`,
        });
      }
      models.looks.set(name, await lookOf(path));
      models.served.set(name, await models.load(name, path));
    }
    models.timer = setInterval(() => void models.lookAtFiles(), LOOK_EVERY).unref();
    return models;
  }

  all(): readonly ServedModel[] {
    return [...this.served.values()];
  }

  /** The model of a name; where there is but one, it need not be named. */
  get(name: string | undefined): ServedModel {
    const names = [...this.served.keys()];
    if (name === undefined && names.length > 1) {
      throw new InputError("choose a model with `model`", { hint: `there are ${names.join(", ")}` });
    }
    const found = this.served.get(name ?? names[0]);
    if (!found) throw unknownName("model", String(name), names);
    return found;
  }

  /** Keeps a model, replaced or not, until `done`. */
  use(model: ServedModel): { done(): void } {
    model.uses++;
    return {
      done: () => {
        model.uses--;
        this.dropUnused(model);
      },
    };
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async load(name: string, path: string): Promise<ServedModel> {
    const bytes = await readModelBytes(path);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const number = this.next++;
    const { kind, contents } = await this.pool.load({ number, path, bytes: shared });
    const task = tasks().find((one) => one.kind === kind);
    if (!task || !isLearningTask(task)) throw new InputError("this model cannot be served", { file: path });
    const version = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    return { name, path, task, number, version, bytes: bytes.length, loaded: new Date(), contents, uses: 0 };
  }

  private isLooking = false;

  private async lookAtFiles(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      for (const [name, before] of this.served) {
        const look = await lookOf(before.path).catch(() => undefined);
        // A file that is away for a moment is being replaced.
        if (look === undefined || look === this.looks.get(name)) continue;
        this.looks.set(name, look);
        await this.reload(name, before);
      }
    } finally {
      this.isLooking = false;
    }
  }

  private async reload(name: string, before: ServedModel): Promise<void> {
    try {
      const model = await this.load(name, before.path);
      this.served.set(name, model);
      this.dropUnused(before);
      this.reloads.done++;
      say(`${before.path} was replaced: ${name} is now ${model.version}`);
    } catch (error) {
      this.reloads.refused++;
      const reason = error instanceof Error ? error.message : String(error);
      say(`${before.path} was replaced, but cannot be loaded (${reason}): ${name} stays ${before.version}`);
    }
  }

  private dropUnused(model: ServedModel): void {
    if (model.uses === 0 && this.served.get(model.name) !== model) this.pool.drop(model.number);
  }
}

/** What changes when a file is replaced or written to. */
async function lookOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(modelPath(path), { bigint: true }).catch((cause) => {
    throw new InputError("there is no such file", { file: path, cause });
  });
  return `${ino} ${size} ${mtimeNs}`;
}
