// Texts as numbers: a corpus holds many texts in flat arrays, with the attributes of their positions and of all segments that
// begin at each of them.

import type { Alphabet } from "../../engine/alphabet.js";
import { type Arrays, plainArrays } from "../../engine/backend.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { Numbers } from "../../util/numbers.js";
import { PieceNumbers } from "../tag/piece-numbers.js";
import { TextValues } from "../tag/values.js";
import { longestShape, positionPieces, positionShape, seenColumns } from "./attributes.js";
import type { Positions } from "./positions.js";
import type { CountsAsSeen, SeenStrings } from "./strings.js";

/** Attributes in flat arrays: those of position p are ids[start[p]] .. ids[start[p + 1] - 1]. */
export interface AttributeArray {
  /** [positions + 1] */
  start: Int32Array;
  ids: Int32Array;
}

export interface SegmentCorpus {
  textCount: number;
  /** [texts + 1] first position of each. */
  textStart: Int32Array;
  /** [positions] 1 if a segment begins there whatever happens. */
  breaks: Int32Array;
  /** [positions] the symbol of the right segment that begins there; -1 if none does. */
  gold: Int32Array;
  /** Of positions. */
  attributes: AttributeArray;
  /** Of the segments that begin at a position. */
  wholes: AttributeArray;
}

/** What decides the attributes of a text. */
export interface AttributeParts {
  input: SymbolKind;
  /** Whether segments may contain white space; if not, white space is a known boundary. */
  mayHoldSpaces: boolean;
  /** The names of labels. */
  labels: Alphabet;
  /** Attributes of positions. */
  attributes: Alphabet;
  /** Attributes of whole segments. */
  wholes: Alphabet;
  seen: SeenStrings;
  lexicon: Alphabet;
}

export class SegmentCorpusBuilder {
  private readonly textStart = new Numbers(plainArrays.int32);
  private readonly breaks = new Numbers(plainArrays.int32);
  private readonly attributeStart: Numbers<Int32Array>;
  private readonly attributeIds: Numbers<Int32Array>;
  private readonly wholeStart: Numbers<Int32Array>;
  private readonly wholeIds: Numbers<Int32Array>;
  private readonly values = new TextValues();
  private readonly pieces: PieceNumbers;
  private readonly finder: WholeFinder;

  constructor(
    private readonly parts: AttributeParts,
    /** The longest segment that is looked at. */
    longest: number,
    /** Whether new attributes of positions get numbers. */
    grows: boolean,
    arrays: Arrays = plainArrays,
  ) {
    this.attributeStart = new Numbers(arrays.int32);
    this.attributeIds = new Numbers(arrays.int32);
    this.wholeStart = new Numbers(arrays.int32);
    this.wholeIds = new Numbers(arrays.int32);
    this.pieces = new PieceNumbers(parts.attributes, grows, this.values);
    this.finder = new WholeFinder(parts, longest);
    this.clear();
  }

  /** Forgets all texts, and keeps the room they had. */
  clear(): void {
    for (const numbers of [this.textStart, this.breaks, this.attributeStart, this.attributeIds]) numbers.length = 0;
    for (const numbers of [this.wholeStart, this.wholeIds]) numbers.length = 0;
    for (const numbers of [this.textStart, this.attributeStart, this.wholeStart]) numbers.push(0);
  }

  add(positions: Positions, counts?: CountsAsSeen): void {
    const { input, mayHoldSpaces } = this.parts;
    const columns = seenColumns(positions, input, mayHoldSpaces);
    const pieces = positionPieces(input, columns[0]?.length ?? 1);
    if (this.pieces.isFull) {
      this.values.clear();
      this.pieces.forget();
    }
    this.pieces.gather(pieces, this.values.matrixOf(columns), this.attributeIds, this.attributeStart);
    const isBreak = (i: number): boolean => input === "chars" && !mayHoldSpaces && positions.spaced[i] === 1;
    for (let i = 0; i < columns.length; i++) this.breaks.push(isBreak(i) ? 1 : 0);
    this.finder.gather(positions, isBreak, counts, this.wholeIds, this.wholeStart);
    this.textStart.push(this.breaks.length);
  }

  /** The corpus, with the symbols of right segments or without. */
  build(gold: Int32Array): SegmentCorpus {
    return this.corpus((numbers) => numbers.taken(), gold);
  }

  /** The corpus without a copy: valid until something is added, and with arrays that are longer than what they hold. */
  lend(): SegmentCorpus {
    return this.corpus((numbers) => numbers.lent(), new Int32Array(0));
  }

  private corpus(take: (numbers: Numbers<Int32Array>) => Int32Array, gold: Int32Array): SegmentCorpus {
    return {
      textCount: this.textStart.length - 1,
      textStart: take(this.textStart),
      breaks: take(this.breaks),
      gold,
      attributes: { start: take(this.attributeStart), ids: take(this.attributeIds) },
      wholes: { start: take(this.wholeStart), ids: take(this.wholeIds) },
    };
  }
}

/** The attribute that all segments have: its row says how long they are. */
export const LENGTH = "length";

export const wholeName = {
  is: (length: number, string: string) => `is[${length}]=${string}`,
  seen: (length: number, label: string) => `seen[${length}]=${label}`,
  lexicon: (length: number) => `lexicon[${length}]`,
  shape: (length: number, shape: string) => `shape[${length}]=${shape}`,
};

/** Finds the attributes of whole segments by number, without making their names. */
class WholeFinder {
  /** [seen strings] the attribute of the string itself, by length; a string has one length but for tokens with spaces in them. */
  private readonly isString: Int32Array;
  private readonly isLength: Int32Array;
  /** [longest + 1][labels] */
  private readonly seenOf: Int32Array;
  /** [longest + 1] */
  private readonly lexiconOf: Int32Array;
  private readonly shapes = new Map<string, number>();
  private readonly longestString: number;
  private readonly longestShape: number;
  private readonly lengthId: number;

  constructor(
    private readonly parts: AttributeParts,
    private readonly longest: number,
  ) {
    const { seen, wholes, labels, lexicon } = parts;
    this.lengthId = wholes.indexOf(LENGTH);
    this.isString = new Int32Array(seen.strings.size).fill(-1);
    this.isLength = new Int32Array(seen.strings.size);
    this.seenOf = new Int32Array((longest + 1) * labels.size).fill(-1);
    this.lexiconOf = new Int32Array(longest + 1).fill(-1);
    let longestString = 0;
    let longestShaped = 0;
    wholes.all().forEach((name, id) => {
      const match = /^(is|seen|lexicon|shape)\[(\d+)\](?:=(.*))?$/su.exec(name);
      if (!match) return;
      const length = Number(match[2]);
      const value = match[3] ?? "";
      if (length > longest) return;
      if (match[1] === "shape") {
        this.shapes.set(value, id);
        longestShaped = Math.max(longestShaped, length);
        return;
      }
      longestString = Math.max(longestString, length);
      if (match[1] === "lexicon") this.lexiconOf[length] = id;
      if (match[1] === "seen") {
        const label = labels.indexOf(value);
        if (label >= 0) this.seenOf[length * labels.size + label] = id;
      }
      if (match[1] === "is") {
        const string = seen.strings.indexOf(value);
        if (string < 0) return;
        this.isString[string] = id;
        this.isLength[string] = length;
      }
    });
    this.longestString = lexicon.size + seen.strings.size > 0 ? longestString : 0;
    this.longestShape = Math.min(longestShaped, longestShape(parts.input));
  }

  /** Adds to `ids` the numbers of the attributes of all segments that begin at each position, and to `start` where they end. */
  gather(
    positions: Positions,
    isBreak: (i: number) => boolean,
    counts: CountsAsSeen | undefined,
    ids: Numbers<Int32Array>,
    start: Numbers<Int32Array>,
  ): void {
    const { input } = this.parts;
    const { columns } = positions;
    const shapes = columns.map((_, i) => positionShape(positions, i, input));
    const separator = input === "tokens" ? " " : "";
    const most = Math.min(this.longest, Math.max(this.longestString, this.longestShape));
    for (let i = 0; i < columns.length; i++) {
      if (this.lengthId >= 0) ids.push(this.lengthId);
      let string = "";
      let shape = "";
      for (let n = 1; n <= most && i + n <= columns.length; n++) {
        const p = i + n - 1;
        if (n > 1 && isBreak(p)) break;
        if (n <= this.longestString) {
          string += n > 1 ? separator + columns[p][0] : columns[p][0];
          this.addString(string, n, counts, ids);
        }
        if (n <= this.longestShape) {
          shape += shapes[p];
          const id = this.shapes.get(shape);
          if (id !== undefined) ids.push(id);
        }
      }
      start.push(ids.length);
    }
  }

  private addString(string: string, length: number, counts: CountsAsSeen | undefined, ids: Numbers<Int32Array>): void {
    const { seen, lexicon, labels } = this.parts;
    const found = seen.strings.indexOf(string);
    if (found >= 0) {
      if (this.isString[found] >= 0 && this.isLength[found] === length) ids.push(this.isString[found]);
      for (let s = seen.start[found]; s < seen.start[found + 1]; s++) {
        const label = seen.labels[s];
        const id = this.seenOf[length * labels.size + label];
        if (id >= 0 && (!counts || counts(string, label))) ids.push(id);
      }
    }
    if (this.lexiconOf[length] >= 0 && lexicon.size > 0 && lexicon.indexOf(string) >= 0)
      ids.push(this.lexiconOf[length]);
  }
}
