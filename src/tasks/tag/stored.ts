// Sequences on disk: each is a record of numbers in a scratch file, and those at hand are read into memory, where they look like a
// corpus of one sequence. A record, in 32-bit numbers:
//   length, attributes, conjoined, 1: with values + 2: with words
//   labels [length], starts of attributes and of conjoined [length + 1 each], words [length] if any,
//   attributes, conjoined; values as 64-bit numbers, if any. Each record begins at an even number.

import { type Arrays, plainArrays } from "../../engine/backend.js";
import { backend } from "../../engine/choice.js";
import type { ScratchFile } from "../../learn/scratch.js";
import { Numbers } from "../../util/numbers.js";
import { type AttributeArray, type Corpus, UNKNOWN_LABEL } from "./corpus.js";
import type { VectorInputs } from "./vectors.js";

const HEADER = 4;
const WITH_VALUES = 1;
const WITH_WORDS = 2;
/** Numbers that are gathered before they are written, and read at a time when all sequences are gone through. */
const PORTION = 1 << 18;
const NUMBER_BYTES = 4;

/** What all sequences have in common. */
export interface SharedFacts {
  /** Sets of labels that positions may have. */
  allowedSets: Int32Array[];
  vectors?: Omit<VectorInputs, "words">;
}

/** Sequences in memory. */
export interface HeldRecords {
  numbers: Int32Array;
  /** Their numbers, rising. */
  examples: Int32Array;
  /** [examples] where each begins in `numbers`. */
  places: Int32Array;
}

/** Sequences that were read from disk, by this thread or another. */
export class HeldSequences {
  held: HeldRecords = { numbers: new Int32Array(0), examples: new Int32Array(0), places: new Int32Array(0) };

  constructor(readonly facts: SharedFacts) {}

  /** A corpus of one sequence. */
  corpusOf(example: number): Corpus {
    const { numbers, examples, places } = this.held;
    let low = 0;
    for (let high = examples.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (examples[middle] < example) low = middle + 1;
      else high = middle;
    }
    if (examples[low] !== example) throw new Error(`example ${example} is not in memory`);
    return corpusIn(numbers, places[low], example, this.facts);
  }
}

/** The corpus of a record. */
function corpusIn(numbers: Int32Array, at: number, first: number, facts: SharedFacts): Corpus {
  const length = numbers[at];
  const flags = numbers[at + 3];
  let end = at + HEADER;
  const next = (count: number): Int32Array => {
    end += count;
    return numbers.subarray(end - count, end);
  };
  const labels = next(length);
  const starts = [next(length + 1), next(length + 1)];
  const words = flags & WITH_WORDS ? next(length) : undefined;
  const ids = [next(numbers[at + 1]), next(numbers[at + 2])];
  const values =
    flags & WITH_VALUES
      ? new Float64Array(numbers.buffer, numbers.byteOffset + even(end) * NUMBER_BYTES, numbers[at + 1])
      : undefined;
  return {
    sequenceCount: 1,
    sequenceStart: Int32Array.of(0, length),
    labels,
    allowedSets: facts.allowedSets,
    attributes: { start: starts[0], ids: ids[0], values },
    conjoined: { start: starts[1], ids: ids[1], values: undefined },
    first,
    vectors: words && { ...(facts.vectors ?? noVectors), words },
  };
}

const noVectors: Omit<VectorInputs, "words"> = { dimension: 0, values: new Float32Array(0) };

function even(number: number): number {
  return number + (number & 1);
}

/** Writes the record of a sequence; returns how many numbers it has. `to` has room, and begins at a multiple of 8 bytes. */
function putRecord(
  { labels, attributes, conjoined, vectors, ...corpus }: Corpus,
  sequence: number,
  to: Numbers<Int32Array>,
): void {
  const from = corpus.sequenceStart[sequence];
  const end = corpus.sequenceStart[sequence + 1];
  const lists = [attributes, conjoined];
  const { values } = attributes;
  to.push(end - from);
  for (const { start } of lists) to.push(start[end] - start[from]);
  to.push((values ? WITH_VALUES : 0) + (vectors ? WITH_WORDS : 0));
  to.pushRange(labels, from, end);
  for (const { start } of lists) for (let p = from; p <= end; p++) to.push(start[p] - start[from]);
  if (vectors) to.pushRange(vectors.words, from, end);
  for (const { start, ids } of lists) to.pushRange(ids, start[from], start[end]);
  if (to.length & 1) to.push(0);
  if (!values) return;
  const halves = new Int32Array(values.slice(attributes.start[from], attributes.start[end]).buffer);
  to.pushRange(halves, 0, halves.length);
}

/** What a sequence counts for in blocks: about the numbers of its record, whether it is on disk or in memory. */
export function sizeOf({ sequenceStart, attributes, conjoined }: Corpus, sequence: number): number {
  const from = sequenceStart[sequence];
  const end = sequenceStart[sequence + 1];
  const count = ({ start }: AttributeArray): number => start[end] - start[from];
  return 2 * (end - from) + count(attributes) + count(conjoined);
}

/** Where numbers of names change in the middle: what was written before has those of then. */
interface Renumbering {
  /** Sequences written before. */
  before: number;
  /** For attributes and conjoined, where the new numbers of the old ones are, and how many; 0 if they stayed. */
  maps: { at: number; count: number }[];
}

export class StoredSequences extends HeldSequences {
  /** [count] where each begins in the file, in numbers, and how many it has. */
  private readonly begin = new Numbers(plainArrays.float64);
  private readonly sizes = new Numbers(plainArrays.int32);
  /** [count] see `sizeOf`. */
  private readonly weights = new Numbers(plainArrays.int32);
  /** Records that are not written yet. */
  private readonly pending = new Numbers(plainArrays.int32);
  private written = 0;
  private readonly renumberings: Renumbering[] = [];
  private readonly arrays: Arrays = backend().arrays;
  private room: Int32Array | undefined;
  positions = 0;
  /** [count] the document of each, where the data tells. */
  groups: Int32Array | undefined;

  constructor(
    private readonly file: ScratchFile,
    /** Numbers at hand, about. */
    private readonly window: number,
  ) {
    super({ allowedSets: [] });
  }

  get count(): number {
    return this.sizes.length;
  }

  get bytes(): number {
    return NUMBER_BYTES * (this.written + this.pending.length);
  }

  weightOf(example: number): number {
    return this.weights.lent()[example];
  }

  /** Adds all sequences of a corpus, whose sets of labels are its own. */
  append(corpus: Corpus): void {
    const { allowedSets } = this.facts;
    const sets = allowedSets.length;
    for (const set of corpus.allowedSets) allowedSets.push(set);
    const positions = corpus.sequenceStart[corpus.sequenceCount];
    // Its labels are not used again.
    if (sets > 0 && corpus.allowedSets.length > 0) {
      const { labels } = corpus;
      for (let p = 0; p < positions; p++) if (labels[p] < UNKNOWN_LABEL) labels[p] -= sets;
    }
    for (let s = 0; s < corpus.sequenceCount; s++) {
      const before = this.pending.length;
      putRecord(corpus, s, this.pending);
      if (this.pending.length & 1) this.pending.push(0);
      this.begin.push(this.written + before);
      this.sizes.push(this.pending.length - before);
      this.weights.push(sizeOf(corpus, s));
      if (this.pending.length >= PORTION) this.flush();
    }
    this.positions += positions;
  }

  private flush(): void {
    this.put(this.pending.lent().subarray(0, this.pending.length));
    this.pending.length = 0;
  }

  private put(numbers: Int32Array): void {
    this.file.append(bytesOf(numbers));
    this.written += numbers.length;
  }

  /** Says that names have other numbers from here on: the new number of each, or -1; undefined if they stay. */
  renumber(maps: readonly (Int32Array | undefined)[]): void {
    this.flush();
    const kept = maps.map((map) => {
      const at = this.written;
      if (map) this.put(map);
      if (map && map.length & 1) this.put(Int32Array.of(0));
      return { at, count: map?.length ?? 0 };
    });
    this.renumberings.push({ before: this.count, maps: kept });
  }

  /** Gives all sequences the numbers that names have in the end; those that were dropped are left out. */
  settle(): void {
    let end = this.count;
    let composed: (Int32Array | undefined)[] = [undefined, undefined];
    for (const { before, maps } of this.renumberings.reverse()) {
      const latest = composed;
      this.rewrite((corpus) => renumbered(corpus, latest), before, end);
      composed = maps.map(({ at, count }, kind) => {
        const later = latest[kind];
        if (count === 0) return later;
        const map = new Int32Array(count);
        this.file.read(at * NUMBER_BYTES, bytesOf(map));
        return later ? map.map((number) => (number < 0 ? -1 : later[number])) : map;
      });
      end = before;
    }
    this.rewrite((corpus) => renumbered(corpus, composed), 0, end);
    this.renumberings.length = 0;
  }

  /** All sequences in their order, each until the next. */
  *scan(): Generator<Corpus, void, void> {
    for (const { numbers, first, to, base } of this.runs(0, this.count)) {
      for (let s = first; s < to; s++) yield corpusIn(numbers, this.begin.lent()[s] - base, s, this.facts);
    }
  }

  /** Puts something in the place of each sequence, which takes no more numbers than that. */
  rewrite(change: (corpus: Corpus) => Corpus, from = 0, end = this.count): void {
    const record = new Numbers(plainArrays.int32);
    for (const { numbers, first, to, base } of this.runs(from, end)) {
      let isChanged = false;
      for (let s = first; s < to; s++) {
        const at = this.begin.lent()[s] - base;
        const before = corpusIn(numbers, at, s, this.facts);
        const after = change(before);
        if (after === before) continue;
        isChanged = true;
        record.length = 0;
        putRecord(after, 0, record);
        numbers.set(record.lent().subarray(0, record.length), at);
      }
      if (isChanged) this.file.write(base * NUMBER_BYTES, bytesOf(numbers));
    }
  }

  /** Sequences that lie together in the file, read into memory of JavaScript. */
  private *runs(
    from: number,
    end: number,
  ): Generator<{ numbers: Int32Array; first: number; to: number; base: number }, void, void> {
    this.flush();
    const [begin, sizes] = [this.begin.lent(), this.sizes.lent()];
    for (let first = from; first < end; ) {
      let to = first + 1;
      const fits = (s: number): boolean =>
        begin[s] === begin[s - 1] + sizes[s - 1] && begin[s] + sizes[s] - begin[first] <= PORTION;
      while (to < end && fits(to)) to++;
      const numbers = new Int32Array(begin[to - 1] + sizes[to - 1] - begin[first]);
      this.file.read(begin[first] * NUMBER_BYTES, bytesOf(numbers));
      yield { numbers, first, to, base: begin[first] };
      first = to;
    }
  }

  /** See `Learner.hold`. */
  hold(order: Int32Array, from: number, least: number): number {
    const sizes = this.sizes.lent();
    let size = 0;
    let count = 0;
    while (from + count < order.length && (count < least || size + sizes[order[from + count]] <= this.window)) {
      size += sizes[order[from + count++]];
    }
    const examples = order.slice(from, from + count).sort();
    const { examples: known } = this.held;
    const isHeld = known.length === count && examples.every((example, i) => example === known[i]);
    if (!isHeld) this.read(examples);
    return count;
  }

  /** Reads sequences where the kernel works on them. What lies between two of them is read, too, if it is short. */
  private read(examples: Int32Array): void {
    this.flush();
    const [begin, sizes] = [this.begin.lent(), this.sizes.lent()];
    const places = new Int32Array(examples.length);
    const reads: { at: number; place: number; end: number }[] = [];
    let room = 0;
    examples.forEach((example, i) => {
      const latest = reads[reads.length - 1];
      const gap = latest ? begin[example] - latest.end : -1;
      if (gap >= 0 && gap <= sizes[example]) latest.end = begin[example] + sizes[example];
      else reads.push({ at: begin[example], place: room, end: begin[example] + sizes[example] });
      const { at, place, end } = reads[reads.length - 1];
      places[i] = place + begin[example] - at;
      room = place + end - at;
    });
    if (!this.room || this.room.length < room) {
      if (this.room) this.arrays.release(this.room);
      this.room = this.arrays.int32(Math.max(room, Math.floor(1.1 * this.window)));
    }
    const numbers = this.room;
    for (const { at, place, end } of reads) {
      this.file.read(at * NUMBER_BYTES, bytesOf(numbers.subarray(place, place + end - at)));
    }
    this.held = { numbers, examples, places };
  }

  close(): void {
    this.file.close();
    if (this.room) this.arrays.release(this.room);
    this.room = undefined;
    this.held = { numbers: new Int32Array(0), examples: new Int32Array(0), places: new Int32Array(0) };
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A sequence with other numbers for its attributes and conjoined; those below 0 are left out. */
function renumbered(corpus: Corpus, maps: readonly (Int32Array | undefined)[]): Corpus {
  if (!maps[0] && !maps[1]) return corpus;
  const { attributes, conjoined } = corpus;
  return { ...corpus, attributes: mapped(attributes, maps[0]), conjoined: mapped(conjoined, maps[1]) };
}

function mapped({ start, ids, values }: AttributeArray, map: Int32Array | undefined): AttributeArray {
  if (!map) return { start, ids, values };
  const newStart = new Int32Array(start.length);
  const newIds = new Int32Array(ids.length);
  const newValues = values && new Float64Array(ids.length);
  let end = 0;
  for (let p = 0; p + 1 < start.length; p++) {
    for (let i = start[p]; i < start[p + 1]; i++) {
      if (map[ids[i]] < 0) continue;
      newIds[end] = map[ids[i]];
      if (newValues && values) newValues[end] = values[i];
      end++;
    }
    newStart[p + 1] = end;
  }
  return { start: newStart, ids: newIds, values: newValues };
}

/** What can be gone through sequence by sequence, again and again. */
export type CorpusScan = Pick<StoredSequences, "scan">;

/** Corpora that together hold all sequences, one after the other. */
export function scanOf(data: Corpus | CorpusScan): Iterable<Corpus> {
  return "scan" in data ? data.scan() : [data];
}
