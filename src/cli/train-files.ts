// Training on the files of a command line: reading them, the settings, the hooks.

import { basename } from "node:path";
import type { Command } from "commander";
import { backend } from "../engine/choice.js";
import type { LineBlock, Lines } from "../formats/line-blocks.js";
import { openLines, readLineBlocks } from "../formats/lines.js";
import { readWholeText } from "../formats/text.js";
import type { TrainingHooks } from "../learn/training.js";
import { readModelBytes } from "../model/file.js";
import { aKind, type LearningTask, type Predictor } from "../tasks/task.js";
import { InputError } from "../util/errors.js";
import { factsOf, type NamedText } from "../util/options.js";
import { decodeModel, taskOf } from "../workflows/model.js";
import { type Division, SHARD_EXAMPLES } from "../workflows/queue/shards.js";
import { readAnswers } from "./answers.js";
import { givenOf } from "./declared.js";
import { type MemoryFlags, machineMemory, scratchOf } from "./memory.js";
import type { ShardFlags } from "./queue/flags.js";
import { crewOf, type ThreadFlags } from "./threads.js";
import {
  modelFingerprint,
  resumedSettings,
  type Settings,
  type TrainingFlags,
  TrainingRun,
  type Unfinished,
} from "./training.js";

export interface FilesTraining extends Pick<TrainingFlags, "from" | "add" | "dev" | "quiet"> {
  unfinished?: Unfinished;
  /** Told of each example. */
  onExample?(example: unknown): void;
  /** In place of what the command line says. */
  instead?: Record<string, unknown>;
  run?: TrainingRun;
  /** Where the model goes. */
  out?: string;
}

/** Trains on the examples of files as the command line says. */
export async function trainOnFiles(
  task: LearningTask,
  files: readonly string[],
  command: Command,
  { quiet, from: path, add = [], dev, unfinished = {}, onExample, instead, run: given, out }: FilesTraining,
): Promise<{ model: Predictor; from?: Predictor }> {
  const { learning } = task;
  const fromBytes = path === undefined ? undefined : await readModelBytes(path);
  const from = fromBytes && startIn(fromBytes, task, path as string);
  const chosen = await chosenSettings(task, command, fromBytes);
  const resumed = resumedSettings(chosen.settings, unfinished);
  const queued = command.opts<ShardFlags>();
  const isQueued = queued.queue !== undefined;
  const scratch = isQueued ? undefined : scratchOf(task, command.opts<MemoryFlags>(), out, resumed.memory);
  const settings: Settings = { ...resumed, memory: scratch?.memory };
  const keep = from !== undefined && (files.length === 0 || learning.alwaysKeeps);
  const reading = { ...(keep ? learning.readingOf(from) : {}), ...settings.reading };
  const run = given ?? new TrainingRun(unfinished, learning.example, quiet);
  // Read after all examples.
  const lines = linesOf(task, settings.options, run);
  const hasLines = Object.keys(lines).length > 0;
  async function* examples(): AsyncGenerator<unknown> {
    for await (const example of readAll(task, files, add, reading)) {
      run.read(learning.decisive(example));
      onExample?.(example);
      yield example;
    }
    if (dev === undefined && !hasLines) run.allRead();
  }
  async function* judges(file: string): AsyncGenerator<unknown> {
    for await (const example of readAll(task, [file], [], reading)) {
      run.read(learning.decisive(example));
      yield example;
    }
    if (!hasLines) run.allRead();
  }
  const train = (crew: Pick<TrainingHooks, "crew">): Promise<Predictor> =>
    learning.train(examples(), {
      given: { ...settings.options, ...lines, ...instead },
      files: chosen.files,
      from,
      keep,
      ...(dev !== undefined && { dev: judges(dev) }),
      checkpoint: unfinished.saved?.checkpoint,
      note: { input: reading },
      ...crew,
      ...run.hooks(settings),
      scratch,
      memory: machineMemory(),
    });
  try {
    const threads = { ...command.opts<ThreadFlags>(), deterministic: settings.deterministic };
    const model = isQueued
      ? await trainedByQueue(queued, divisionOf(settings), threads, train)
      : await train(crewOf(threads, quiet));
    run.checkLearned(model.summary);
    return { model, from };
  } finally {
    run.end();
  }
}

/** Has a training done by a queue. */
async function trainedByQueue(
  flags: ShardFlags,
  division: Division,
  { threads, deterministic }: ThreadFlags,
  train: (crew: Pick<TrainingHooks, "crew">) => Promise<Predictor>,
): Promise<Predictor> {
  if (threads !== undefined || deterministic) {
    throw new InputError("--queue cannot be combined with --threads or --deterministic", {
      hint: "leave out --threads and --deterministic",
    });
  }
  const { withQueue } = await import("./queue/queue.js");
  const { queueCrew } = await import("../workflows/queue/mixing.js");
  return withQueue({ ...flags, quiet: true }, ({ submitter }) => train({ crew: queueCrew(submitter, division) }));
}

function divisionOf({ shards, shardSize = SHARD_EXAMPLES }: Settings): Division {
  return { shards: shards || undefined, size: shardSize };
}

/** The model that a training begins with. */
function startIn(bytes: Uint8Array, task: LearningTask, path: string): Predictor {
  const model = decodeModel(bytes, path);
  if (model.kind === task.kind) return model as Predictor;
  throw new InputError(`this model is ${aKind(taskOf(model))}, not ${aKind(task)}`, { file: path });
}

/** The examples of all files and answers. */
async function* readAll(
  task: LearningTask,
  files: readonly string[],
  answers: readonly string[],
  reading: Record<string, unknown>,
): AsyncGenerator<unknown> {
  function* sources() {
    for (const file of files) yield openLines(file);
  }
  yield* task.learning.read(sources(), reading);
  for (const file of answers) {
    for (const item of await readAnswers(file)) yield task.reviewing.example(item, file, reading);
  }
}

/** The lines of the files of options that are read line by line; a training is told of them. */
export function linesOf(
  { learning }: LearningTask,
  given: Record<string, unknown>,
  run?: Pick<TrainingRun, "readLines">,
): Record<string, Lines> {
  const found = Object.entries(given).filter(([name]) => {
    const option = learning.options[name];
    return option && factsOf(option).type === "lines";
  });
  return Object.fromEntries(
    found.map(([name, file]) => {
      const lines = (): AsyncGenerator<LineBlock> => {
        const blocks = readLineBlocks(file as string);
        return run ? run.readLines(blocks) : blocks;
      };
      // They can be read again, by the next training of a cross-validation.
      return [name, { file: file as string, blocks: { [Symbol.asyncIterator]: lines } }];
    }),
  );
}

/** What was given on the command line, files as their text; and the names of these files. */
export async function chosenSettings(
  { kind, learning }: LearningTask,
  command: Command,
  from: Uint8Array | undefined,
): Promise<{ settings: Settings; files: Record<string, string> }> {
  const options = givenOf(command, learning.options);
  const { queue, shards } = command.opts<ShardFlags>();
  const files: Record<string, string> = {};
  for (const [name, option] of Object.entries(learning.options)) {
    const given = options[name];
    const { type } = factsOf(option);
    if (given === undefined || (type !== "file" && type !== "files")) continue;
    if (type === "file") {
      files[name] = given as string;
      options[name] = await readWholeText(files[name]);
      continue;
    }
    const texts: NamedText[] = [];
    for (const one of given as string[]) {
      const named = namedFile(one);
      files[`${name}.${named.name}`] = named.file;
      texts.push({ name: named.name, text: await readWholeText(named.file) });
    }
    options[name] = texts;
  }
  const settings: Settings = {
    task: kind,
    options,
    reading: givenOf(command, learning.reading),
    deterministic: command.opts<ThreadFlags>().deterministic,
    from: from && modelFingerprint(from),
    kernel: backend().name,
    ...(queue !== undefined && (shards === undefined ? { shards: 0, shardSize: SHARD_EXAMPLES } : { shards })),
  };
  return { settings, files };
}

/** `FILE=NAME`, or a file that gives its own name, without its ending. */
function namedFile(given: string): { file: string; name: string } {
  const at = given.lastIndexOf("=");
  if (at > 0) return { file: given.slice(0, at), name: given.slice(at + 1) };
  return { file: given, name: basename(given).replace(/(?<=.)\..*$/, "") };
}
