// An alphabet for many names, such as the attributes of a large corpus: names as bytes one after another, found by a hash of
// their bytes in an open-addressing table. A name takes its bytes and about 30 more, where a map of strings takes 150; and there
// may be more of them than the 16.7 million entries that a map holds. Rare names can be dropped on the way (`prune`).

import { Alphabet } from "./alphabet.js";
import { putNameBytes, textOf } from "./name-bytes.js";

/** Bytes of a piece of the store; no name lies in two. */
const PIECE = 1 << 22;
const LEAST_PIECE = 1 << 12;
/** Names that there may be: places are numbered in 32 bits, and a table is at most half full. */
export const MOST_NAMES = 2 ** 29;

export class GrowingAlphabet extends Alphabet {
  private pieces: Uint8Array[] = [];
  /** [size] where each name begins: its piece · PIECE + its place there. */
  private begin = new Float64Array(64);
  /** [size] bytes of each name. */
  private length = new Int32Array(64);
  /** [power of two][hash, number + 1 of the name; 0 where the place is free] */
  private table = new Int32Array(256);
  private count = 0;
  /** Bytes in use, counted as `begin` counts them. */
  private end = 0;
  private scratch = new Uint8Array(256);
  /** [size] how often each name was counted; see `prune`. */
  counts = new Int32Array(64);

  constructor(names: Iterable<string> = []) {
    super();
    for (const name of names) this.add(name);
  }

  override get size(): number {
    return this.count;
  }

  override add(name: string): number {
    const length = this.read(name);
    const hash = hashOf(this.scratch, length);
    const place = this.placeOf(hash, this.scratch, 0, length);
    if (this.table[place + 1] > 0) return this.table[place + 1] - 1;
    const number = this.count;
    if (number === this.begin.length) this.grow();
    this.begin[number] = this.put(this.scratch, 0, length);
    this.length[number] = length;
    this.counts[number] = 0;
    this.table[place] = hash;
    this.table[place + 1] = number + 1;
    this.count++;
    if (4 * this.count > this.table.length) this.makeTable(2 * this.table.length);
    return number;
  }

  override indexOf(name: string): number {
    const length = this.read(name);
    return this.table[this.placeOf(hashOf(this.scratch, length), this.scratch, 0, length) + 1] - 1;
  }

  override nameOf(number: number): string {
    return textOf(this.bytesOf(number));
  }

  override all(): readonly string[] {
    return Array.from({ length: this.count }, (_, number) => this.nameOf(number));
  }

  /** The bytes of a name, valid until something is added. */
  override bytesOf(number: number): Uint8Array {
    const at = this.begin[number] % PIECE;
    return this.pieces[Math.floor(this.begin[number] / PIECE)].subarray(at, at + this.length[number]);
  }

  /**
   * Drops the names that were counted fewer than `least` times, but for the first `kept` of all and the first `more` of those that
   * were counted one time less, and numbers the others anew in the same order. Returns the new number of each, [size before], -1
   * for those dropped.
   */
  prune(least: number, kept = 0, more = 0): Int32Array {
    const { begin, length, counts, pieces } = this;
    const numbers = new Int32Array(this.count).fill(-1);
    const before = this.count;
    this.count = 0;
    this.end = 0;
    let spare = more;
    for (let number = 0; number < before; number++) {
      if (number >= kept && counts[number] < least && (counts[number] < least - 1 || spare-- <= 0)) continue;
      const from = begin[number];
      const to = this.count++;
      numbers[number] = to;
      // What is moved goes to where it was, or further to the front.
      begin[to] = this.put(pieces[Math.floor(from / PIECE)], from % PIECE, length[number]);
      length[to] = length[number];
      counts[to] = counts[number];
    }
    // An empty name may begin where the last piece ends.
    this.pieces.length = Math.min(this.pieces.length, Math.floor(this.end / PIECE) + 1);
    this.makeTable(this.table.length);
    return numbers;
  }

  /** Puts the bytes of a name into `scratch`; returns how many. */
  private read(name: string): number {
    if (this.scratch.length < 3 * name.length) this.scratch = new Uint8Array(6 * name.length);
    return putNameBytes(name, this.scratch);
  }

  /** Adds bytes to the store; returns where they begin. */
  private put(from: Uint8Array, at: number, length: number): number {
    if (length > PIECE) throw new RangeError(`a name of ${length} bytes is too long`);
    let begin = this.end;
    if ((begin % PIECE) + length > PIECE) begin = Math.ceil(begin / PIECE) * PIECE;
    const piece = Math.floor(begin / PIECE);
    const first = begin % PIECE;
    const target = this.pieceOf(piece, first + length);
    for (let i = 0; i < length; i++) target[first + i] = from[at + i];
    this.end = begin + length;
    return begin;
  }

  /** A piece of the store with room up to a place; the first is small as long as names are few. */
  private pieceOf(piece: number, room: number): Uint8Array {
    const { pieces } = this;
    if (piece === pieces.length) pieces.push(new Uint8Array(piece === 0 ? LEAST_PIECE : PIECE));
    if (pieces[piece].length >= room) return pieces[piece];
    const larger = new Uint8Array(Math.min(PIECE, Math.max(room, 2 * pieces[piece].length)));
    larger.set(pieces[piece]);
    pieces[piece] = larger;
    return larger;
  }

  /** Where the table has a name, or a free place for it. */
  private placeOf(hash: number, bytes: Uint8Array, from: number, length: number): number {
    const { table } = this;
    const mask = table.length - 1;
    let place = (2 * hash) & mask;
    for (; table[place + 1] > 0; place = (place + 2) & mask) {
      if (table[place] === hash && this.isSame(table[place + 1] - 1, bytes, from, length)) break;
    }
    return place;
  }

  private isSame(number: number, bytes: Uint8Array, from: number, length: number): boolean {
    if (this.length[number] !== length) return false;
    const begin = this.begin[number];
    const piece = this.pieces[Math.floor(begin / PIECE)];
    const first = begin % PIECE;
    for (let i = 0; i < length; i++) if (piece[first + i] !== bytes[from + i]) return false;
    return true;
  }

  private makeTable(length: number): void {
    const table = new Int32Array(length);
    const mask = length - 1;
    for (let number = 0; number < this.count; number++) {
      const bytes = this.bytesOf(number);
      const hash = hashOf(bytes, bytes.length);
      let place = (2 * hash) & mask;
      while (table[place + 1] > 0) place = (place + 2) & mask;
      table[place] = hash;
      table[place + 1] = number + 1;
    }
    this.table = table;
  }

  private grow(): void {
    const room = this.count + (this.count >> 1);
    const [begin, length, counts] = [new Float64Array(room), new Int32Array(room), new Int32Array(room)];
    begin.set(this.begin);
    length.set(this.length);
    counts.set(this.counts);
    Object.assign(this, { begin, length, counts });
  }
}

function hashOf(bytes: Uint8Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  // Names that differ in their last letters alone are many: spread them over the table.
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
