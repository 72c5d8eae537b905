// From labelled sequences to numbers, one sequence after the other. They stay in memory, or, when they do not fit, go to disk; and
// when there are more attributes than fit, those that were seen least are dropped on the way:
//   an attribute is dropped when the dictionary is full and it was seen fewer than n times since it was entered (n: the least
//   that leaves a quarter of the dictionary free). One that comes again is entered again; what it was seen with before is lost.

import type { Alphabet } from "../../engine/alphabet.js";
import type { GrowingAlphabet } from "../../engine/growing-alphabet.js";
import type { GivenLabel, TaggingSequence } from "../../formats/sequence.js";
import { type MemorySizes, type Scratch, sizesFor, usualOrder } from "../../learn/scratch.js";
import { InputError, type Place } from "../../util/errors.js";
import { bytesText, counted } from "../../util/text.js";
import { type Corpus, CorpusBuilder } from "./corpus.js";
import type { attributeMaker, FeatureSource } from "./features.js";
import { StoredSequences } from "./stored.js";

export type Sequences = Iterable<TaggingSequence> | AsyncIterable<TaggingSequence>;

export interface ReadAlphabets {
  labels: Alphabet;
  attributes: GrowingAlphabet;
  conjoined: GrowingAlphabet;
}

/** Sequences in memory, with the words of positions as numbers, where vectors are to come. */
export interface ReadCorpus extends Corpus {
  words: Int32Array;
}

export interface Longest extends Place {
  length: number;
}

/** Bytes of scores and counts of all labels at all positions of a sequence: half of what the kernel can address. */
const MOST_SLOT_BYTES = 2 ** 31;

/**
 * Refuses a sequence whose scores do not fit into the kernel's memory: [positions][symbols] for scores and for counts, each with
 * room for twice as many.
 */
export function checkSlots({ length, ...place }: Longest, symbols: number): void {
  const bytes = 2 * 2 * 8 * (length + 2) * symbols;
  if (bytes <= MOST_SLOT_BYTES) return;
  throw new InputError(
    `a sequence of ${counted(length)} positions with ${counted(symbols)} labels would take ${bytesText(bytes)} of memory; the limit is ${bytesText(MOST_SLOT_BYTES)}`,
    {
      ...place,
      hint: `split it into sequences of up to ${counted(Math.floor((length * MOST_SLOT_BYTES) / bytes))} positions, or use fewer labels`,
    },
  );
}

/** What a dictionary keeps when it is full. */
const KEPT_SHARE = 0.75;

/** Sequences as numbers. */
export class Reader {
  source: FeatureSource | undefined;
  readonly sizes: MemorySizes | undefined;
  /** Undefined while sequences fit into memory. */
  stored: StoredSequences | undefined;
  /** Of attributes and conjoined: the first, which are not dropped. */
  private readonly kept: readonly number[];
  /** The longest sequence, and where it was read. */
  longest: Longest = { length: 0 };
  /** Attributes that were dropped since they were rare. */
  dropped = 0;

  constructor(
    private readonly maker: ReturnType<typeof attributeMaker>,
    private readonly alphabets: ReadAlphabets,
    private readonly given: {
      /** Where sequences go that do not fit; undefined if all must. */
      scratch?: Scratch;
      /** Whether words are numbered. */
      hasWords: boolean;
    },
  ) {
    this.sizes = given.scratch && sizesFor(given.scratch);
    this.kept = [alphabets.attributes.size, alphabets.conjoined.size];
  }

  get order() {
    return this.sizes ?? usualOrder;
  }

  /** Those to learn from: what is new gets a number. */
  async read(sequences: Sequences): Promise<ReadCorpus | StoredSequences> {
    let builder = this.builder(true);
    const documents = new Documents();
    for await (const sequence of sequences) {
      checkLabelled(sequence);
      documents.add(sequence);
      const kind = this.maker.sourceOf(sequence);
      this.source ??= kind;
      const length = this.maker.add(builder, sequence, this.source);
      if (length > this.longest.length) this.longest = { length, file: sequence.file, line: sequence.line };
      if (this.isFull(builder)) {
        const isFirst = this.stored === undefined;
        this.putAway(builder);
        // From now on it holds one sequence at a time, and needs little room.
        if (isFirst) builder = this.builder(true);
      }
    }
    const { stored } = this;
    if (!stored) return { ...builder.build(), groups: documents.groups(), words: builder.takeWords() };
    stored.groups = documents.groups();
    stored.settle();
    return stored;
  }

  /** Whether what was read is to go to disk. */
  private isFull(builder: CorpusBuilder): boolean {
    const { sizes, stored, alphabets } = this;
    if (stored || !sizes) return stored !== undefined;
    return builder.size > sizes.examples || alphabets.attributes.size + alphabets.conjoined.size > sizes.names;
  }

  private putAway(builder: CorpusBuilder): void {
    const { given, sizes, alphabets } = this;
    const { window, names } = sizes as MemorySizes;
    this.stored ??= new StoredSequences((given.scratch as Scratch).open(), window);
    const corpus = builder.lend(given.hasWords ? { dimension: 0, values: new Float32Array(0) } : undefined);
    count(corpus, alphabets);
    this.stored.append(corpus);
    builder.clear();
    if (alphabets.attributes.size + alphabets.conjoined.size <= names) return;
    const both = [alphabets.attributes, alphabets.conjoined];
    const maps = both.map((alphabet, kind) => this.prune(alphabet, names, this.kept[kind]));
    this.stored.renumber(maps);
    builder.forgetNumbers();
  }

  /** Drops rare names, as many as must go; returns new numbers, or undefined if all stay. */
  private prune(alphabet: GrowingAlphabet, names: number, kept: number): Int32Array | undefined {
    const { attributes, conjoined } = this.alphabets;
    // Each of the two gives up the same share.
    const room = (KEPT_SHARE * names * alphabet.size) / (attributes.size + conjoined.size);
    if (alphabet.size <= room) return undefined;
    const before = alphabet.size;
    const { least, more } = leastToFit(alphabet, room, kept);
    const map = alphabet.prune(least, kept, more);
    this.dropped += before - alphabet.size;
    return map;
  }

  /** Those to choose by: a label that the others do not have cannot be learned, so its position is left open. */
  async readKnown(sequences: Sequences): Promise<ReadCorpus> {
    const builder = this.builder(false);
    const { labels } = this.alphabets;
    const known = (given: GivenLabel): GivenLabel => {
      const left = (typeof given === "string" ? [given] : (given ?? [])).filter((label) => labels.indexOf(label) >= 0);
      return left.length > 0 ? left : null;
    };
    for await (const sequence of sequences) {
      checkLabelled(sequence);
      this.maker.add(builder, { ...sequence, labels: sequence.labels?.map(known) }, this.source as FeatureSource);
    }
    return { ...builder.build(), words: builder.takeWords() };
  }

  private builder(grows: boolean): CorpusBuilder {
    const { labels, attributes, conjoined } = this.alphabets;
    return new CorpusBuilder(labels, attributes, conjoined, grows);
  }

  close(): void {
    this.stored?.close();
  }
}

/** Counts the names of all sequences. */
function count({ sequenceStart, sequenceCount, ...corpus }: Corpus, alphabets: ReadAlphabets): void {
  const end = sequenceStart[sequenceCount];
  for (const kind of ["attributes", "conjoined"] as const) {
    const { start, ids } = corpus[kind];
    const { counts } = alphabets[kind];
    for (let i = 0; i < start[end]; i++) counts[ids[i]]++;
  }
}

/** Counts that are told apart. */
const MOST_COUNT = 1 << 16;

/**
 * How often names must have been counted for no more than `room` of them to stay: twice, at least. Where that is more than twice,
 * there is room for `more` of those that were counted one time less.
 */
function leastToFit({ counts, size }: GrowingAlphabet, room: number, kept: number): { least: number; more: number } {
  const names = new Int32Array(MOST_COUNT + 1);
  for (let n = kept; n < size; n++) names[Math.min(MOST_COUNT, counts[n])]++;
  let least = MOST_COUNT;
  let sum = kept + names[least];
  while (least > 2 && sum + names[least - 1] <= room) sum += names[--least];
  return { least, more: least > 2 ? Math.max(0, Math.floor(room - sum)) : 0 };
}

/** Numbers the documents of sequences. */
class Documents {
  private readonly numbers: number[] = [];
  private latest: Pick<TaggingSequence, "file" | "document"> | undefined;
  private count = 0;

  add({ file, document }: TaggingSequence): void {
    if (file !== this.latest?.file || document !== this.latest?.document) this.count++;
    this.latest = { file, document };
    this.numbers.push(this.count - 1);
  }

  /** [sequences] undefined if the data tells of fewer than would do to hold some out. */
  groups(): Int32Array | undefined {
    return this.count < FEWEST_DOCUMENTS ? undefined : Int32Array.from(this.numbers);
  }
}

/** With fewer documents, the one held out would decide too much. */
const FEWEST_DOCUMENTS = 20;

function checkLabelled(sequence: TaggingSequence): void {
  if (!sequence?.labels) throw new InputError("a sequence has no labels to learn from", sequence ?? {});
}
