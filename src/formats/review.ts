// The review file: what a model left to a person, as a table that a spreadsheet or an editor can open (TSV, UTF-8).
//   id  kind  input  answer  status  candidate1  probability1 … candidate9  probability9  source
// `kind` is `text` or `images`; `input` is what a person looks at (for images a JSON array of {"width","height","bits"});
// `status` is empty, `answered` or `skipped`; `source` is the model's input as JSON, to learn from. Backslash, tab, carriage
// return and line feed in a field are written `\\`, `\t`, `\r`, `\n`.

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { InputError } from "../util/errors.js";
import { type LineSource, readLineBlocks } from "./lines.js";
import {
  MOST_CANDIDATES,
  type ReviewCandidate,
  type ReviewImage,
  type ReviewItem,
  type ReviewStatus,
  reviewStatuses,
} from "./review-item.js";
import { writeFileSafely } from "./safe-file.js";

export {
  MOST_CANDIDATES,
  type ReviewCandidate,
  type ReviewImage,
  type ReviewItem,
  type ReviewStatus,
  reviewStatuses,
} from "./review-item.js";

const firstColumns = ["id", "kind", "input", "answer", "status"];
const header: readonly string[] = [
  ...firstColumns,
  ...Array.from({ length: MOST_CANDIDATES }, (_, i) => [`candidate${i + 1}`, `probability${i + 1}`]).flat(),
  "source",
];

/** The items of a review file: a path, `-` for standard input, or a stream. */
export async function readReview(source: LineSource, file?: string): Promise<ReviewItem[]> {
  const name = file ?? (typeof source === "string" ? source : undefined);
  const items: ReviewItem[] = [];
  const reader = new ReviewReader(name);
  for await (const { first, lines } of readLineBlocks(source, { file: name })) {
    for (let i = 0; i < lines.length; i++) {
      const item = reader.line(lines[i], first + i);
      if (item) items.push(item);
    }
  }
  reader.end();
  return items;
}

/** The header row, with its line end. */
export function reviewHeader(): string {
  return `${header.join("\t")}\n`;
}

/** The row of an item, with its line end. */
export function reviewRow(item: ReviewItem): string {
  const fields = [item.id, item.kind, item.input, item.answer, item.status];
  for (let i = 0; i < MOST_CANDIDATES; i++) {
    const candidate = item.candidates[i];
    fields.push(candidate?.text ?? "", candidate ? String(Number(candidate.probability.toPrecision(6))) : "");
  }
  fields.push(item.source);
  return `${fields.map(escapeField).join("\t")}\n`;
}

export function formatReview(items: readonly ReviewItem[]): string {
  return reviewHeader() + items.map(reviewRow).join("");
}

/** Writes a review file; what was at `path` stays as it was if that fails. */
export async function saveReview(path: string, items: readonly ReviewItem[]): Promise<void> {
  await writeFileSafely(path, new TextEncoder().encode(formatReview(items)));
}

/** Writes a review file item by item, in constant memory. A file that is already there is never replaced: it may hold answers. */
export class ReviewWriter {
  count = 0;
  private failure: unknown;

  private constructor(
    private readonly stream: WriteStream,
    private readonly path: string,
  ) {
    stream.on("error", (error) => {
      this.failure ??= error;
    });
  }

  static async create(path: string): Promise<ReviewWriter> {
    const stream = createWriteStream(path, { flags: "wx" });
    const writer = new ReviewWriter(stream, path);
    await once(stream, "open").catch((error) => {
      throw writer.errorOf(error);
    });
    stream.write(reviewHeader());
    return writer;
  }

  async add(item: ReviewItem): Promise<void> {
    this.count++;
    if (this.stream.write(reviewRow(item)) || this.failure) return this.check();
    await once(this.stream, "drain").catch(() => undefined);
    this.check();
  }

  async end(): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => this.stream.end(() => resolve()));
    this.check();
  }

  private check(): void {
    if (this.failure) throw this.errorOf(this.failure);
  }

  private errorOf(cause: unknown): InputError {
    const { code, message } = cause as NodeJS.ErrnoException;
    const file = this.path;
    if (code === "EEXIST") {
      const hint = "it may hold answers: give another name, or remove the file";
      return new InputError("there is a file already", { file, hint, cause });
    }
    if (code === "ENOENT") return new InputError("its folder does not exist", { file, cause });
    return new InputError(`the file cannot be written (${code ?? message})`, { file, cause });
  }
}

/** The pictures of an item of kind `images`. */
export function imagesOf(item: ReviewItem, file?: string): ReviewImage[] {
  const refuse = (reason: string): InputError =>
    new InputError(reason, { file, line: item.line, column: header.indexOf("input") + 1 });
  let value: unknown;
  try {
    value = JSON.parse(item.input);
  } catch {
    throw refuse("the pictures are not whole JSON");
  }
  if (!Array.isArray(value)) throw refuse("the pictures should be a JSON array");
  return value.map((image: Partial<ReviewImage> | null) => {
    const { width, height, bits } = image ?? {};
    const sound =
      Number.isInteger(width) &&
      Number.isInteger(height) &&
      typeof bits === "string" &&
      /^[01]*$/.test(bits) &&
      bits.length === (width as number) * (height as number);
    if (!sound) throw refuse("a picture should have a width, a height and as many bits, each 0 or 1");
    return { width, height, bits } as ReviewImage;
  });
}

/** Takes the lines of a review file one by one. Columns are known by their names and may be in any order. */
class ReviewReader {
  private columns: Map<string, number> | undefined;
  private names: string[] = [];

  constructor(private readonly file: string | undefined) {}

  line(text: string, number: number): ReviewItem | undefined {
    if (text === "") return undefined;
    const fields = text.split("\t");
    if (!this.columns) {
      this.columns = this.readHeader(fields, number);
      return undefined;
    }
    if (fields.length > this.names.length) {
      throw this.error(`${this.names.length} fields expected, found ${fields.length}`, number, this.names.length + 1);
    }
    return this.readItem(fields, number, this.columns);
  }

  end(): void {
    if (!this.columns) throw new InputError("the review file is empty", { file: this.file });
  }

  private readHeader(fields: string[], line: number): Map<string, number> {
    const columns = new Map(fields.map((name, i) => [name, i]));
    const missing = [...firstColumns, "source"].find((name) => !columns.has(name));
    if (missing !== undefined) {
      throw new InputError(`the first row names the columns, and \`${missing}\` is not among them`, {
        file: this.file,
        line,
        hint: "review files are made by `stargram predict --precision … --review FILE`",
      });
    }
    this.names = fields;
    return columns;
  }

  private readItem(fields: readonly string[], line: number, columns: ReadonlyMap<string, number>): ReviewItem {
    const columnOf = (name: string): number => columns.get(name) ?? -1;
    // Spreadsheets leave out empty fields at the end of a row.
    const field = (name: string): string => {
      const text = fields[columnOf(name)] ?? "";
      const plain = unescapeField(text);
      if (plain === undefined)
        throw this.error("a backslash stands before t, r, n or a backslash", line, columnOf(name) + 1);
      return plain;
    };
    const kind = field("kind");
    if (kind !== "text" && kind !== "images") {
      throw this.error(`the kind should be \`text\` or \`images\`, found \`${kind}\``, line, columnOf("kind") + 1);
    }
    const given = field("status");
    if (!(reviewStatuses as readonly string[]).includes(given)) {
      const reason = `the status should be empty, \`answered\` or \`skipped\`, found \`${given}\``;
      throw this.error(reason, line, columnOf("status") + 1);
    }
    const answer = field("answer");
    const candidates: ReviewCandidate[] = [];
    for (let i = 1; i <= MOST_CANDIDATES; i++) {
      const probabilityText = field(`probability${i}`);
      if (probabilityText === "") continue;
      const probability = Number(probabilityText);
      if (!(probability >= 0 && probability <= 1)) {
        const reason = `a probability from 0 to 1 is expected, found \`${probabilityText}\``;
        throw this.error(reason, line, columnOf(`probability${i}`) + 1);
      }
      candidates.push({ text: field(`candidate${i}`), probability });
    }
    return {
      id: field("id"),
      kind,
      input: field("input"),
      answer,
      // An answer written with an editor counts without the status beside it; an empty output needs it.
      status: given === "" && answer !== "" ? "answered" : (given as ReviewStatus),
      candidates,
      source: field("source"),
      line,
    };
  }

  private error(reason: string, line: number, column: number): InputError {
    return new InputError(reason, { file: this.file, line, column });
  }
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\r": "\\r", "\n": "\\n" };
const unescapes: Record<string, string> = { "\\": "\\", t: "\t", r: "\r", n: "\n" };

function escapeField(text: string): string {
  return text.replace(/[\\\t\r\n]/g, (character) => escapes[character]);
}

/** Undefined if a backslash stands before anything else. */
function unescapeField(text: string): string | undefined {
  if (!text.includes("\\")) return text;
  if (!/^(?:[^\\]|\\[\\trn])*$/s.test(text)) return undefined;
  return text.replace(/\\(.)/g, (_, character: string) => unescapes[character]);
}
