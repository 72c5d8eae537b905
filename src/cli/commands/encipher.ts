// `stargram encipher`: makes test ciphers from plain text, by a seeded key.

import type { Command } from "commander";
import { Option } from "commander";
import { formatKeyJson, keyFile, readText } from "../../formats/text.js";
import { writeFileSafely } from "../../model/file.js";
import { encipher, encipherDefaults } from "../../tasks/decipher/encipher.js";
import { InputError } from "../../util/errors.js";
import { examples, whole } from "../options.js";
import { write, writeJson } from "../output.js";
import { checkPlace } from "../place.js";

interface EncipherFlags {
  level: "word" | "char";
  homophones?: number;
  spaces: boolean;
  seed: number;
  saveKey?: string;
  force?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command("encipher")
    .summary("make a test cipher from text")
    .description("Encipher text with a random key: letter by letter, with homophones, or word by word.")
    .argument("<text>", "plain text: a file, or `-` for standard input")
    .addOption(new Option("--level <level>", "unit of encipherment").choices(["word", "char"]).default("char"))
    .option("--homophones <n>", "letters: use this many cipher symbols, frequent letters get several", whole(1))
    .option("--no-spaces", "letters: drop spaces and everything else that is not a letter")
    .option("--seed <n>", "which key", whole(Number.MIN_SAFE_INTEGER), encipherDefaults.seed)
    .option("--save-key <file>", "write the key as JSON: the plain symbol of each cipher symbol")
    .option("--force", "overwrite the file of --save-key, whatever it is")
    .option("--json", "print text and key as one JSON object")
    .addHelpText(
      "after",
      examples(
        ["stargram encipher letter.txt --save-key key.json > cipher.txt", "a cryptogram: letters for letters"],
        ["stargram encipher letter.txt --homophones 54 > cipher.txt", "numbers, several for a frequent letter"],
        ["stargram encipher sentences.txt --level word > cipher.txt", "a number for every word"],
      ),
    )
    .action(run);
}

async function run(path: string, flags: EncipherFlags): Promise<void> {
  if (flags.level === "word" && !flags.spaces) {
    throw new InputError("--no-spaces needs --level char, not word", { hint: "leave it out" });
  }
  if (flags.saveKey !== undefined) await checkPlace(flags.saveKey, [path], keyFile, flags.force);
  const text = await readText(path);
  const { level, homophones = 0, spaces, seed } = flags;
  const made = encipher(text, { level, homophones, spaces, seed });
  if (flags.saveKey !== undefined) {
    const bytes = new TextEncoder().encode(formatKeyJson(made.key));
    await writeFileSafely(flags.saveKey, bytes, { kind: keyFile, force: flags.force });
  }
  if (flags.json) return writeJson(made);
  await write(made.text.endsWith("\n") ? made.text : `${made.text}\n`);
}
