#!/usr/bin/env node
// The command `stargram`. A command is a file in commands/ that exports `register(program)`; only the files of the command
// asked for are loaded, so that each starts fast. Exit codes: 0 done, 1 a check failed, 2 bad input or usage.

import { Command, CommanderError } from "commander";
import { flushed, printError, silenceBrokenPipes } from "./output.js";

interface CommandFile {
  register(program: Command): void;
}

const commands: Record<string, (() => Promise<CommandFile>)[]> = {
  demo: [() => import("./commands/demo.js")],
  train: [() => import("./commands/train-tag.js"), () => import("./commands/train-transduce.js")],
  predict: [() => import("./commands/predict.js")],
  evaluate: [() => import("./commands/evaluate.js")],
  review: [() => import("./commands/review.js")],
  calibrate: [() => import("./commands/calibrate.js")],
  compare: [() => import("./commands/compare.js")],
  align: [() => import("./commands/align.js")],
  decipher: [() => import("./commands/decipher.js")],
  encipher: [() => import("./commands/encipher.js")],
  explore: [() => import("./commands/explore.js")],
  inspect: [() => import("./commands/inspect.js")],
  data: [() => import("./commands/data.js")],
  experiment: [() => import("./commands/experiment.js")],
};

const overview = `
Where to start:
  stargram train tag train.txt --out model.sg     learn from tokens and labels in columns
  stargram train transduce pairs.tsv --out m.sg   learn from pairs such as spelling and pronunciation
  stargram evaluate model.sg test.txt             see how well it does, and how sure it is
  stargram predict model.sg new.txt               label new text, with probabilities
  stargram calibrate model.sg held-out.txt --precision 0.99   promise a precision; then predict --precision 0.99
  stargram decipher cipher.txt --plain text.txt   find the key of a cipher from plain text of its language
  stargram explore                                see it all in a browser
  stargram COMMAND --help                         options and examples of a command

Exit codes: 0 done, 1 a check failed, 2 bad input or usage.`;

async function makeProgram(words: readonly string[]): Promise<Command> {
  const program = new Command("stargram");
  program
    .description("Structured prediction over sequences, with probabilities that cover every output.")
    .version(asksVersion(words) ? await versionText() : "", "-V, --version", "print the version and the kernel in use")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "stargram: ")) })
    .showHelpAfterError("(add --help for usage and examples)")
    .addHelpText("after", overview)
    .exitOverride();
  for (const { register } of await Promise.all(filesFor(words).map((load) => load()))) register(program);
  return program;
}

function asksVersion(words: readonly string[]): boolean {
  return words[0] === "--version" || words[0] === "-V";
}

/** Loaded when asked for: it takes a moment to find out which kernel works. */
async function versionText(): Promise<string> {
  const { versionLine } = await import("./version.js");
  return versionLine();
}

/** The files a command line needs: those of its command, none for the version, all for an overview or a mistyped command. */
function filesFor(words: readonly string[]): (() => Promise<CommandFile>)[] {
  if (asksVersion(words)) return [];
  return words.length > 0 && Object.hasOwn(commands, words[0]) ? commands[words[0]] : Object.values(commands).flat();
}

/** Runs a command line and returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  try {
    const program = await makeProgram(words);
    if (words.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its own message by now.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return printError(error);
  }
}

silenceBrokenPipes();
process.on("uncaughtException", (error) => process.exit(printError(error)));
const code = await run(process.argv.slice(2));
await flushed();
process.exit(code);
