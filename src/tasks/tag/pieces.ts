// Attributes in pieces. A piece gives names that follow from the values at a few places around a position and nothing else:
// `suffix3=ing` from one word, `w[-1]|w[0]=of|the` from two. A position's attributes are those of all pieces in turn. Values
// come back, and so do the names they give: `PieceNumbers` remembers the numbers of names by the values they came from, so
// that what was seen before costs a few steps through a table and no text is made.

import type { Alphabet } from "../../engine/alphabet.js";
import { plainArrays } from "../../engine/backend.js";
import { Numbers } from "../../util/numbers.js";

/** Rows of text, one for each position: [length][columns]. */
export type Columns = readonly (readonly string[])[];

/** What stands at a place: its text, or how far beyond an end of the sequence it is: -1, -2, … before it, 1, 2, … after. */
export type PieceValue = string | number;

export interface PiecePlace {
  /** Relative to the position. */
  row: number;
  /** The row counts from the start of the sequence (1, 2, …) or from its end (-1, -2, …) instead. */
  absolute?: boolean;
  column: number;
}

export interface Piece {
  places: readonly PiecePlace[];
  /** The names, from the values at the places. From several values it makes one name at most. */
  names(values: readonly PieceValue[]): readonly string[];
  /** Whether it gives nothing at the first position. */
  afterFirst?: boolean;
}

/** What a position has: its attributes, and those that are conjoined with the previous label. */
export interface PositionPieces {
  attributes: readonly Piece[];
  conjoined: readonly Piece[];
}

/** The names that pieces give a position. */
export function pieceNames(pieces: readonly Piece[], columns: Columns, position: number): string[] {
  const names: string[] = [];
  for (const piece of pieces) for (const name of namesAt(piece, columns, position)) names.push(name);
  return names;
}

function namesAt({ places, names, afterFirst }: Piece, columns: Columns, position: number): readonly string[] {
  if (afterFirst && position === 0) return [];
  const values = new Array<PieceValue>(places.length);
  for (let k = 0; k < places.length; k++) {
    const row = rowOf(places[k], position, columns.length);
    values[k] = beyond(row, columns.length) || columns[row][places[k].column];
  }
  return names(values);
}

function rowOf({ row, absolute }: PiecePlace, position: number, length: number): number {
  if (!absolute) return position + row;
  return row < 0 ? length + row : row - 1;
}

/** How far a row is beyond an end of the sequence; 0 within. */
function beyond(row: number, length: number): number {
  return row < 0 ? row : Math.max(0, row - length + 1);
}

/** Lists, for each value and piece, before all are forgotten: bounds the memory of a stream of any length. */
const MOST_LISTS = 1 << 19;
/** What is made of a longer text is not remembered, or a few of them could hold much memory. */
const LONGEST_VALUE = 64;
/** What is made of more values is not remembered. */
const MOST_PLACES = 3;
/** The number of a value that is not remembered; others are numbered from 1 up. */
const UNNUMBERED = 0;
/** Room for what comes from several values, a power of two. */
const GRAMS = 1 << 16;
/** A gram: the piece + 1 (0: none yet), its values, and the number of its name, or -1 if it has none. */
const GRAM_LENGTH = MOST_PLACES + 2;

/**
 * The numbers of the names that pieces give, remembered by values. What comes from one value is a list, found at the value
 * and the piece. What comes from several is one name or none; a table has the last of those with the same hash, so that one
 * that does not come back makes room.
 */
export class PieceNumbers {
  private readonly valueNumbers = new Map<PieceValue, number>();
  /** [values + 1][pieceCount] where the list begins in `lists`; 0 if it is not known. */
  private listOf = new Int32Array(0);
  /** Lists one after another: how many numbers, and these. */
  private readonly lists = new Numbers(plainArrays.int32);
  private pieceCount = 0;
  /** [GRAMS][GRAM_LENGTH] */
  private grams = new Int32Array(0);
  /** [length][width] numbers of the values of the sequence at hand. */
  private values = new Int32Array(64);
  /** [MOST_PLACES] those of the piece at hand; 0 beyond its places. */
  private readonly key = new Int32Array(MOST_PLACES);

  constructor(
    private readonly alphabet: Alphabet,
    /** Whether new names get numbers; if not, they are left out. */
    private readonly grows: boolean,
  ) {}

  /**
   * Adds to `ids` the numbers of the names of each position, and to `start` where they end. The pieces are always the same,
   * but that there may be more or fewer of the last.
   */
  gather(pieces: readonly Piece[], columns: Columns, ids: Numbers<Int32Array>, start: Numbers<Int32Array>): void {
    if (pieces.length > 0) this.begin(pieces.length, columns);
    for (let i = 0; i < columns.length; i++) {
      for (let p = 0; p < pieces.length; p++) {
        if (i === 0 && pieces[p].afterFirst) continue;
        if (!this.readKey(pieces[p].places, i, columns)) this.look(namesAt(pieces[p], columns, i), ids);
        else if (pieces[p].places.length === 1) this.addList(p, pieces[p], columns, i, ids);
        else this.addGram(p, pieces[p], columns, i, ids);
      }
      start.push(ids.length);
    }
  }

  /** Numbers the values of a sequence. */
  private begin(pieceCount: number, columns: Columns): void {
    const listCount = this.valueNumbers.size * this.pieceCount;
    if (pieceCount > this.pieceCount || listCount > MOST_LISTS) this.forget(pieceCount);
    const width = columns.length > 0 ? columns[0].length : 0;
    if (this.values.length < columns.length * width) this.values = new Int32Array(2 * columns.length * width);
    let at = 0;
    for (const row of columns) {
      for (let c = 0; c < width; c++) {
        const value = row[c]; // a row may lack columns that no piece looks at
        this.values[at++] = value === undefined || value.length > LONGEST_VALUE ? UNNUMBERED : this.numberOf(value);
      }
    }
  }

  private forget(pieceCount: number): void {
    this.pieceCount = Math.max(pieceCount, this.pieceCount);
    this.valueNumbers.clear();
    this.listOf.fill(0);
    this.lists.length = 0;
    this.lists.push(0); // so that none begins at 0
    this.grams = new Int32Array(GRAMS * GRAM_LENGTH);
  }

  private numberOf(value: PieceValue): number {
    const known = this.valueNumbers.get(value);
    if (known !== undefined) return known;
    const number = this.valueNumbers.size + 1;
    this.valueNumbers.set(value, number);
    const size = (number + 1) * this.pieceCount;
    if (size > this.listOf.length) {
      const larger = new Int32Array(2 * size);
      larger.set(this.listOf);
      this.listOf = larger;
    }
    return number;
  }

  /** Puts the numbers of the values at places into `key`; false if these are not remembered. */
  private readKey(places: readonly PiecePlace[], position: number, columns: Columns): boolean {
    const { key } = this;
    if (places.length === 0 || places.length > MOST_PLACES) return false;
    const width = columns[0].length;
    for (let k = 0; k < MOST_PLACES; k++) {
      key[k] = UNNUMBERED;
      if (k >= places.length) continue;
      const row = rowOf(places[k], position, columns.length);
      const outside = beyond(row, columns.length);
      key[k] = outside === 0 ? this.values[row * width + places[k].column] : this.numberOf(outside);
      if (key[k] === UNNUMBERED) return false;
    }
    return true;
  }

  private addList(p: number, piece: Piece, columns: Columns, position: number, ids: Numbers<Int32Array>): void {
    const { listOf, lists } = this;
    const at = this.key[0] * this.pieceCount + p;
    if (listOf[at] === 0) {
      const begin = lists.length;
      lists.push(0);
      this.look(namesAt(piece, columns, position), lists);
      lists.lent()[begin] = lists.length - begin - 1;
      listOf[at] = begin;
    }
    const begin = listOf[at];
    ids.pushRange(lists.lent(), begin + 1, begin + 1 + lists.lent()[begin]);
  }

  private addGram(p: number, piece: Piece, columns: Columns, position: number, ids: Numbers<Int32Array>): void {
    const { grams, key } = this;
    const a = key[0];
    const b = key[1];
    const c = key[2];
    const hash =
      Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(p, 0x27d4eb2f);
    const at = GRAM_LENGTH * ((hash ^ (hash >>> 15)) & (GRAMS - 1));
    if (grams[at] === p + 1 && grams[at + 1] === a && grams[at + 2] === b && grams[at + 3] === c) {
      if (grams[at + 4] >= 0) ids.push(grams[at + 4]);
      return;
    }
    const before = ids.length;
    this.look(namesAt(piece, columns, position), ids);
    grams[at] = p + 1;
    grams[at + 1] = a;
    grams[at + 2] = b;
    grams[at + 3] = c;
    grams[at + 4] = ids.length > before ? ids.lent()[before] : -1;
  }

  /** Adds the numbers of names. */
  private look(names: readonly string[], to: Numbers<Int32Array>): void {
    for (const name of names) {
      const number = this.grows ? this.alphabet.add(name) : this.alphabet.indexOf(name);
      if (number >= 0) to.push(number);
    }
  }
}
