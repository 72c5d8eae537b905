// The journal beside a review file, `FILE.journal`: one JSON object a line, appended and flushed to the disk for each
// decision, so that saving costs the same however long the file is. Its first line names the items it belongs to; a last
// line that a crash cut short is ignored.
//   {"journal":1,"items":"<hash>"}
//   {"at":4,"status":"answered","answer":"dog"}    {"at":5,"status":"skipped"}
//   {"at":5,"status":"","draft":"ca"}              taken back       {"at":6,"draft":"do"}    being typed

import { type FileHandle, open, readFile, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { reviewStatuses } from "../../formats/review.js";
import { writeFileSafely } from "../../formats/safe-file.js";
import { InputError } from "../../util/errors.js";

const headSchema = v.object({ journal: v.literal(1), items: v.string() });

const recordSchema = v.object({
  /** The item's place in the file, from 0. */
  at: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Absent: as it was. */
  status: v.optional(v.picklist(reviewStatuses)),
  answer: v.optional(v.string()),
  draft: v.optional(v.string()),
});

export type JournalRecord = v.InferOutput<typeof recordSchema>;

export interface JournalSubject {
  /** Of the items that the records are about. */
  hash: string;
  /** Of those items. */
  count: number;
  /** The permission bits of a journal that is made. */
  mode: number;
}

export class Journal {
  private handle: FileHandle | undefined;
  /** Of what is known to be whole, in bytes. */
  private length = 0;

  constructor(
    readonly path: string,
    private readonly about: JournalSubject,
  ) {}

  /** The records that a review which did not end left behind; none if there is no journal. */
  async read(): Promise<JournalRecord[]> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw new InputError(`the journal cannot be read (${codeOf(error)})`, { file: this.path, cause: error });
    }
    const lines = text.split("\n");
    lines.pop(); // empty, or cut short
    if (lines.length === 0) return [];
    const head = v.safeParse(headSchema, parsed(lines[0]));
    if (!head.success) throw this.unreadable(1);
    if (head.output.items !== this.about.hash) {
      throw new InputError("has answers to other items than those of the review file", {
        file: this.path,
        hint: "restore the file it belongs to, or move the journal away",
      });
    }
    return lines.slice(1).map((line, i) => {
      const record = v.safeParse(recordSchema, parsed(line));
      if (!record.success || record.output.at >= this.about.count) throw this.unreadable(i + 2);
      return record.output;
    });
  }

  /** Returns when the record is on the disk. A record that cannot be written leaves no trace. */
  async append(record: JournalRecord): Promise<void> {
    try {
      const handle = this.handle ?? (await this.start());
      const bytes = new TextEncoder().encode(this.length === 0 ? this.text([record]) : `${JSON.stringify(record)}\n`);
      try {
        await handle.appendFile(bytes);
        await handle.datasync();
      } catch (error) {
        await handle.truncate(this.length);
        throw error;
      }
      this.length += bytes.length;
    } catch (error) {
      throw new InputError(`the journal cannot be written (${codeOf(error)})`, { file: this.path, cause: error });
    }
  }

  /** Keeps these records alone; with none, there is no journal. */
  async replace(records: readonly JournalRecord[]): Promise<void> {
    await this.close();
    if (records.length > 0) return writeFileSafely(this.path, new TextEncoder().encode(this.text(records)));
    await unlink(this.path).catch((error) => {
      if (codeOf(error) !== "ENOENT") throw error;
    });
  }

  async close(): Promise<void> {
    await this.handle?.close();
    this.handle = undefined;
  }

  private async start(): Promise<FileHandle> {
    this.handle = await open(this.path, "a", this.about.mode);
    this.length = (await this.handle.stat()).size;
    if (this.length === 0) {
      // The name of a new file lasts through a power cut only when its folder is flushed too; some systems cannot.
      const folder = await open(dirname(this.path), "r").catch(() => undefined);
      await folder?.sync().catch(() => undefined);
      await folder?.close();
    }
    return this.handle;
  }

  private text(records: readonly JournalRecord[]): string {
    return [{ journal: 1, items: this.about.hash }, ...records].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  private unreadable(line: number): InputError {
    const hint = "move the journal away to continue without it";
    return new InputError("this line of the journal cannot be read", { file: this.path, line, hint });
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
