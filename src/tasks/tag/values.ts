// What stands at places of a sequence, as numbers: the same text has the same number, from 1 up, so that what was made of it
// once is found by that number. Places beyond the ends of a sequence have numbers, too.

import { ByteStrings } from "../../util/byte-strings.js";

/** Rows of text, one for each position: [length][columns]. */
export type Columns = readonly (readonly string[])[];

/** What stands at a place: its text, or how far beyond an end of the sequence it is: -1, -2, … before it, 1, 2, … after. */
export type PieceValue = string | number;

/** The number of a value that is not remembered. */
export const UNNUMBERED = 0;

export const HASH_BEGIN = 0x811c9dc5 | 0;
export const HASH_FACTOR = 0x01000193;

/** The values of a sequence as numbers. */
export interface ValueMatrix {
  /** [length][width] */
  numbers: Int32Array;
  length: number;
  width: number;
  /** The texts, which those without a number need. */
  columns?: Columns;
}

/** What is made of a longer text is not remembered, or a few of them could hold much memory. */
const LONGEST_VALUE = 64;
/** Distances beyond an end that are found without a search. */
const NEAR = 8;

export abstract class Values {
  /** Numbers that were given so far. */
  abstract readonly count: number;
  /** What a number stands for. */
  abstract valueOf(number: number): PieceValue;
  /** The number of a text, or UNNUMBERED. A row may lack columns that nobody looks at. */
  abstract numberOfText(text: string | undefined): number;
  protected abstract add(outside: number): number;

  /** [length][width] of the columns at hand. */
  private matrix = new Int32Array(64);
  /** [-NEAR … NEAR] numbers of places beyond the ends, 0 while they have none. */
  private readonly near = new Int32Array(2 * NEAR + 1);
  private readonly far = new Map<number, number>();

  /** Whether there is so much that it is time to forget it, whatever was made of it. */
  get isFull(): boolean {
    return false;
  }

  /** The values of columns as numbers, until the next time. */
  matrixOf(columns: Columns): ValueMatrix {
    const width = columns.length > 0 ? columns[0].length : 0;
    const size = columns.length * width;
    if (this.matrix.length < size) this.matrix = new Int32Array(2 * size);
    const { matrix } = this;
    let at = 0;
    for (const row of columns) for (let c = 0; c < width; c++) matrix[at++] = this.numberOfText(row[c]);
    return { numbers: matrix, length: columns.length, width, columns };
  }

  clear(): void {
    this.near.fill(UNNUMBERED);
    this.far.clear();
  }

  /** The number of a place so far beyond an end. */
  outside(distance: number): number {
    const isNear = distance >= -NEAR && distance <= NEAR;
    const known = isNear ? this.near[distance + NEAR] : (this.far.get(distance) ?? UNNUMBERED);
    if (known !== UNNUMBERED) return known;
    const number = this.add(distance);
    if (isNear) this.near[distance + NEAR] = number;
    else this.far.set(distance, number);
    return number;
  }
}

/** Values that come as text. */
export class TextValues extends Values {
  private readonly numbers = new Map<string, number>();
  /** [count + 1] */
  private values: PieceValue[] = [""];

  get count(): number {
    return this.values.length - 1;
  }

  override clear(): void {
    super.clear();
    this.numbers.clear();
    this.values = [""];
  }

  valueOf(number: number): PieceValue {
    return this.values[number];
  }

  numberOfText(text: string | undefined): number {
    if (text === undefined || text.length > LONGEST_VALUE) return UNNUMBERED;
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.add(text);
    this.numbers.set(text, number);
    return number;
  }

  protected add(value: PieceValue): number {
    this.values.push(value);
    return this.values.length - 1;
  }
}

/** Bytes of text that are remembered before all are forgotten. */
const MOST_BYTES = 1 << 23;

/** Values that come as bytes of UTF-8, which all have numbers. */
export class ByteValues extends Values {
  /** The texts; of a place beyond an end nothing. */
  readonly strings = new ByteStrings();
  /** Distances of places beyond the ends, by their numbers. */
  private readonly distances = new Map<number, number>();
  /** What `valueOf` was last asked for: it is often asked again. */
  private lastNumber = UNNUMBERED;
  private lastValue: PieceValue = "";
  /** [power of two][hash, number; 0 where it is free] */
  private table = new Int32Array(2 << 12);

  get count(): number {
    return this.strings.count;
  }

  override get isFull(): boolean {
    return this.strings.size > MOST_BYTES;
  }

  override clear(): void {
    super.clear();
    this.strings.clear();
    this.distances.clear();
    this.lastNumber = UNNUMBERED;
    this.table.fill(0);
  }

  valueOf(number: number): PieceValue {
    if (number === this.lastNumber) return this.lastValue;
    this.lastNumber = number;
    this.lastValue = this.distances.get(number) ?? decoder.decode(this.strings.viewOf(number));
    return this.lastValue;
  }

  /** The number of a text; `hash` is that of its bytes. */
  numberOf(text: Uint8Array, from: number, to: number, hash: number): number {
    const { table, strings } = this;
    const mask = table.length - 1;
    let place = placeOf(hash, mask);
    for (let number = table[place + 1]; number !== 0; number = table[place + 1]) {
      if (table[place] === hash && strings.isSame(number, text, from, to)) return number;
      place = (place + 2) & mask;
    }
    const number = strings.add(text, from, to);
    table[place] = hash;
    table[place + 1] = number;
    if (4 * number > table.length) this.enlarge();
    return number;
  }

  numberOfText(text: string | undefined): number {
    if (text === undefined) return UNNUMBERED;
    const bytes = encoder.encode(text);
    return this.numberOf(bytes, 0, bytes.length, hashOf(bytes, 0, bytes.length));
  }

  protected add(outside: number): number {
    const number = this.strings.add(nothing, 0, 0);
    this.distances.set(number, outside);
    return number;
  }

  private enlarge(): void {
    const old = this.table;
    const table = new Int32Array(2 * old.length);
    const mask = table.length - 1;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let place = placeOf(old[from], mask);
      while (table[place + 1] !== 0) place = (place + 2) & mask;
      table[place] = old[from];
      table[place + 1] = old[from + 1];
    }
    this.table = table;
  }
}

/** A hash of bytes (FNV-1a), which can be taken byte by byte while these are read: begun with HASH_BEGIN. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_BEGIN;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], HASH_FACTOR);
  return hash;
}

/** Where the search for a hash begins. Low bits of FNV-1a depend on the last bytes most: high ones are mixed in. */
function placeOf(hash: number, mask: number): number {
  return (2 * (hash ^ (hash >>> 15))) & mask;
}

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
