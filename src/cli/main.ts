#!/usr/bin/env node
// All commands of `stargram`. A command is a file that exports `register(program)`; only the files of the command asked for are
// loaded.

import { asksVersion, type CommandFile, runProgram } from "./program.js";

const commands: Record<string, (() => Promise<CommandFile>)[]> = {
  demo: [() => beside("demo")],
  train: [() => import("./commands/train.js")],
  predict: [() => import("./commands/predict.js")],
  evaluate: [() => import("./commands/evaluate.js")],
  distill: [() => import("./commands/distill.js")],
  "cross-validate": [() => import("./commands/cross-validate.js")],
  review: [() => import("./commands/review.js")],
  calibrate: [() => import("./commands/calibrate.js")],
  monitor: [() => import("./commands/monitor.js")],
  compare: [() => import("./commands/compare.js")],
  cluster: [() => import("./commands/cluster.js")],
  align: [() => import("./commands/align.js")],
  decipher: [() => import("./commands/decipher.js")],
  encipher: [() => import("./commands/encipher.js")],
  identify: [() => import("./commands/identify.js")],
  serve: [() => import("./commands/serve.js")],
  worker: [() => import("./commands/worker.js")],
  explore: [() => import("./commands/explore.js")],
  inspect: [() => import("./commands/inspect.js")],
  data: [() => import("./commands/data.js")],
  experiment: [() => beside("experiments")],
};

/** A command whose sources lie beside src/: the build puts it beside the library. */
function beside(folder: string): Promise<CommandFile> {
  const library = new URL("..", import.meta.url);
  return import(new URL(`${folder}/command.js`, library).href);
}

/** The files a command line needs: those of its command, none for the version, all for an overview or a mistyped command. */
function filesFor(words: readonly string[]): (() => Promise<CommandFile>)[] {
  if (asksVersion(words)) return [];
  return words.length > 0 && Object.hasOwn(commands, words[0]) ? commands[words[0]] : Object.values(commands).flat();
}

const words = process.argv.slice(2);
await runProgram(words, filesFor(words));
