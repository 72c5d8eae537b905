// Built-in attributes. Of a position, which count by its role in the segment (first, inside, last, single) and the label: for
// characters n-grams in a window of five (of letters, seven) and classes of characters; for tokens those of a tagger. Of a whole
// segment of n positions, which count by its label: `is[n]=…` the string, `seen[n]=LABEL` that it was a segment elsewhere,
// `lexicon[n]` that it is in the user's list, `shape[n]=…` the kinds of characters.

import type { SymbolKind } from "../../formats/pair-lines.js";
import { columnPieces } from "../tag/attributes.js";
import type { Piece } from "../tag/pieces.js";
import { characterClass, type Positions } from "./positions.js";

/** Whether a character is a letter of an alphabet, not one of a script with a sign for each syllable or word. */
function isOfAlphabet(character: string): boolean {
  return "Xxa".includes(characterClass(character));
}

/** Offsets of characters that are looked at together. */
const characterGrams = [[-2], [-1], [0], [1], [2], [-2, -1], [-1, 0], [0, 1], [1, 2], [-1, 1], [-1, 0, 1]];
/** The same if all are letters of an alphabet, each of which says less. */
const letterGrams = [
  ...[[-3], [3], [-3, -2, -1], [-2, -1, 0], [0, 1, 2], [1, 2, 3]],
  ...[
    [-3, -2, -1, 0],
    [-2, -1, 0, 1],
    [-1, 0, 1, 2],
    [0, 1, 2, 3],
  ],
];
const classGrams = [[-1], [0], [1], [-1, 0], [0, 1], [-1, 0, 1], [-2, -1, 0], [0, 1, 2]];

function gramLabel(name: string, offsets: readonly number[]): string {
  return `${offsets.map((offset) => `${name}[${offset}]`).join("|")}=`;
}

const letterLabels = letterGrams.map((offsets) => gramLabel("c", offsets));

/** Whether a name is that of an n-gram of letters alone, which a network does without. */
export function isLetterGram(name: string): boolean {
  return letterLabels.some((label) => name.startsWith(label));
}

/** `c[-1]|c[0]=北|京`; nothing where a place is beyond an end of the text. */
function gramPiece(
  column: number,
  name: string,
  offsets: readonly number[],
  takes?: (value: string) => boolean,
): Piece {
  const label = gramLabel(name, offsets);
  return {
    places: offsets.map((row) => ({ row, column })),
    names: (values) =>
      values.every((value) => typeof value === "string" && takes?.(value) !== false) ? [label + values.join("|")] : [],
  };
}

/** A name where there is no position, and one wherever there is. */
function endPiece(row: number, beyond: readonly string[], within: readonly string[] = []): Piece {
  return { places: [{ row, column: 0 }], names: ([value]) => (typeof value === "string" ? within : beyond) };
}

const characterPieces: readonly Piece[] = [
  endPiece(0, [], ["bias"]),
  endPiece(-1, ["first"]),
  endPiece(1, ["last"]),
  ...characterGrams.map((offsets) => gramPiece(0, "c", offsets)),
  ...letterGrams.map((offsets) => gramPiece(0, "c", offsets, isOfAlphabet)),
  ...classGrams.map((offsets) => gramPiece(1, "k", offsets)),
];

/** White space before a position and after it, where that is not a boundary anyhow. */
const spacePieces: readonly Piece[] = [gramPiece(2, "space", [0]), gramPiece(2, "space", [1])];

/** The pieces of attributes of positions with columns of this width, the space before a character included. */
export function positionPieces(input: SymbolKind, width: number): readonly Piece[] {
  if (input === "tokens") return columnPieces(width);
  return width > 2 ? spacedPieces : characterPieces;
}

const spacedPieces = [...characterPieces, ...spacePieces];

/** The columns of positions as pieces see them: with white space as a column if segments may hold any. */
export function seenColumns({ columns, spaced }: Positions, input: SymbolKind, mayHoldSpaces: boolean): string[][] {
  if (input === "tokens" || !mayHoldSpaces) return columns;
  return columns.map((row, i) => [...row, spaced[i] ? "yes" : "no"]);
}

/** Longer segments have no shape of their own. */
const MOST_SHAPED_TOKENS = 6;
const MOST_SHAPED_CHARACTERS = 40;

/** The longest segment that has a shape. */
export function longestShape(input: SymbolKind): number {
  return input === "tokens" ? MOST_SHAPED_TOKENS : MOST_SHAPED_CHARACTERS;
}

/** The part of a segment's shape that a position gives: the class of a character; of a token those of its characters, runs as one. */
export function positionShape({ columns }: Positions, i: number, input: SymbolKind): string {
  return input === "chars" ? columns[i][1] : `${tokenShape(columns[i][0])} `;
}

function tokenShape(token: string): string {
  let shape = "";
  let count = 0;
  for (const character of token) {
    const kind = characterClass(character);
    const part = kind === "p" || kind === "s" ? character : kind;
    if (!shape.endsWith(part)) shape += part;
    if (++count === 12) break;
  }
  return shape;
}
