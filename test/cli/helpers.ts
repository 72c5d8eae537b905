// Runs the built command as a user would, in a folder of its own, on made-up data.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generator, uniform } from "../../src/util/random.js";

const program = fileURLToPath(new URL("../../dist/cli/stargram.cjs", import.meta.url));

export interface Ran {
  code: number | null;
  out: string;
  error: string;
}

/** Every number in a JSON report by its name, with dots to those inside, and `--require` that it stays so. */
export function requireAll(report: object): string[] {
  const numbers = (part: object, before: string): string[] =>
    Object.entries(part).flatMap(([key, value]) => {
      if (typeof value === "number") return [`${before}${key}=${key === "seconds" ? 1000 : value}`];
      return value === null ? [] : numbers(value, `${before}${key}.`);
    });
  return numbers(report, "").flatMap((one) => ["--require", one]);
}

export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "stargram-cli-"));

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.file(name), content);
    return name;
  }

  has(name: string): boolean {
    return existsSync(this.file(name));
  }

  /** What commands find in their environment beside what is there. */
  readonly environment: Record<string, string> = { STARGRAM_DEBUG: "", NO_COLOR: "1" };

  start(...words: string[]): ChildProcess {
    const environment = { ...process.env, ...this.environment };
    return spawn(process.execPath, [program, ...words], { cwd: this.path, env: environment });
  }

  /** Runs to the end. `input` goes to standard input. */
  async run(words: readonly string[], input?: string | Uint8Array): Promise<Ran> {
    const child = this.start(...words);
    child.stdin?.on("error", () => undefined); // a command that refuses its input early closes it
    child.stdin?.end(input);
    return ended(child);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export async function ended(child: ChildProcess): Promise<Ran> {
  let out = "";
  let error = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    error += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, error };
}

export async function until(happens: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await happens())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const words: Record<string, readonly string[]> = {
  DT: ["the", "a", "this"],
  JJ: ["old", "big", "red", "can"],
  NN: ["dog", "cat", "can", "bark", "saw"],
  VB: ["barks", "saw", "can", "sees"],
};

/** Sentences in columns: word and label, the same for the same seed. */
export function columns(sentences: number, seed = 1): string {
  const random = generator(seed, 0);
  const chance = (p: number) => uniform(random) < p;
  const noun = () => ["DT", ...(chance(0.4) ? ["JJ"] : []), "NN"];
  let text = "";
  for (let s = 0; s < sentences; s++) {
    const labels = [...noun(), "VB", ...(chance(0.6) ? noun() : [])];
    for (const label of labels) text += `${words[label][Math.floor(uniform(random) * words[label].length)]} ${label}\n`;
    text += "\n";
  }
  return text;
}

/** The tokens alone. */
export function tokensOnly(text: string): string {
  return text.replace(/ \S+$/gm, "");
}
