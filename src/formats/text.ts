// Text and keys for decipherment: whole text files, and keys as JSON (`{"13": "I", "5": "am"}`: the plain symbol of each
// cipher symbol) or as a list (`13=I,5=am`).

import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { InputError } from "../util/errors.js";
import { LONGEST_LINE, LONGEST_TEXT } from "./limits.js";
import type { ByteStream, LineSource } from "./line-blocks.js";
import { plainChunks, readLineBlocks } from "./lines.js";
import type { FileKind } from "./safe-file.js";

export const encodings = ["utf-8", "latin1"] as const;
export type Encoding = (typeof encodings)[number];

/** The lines of a text file, standard input (`-`) or a stream. With `latin1`, text that is not UTF-8 is read as that. */
export async function readTextLines(
  source: LineSource,
  encoding: Encoding = "utf-8",
  most = LONGEST_TEXT,
): Promise<string[]> {
  const file = typeof source === "string" ? source : undefined;
  const isBytes = typeof source === "string" || !("lines" in source);
  const text = encoding === "latin1" && isBytes ? await asUtf8(source, file, most) : source;
  const lines: string[] = [];
  let length = 0;
  for await (const block of readLineBlocks(text, { file })) {
    for (const line of block.lines) {
      lines.push(line);
      length += line.length + 1;
    }
    checkTextLength(length, most, file);
  }
  return lines;
}

/** `most`: characters; a longer text is refused. */
export async function readText(source: LineSource, encoding?: Encoding, most?: number): Promise<string> {
  return (await readTextLines(source, encoding, most)).join("\n");
}

function checkTextLength(length: number, most: number, file: string | undefined): void {
  if (length <= most) return;
  throw new InputError(`the text is longer than ${most >> 20} MiB, the limit`, {
    file,
    hint: "use a part of it",
  });
}

/** The bytes of a source, unpacked. */
async function allBytes(source: string | ByteStream, file: string | undefined, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of plainChunks(source, file)) {
    chunks.push(chunk);
    length += chunk.length;
    checkTextLength(length, most, file);
  }
  return Buffer.concat(chunks);
}

/** The whole text of a file, packed or not, with its line ends as they are. */
export async function readWholeText(path: string): Promise<string> {
  const bytes = await allBytes(path, path, LONGEST_LINE);
  if (!isUtf8(bytes)) throw new InputError("the text is not valid UTF-8", { file: path });
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

/** The bytes of a source, unpacked; Latin-1 turned into UTF-8, which zero bytes survive for the reader of lines to refuse. */
async function asUtf8(source: string | ByteStream, file: string | undefined, most: number): Promise<Readable> {
  const bytes = await allBytes(source, file, most);
  // Windows' own characters included, as the web has it: the two are told apart by nobody.
  return Readable.from([isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder("windows-1252").decode(bytes))]);
}

/** Without a prototype: any text may be a cipher symbol, `__proto__` and `constructor` too, and means nothing but itself. */
export function emptyKey(): Record<string, string> {
  return Object.create(null);
}

/** A key as `--save-key` writes it. */
export function formatKeyJson(key: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(key, undefined, 1)}\n`;
}

/** A key that was written by `formatKeyJson` and not changed since: one that a person wrote is theirs. */
export const keyFile: FileKind = {
  name: "a key that Stargram wrote",
  headBytes: 1 << 26,
  isOurs(head, size) {
    if (size > head.length || head[0] !== 0x7b) return false; // `{`
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(head);
      const key: unknown = JSON.parse(text);
      return (
        Object.values(key as object).every((plain) => typeof plain === "string") &&
        text === formatKeyJson(key as Record<string, string>)
      );
    } catch {
      return false;
    }
  },
};

/** A key from JSON text; undefined if the text is no JSON object. */
export function parseKeyJson(text: string, file?: string): Record<string, string> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError("the key is not valid JSON", { file, cause });
  }
  const key = emptyKey();
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

/** Characters of what is wrong that a message repeats. */
const LONGEST_SHOWN = 60;

/** A key written as `13=I,5=am`. A cipher symbol that is a comma or an equals sign needs a key file. */
export function parseKeyList(text: string): Record<string, string> {
  const key = emptyKey();
  for (const given of text.split(",")) {
    const part = given.trim();
    const at = part.indexOf("=", 1); // a symbol may be an equals sign
    const [cipher, plain] = [part.slice(0, at), part.slice(at + 1)];
    if (at < 0 || plain === "" || /[\r\n]/.test(part)) {
      throw new InputError(`\`${part.slice(0, LONGEST_SHOWN)}\` is not part of a key`, {
        hint: "write cipher=plain, such as 13=I,5=am",
      });
    }
    if (Object.hasOwn(key, cipher) && key[cipher] !== plain) throw new InputError(`the key gives \`${cipher}\` twice`);
    key[cipher] = plain;
  }
  return key;
}
