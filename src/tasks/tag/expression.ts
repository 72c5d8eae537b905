// Wapiti's small regular expressions, in time proportional to the text: `.`, `\d` and the like, `^` first, `$` last, `*` (as
// few as possible) and `?` (if possible). Every other character, brackets and `+` too, stands for itself. A template may come
// with a model from anybody, and a matcher that goes back and tries again takes time that grows with a power of the text's
// length for each `*`. This one reads the text once and keeps, for every atom, the most preferred way to have come there.

import type { InputError } from "../../util/errors.js";

/** Longer expressions serve nobody, and time grows with their length. */
const MOST_ATOMS = 1000;

/** How often an atom may stand. */
const ONCE = 0;
const OPTIONAL = 1;
const ANY = 2;

export class Expression {
  /** The characters that each atom accepts, [atoms]. */
  private readonly sets: CharacterSet[] = [];
  private readonly repeats: number[] = []; // [atoms]
  private readonly atStart: boolean;
  private readonly atEnd: boolean;
  // Ways through the expression that are under way, the most preferred first: the atom that comes next (one past the last
  // when all are done), and where in the text the way began. Two lists, for the place at hand and the next: [2][atoms + 1].
  private readonly wayAtom: Int32Array;
  private readonly wayStart: Int32Array;
  private readonly listed: Float64Array; // [atoms + 1] the step, of all texts, at which an atom was last put on a list
  private step = 0;

  /** `fail` makes the error for a fault at an offset of the source. */
  constructor(source: string, fail: (reason: string, offset: number) => InputError) {
    const { sets, repeats } = this;
    const letters = Array.from(source);
    let offset = 0;
    let isAnchor = false; // whether the latest letter stands for a place, which cannot be repeated
    for (let i = 0; i < letters.length; i++) {
      const at = offset;
      const letter = letters[i];
      offset += letter.length;
      if (letter === "*" || letter === "?") {
        if (isAnchor || repeats.at(-1) !== ONCE) throw fail(`\`${letter}\` has nothing to repeat`, at);
        repeats[repeats.length - 1] = letter === "*" ? ANY : OPTIONAL;
        continue;
      }
      isAnchor = (letter === "^" && i === 0) || (letter === "$" && i === letters.length - 1);
      if (isAnchor) continue;
      const isEscape = letter === "\\" && i + 1 < letters.length;
      if (isEscape) offset += letters[++i].length;
      sets.push(isEscape ? escapedSet(letters[i]) : letter === "." ? anything : oneOf(letter));
      repeats.push(ONCE);
      if (sets.length > MOST_ATOMS) throw fail(`the expression is longer than ${MOST_ATOMS} characters`, at);
    }
    this.atStart = letters[0] === "^";
    this.atEnd = isAnchor && letters.at(-1) === "$";
    this.wayAtom = new Int32Array(2 * (sets.length + 1));
    this.wayStart = new Int32Array(2 * (sets.length + 1));
    this.listed = new Float64Array(sets.length + 1);
  }

  test(text: string): boolean {
    return this.find(text) !== undefined;
  }

  /** The part of the text that matches: the first, and of those that begin there the most preferred. */
  find(text: string): string | undefined {
    const { sets, repeats, atStart, atEnd, wayAtom, wayStart } = this;
    const atoms = sets.length;
    let from = -1; // of the best match so far
    let to = -1;
    let list = 0; // of the two, where the one at hand begins
    let count = 0; // of ways
    this.step++;
    for (let at = 0; ; ) {
      if (from < 0 && (at === 0 || !atStart)) count = this.add(list, count, 0, at);
      const isOver = at === text.length;
      const code = isOver ? -1 : (text.codePointAt(at) as number);
      const next = at + (code > 0xffff ? 2 : 1);
      const other = atoms + 1 - list;
      let others = 0;
      this.step++;
      for (let way = list; way < list + count; way++) {
        const atom = wayAtom[way];
        if (atom === atoms) {
          if (atEnd && !isOver) continue;
          from = wayStart[way];
          to = at;
          break; // all that follow are less preferred
        }
        if (isOver || !sets[atom].has(code)) continue;
        others = this.add(other, others, repeats[atom] === ANY ? atom : atom + 1, wayStart[way]);
      }
      if (isOver || (others === 0 && (from >= 0 || atStart))) break;
      at = next;
      list = other;
      count = others;
    }
    return from < 0 ? undefined : text.slice(from, to);
  }

  /** Puts a way on a list, with those that it can go on to without a character, in the order of preference. */
  private add(list: number, count: number, atom: number, start: number): number {
    if (this.listed[atom] === this.step) return count; // by a way that is preferred
    this.listed[atom] = this.step;
    const repeat = atom < this.sets.length ? this.repeats[atom] : ONCE;
    let end = repeat === ANY ? this.add(list, count, atom + 1, start) : count;
    this.wayAtom[list + end] = atom;
    this.wayStart[list + end++] = start;
    return repeat === OPTIONAL ? this.add(list, end, atom + 1, start) : end;
  }
}

/** A set of characters, by their code points. */
class CharacterSet {
  private readonly ascii = new Uint8Array(128);

  constructor(private readonly contains: (character: string) => boolean) {
    for (let code = 0; code < 128; code++) this.ascii[code] = contains(String.fromCharCode(code)) ? 1 : 0;
  }

  has(code: number): boolean {
    return code < 128 ? this.ascii[code] === 1 : this.contains(String.fromCodePoint(code));
  }
}

const anything = new CharacterSet(() => true);

function oneOf(letter: string): CharacterSet {
  return new CharacterSet((character) => character === letter);
}

/** Wapiti's character classes; on ASCII as in C, beyond it by Unicode. A capital letter means the complement. */
const classes = new Map([
  ["a", /\p{L}/u],
  ["d", /\p{Nd}/u],
  ["l", /\p{Ll}/u],
  ["p", /[\p{P}\p{S}]/u],
  ["s", /\s/u],
  ["u", /\p{Lu}/u],
  ["w", /[\p{L}\p{Nd}]/u],
]);

function escapedSet(letter: string): CharacterSet {
  const members = classes.get(letter.toLowerCase());
  if (!members) return oneOf(letter);
  const isComplement = letter !== letter.toLowerCase();
  return new CharacterSet((character) => members.test(character) !== isComplement);
}
