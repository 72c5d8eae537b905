// The command line around the commands: its description and help, running it, exit codes (0 done, 1 a check failed, 2 bad
// input or usage). main.ts has all commands; start.ts, which is what people run, has those that must start fast.

import { Command, CommanderError, Option } from "commander";
import { completionScript, type Shell, shells } from "./completion.js";
import { addHelpAll, helpSettings, helpWidth } from "./help.js";
import { flushed, printError, silenceBrokenPipes } from "./output.js";

/** A file in commands/. */
export interface CommandFile {
  register(program: Command): void;
}

const overview = `
Where to start:
  stargram train tag train.txt --out model.sg     train on tokens and labels in columns
  stargram train transduce pairs.tsv --out m.sg   train on pairs such as spelling and pronunciation
  stargram evaluate model.sg test.txt             measure accuracy and calibration
  stargram predict model.sg new.txt               label new text, with probabilities
  stargram calibrate model.sg held-out.txt --precision 0.99   promise a precision
  stargram decipher cipher.txt --plain text.txt   find the key of a cipher with plain text of its language
  stargram explore                                watch models in a browser
  stargram COMMAND --help                         common options and examples; --help-all shows all

Exit codes: 0 success, 1 a check failed, 2 bad input or usage.`;

export function makeProgram(version: string, files: readonly CommandFile[]): Command {
  const program = new Command("stargram");
  program
    .description("Structured prediction over sequences, with probabilities that cover every output.")
    .version(version, "-V, --version", "print the version and the kernel in use")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "stargram: ")),
      getOutHelpWidth: helpWidth,
    })
    .configureHelp(helpSettings)
    .showHelpAfterError("(add --help for usage and examples)")
    .addOption(new Option("--completion <shell>", "print a script that completes commands and flags").choices(shells))
    .on("option:completion", (shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
      throw new CommanderError(0, "stargram.completion", "");
    })
    .addHelpText("after", overview)
    .exitOverride();
  for (const { register } of files) register(program);
  shortenFlags(program);
  addHelpAll(program);
  return program;
}

/** One letter for what is typed most, the same in every command. */
const letters: Readonly<Record<string, string>> = { "--out": "-o", "--quiet": "-q", "--json": "-j" };

function shortenFlags(command: Command): void {
  for (const option of command.options) {
    const letter = option.long && !option.short ? letters[option.long] : undefined;
    if (!letter) continue;
    option.short = letter;
    option.flags = `${letter}, ${option.flags}`;
  }
  for (const one of command.commands) shortenFlags(one);
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
