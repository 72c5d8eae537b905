// The numbers of the names that pieces give, remembered by the values they come from. Values come back, and so do the names
// they give: what was seen before costs a few steps through a table, and no text is made.
//   lists   what comes from one value, of all pieces in a row that look at the same place: found at the value and the group
//   grams   what comes from several values, one name or none: a table has the last of those with the same hash, so that one
//           that does not come back makes room
//   joined  where a name is put together of what each value gives (`joint`), that is remembered by value with its hash. The
//           hash of the name follows from these: most names that the alphabet lacks are known by it. Only where it may have one
//           that is not remembered, its bytes are written and looked up

import { type Alphabet, jointFactor, jointHash } from "../../engine/alphabet.js";
import { plainArrays } from "../../engine/backend.js";
import { Numbers, withRoom } from "../../util/numbers.js";
import { Forms, NO_FORM, UNJOINED } from "./forms.js";
import { beyond, namesAt, type Piece, type PiecePlace, type PieceValue, rowOf } from "./pieces.js";
import { UNNUMBERED, type ValueMatrix, type Values } from "./values.js";

/** Lists, for each value and group, before all are forgotten: bounds the memory of a stream of any length. */
const MOST_LISTS = 1 << 20;
/** What is made of more values is not remembered. */
const MOST_PLACES = 3;
/** There is room for so many grams, as a power of two, as the alphabet has names, within these. */
const LEAST_GRAM_BITS = 10;
const MOST_GRAM_BITS = 17;
/** A gram: the piece + 1 (0: none yet), its values or what they give, the last first, and the number of its name, -1 if it has none. */
const GRAM_LENGTH = MOST_PLACES + 2;

/** Pieces in a row that look at one place, a piece that looks at several, or one that nothing is remembered of. */
interface Step {
  /** The number of the first piece. */
  first: number;
  pieces: readonly Piece[];
  places: readonly PiecePlace[];
  afterFirst: boolean;
  /** Of one place: where its lists are; -1 otherwise. */
  group: number;
  /** [pieces] how their names are put together of bytes; undefined of those whose are not. */
  joined: readonly (JoinedPiece | undefined)[];
  /** Whether what is remembered of it is found by `addKnown`. */
  isQuick: boolean;
  /** [places] where these are, if none is absolute. */
  rows: Int32Array;
  columns: Int32Array;
}

/** `Joint` in bytes. */
interface JoinedPiece {
  /** [places] what each value gives, by number of the form. */
  forms: Int32Array;
  /** [places + 1] what stands between. */
  text: readonly Uint8Array[];
  /** [places + 1][2] the joint hash of each of these, and the factor of what stands before it. */
  textHashes: Int32Array;
}

export class PieceNumbers {
  private pieces: readonly Piece[] = [];
  private steps: readonly Step[] = [];
  private groupCount = 0;
  private readonly forms = new Forms();
  /** [values + 1][groupCount] where the list begins in `lists`; 0 if it is not known. */
  private listOf = new Int32Array(0);
  /** Lists one after another: how many numbers, and these. */
  private readonly lists = new Numbers(plainArrays.int32);
  /** [2 ** gramBits][GRAM_LENGTH] */
  private grams = new Int32Array(0);
  private gramBits = 0;
  /** [MOST_PLACES] values of the step at hand, or their forms. */
  private readonly key = new Int32Array(MOST_PLACES);
  private readonly found = new Int32Array(MOST_PLACES);
  private scratch = new Uint8Array(256);

  constructor(
    private readonly alphabet: Alphabet,
    /** Whether new names get numbers; if not, they are left out. */
    private readonly grows: boolean,
    private readonly values: Values,
  ) {}

  /** Whether so much is remembered that it is time to forget it. */
  get isFull(): boolean {
    return this.values.count * (this.groupCount + 1) > MOST_LISTS;
  }

  /** Forgets everything, along with the values. */
  forget(): void {
    this.listOf.fill(0);
    this.lists.length = 0;
    this.lists.push(0); // so that none begins at 0
    this.grams.fill(0);
    this.forms.clear();
  }

  /** Adds to `ids` the numbers of the names of each position, and to `start` where they end. */
  gather(pieces: readonly Piece[], matrix: ValueMatrix, ids: Numbers<Int32Array>, start: Numbers<Int32Array>): void {
    if (!isSame(pieces, this.pieces)) this.plan(pieces);
    const { steps } = this;
    for (let i = 0; i < matrix.length; i++) {
      for (let s = this.addKnown(0, i, matrix, ids); s < steps.length; s = this.addKnown(s + 1, i, matrix, ids)) {
        this.addStep(steps[s], i, matrix, ids);
      }
      start.push(ids.length);
    }
  }

  /**
   * Adds the numbers of a position that are remembered, step by step from number `first` on; returns the first step of which
   * they are not. This is what most of the time goes to: nothing is called here, and arrays are at hand.
   */
  private addKnown(first: number, position: number, matrix: ValueMatrix, ids: Numbers<Int32Array>): number {
    const { steps, listOf, grams, gramBits, groupCount, alphabet } = this;
    const { formOf, hashes, count: formCount } = this.forms;
    const { numbers, length, width } = matrix;
    const lists = this.lists.lent();
    let to = ids.lent();
    let end = ids.length;
    let s = first;
    for (; s < steps.length; s++) {
      const step = steps[s];
      if (position === 0 && step.afterFirst) continue;
      if (!step.isQuick) break;
      const { rows, columns, group } = step;
      if (group >= 0) {
        const row = position + rows[0];
        const value = row >= 0 && row < length ? numbers[row * width + columns[0]] : this.outside(row, length);
        const at = value * groupCount + group;
        const begin = at < listOf.length ? listOf[at] : 0;
        if (begin === 0) break;
        const last = begin + lists[begin];
        if (end + lists[begin] > to.length) {
          ids.length = end;
          to = ids.reserved(lists[begin]);
        }
        for (let k = begin + 1; k <= last; k++) to[end++] = lists[k];
        continue;
      }
      const { forms, textHashes } = step.joined[0] as JoinedPiece;
      let hash = textHashes[0];
      let a = 0;
      let b = 0;
      let c = 0;
      for (let k = 0; k < rows.length; k++) {
        const row = position + rows[k];
        const value = row >= 0 && row < length ? numbers[row * width + columns[k]] : this.outside(row, length);
        const at = value * formCount + forms[k];
        c = b;
        b = a;
        a = at < formOf.length ? formOf[at] : 0;
        if (a <= 0) break;
        hash = (Math.imul(hash, hashes[2 * a + 1]) + hashes[2 * a]) | 0;
        hash = (Math.imul(hash, textHashes[2 * k + 3]) + textHashes[2 * k + 2]) | 0;
      }
      if (a === NO_FORM) continue;
      if (a <= 0) break;
      if (!alphabet.mayHave(hash)) continue;
      const at = placeOfGram(hash, gramBits);
      if (grams[at] !== step.first + 1 || grams[at + 1] !== a || grams[at + 2] !== b || grams[at + 3] !== c) break;
      if (grams[at + 4] < 0) continue;
      if (end === to.length) {
        ids.length = end;
        to = ids.reserved(1);
      }
      to[end++] = grams[at + 4];
    }
    ids.length = end;
    return s;
  }

  /** Adds the numbers of a step, and remembers them where it can. */
  private addStep(step: Step, position: number, matrix: ValueMatrix, ids: Numbers<Int32Array>): void {
    if (!this.readKey(step.places, position, matrix)) {
      for (const piece of step.pieces) this.addNames(piece, position, matrix, ids);
    } else if (step.group >= 0) this.addList(step, ids);
    else this.addGram(step, position, matrix, ids);
  }

  private plan(pieces: readonly Piece[]): void {
    this.pieces = pieces;
    const steps: Step[] = [];
    this.groupCount = 0;
    this.forms.plan();
    for (let p = 0; p < pieces.length; ) {
      const { places, afterFirst = false } = pieces[p];
      let end = p + 1;
      if (places.length === 1) while (end < pieces.length && isAlike(pieces[end], pieces[p])) end++;
      const own = pieces.slice(p, end);
      const joined = own.map((piece) => this.joinedPiece(piece));
      steps.push({
        first: p,
        pieces: own,
        places,
        afterFirst,
        group: places.length === 1 ? this.groupCount++ : -1,
        joined,
        isQuick: !places.some(({ absolute }) => absolute) && (places.length === 1 || joined[0] !== undefined),
        rows: Int32Array.from(places, ({ row }) => row),
        columns: Int32Array.from(places, ({ column }) => column),
      });
      p = end;
    }
    this.steps = steps;
    if (this.grams.length === 0 && steps.some(({ places }) => places.length > 1)) {
      const bits = this.grows ? MOST_GRAM_BITS : Math.ceil(Math.log2(this.alphabet.size + 1));
      this.gramBits = Math.min(Math.max(bits, LEAST_GRAM_BITS), MOST_GRAM_BITS);
      this.grams = new Int32Array(2 ** this.gramBits * GRAM_LENGTH);
    }
    this.forget();
  }

  private joinedPiece({ places, joint }: Piece): JoinedPiece | undefined {
    if (!joint || places.length === 0 || places.length > MOST_PLACES || !this.alphabet.isPacked) return undefined;
    const text = joint.text.map((part) => encoder.encode(part));
    const hashes = text.flatMap((part) => [jointHash(part, 0, part.length), jointFactor(part.length)]);
    return { forms: this.forms.numbersOf(joint.forms), text, textHashes: Int32Array.from(hashes) };
  }

  /** Puts the numbers of the values at places into `key`; false if nothing is remembered of these. */
  private readKey(places: readonly PiecePlace[], position: number, { numbers, length, width }: ValueMatrix): boolean {
    const { key } = this;
    const count = places.length;
    if (count === 0 || count > MOST_PLACES) return false;
    for (let k = 0; k < count; k++) {
      const place = places[k];
      const row = place.absolute ? rowOf(place, position, length) : position + place.row;
      const value = row >= 0 && row < length ? numbers[row * width + place.column] : this.outside(row, length);
      if (value === UNNUMBERED) return false;
      key[k] = value;
    }
    return true;
  }

  private outside(row: number, length: number): number {
    return this.values.outside(beyond(row, length));
  }

  private addList(step: Step, ids: Numbers<Int32Array>): void {
    const value = this.key[0];
    const at = value * this.groupCount + step.group;
    if (at >= this.listOf.length || this.listOf[at] === 0) {
      // The others that look at this column will soon come to it: what lies together is found together. While names get numbers,
      // only those get one that are there.
      const column = step.columns[0];
      if (this.grows) this.addOfOne(step, value);
      else for (const one of this.steps) if (one.group >= 0 && one.columns[0] === column) this.addOfOne(one, value);
    }
    const begin = this.listOf[at] + 1;
    const own = this.lists.lent();
    ids.pushRange(own, begin, begin + own[begin - 1]);
  }

  private addGram(step: Step, position: number, matrix: ValueMatrix, ids: Numbers<Int32Array>): void {
    const { grams, key } = this;
    const joined = step.joined[0];
    const form = joined ? this.readForms(joined) : UNJOINED;
    if (form === NO_FORM) return;
    const canJoin = joined !== undefined && form !== UNJOINED;
    const nameHash = canJoin ? this.hashOfJoined(joined) : 0;
    if (canJoin && !this.alphabet.mayHave(nameHash)) return;
    const count = step.places.length;
    const a = key[count - 1];
    const b = key[count - 2];
    const c = count > 2 ? key[0] : 0;
    const tag = step.first + 1;
    const at = placeOfGram(canJoin ? nameHash : hashOfThese(a, b, c, tag), this.gramBits);
    if (grams[at] === tag && grams[at + 1] === a && grams[at + 2] === b && grams[at + 3] === c) {
      if (grams[at + 4] >= 0) ids.push(grams[at + 4]);
      return;
    }
    const before = ids.length;
    if (canJoin) this.addJoined(joined, nameHash, ids);
    else this.addNames(step.pieces[0], position, matrix, ids);
    grams[at] = tag;
    grams[at + 1] = a;
    grams[at + 2] = b;
    grams[at + 3] = c;
    grams[at + 4] = ids.length > before ? ids.lent()[before] : -1;
  }

  /**
   * Puts the forms of the values in `key` in their place. If one cannot be joined, values and forms must not be taken for one
   * another: all are negative numbers of values then. Returns NO_FORM or UNJOINED if there is such a one among them.
   */
  private readForms({ forms }: JoinedPiece): number {
    const { key, found } = this;
    let canJoin = true;
    for (let k = 0; k < forms.length; k++) {
      found[k] = this.forms.of(forms[k], key[k], this.values);
      if (found[k] === NO_FORM) return NO_FORM;
      if (found[k] === UNJOINED) canJoin = false;
    }
    for (let k = 0; k < forms.length; k++) key[k] = canJoin ? found[k] : -key[k];
    return canJoin ? 0 : UNJOINED;
  }

  /** Adds the number of the name that is put together of the forms in `key` and has this hash. */
  private addJoined({ text, forms }: JoinedPiece, hash: number, to: Numbers<Int32Array>): void {
    const { key } = this;
    const { strings } = this.forms;
    let room = 0;
    for (const part of text) room += part.length;
    for (let k = 0; k < forms.length; k++) room += strings.lengthOf(key[k]);
    if (room > this.scratch.length) this.scratch = new Uint8Array(2 * room);
    const { scratch } = this;
    let length = 0;
    for (let k = 0; k < text.length; k++) {
      const part = text[k];
      for (let i = 0; i < part.length; i++) scratch[length++] = part[i];
      if (k < forms.length) length = strings.write(key[k], scratch, length);
    }
    const number = this.alphabet.indexOfBytes(scratch, length, hash);
    if (number >= 0) to.push(number);
  }

  private hashOfJoined({ textHashes, forms }: JoinedPiece): number {
    const { key } = this;
    const { hashes } = this.forms;
    let hash = textHashes[0];
    for (let k = 0; k < forms.length; k++) {
      const form = 2 * key[k];
      hash = (Math.imul(hash, hashes[form + 1]) + hashes[form]) | 0;
      hash = (Math.imul(hash, textHashes[2 * k + 3]) + textHashes[2 * k + 2]) | 0;
    }
    return hash;
  }

  /** Makes the list of what a value gives to a step that looks at one place. */
  private addOfOne({ pieces, joined, group }: Step, value: number): void {
    const { key, lists, alphabet } = this;
    const at = value * this.groupCount + group;
    if (at >= this.listOf.length) this.listOf = withRoom(this.listOf, at);
    const begin = lists.length;
    lists.push(0);
    for (let p = 0; p < pieces.length; p++) {
      const piece = joined[p];
      key[0] = value;
      const form = piece ? this.readForms(piece) : UNJOINED;
      if (form === NO_FORM) continue;
      if (piece && form !== UNJOINED) {
        const hash = this.hashOfJoined(piece);
        if (alphabet.mayHave(hash)) this.addJoined(piece, hash, lists);
      } else this.addNamesOf(pieces[p], this.values.valueOf(value), lists);
    }
    key[0] = value;
    lists.lent()[begin] = lists.length - begin - 1;
    this.listOf[at] = begin;
  }

  /** Adds the numbers of the names that a value gives. */
  private addNamesOf(piece: Piece, value: PieceValue, to: Numbers<Int32Array>): void {
    if (!piece.halves || this.grows) {
      for (const name of piece.names([value])) this.addName(name, to);
      return;
    }
    const halves = piece.halves(value);
    for (let h = 0; h < halves.length; h += 2) {
      const number = this.alphabet.indexOfHalves(halves[h], halves[h + 1]);
      if (number >= 0) to.push(number);
    }
  }

  /** Adds the numbers of the names of a piece, made one by one. */
  private addNames(piece: Piece, position: number, matrix: ValueMatrix, to: Numbers<Int32Array>): void {
    const names = matrix.columns
      ? namesAt(piece, matrix.columns, position)
      : piece.names(this.valuesAt(piece, position, matrix));
    for (const name of names) this.addName(name, to);
  }

  private addName(name: string, to: Numbers<Int32Array>): void {
    const number = this.grows ? this.alphabet.add(name) : this.alphabet.indexOf(name);
    if (number >= 0) to.push(number);
  }

  private valuesAt({ places }: Piece, position: number, { numbers, length, width }: ValueMatrix): PieceValue[] {
    return places.map((place) => {
      const row = rowOf(place, position, length);
      return beyond(row, length) || this.values.valueOf(numbers[row * width + place.column]);
    });
  }
}

/** Where a gram with this hash is remembered. */
function placeOfGram(hash: number, bits: number): number {
  return GRAM_LENGTH * (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - bits));
}

/** A hash of the values of a gram and its piece, where its name has none. */
function hashOfThese(a: number, b: number, c: number, tag: number): number {
  return Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(tag, 0x27d4eb2f);
}

function isSame(some: readonly Piece[], others: readonly Piece[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let p = 0; p < some.length; p++) if (some[p] !== others[p]) return false;
  return true;
}

/** Whether a piece looks at the same single place as another. */
function isAlike({ places, afterFirst = false }: Piece, other: Piece): boolean {
  if (places.length !== 1 || afterFirst !== (other.afterFirst ?? false)) return false;
  const [{ row, column, absolute = false }] = places;
  const [one] = other.places;
  return row === one.row && column === one.column && absolute === (one.absolute ?? false);
}

const encoder = new TextEncoder();
