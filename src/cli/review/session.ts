// A review in progress: the items of a review file, what a person decided about them, and how to take it back. Every
// decision goes to the journal before it counts; the journal is folded into the review file at the start, at the end and
// when asked. Folding reads the file anew and changes only the rows decided here, so edits made to it meanwhile stay.

import { createHash } from "node:crypto";
import { open, readFile, stat, unlink } from "node:fs/promises";
import { imagesOf, type ReviewItem, readReview, saveReview } from "../../formats/review.js";
import { answerLabels, splitLabels } from "../../formats/review-item.js";
import { isRunning } from "../../formats/safe-file.js";
import { InputError } from "../../util/errors.js";
import { AgreementCounts } from "./agreement.js";
import { Journal, type JournalRecord } from "./journal.js";
import type { Agreement, ReviewAction, ReviewView } from "./protocol.js";

/** In which order items are shown: the least sure first, or as in the file. */
export const reviewOrders = ["unsure", "file"] as const;
export type ReviewOrder = (typeof reviewOrders)[number];

export interface SessionOptions {
  /** Told of a file that was cut short, with the number of rows that are not whole; without, such a file is refused. */
  mend?: (lost: number) => void;
  /** Default `unsure`. */
  order?: ReviewOrder;
}

/** An action that rests on what is no longer so. */
export class OutOfDate extends Error {}

export class ReviewSession {
  answered = 0;
  skipped = 0;
  /** What is typed and not accepted, by place. */
  private readonly drafts = new Map<number, string>();
  /** Places decided, the latest last, each once; those decided before this session in the order of the file. */
  private readonly history: number[] = [];
  /** Places whose row in the file is out of date. */
  private readonly changed = new Set<number>();
  /** Of what a page shows. */
  private revision = 0;
  private readonly agreement = new AgreementCounts();
  /** Places in the order in which they are shown, and the rank of each place in it. */
  private readonly order: Int32Array;
  private readonly rank: Int32Array;
  /** All labels of tokens that the file names. */
  private readonly labels: readonly string[];
  /** The end of what was asked so far: actions are done one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly file: string,
    private readonly items: ReviewItem[],
    /** Of the items. */
    private readonly hash: string,
    private readonly journal: Journal,
    private readonly lock: string,
    order: ReviewOrder,
  ) {
    const places = Int32Array.from(items, (_, at) => at);
    const sureness = items.map(({ candidates }) => candidates[0]?.probability ?? 1); // of none nothing is known
    this.order = order === "file" ? places : places.sort((a, b) => sureness[a] - sureness[b] || a - b);
    this.rank = new Int32Array(items.length);
    this.order.forEach((at, rank) => {
      this.rank[at] = rank;
    });
    this.labels = labelsOf(items);
  }

  /**
   * Opens a review file, with what an earlier session that did not end left in the journal. One that was cut short is written
   * anew with the rows that are whole, if there is a `mend`.
   */
  static async open(file: string, { mend, order = "unsure" }: SessionOptions = {}): Promise<ReviewSession> {
    if (file === "-") throw new InputError("a review needs a file for the answers");
    const mode = await rightsOf(file);
    const lock = await takeLock(file);
    try {
      let isCut = false;
      const onCut = (lost: number): void => {
        isCut = true;
        mend?.(lost);
      };
      const items = await readReview(file, { incomplete: mend !== undefined, onCut });
      for (const item of items) if (item.kind === "images") imagesOf(item, file); // refused now, not on the way
      const hash = hashOf(items);
      const journal = new Journal(`${file}.journal`, { hash, count: items.length, mode });
      const session = new ReviewSession(file, items, hash, journal, lock, order);
      items.forEach((item, at) => {
        if (item.status !== "") session.history.push(at);
        session.count(item, 1);
      });
      for (const record of await journal.read()) session.apply(record);
      if (isCut) await saveReview(file, items);
      await session.saveChanges();
      await session.trimJournal(); // also of a last line cut short, which nothing may be appended to
      return session;
    } catch (error) {
      await unlink(lock).catch(() => undefined);
      throw error;
    }
  }

  get total(): number {
    return this.items.length;
  }

  get left(): number {
    return this.items.length - this.answered - this.skipped;
  }

  get isFolded(): boolean {
    return this.changed.size === 0;
  }

  /** Which `stargram train` learns from the answers. */
  get task(): string {
    return taskOf(this.items[0]);
  }

  /** How often people took what the model thought best. */
  get agreed(): Agreement {
    return this.agreement.view();
  }

  /** The item to begin with. */
  first(): ReviewView {
    return this.view(this.next(-1, false));
  }

  /** Does what the page asks and returns what it shall show. */
  async perform(action: ReviewAction): Promise<ReviewView> {
    return this.inTurn(async () => {
      this.checkUpToDate(action);
      switch (action.action) {
        case "answer":
          await this.record({ at: action.index, status: "answered", answer: action.text });
          return this.view(this.next(action.index, action.again));
        case "skip":
          await this.record({ at: action.index, status: "skipped" });
          return this.view(this.next(action.index, action.again));
        case "draft":
          // A late draft of an item that is decided by now has nothing to say.
          if (this.items[action.index]?.status !== "answered") {
            await this.record({ at: action.index, draft: action.text });
          }
          return this.view(action.index);
        case "undo": {
          const at = this.history.at(-1);
          if (at === undefined) return this.first();
          const draft = this.items[at].answer || this.drafts.get(at);
          await this.record({ at, status: "", draft });
          return this.view(at);
        }
        case "again":
          return this.view(this.next(-1, true));
      }
    });
  }

  /** Brings the review file up to date. */
  async fold(): Promise<void> {
    return this.inTurn(async () => {
      if (this.isFolded) return;
      await this.saveChanges();
      await this.trimJournal();
    });
  }

  /** Ends the session. What was typed and not accepted stays in the journal. */
  async close(): Promise<void> {
    try {
      await this.fold();
    } finally {
      await this.journal.close();
      await unlink(this.lock).catch(() => undefined);
    }
  }

  /** Refuses what would overwrite, unseen, a decision that was made elsewhere. */
  private checkUpToDate(action: ReviewAction): void {
    const { revision } = action;
    const decides = action.action === "answer" || action.action === "skip";
    const isStale =
      revision === undefined ? decides && this.items[action.index]?.status === "answered" : revision !== this.revision;
    if (!isStale) return;
    throw new OutOfDate("the review continued in another window; nothing was overwritten");
  }

  private async record(record: JournalRecord): Promise<void> {
    if (!this.items[record.at]) throw new InputError(`there is no item ${record.at + 1}`);
    await this.journal.append(record);
    this.revision++;
    this.apply(record);
  }

  private apply({ at, status, answer = "", draft }: JournalRecord): void {
    const item = this.items[at];
    if (status !== undefined) {
      this.count(item, -1);
      if (item.status !== "") this.history.splice(this.history.lastIndexOf(at), 1);
      if (status !== "") this.history.push(at);
      item.status = status;
      item.answer = answer;
      this.count(item, 1);
      this.changed.add(at);
    }
    if (draft) this.drafts.set(at, draft);
    else if (status !== "skipped") this.drafts.delete(at);
  }

  private count(item: ReviewItem, by: 1 | -1): void {
    if (item.status === "answered") {
      this.answered += by;
      this.agreement.count(item, by);
    }
    if (item.status === "skipped") this.skipped += by;
  }

  private async saveChanges(): Promise<void> {
    if (this.changed.size === 0) return;
    const rows = await readReview(this.file);
    if (hashOf(rows) !== this.hash) {
      throw new InputError("the file no longer has the items under review", {
        file: this.file,
        hint: `your decisions are in ${this.journal.path}; restore the file and review it again`,
      });
    }
    for (const at of this.changed) {
      rows[at].status = this.items[at].status;
      rows[at].answer = this.items[at].answer;
    }
    await saveReview(this.file, rows);
    this.changed.clear();
  }

  /** Drops from the journal what the file holds by now. */
  private trimJournal(): Promise<void> {
    return this.journal.replace(Array.from(this.drafts, ([at, draft]) => ({ at, draft })));
  }

  /** The place to go to from `at`: an open item after it, else one before it, else one skipped; -1 if there is none. */
  private next(at: number, again: boolean): number {
    const rank = at < 0 ? 0 : this.rank[at] + 1;
    if (this.left > 0) {
      const after = this.find("", rank);
      return after >= 0 ? after : this.find("", 0);
    }
    return again ? this.find("skipped", rank) : -1;
  }

  /** The first place of a status, from a rank on. */
  private find(status: ReviewItem["status"], from: number): number {
    for (let rank = from; rank < this.order.length; rank++) {
      if (this.items[this.order[rank]].status === status) return this.order[rank];
    }
    return -1;
  }

  private view(at: number): ReviewView {
    const { total, answered, skipped, revision } = this;
    const item = this.items[at];
    const agreement = this.agreement.view();
    const counts = { total, answered, skipped, canUndo: this.history.length > 0, agreement, revision };
    if (!item) return { ...counts, item: null };
    const images = item.kind === "images" ? imagesOf(item) : undefined;
    const shown = images ? { images } : { text: item.input };
    const { id, candidates } = item;
    const tokens = item.tokens && { ...item.tokens, labels: this.labels };
    const labels = tokens?.tokens.length ?? images?.length ?? oldLabelCount(item);
    const draft = this.drafts.get(at) ?? "";
    return { ...counts, item: { index: at, id, ...shown, labels, tokens, candidates, draft } };
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.last.then(task);
    this.last = done.catch(() => undefined);
    return done;
  }
}

/** The task of an item. Files of earlier versions do not name it: there a tagger's input has columns or attributes. */
export function taskOf(item: ReviewItem | undefined): string {
  return item?.task ?? (/^\{.*"(?:columns|attributes)":/s.test(item?.source ?? "") ? "tag" : "transduce");
}

/** How many labels the answer to an item of a file without tokens has, where its input has positions. */
function oldLabelCount(item: ReviewItem): number | undefined {
  const best = item.task === undefined && taskOf(item) === "tag" ? item.candidates[0] : undefined;
  return best && splitLabels(best.text).length;
}

/** All labels of tokens in a file: those of models, and those of answers that people made up. */
function labelsOf(items: readonly ReviewItem[]): string[] {
  const labels = new Set<string>();
  let latest: readonly string[] | undefined;
  for (const { tokens, answer, status } of items) {
    if (!tokens) continue;
    if (tokens.labels !== latest) for (const label of tokens.labels) labels.add(label);
    latest = tokens.labels;
    const given = status === "answered" ? answerLabels(answer, tokens.tokens.length) : undefined;
    for (const label of given ?? []) if (label !== null) labels.add(label);
  }
  return [...labels];
}

/** Of what is asked, not of what was answered. */
function hashOf(items: readonly ReviewItem[]): string {
  const hash = createHash("sha256");
  for (const { id, kind, input, source } of items) hash.update(`${JSON.stringify([id, kind, input, source])}\n`);
  return hash.digest("hex");
}

/** The file's permission bits. */
async function rightsOf(file: string): Promise<number> {
  const status = await stat(file).catch(() => undefined);
  if (status?.isFile()) return status.mode & 0o777;
  if (!status || status.isDirectory()) await readReview(file); // says what is wrong
  throw new InputError("the review file is not writable", { file });
}

/** Makes `FILE.lock` with our process number in it, so that no two reviews write to one journal. */
async function takeLock(file: string): Promise<string> {
  const path = `${file}.lock`;
  for (;;) {
    try {
      const handle = await open(path, "wx");
      await handle.writeFile(`${process.pid}\n`);
      await handle.close();
      return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST") {
        throw new InputError(`no file can be created next to it (${code})`, { file, cause: error });
      }
    }
    const owner = Number(await readFile(path, "utf8").catch(() => ""));
    if (isRunning(owner)) {
      throw new InputError(`is under review already (process ${owner})`, {
        file,
        hint: `end that review first; if process ${owner} is another program, delete ${path}`,
      });
    }
    await unlink(path).catch(() => undefined); // its owner crashed
  }
}
