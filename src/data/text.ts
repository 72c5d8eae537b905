// Text and keys for decipherment: whole text files, and keys as JSON (`{"13": "I", "5": "am"}`: the plain symbol of each
// cipher symbol) or as a list (`13=I,5=am`).

import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.js";
import { fileError, type LineSource, readLineBlocks } from "./lines.js";

export const encodings = ["utf-8", "latin1"] as const;
export type Encoding = (typeof encodings)[number];

/** The lines of a text file, standard input (`-`) or a stream. With `latin1`, a file that is not UTF-8 is read as that. */
export async function readTextLines(source: LineSource, encoding: Encoding = "utf-8"): Promise<string[]> {
  if (encoding === "latin1" && typeof source === "string" && source !== "-") {
    const bytes = await readFile(source).catch((error) => {
      throw fileError(error, source);
    });
    // Windows' own characters included, as the web has it: the two are told apart by nobody.
    if (!isUtf8(bytes)) return new TextDecoder("windows-1252").decode(bytes).split(/\r?\n/);
  }
  const lines: string[] = [];
  for await (const block of readLineBlocks(source)) for (const line of block.lines) lines.push(line);
  return lines;
}

export async function readText(source: LineSource): Promise<string> {
  return (await readTextLines(source)).join("\n");
}

/** A key from JSON text; undefined if the text is no JSON object. */
export function parseKeyJson(text: string, file?: string): Record<string, string> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError("the key is not whole JSON", { file, cause });
  }
  const key: Record<string, string> = {};
  for (const [cipher, plain] of Object.entries(value as Record<string, unknown>)) {
    if (typeof plain !== "string" || plain === "") {
      throw new InputError(`the key gives no text for \`${cipher}\``, {
        file,
        hint: 'a key is a JSON object such as {"13": "I", "5": "am"}',
      });
    }
    key[cipher] = plain;
  }
  return key;
}

/** A key written as `13=I,5=am`. A cipher symbol that is a comma or an equals sign needs a key file. */
export function parseKeyList(text: string): Record<string, string> {
  const key: Record<string, string> = {};
  for (const part of text.split(",")) {
    const match = /^(.+?)=(.+)$/u.exec(part.trim());
    if (!match) {
      throw new InputError(`\`${part.trim()}\` is no part of a key`, { hint: "write cipher=plain, such as 13=I,5=am" });
    }
    if (Object.hasOwn(key, match[1]) && key[match[1]] !== match[2]) {
      throw new InputError(`the key gives \`${match[1]}\` twice`);
    }
    key[match[1]] = match[2];
  }
  return key;
}
