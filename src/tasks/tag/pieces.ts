// Attributes in pieces. A piece gives names that follow from the values at a few places around a position and nothing else:
// `suffix3=ing` from one word, `w[-1]|w[0]=of|the` from two. A position's attributes are those of all pieces in turn.
// piece-numbers.ts remembers the numbers of these names.

import type { Columns, PieceValue } from "./values.js";

export type { Columns, PieceValue } from "./values.js";

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
  /** How the name is put together, where it is put together of what each value gives by itself. */
  joint?: Joint;
  /** Of one value: the same names in halves, one after the other, so that they can be looked up without being put together. */
  halves?(value: PieceValue): readonly string[];
}

/** What a value gives to a name, or undefined if there is none with it. */
export type Form = (value: PieceValue) => string | undefined;

/** text[0] forms[0] text[1] forms[1] … text[n] */
export interface Joint {
  text: readonly string[];
  forms: readonly Form[];
}

/** A piece whose name is put together of what each value gives. */
export function jointPiece(places: readonly PiecePlace[], joint: Joint, afterFirst?: boolean): Piece {
  const { text, forms } = joint;
  return {
    places,
    joint,
    afterFirst,
    names(values) {
      let name = text[0];
      for (let k = 0; k < forms.length; k++) {
        const form = forms[k](values[k]);
        if (form === undefined) return [];
        name += form + text[k + 1];
      }
      return [name];
    },
  };
}

/** A piece that looks at one place, and gives names in halves. */
export function halvedPiece(place: PiecePlace, halves: (value: PieceValue) => readonly string[]): Piece {
  return {
    places: [place],
    halves,
    names([value]) {
      const both = halves(value);
      return Array.from({ length: both.length / 2 }, (_, i) => both[2 * i] + both[2 * i + 1]);
    },
  };
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

export function namesAt({ places, names, afterFirst }: Piece, columns: Columns, position: number): readonly string[] {
  if (afterFirst && position === 0) return [];
  const values = new Array<PieceValue>(places.length);
  for (let k = 0; k < places.length; k++) {
    const row = rowOf(places[k], position, columns.length);
    values[k] = beyond(row, columns.length) || columns[row][places[k].column];
  }
  return names(values);
}

export function rowOf({ row, absolute }: PiecePlace, position: number, length: number): number {
  if (!absolute) return position + row;
  return row < 0 ? length + row : row - 1;
}

/** How far a row is beyond an end of the sequence; 0 within. */
export function beyond(row: number, length: number): number {
  return row < 0 ? row : Math.max(0, row - length + 1);
}
