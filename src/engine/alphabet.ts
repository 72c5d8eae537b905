// Names and numbers: an alphabet gives every distinct string a number from 0 up, in order of first appearance. One that
// comes from a file is looked up in its bytes, so that a model with a million names is ready at once; when a name is added,
// it becomes strings and a map like any other.

import { nameBytes } from "./name-bytes.js";

/** Strings as UTF-8 bytes one after another. */
export interface PackedStrings {
  bytes: Uint8Array;
  /** [strings] where each ends. */
  end: Int32Array;
  /** Whether they are in the order of `byHash`. */
  byHash?: boolean;
}

/** The numbers of names in the order of their hashes, in which they are found without preparation. */
export function byHash(names: readonly string[] | Alphabet): Int32Array {
  const count = names instanceof Alphabet ? names.size : names.length;
  const hashes = new Uint32Array(count);
  for (let number = 0; number < count; number++) {
    const bytes = names instanceof Alphabet ? names.bytesOf(number) : encoder.encode(names[number]);
    hashes[number] = hashOf(bytes, 0, bytes.length);
  }
  // By the lower half, then by the upper half, each a counting sort that keeps the order of those that are the same.
  let order: Int32Array = new Int32Array(count).map((_, number) => number);
  for (const shift of [0, 16]) {
    const place = new Int32Array(0x10001);
    for (const hash of hashes) place[((hash >>> shift) & 0xffff) + 1]++;
    for (let key = 0; key < 0x10000; key++) place[key + 1] += place[key];
    const sorted = new Int32Array(count);
    for (const number of order) sorted[place[(hashes[number] >>> shift) & 0xffff]++] = number;
    order = sorted;
  }
  return order;
}

export class Alphabet {
  private numbers: Map<string, number> | undefined;
  private names: string[] | undefined;
  private packed: PackedNames | undefined;

  constructor(names: Iterable<string> | PackedStrings = []) {
    if ("bytes" in names) {
      this.packed = new PackedNames(names);
      return;
    }
    this.numbers = new Map();
    this.names = [];
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.names?.length ?? (this.packed as PackedNames).size;
  }

  /** The number of a name; a new name gets the next number. */
  add(name: string): number {
    const numbers = this.map();
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const names = this.all() as string[];
    const number = names.length;
    numbers.set(name, number);
    names.push(name);
    return number;
  }

  /** The number of a name, or -1. */
  indexOf(name: string): number {
    return this.packed ? this.packed.indexOf(name) : (this.map().get(name) ?? -1);
  }

  /** The number of the name with these two halves, or -1. */
  indexOfHalves(first: string, second: string): number {
    return this.packed && !this.packed.mayHaveHalves(first, second) ? -1 : this.indexOf(first + second);
  }

  /** Whether names are looked up by their bytes. */
  get isPacked(): boolean {
    return this.packed !== undefined;
  }

  /** Whether a name with this `jointHash` may exist. If not, there is no need to assemble its bytes. */
  mayHave(hash: number): boolean {
    return this.packed?.mayHave(hash) ?? true;
  }

  /** The number of the name whose UTF-8 is `bytes[0]` to `bytes[length - 1]`, with this `jointHash`, or -1. */
  indexOfBytes(bytes: Uint8Array, length: number, hash = jointHash(bytes, 0, length)): number {
    if (this.packed) return this.packed.indexOfBytes(bytes, length, hash);
    return this.indexOf(decoder.decode(bytes.subarray(0, length)));
  }

  nameOf(number: number): string {
    return this.names ? this.names[number] : (this.packed as PackedNames).nameOf(number);
  }

  /** The bytes of a name, as in `nameBytes`. Read-only. */
  bytesOf(number: number): Uint8Array {
    return this.names ? nameBytes(this.names[number]) : (this.packed as PackedNames).bytesOf(number);
  }

  /** All names, by number. Read-only. */
  all(): readonly string[] {
    this.names ??= (this.packed as PackedNames).all();
    return this.names;
  }

  private map(): Map<string, number> {
    if (!this.numbers) {
      this.numbers = new Map(this.all().map((name, number) => [name, number]));
      this.packed = undefined;
    }
    return this.numbers;
  }
}

/** Lookups by halving after which a table is worth its making. */
const MOST_SEARCHES = 5000;
/** Bits of the filter for each name, at least: of hashes that no name has, at most one in so many gets through. */
const FILTER_BITS = 16;

/**
 * Names in bytes, found by a hash of their bytes: in an open-addressing table (by `jointHash`), or, while there were few lookups,
 * by halving, if they stand in the order of their hashes (FNV-1a): that needs no preparation at all. Most names that are looked
 * for do not exist, and a filter says so: a bit for each hash, much smaller than the table, so that it stays in the cache.
 */
class PackedNames {
  readonly size: number;
  /** [power of two][hash, number + 1 of the name at the place; 0 where it is free]; undefined while it is not needed. */
  private table: Int32Array | undefined;
  /** [power of two] bits, set where a name has a hash; made with the table. */
  private filter = new Int32Array(0);
  private searches = 0;
  private scratch = new Uint8Array(256);

  constructor(private readonly strings: PackedStrings) {
    this.size = strings.end.length;
    if (!strings.byHash) this.table = this.makeTable();
  }

  private makeTable(): Int32Array {
    const { bytes, end, byHash } = this.strings;
    const table = new Int32Array(2 * 2 ** Math.ceil(Math.log2(2 * end.length + 2)));
    const filter = new Int32Array(2 ** Math.ceil(Math.log2((FILTER_BITS / 32) * end.length + 1)));
    let begin = 0;
    for (let number = 0; number < end.length; number++) {
      const hash = jointHash(bytes, begin, end[number]);
      const place = this.placeOf(table, hash, bytes, begin, end[number]);
      begin = end[number];
      if (table[place + 1] > 0) {
        // Halving would have found the first.
        if (byHash) continue;
        throw new RangeError(`the name ${JSON.stringify(this.nameOf(number))} occurs twice`);
      }
      table[place] = hash;
      table[place + 1] = number + 1;
      const mixed = mixedBits(hash);
      filter[(mixed >>> 5) & (filter.length - 1)] |= 1 << mixed;
    }
    this.filter = filter;
    return table;
  }

  /** Where the table has a name, or a free place for it. */
  private placeOf(table: Int32Array, hash: number, name: Uint8Array, from: number, to: number): number {
    const mask = table.length - 1;
    let place = firstPlace(hash, mask);
    for (; table[place + 1] > 0; place = (place + 2) & mask) {
      if (table[place] === hash && this.isSame(table[place + 1] - 1, name, from, to)) break;
    }
    return place;
  }

  indexOf(name: string): number {
    if (this.scratch.length < 3 * name.length) this.scratch = new Uint8Array(6 * name.length);
    const length = encodeInto(name, this.scratch);
    return this.indexOfBytes(this.scratch, length, jointHash(this.scratch, 0, length));
  }

  indexOfBytes(name: Uint8Array, length: number, hash: number): number {
    if (!this.table && this.searches++ < MOST_SEARCHES) return this.search(hashOf(name, 0, length), name, length);
    this.table ??= this.makeTable();
    return this.table[this.placeOf(this.table, hash, name, 0, length) + 1] - 1;
  }

  mayHaveHalves(first: string, second: string): boolean {
    const hash = this.table ? asciiHash(second, asciiHash(first, 0)) : NO_HASH;
    return hash === NO_HASH || this.mayHave(hash);
  }

  mayHave(hash: number): boolean {
    if (!this.table) return true;
    const { filter } = this;
    const mixed = mixedBits(hash);
    return ((filter[(mixed >>> 5) & (filter.length - 1)] >>> mixed) & 1) !== 0;
  }

  /**
   * The number of a name among names in order of their hashes. Hashes are spread evenly, so the first guess is
   * close: from there in steps that double until the place lies between two, then by halving.
   */
  private search(hash: number, name: Uint8Array, length: number): number {
    if (this.size === 0) return -1;
    let low = Math.min(this.size - 1, Math.floor((hash / 2 ** 32) * this.size));
    let high = low;
    for (let step = 1; low > 0 && this.hashAt(low) >= hash; step *= 2) {
      high = low;
      low = Math.max(0, low - step);
    }
    for (let step = 1; high < this.size && this.hashAt(high) < hash; step *= 2) {
      low = high + 1;
      high = Math.min(this.size, high + step);
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.hashAt(middle) < hash) low = middle + 1;
      else high = middle;
    }
    for (; low < this.size && this.hashAt(low) === hash; low++) {
      if (this.isSame(low, name, 0, length)) return low;
    }
    return -1;
  }

  private hashAt(number: number): number {
    return hashOf(this.strings.bytes, this.beginOf(number), this.strings.end[number]);
  }

  private beginOf(number: number): number {
    return number === 0 ? 0 : this.strings.end[number - 1];
  }

  private isSame(number: number, other: Uint8Array, from: number, to: number): boolean {
    const { bytes, end } = this.strings;
    const begin = this.beginOf(number);
    if (end[number] - begin !== to - from) return false;
    for (let i = from; i < to; i++) if (bytes[begin + i - from] !== other[i]) return false;
    return true;
  }

  bytesOf(number: number): Uint8Array {
    return this.strings.bytes.subarray(this.beginOf(number), this.strings.end[number]);
  }

  nameOf(number: number): string {
    return decoder.decode(this.bytesOf(number));
  }

  all(): string[] {
    return unpacked(this.strings);
  }
}

/** The strings themselves: decoded in one go, which is several times faster than one by one, and cut at the same places. */
export function unpacked({ bytes, end }: PackedStrings): string[] {
  const text = decoder.decode(bytes);
  const strings: string[] = [];
  let begin = 0;
  let unit = 0; // the place in `text`, in UTF-16 units
  for (let i = 0; i < end.length; i++) {
    const from = unit;
    for (; begin < end[i]; begin++) {
      if ((bytes[begin] & 0xc0) !== 0x80) unit += bytes[begin] >= 0xf0 ? 2 : 1;
    }
    strings.push(text.slice(from, unit));
  }
  return strings;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Writes the bytes of a text, for which there is room; most are ASCII, for which this is faster than the encoder. */
export function encodeInto(text: string, to: Uint8Array): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return encoder.encodeInto(text, to).written;
    to[i] = code;
  }
  return text.length;
}

const JOINT_FACTOR = 0x01000193;

/**
 * A hash of bytes that follows from those of two parts, without looking at these again:
 *   hash(part next) = hash(part) * jointFactor(bytes of next) + hash(next)
 */
export function jointHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash, JOINT_FACTOR) + bytes[i]) | 0;
  return hash;
}

/** In place of the hash of a text that is not ASCII; if another has it, it is looked for without the filter. */
const NO_HASH = -1;

/** The `jointHash` of the bytes of a text after one with the hash `before`; NO_HASH if it is not known so easily. */
function asciiHash(text: string, before: number): number {
  if (before === NO_HASH) return NO_HASH;
  let hash = before;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return NO_HASH;
    hash = (Math.imul(hash, JOINT_FACTOR) + code) | 0;
  }
  return hash;
}

export function jointFactor(length: number): number {
  let factor = 1;
  for (let i = 0; i < length; i++) factor = Math.imul(factor, JOINT_FACTOR);
  return factor;
}

/** Where the search for a joint hash begins in a table of pairs. */
function firstPlace(hash: number, mask: number): number {
  return (2 * mixedBits(hash)) & mask;
}

/** The bits of a joint hash, mixed: its low ones depend on those of the bytes alone. */
function mixedBits(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  // The low bits of FNV-1a depend on the last bytes most; mix the high ones in.
  return (hash ^ (hash >>> 15)) >>> 0;
}
