// What goes to the terminal: results to standard output, everything else to standard error; numbers, tables and errors in
// one style. A reader that stops reading (`| head`) is no error.

import { once } from "node:events";
import { InputError } from "../util/errors.js";

/** A check that the user asked for did not pass: exit code 1. */
export class CheckFailed extends Error {}

/** The user, or the system, stopped the work: what was done is kept, but it is not finished. */
export class Stopped extends Error {
  constructor(
    message: string,
    /** 128 + the number of the signal, as shells have it. */
    readonly code: number,
  ) {
    super(message);
  }
}

let goesOnUnread = false;
let isUnread = false;

/** For commands that have more to do than print: when whoever reads our output has gone, the rest of it is left out. */
export function goOnUnread(): void {
  goesOnUnread = true;
}

/** Ends quietly when whoever reads our output has gone, unless there is more to do. */
export function silenceBrokenPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") {
      if (!goesOnUnread) process.exit(0);
      isUnread = true;
      return;
    }
    say(`standard output cannot be written (${error.code ?? error.message})`);
    process.exit(2);
  });
  process.stderr.on("error", () => undefined);
}

let collected: { out: string; said: string[] } | undefined;

/** Keeps what is printed from now on instead of printing it, for a thread that prints through another. */
export function collectOutput(): void {
  collected = { out: "", said: [] };
}

/** What was printed since the last time. */
export function takeOutput(): { out: string; said: string[] } {
  const taken = collected ?? { out: "", said: [] };
  collectOutput();
  return taken;
}

/** Text that is not printed yet: many short ones are printed at once. */
let waiting = "";
let printedAt = 0;
/** Characters that wait at most, and milliseconds. */
const MOST_WAITING = 1 << 14;
const LONGEST_WAIT = 20;

/**
 * Writes to standard output, and waits while it is full. What is short may wait for more, but not while there is something else to
 * wait for, such as input.
 */
export async function write(text: string): Promise<void> {
  if (collected) {
    collected.out += text;
    return;
  }
  if (waiting === "") setImmediate(printWaiting);
  waiting += text;
  if (waiting.length >= MOST_WAITING || performance.now() > printedAt + LONGEST_WAIT) await printWaiting();
}

async function printWaiting(): Promise<void> {
  if (waiting === "") return;
  const text = waiting;
  waiting = "";
  printedAt = performance.now();
  await print(text);
}

/** The same with bytes, which are not to be changed afterwards. */
export async function writeBytes(bytes: Uint8Array): Promise<void> {
  if (collected) collected.out += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  else if (bytes.length > 0) {
    printWaiting();
    await print(bytes);
  }
}

async function print(text: string | Uint8Array): Promise<void> {
  if (isUnread || process.stdout.write(text)) return;
  // A reader that goes while we wait ends the waiting; what to do then is decided above.
  await once(process.stdout, "drain").catch(() => undefined);
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

export async function writeJson(value: unknown): Promise<void> {
  await write(jsonLine(value));
}

/** A line to standard error. */
export function say(text: string): void {
  if (collected) {
    collected.said.push(text);
    return;
  }
  printWaiting();
  process.stderr.write(`stargram: ${text}\n`);
}

/** Waits until all output is out. */
export async function flushed(): Promise<void> {
  await printWaiting();
  await new Promise((resolve) => process.stdout.write("", resolve));
  await new Promise((resolve) => process.stderr.write("", resolve));
}

/** Prints an error as a user should see it; returns the exit code. */
export function printError(error: unknown): number {
  if (error instanceof CheckFailed) {
    say(error.message);
    return 1;
  }
  if (error instanceof Stopped) {
    if (error.message !== "") say(error.message);
    return error.code;
  }
  if (error instanceof InputError) {
    say(namingFlags(error));
    if (error.hint) process.stderr.write(`  ${withFlags(error.hint)}\n`);
    if (process.env.STARGRAM_DEBUG) process.stderr.write(`${error.stack}\n`);
    return 2;
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  say(`internal error in Stargram: ${text.split("\n")[0]}`);
  process.stderr.write("  please report it, with the output of STARGRAM_DEBUG=1\n");
  if (process.env.STARGRAM_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return 1;
}

/** What the library says of an option, said of the flag. Options of a file, such as a model's, have none. */
export function namingFlags({ message, file }: InputError): string {
  return file === undefined ? withFlags(message) : message;
}

/** A text of the library that names options, naming flags. */
export function withFlags(text: string): string {
  return text.replace(/(?:the )?option `(\w+)`/g, (_, name) => flagOf(name));
}

/** `--max-emit` for the option `maxEmit`. */
export function flagOf(name: string): string {
  return `--${flagWord(name)}`;
}

/** `max-emit` for the option `maxEmit`. */
export function flagWord(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
