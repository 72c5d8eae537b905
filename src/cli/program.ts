// The command line around the commands: its description and help, running it, exit codes (0 done, 1 a check failed, 2 bad
// input or usage). main.ts has all commands; start.ts, which is what people run, has those that must start fast.

import { Command, CommanderError } from "commander";
import { flushed, printError, silenceBrokenPipes } from "./output.js";

/** A file in commands/. */
export interface CommandFile {
  register(program: Command): void;
}

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

export function makeProgram(version: string, files: readonly CommandFile[]): Command {
  const program = new Command("stargram");
  program
    .description("Structured prediction over sequences, with probabilities that cover every output.")
    .version(version, "-V, --version", "print the version and the kernel in use")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "stargram: ")) })
    .showHelpAfterError("(add --help for usage and examples)")
    .addHelpText("after", overview)
    .exitOverride();
  for (const { register } of files) register(program);
  return program;
}

export function asksVersion(words: readonly string[]): boolean {
  return words[0] === "--version" || words[0] === "-V";
}

/** Loaded when asked for: it takes a moment to find out which kernel works. */
async function versionText(): Promise<string> {
  const { versionLine } = await import("./version.js");
  return versionLine();
}

/** Runs a command line and returns the exit code. */
async function run(words: readonly string[], load: readonly (() => Promise<CommandFile>)[]): Promise<number> {
  try {
    const files = await Promise.all(load.map((one) => one()));
    const program = makeProgram(asksVersion(words) ? await versionText() : "", files);
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

/** Runs a command line with the commands that `load` loads, and ends the process. */
export async function runProgram(
  words: readonly string[],
  load: readonly (() => Promise<CommandFile>)[],
): Promise<never> {
  silenceBrokenPipes();
  process.on("uncaughtException", (error) => process.exit(printError(error)));
  const code = await run(words, load);
  await flushed();
  process.exit(code);
}
