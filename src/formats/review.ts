// The review file: what a model left to a person, as a table that a spreadsheet or an editor can open (TSV, UTF-8).
//   id  kind  input  answer  status  candidate1  probability1 … candidate9  probability9  source  task  tokens  check  end
// `kind` is `text` or `images`; `input` is what a person looks at (for images a JSON array of {"width","height","bits"});
// `status` is empty, `answered` or `skipped`; `source` is the model's input as JSON, to learn from; `task` is the name of the
// task; `tokens`, where each token is to be labelled, is JSON (see review-tokens.ts);
// `check`, where an answer was drawn to be checked, is the promise it was given under as JSON; `end` is filled in the last row alone, so that a file that was cut short is known. Backslash, tab, carriage return and line feed
// in a field are written `\\`, `\t`, `\r`, `\n`.

import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { InputError } from "../util/errors.js";
import { escapeField, unescapeField } from "./fields.js";
import type { LineSource } from "./line-blocks.js";
import { readLineBlocks } from "./lines.js";
import {
  MOST_CANDIDATES,
  type ReviewCandidate,
  type ReviewImage,
  type ReviewItem,
  type ReviewStatus,
  reviewStatuses,
} from "./review-item.js";
import { parseCheck, parseTokens, tokensText } from "./review-tokens.js";
import { errorCode, TemporaryFile, writeError, writeFileSafely } from "./safe-file.js";

export {
  MOST_CANDIDATES,
  type ReviewCandidate,
  type ReviewImage,
  type ReviewItem,
  type ReviewStatus,
  reviewStatuses,
} from "./review-item.js";

/** The column that marks the last row, and the mark. Files of earlier versions have no such column. */
const END = "end";

const firstColumns = ["id", "kind", "input", "answer", "status"];
const header: readonly string[] = [
  ...firstColumns,
  ...Array.from({ length: MOST_CANDIDATES }, (_, i) => [`candidate${i + 1}`, `probability${i + 1}`]).flat(),
  "source",
  "task",
  "tokens",
  "check",
  END,
];

export interface ReadReviewOptions {
  /** The name for errors; default the path, or none for a stream. */
  file?: string;
  /** Use the complete rows of a truncated file, instead of refusing it. Default false. */
  incomplete?: boolean;
  /** Called if the file is truncated, with the number of incomplete rows at its end: 0 or 1. */
  onCut?: (lost: number) => void;
}

/** The items of a review file: a path, `-` for standard input, or a stream. Options may be the name for errors alone. */
export async function readReview(source: LineSource, given: ReadReviewOptions | string = {}): Promise<ReviewItem[]> {
  const options = typeof given === "string" ? { file: given } : given;
  const file = options.file ?? (typeof source === "string" ? source : undefined);
  const reader = new ReviewReader({ ...options, file });
  for await (const { first, lines } of readLineBlocks(source, { file })) {
    for (let i = 0; i < lines.length; i++) if (lines[i] !== "") reader.line(lines[i], first + i);
  }
  return reader.end();
}

function headerRow(columns: readonly string[]): string {
  return `${columns.join("\t")}\n`;
}

/** The row of an item, with its line end; `before` is the item of the row before. */
function reviewRow(item: ReviewItem, isLast: boolean, before: ReviewItem | undefined): string {
  const fields = [item.id, item.kind, item.input, item.answer, item.status];
  for (let i = 0; i < MOST_CANDIDATES; i++) {
    const candidate = item.candidates[i];
    fields.push(candidate?.text ?? "", candidate ? String(Number(candidate.probability.toPrecision(6))) : "");
  }
  fields.push(item.source, item.task ?? "", tokensText(item.tokens, before?.tokens));
  fields.push(item.check ? JSON.stringify(item.check) : "", isLast ? END : "");
  return `${fields.map(escapeField).join("\t")}\n`;
}

/** Without items there is no row to mark as the last, and nothing that could be missing. */
const emptyFile = headerRow(header.slice(0, -1));

export function formatReview(items: readonly ReviewItem[]): string {
  if (items.length === 0) return emptyFile;
  return headerRow(header) + items.map((item, i) => reviewRow(item, i === items.length - 1, items[i - 1])).join("");
}

/** Writes a review file; what was at `path` stays as it was if that fails. */
export async function saveReview(path: string, items: readonly ReviewItem[]): Promise<void> {
  await writeFileSafely(path, new TextEncoder().encode(formatReview(items)));
}

/**
 * Writes a review file item by item, in constant memory; it has its name when it is complete. A file that is already there
 * is never replaced: it may hold answers.
 */
export class ReviewWriter {
  count = 0;
  /** Rows that wait to be written together. */
  private waiting = "";
  /** The item whose row is not made yet, as it may be the last; and the one before it. */
  private latest: ReviewItem | undefined;
  private before: ReviewItem | undefined;

  private constructor(
    private readonly temporary: TemporaryFile,
    private readonly path: string,
  ) {}

  static async create(path: string): Promise<ReviewWriter> {
    try {
      const existing = await lstat(path).catch((error) => {
        if (errorCode(error) !== "ENOENT") throw error;
      });
      if (existing) throw existsAlready(path);
      return new ReviewWriter(await TemporaryFile.create(dirname(path)), path);
    } catch (error) {
      throw error instanceof InputError ? error : writeError(error, path);
    }
  }

  async add(item: ReviewItem): Promise<void> {
    this.count++;
    this.waiting += this.latest ? reviewRow(this.latest, false, this.before) : headerRow(header);
    this.before = this.latest;
    this.latest = item;
    if (this.waiting.length >= CHUNK) await this.attempt(() => this.write());
  }

  async end(): Promise<void> {
    this.waiting += this.latest ? reviewRow(this.latest, true, this.before) : emptyFile;
    await this.attempt(async () => {
      await this.write();
      await this.temporary.place(this.path);
    });
  }

  private async write(): Promise<void> {
    await this.temporary.handle.appendFile(this.waiting);
    this.waiting = "";
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      await this.temporary.drop(); // on a full disk it would be in everybody's way
      throw errorCode(cause) === "EEXIST" ? existsAlready(this.path, cause) : writeError(cause, this.path);
    }
  }
}

/** Characters that are written at once. */
const CHUNK = 1 << 16;

function existsAlready(file: string, cause?: unknown): InputError {
  const hint = "it may contain answers: choose another name, or remove the file";
  return new InputError("the file already exists", { file, hint, cause });
}

/** The pictures of an item of kind `images`. */
export function imagesOf(item: ReviewItem, file?: string): ReviewImage[] {
  const refuse = (reason: string): InputError =>
    new InputError(reason, { file, line: item.line, column: header.indexOf("input") + 1 });
  let value: unknown;
  try {
    value = JSON.parse(item.input);
  } catch {
    throw refuse("the pictures are not valid JSON");
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
  private readonly items: ReviewItem[] = [];
  private hasEnd = false;
  /** The latest row, which is taken when the next one comes: if it is the last, it may be cut short. */
  private held: { text: string; number: number } | undefined;
  private readonly file: string | undefined;

  constructor(private readonly options: ReadReviewOptions) {
    this.file = options.file;
  }

  line(text: string, number: number): void {
    if (!this.columns) {
      this.columns = this.readHeader(text.split("\t"), number);
      return;
    }
    if (this.held) this.row(this.held.text.split("\t"), this.held.number, this.columns);
    this.held = { text, number };
  }

  end(): ReviewItem[] {
    const { columns, held, items } = this;
    if (!columns) throw new InputError("the review file is empty", { file: this.file });
    const last = held?.text.split("\t") ?? [];
    const end = columns.get(END);
    const isCut = end !== undefined && !this.hasEnd && !last[end];
    const isWhole = last.length >= this.names.length;
    if (isCut && !this.options.incomplete) throw this.cutShort(items.length + (isWhole ? 1 : 0));
    if (held && (isWhole || !isCut)) this.row(last, held.number, columns);
    if (isCut) this.options.onCut?.(held && !isWhole ? 1 : 0);
    return items;
  }

  private row(fields: string[], number: number, columns: ReadonlyMap<string, number>): void {
    if (fields.length > this.names.length) {
      throw this.error(`${this.names.length} fields expected, found ${fields.length}`, number, this.names.length + 1);
    }
    this.items.push(this.readItem(fields, number, columns));
    if (fields[columns.get(END) ?? -1]) this.hasEnd = true;
  }

  private cutShort(whole: number): InputError {
    return new InputError("the file is truncated: the last row is missing", {
      file: this.file,
      hint: `copy it or make it again; to review the ${whole} items that are whole, use the option \`incomplete\``,
    });
  }

  private readHeader(fields: string[], line: number): Map<string, number> {
    const columns = new Map(fields.map((name, i) => [name, i]));
    const missing = [...firstColumns, "source"].find((name) => !columns.has(name));
    if (missing !== undefined) {
      throw new InputError(`the first row names the columns, and \`${missing}\` is not among them`, {
        file: this.file,
        line,
        hint: "`stargram predict` writes review files",
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
        throw this.error("a backslash must be followed by t, r, n or a backslash", line, columnOf(name) + 1);
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
    const task = field("task");
    const tokens = parseTokens(field("tokens"), this.items.at(-1)?.tokens);
    if (tokens === "refused") throw this.error("these are not whole tokens to label", line, columnOf("tokens") + 1);
    const check = parseCheck(field("check"));
    if (check === "refused") throw this.error("this is not an answer to check", line, columnOf("check") + 1);
    return {
      id: field("id"),
      kind,
      input: field("input"),
      answer,
      // An answer written with an editor counts without the status beside it; an empty output needs it.
      status: given === "" && answer !== "" ? "answered" : (given as ReviewStatus),
      candidates,
      source: field("source"),
      ...(task !== "" && { task }),
      ...(tokens && { tokens }),
      ...(check && { check }),
      line,
    };
  }

  private error(reason: string, line: number, column: number): InputError {
    return new InputError(reason, { file: this.file, line, column });
  }
}
