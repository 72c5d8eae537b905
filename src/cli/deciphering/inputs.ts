// What `stargram decipher` reads beside plain text: the cipher, what is known of its key, and its solution.

import { realpath } from "node:fs/promises";
import { LONGEST_CIPHER } from "../../formats/limits.js";
import { type Encoding, parseKeyJson, parseKeyList, readText } from "../../formats/text.js";
import type { CipherText } from "../../tasks/decipher/cipher-text.js";
import { type Key, knownKey } from "../../tasks/decipher/known-key.js";
import { type Solution, solutionOfKey, solutionOfText } from "../../tasks/decipher/solution.js";
import { InputError } from "../../util/errors.js";

/** The cipher text that was named; a list of plain texts may have taken it along. */
export function cipherPath(given: string | undefined, flags: { plain?: string[]; at?: string[] }): string {
  if (given !== undefined) return given;
  const list = flags.plain && flags.plain.length > 1 ? "--plain" : flags.at && flags.at.length > 1 ? "--at" : undefined;
  throw new InputError("the cipher text is missing", {
    hint: list
      ? `${list} takes all arguments after it: give the cipher text first, or write -- before it`
      : "give a file, or - for standard input",
  });
}

/** Refuses standard input named twice, and the cipher text as its own plain text. */
export async function checkInputs(cipher: string, inputs: readonly string[], plain: readonly string[]): Promise<void> {
  if (inputs.filter((file) => file === "-").length > 1) {
    throw new InputError("standard input can be read only once, but `-` is given several times", {
      hint: "give all but one of them as files",
    });
  }
  const real = (file: string): Promise<string> => realpath(file).catch(() => file);
  for (const file of plain) {
    if (file === "-" || (await real(file)) !== (await real(cipher))) continue;
    throw new InputError("this file is given as both cipher text and plain text", {
      file,
      hint: "give other text of the same language that is not enciphered",
    });
  }
}

/** The known part of the key, from everything the user gave. */
export async function knownPart(
  flags: { key?: string; keyFile?: string; at?: string[] },
  cipher: CipherText,
): Promise<Key> {
  const keys: Key[] = [];
  if (flags.keyFile !== undefined) {
    const key = parseKeyJson(await readText(flags.keyFile, undefined, LONGEST_CIPHER), flags.keyFile);
    if (!key) throw new InputError('not a key: give a JSON object such as {"13": "I"}', { file: flags.keyFile });
    keys.push(key);
  }
  if (flags.key !== undefined) keys.push(parseKeyList(flags.key));
  return knownKey(cipher, keys, flags.at);
}

/** A key as JSON, or the plain text, symbol for symbol. */
export async function readSolution(path: string, cipher: CipherText, encoding?: Encoding): Promise<Solution> {
  const content = await readText(path, encoding, LONGEST_CIPHER);
  const key = parseKeyJson(content, path);
  return key ? solutionOfKey(key, cipher) : solutionOfText(content, cipher, path);
}
