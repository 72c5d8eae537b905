// Models as bytes: which task a model belongs to, and the codec of its kind. Works on bytes alone, so it runs in a browser
// too; disk.ts reads and writes files.

import { decodeKind, encodeWith, printable } from "../model/kind.js";
import {
  aKind,
  isLearningTask,
  type LearningTask,
  learningTasks,
  type Model,
  type Predictor,
  type Task,
  tasks,
} from "../tasks/task.js";
import { InputError } from "../util/errors.js";

/** The task of a model. */
export function taskOf<M extends Model>(model: M): Task<M> {
  const task = tasks().find(({ kind }) => kind === model?.kind);
  if (!task) throw new InputError("this is not a Stargram model");
  return task as Task<M>;
}

/** The task of a model that answers; another is refused, `use` saying what it was wanted for: "evaluate". */
export function learningTaskOf(model: Model, use: string, file?: string): LearningTask {
  const task = taskOf(model);
  if (isLearningTask(task)) return task;
  throw new InputError(`${use} needs ${oneOf(learningTasks())}; ${file ?? "this"} is ${aKind(task)}`);
}

/** A model that answers, with its task; a model of another kind is refused. */
export function predictorOf(model: Model, use: string, file?: string): { model: Predictor; task: LearningTask } {
  const task = learningTaskOf(model, use, file);
  if (file !== undefined) task.checkUsable?.(model as Predictor, file);
  return { model: model as Predictor, task };
}

/** "a tagger or a transducer" */
export function oneOf(some: readonly Task[]): string {
  const names = some.map(aKind);
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names.join("");
}

/** The bytes of a model file. The same model gives the same bytes. */
export function encodeModel(model: Model): Uint8Array {
  return encodeWith(taskOf(model).codec, model);
}

/** Decodes a model; anything else is an InputError that names `file`. */
export function decodeModel(bytes: Uint8Array, file?: string): Model {
  const { kind, content } = decodeKind(bytes, file);
  const task = tasks().find((one) => one.kind === kind);
  if (task) return task.codec.decode(content, file);
  if (kind === "checkpoint") {
    throw new InputError("this is a checkpoint of an unfinished training run, not a model", {
      file,
      hint: "resume the training: `stargram train` with option `resume`",
    });
  }
  throw new InputError(`this Stargram does not know models of the kind \`${printable(kind)}\``, {
    file,
    hint: "update it: npm install stargram@latest",
  });
}
