// What a tagger is told of words by lists (src/formats/lexicon.ts). A lexicon gives every token one value, as if the data had
// one more column, and pieces make attributes of these values around a position:
//   a table of classes    the class of the word; of bit strings, their beginnings too, which are coarser classes
//   a list, or phrases    the place in the longest entry that is found: B, I, E, or S for an entry of one token, with the class
//                         if there is one (`B-LOC`); `?` follows if only its lower case is found
// Attributes are named `NAME[-1]=…`; a token that is not found gives none.

import * as v from "valibot";
import { type LexiconEntry, readLexicon } from "../../formats/lexicon.js";
import { countSchema, type FileParts, type PartsReader, putJson, putStrings } from "../../model/parts.js";
import { numberless } from "../../util/characters.js";
import { InputError } from "../../util/errors.js";
import { checkOption, type NamedText } from "../../util/options.js";
import { attributeOptions } from "./options.js";
import { type Columns, type Form, jointPiece, type Piece } from "./pieces.js";

/** Beginnings of bit strings that are classes of their own. */
const BEGINNINGS = [4, 6, 8, 12] as const;

/** Tokens of the longest entry: a longer line is a sentence, not an entry. */
const MOST_TOKENS = 64;

/** A word of entries, and what may follow it. */
interface Node {
  next: Map<string, Node>;
  /** The entry that ends here, or -1. */
  entry: number;
}

export class Lexicon {
  readonly entries: readonly string[];
  /** [entries] the class of each, "" without. */
  readonly classes: readonly string[];
  /** Whether all entries are single words with a class. */
  readonly isTable: boolean;
  /** By column. */
  private readonly made: (readonly Piece[])[] = [];
  private readonly root: Node = { next: new Map(), entry: -1 };
  private readonly folded: Node = { next: new Map(), entry: -1 };

  constructor(
    readonly name: string,
    given: readonly LexiconEntry[],
    file?: string,
  ) {
    const found = new Map<string, Set<string>>();
    for (const { text, class: kind } of given) {
      const kinds = found.get(text) ?? new Set();
      if (kind !== undefined) kinds.add(kind);
      found.set(text, kinds);
    }
    this.entries = [...found.keys()];
    this.classes = Array.from(found.values(), (kinds) => [...kinds].sort().join("+"));
    this.isTable = this.entries.every((entry, i) => !entry.includes(" ") && this.classes[i] !== "");
    this.entries.forEach((entry, i) => {
      const tokens = entry.split(" ");
      if (tokens.length > MOST_TOKENS) {
        throw new InputError(`an entry of the lexicon has ${tokens.length} tokens, more than ${MOST_TOKENS}`, { file });
      }
      put(this.root, tokens, i);
      put(this.folded, tokens.map(fold), i);
    });
  }

  /** The class of a word in a table; undefined if it is not found. */
  readonly classOf: Form = (word) => {
    if (typeof word !== "string") return undefined;
    const lower = fold(word);
    // Tables of classes have numbers by their digits: 0000 for 1984.
    const { entry = -1 } =
      this.root.next.get(word) ?? this.folded.next.get(lower) ?? this.folded.next.get(numberless(lower)) ?? {};
    return entry < 0 ? undefined : this.classes[entry];
  };

  /** [tokens] the place of each in an entry that is no table's; "" for those that are not found. */
  values(tokens: readonly string[]): string[] {
    const values = Array<string>(tokens.length).fill("");
    const lower = tokens.map(fold);
    for (let i = 0; i < tokens.length; ) {
      const exact = longest(this.root, tokens, i);
      const folded = longest(this.folded, lower, i);
      const best = folded.end > exact.end ? folded : exact;
      if (best.entry < 0) {
        i++;
        continue;
      }
      const kind = this.classes[best.entry];
      const rest = `${kind === "" ? "" : `-${kind}`}${best === exact ? "" : "?"}`;
      for (let t = i; t < best.end; t++) values[t] = placeOf(t, i, best.end) + rest;
      i = best.end;
    }
    return values;
  }

  /** Attributes of the values in a column, or of a table, which needs only words. */
  pieces(column: number): readonly Piece[] {
    this.made[column] ??= this.makePieces(column);
    return this.made[column];
  }

  private makePieces(column: number): readonly Piece[] {
    const { name, classOf } = this;
    if (!this.isTable) return [[-1], [0], [1], [-1, 0], [0, 1]].map((rows) => piece(name, rows, column, ifFound));
    const whole = [[-2], [-1], [0], [1], [2], [-1, 0], [0, 1]].map((rows) => piece(name, rows, WORD, classOf));
    if (!this.classes.every((kind) => /^[01]+$/.test(kind))) return whole;
    return [...whole, ...[-1, 0, 1].map((row) => beginnings(name, row, classOf))];
  }
}

function fold(token: string): string {
  return token.toLowerCase();
}

function put(root: Node, tokens: readonly string[], entry: number): void {
  let node = root;
  for (const token of tokens) {
    let next = node.next.get(token);
    if (!next) {
      next = { next: new Map(), entry: -1 };
      node.next.set(token, next);
    }
    node = next;
  }
  if (node.entry < 0) node.entry = entry; // of entries that differ in case alone, the first
}

/** The longest entry that begins at a token, and the token after its last. */
function longest(root: Node, tokens: readonly string[], from: number): { entry: number; end: number } {
  const found = { entry: -1, end: from };
  let node: Node | undefined = root;
  for (let t = from; t < tokens.length; t++) {
    node = node.next.get(tokens[t]);
    if (!node) break;
    if (node.entry >= 0) {
      found.entry = node.entry;
      found.end = t + 1;
    }
  }
  return found;
}

function placeOf(token: number, start: number, end: number): string {
  if (token === start) return end === start + 1 ? "S" : "B";
  return token === end - 1 ? "E" : "I";
}

/** The column of words. */
const WORD = 0;

const ifFound: Form = (value) => (typeof value === "string" && value !== "" ? value : undefined);

/** `name[-1]|name[0]=value|value`, where all of the values are found. */
function piece(name: string, rows: readonly number[], column: number, form: Form): Piece {
  const label = `${rows.map((row) => `${name}[${row}]`).join("|")}=`;
  return jointPiece(
    rows.map((row) => ({ row, column })),
    { text: [label, ...rows.slice(1).map(() => "|"), ""], forms: rows.map(() => form) },
  );
}

/** `name:4[0]=0110` */
function beginnings(name: string, row: number, classOf: Form): Piece {
  return {
    places: [{ row, column: WORD }],
    names: ([word]) => {
      const bits = classOf(word) ?? "";
      return BEGINNINGS.filter((count) => count < bits.length).map(
        (count) => `${name}:${count}[${row}]=${bits.slice(0, count)}`,
      );
    },
  };
}

/** Columns with one more for each lexicon, at the same place in every row, and the first of these. */
export function withLexicons(columns: Columns, lexicons: readonly Lexicon[]): { columns: string[][]; first: number } {
  const first = columns.reduce((most, row) => Math.max(most, row.length), 1);
  const words = columns.map((row) => row[0] ?? "");
  const values = lexicons.map((lexicon) => lexicon.values(words));
  return {
    first,
    columns: columns.map((row, i) => [
      ...row,
      ...Array<string>(first - row.length).fill(""),
      ...values.map((ofLexicon) => ofLexicon[i]),
    ]),
  };
}

const NAME = /^[\p{L}\p{N}_-]{1,40}$/u;

/** The lexicons that a training is given. */
export function lexiconsOf(given: readonly NamedText[]): Lexicon[] {
  checkOption(attributeOptions.lexicon, "lexicon", given);
  const names = new Set<string>();
  return given.map(({ name, text, file }) => {
    if (!NAME.test(name)) {
      throw new InputError(`option \`lexicon\`: \`${name}\` cannot be the name of a lexicon`, {
        hint: "a name has letters, digits, _ and -; on the command line it is that of the file, or stands after `=`",
      });
    }
    if (names.has(name)) throw new InputError(`option \`lexicon\`: there are two lexicons \`${name}\``);
    names.add(name);
    return new Lexicon(name, readLexicon(text, file), file);
  });
}

const namesSchema = v.array(v.object({ name: v.pipe(v.string(), v.regex(NAME)), entries: countSchema }));

export function putLexicons(parts: FileParts, lexicons: readonly Lexicon[]): void {
  if (lexicons.length === 0) return;
  putJson(
    parts,
    "lexicons",
    lexicons.map(({ name, entries }) => ({ name, entries: entries.length })),
  );
  putStrings(
    parts,
    "lexicon",
    lexicons.flatMap(({ entries }) => entries),
  );
  const classes = [...new Set(lexicons.flatMap((lexicon) => lexicon.classes))];
  const numbers = new Map(classes.map((kind, i) => [kind, i]));
  putStrings(parts, "lexiconClasses", classes);
  parts.tensors["lexicon.class"] = {
    data: Int32Array.from(lexicons.flatMap((lexicon) => lexicon.classes.map((kind) => numbers.get(kind) as number))),
  };
}

export function readLexicons(reader: PartsReader): Lexicon[] {
  if (!reader.hasJson("lexicons")) return [];
  const found = reader.json("lexicons", namesSchema);
  const entries = reader.strings("lexicon");
  const classes = reader.strings("lexiconClasses");
  const classOf = reader.plainIntegers("lexicon.class");
  const total = found.reduce((sum, one) => sum + one.entries, 0);
  if (total !== entries.length || total !== classOf.length)
    throw reader.damaged("its lexicons do not cover their entries");
  let at = 0;
  return found.map(({ name, entries: count }) => {
    const own = Array.from({ length: count }, () => {
      const kind = classes[classOf[at]];
      if (kind === undefined) throw reader.damaged("an entry of a lexicon has a class that is not there");
      const entry: LexiconEntry = { text: entries[at++] };
      if (kind !== "") entry.class = kind;
      return entry;
    });
    return new Lexicon(name, own);
  });
}
