// Features of a position together with what holds for the whole input (marks, see attributes.ts), and features of copying:
// rows of the latter have one entry, for writing the input symbol at hand, whichever that is. So stems need not be learned
// letter by letter.

import type { View } from "./classes.js";
import type { MarkedInput } from "./pairs.js";
import { Walks } from "./walks.js";

/** Events of the longest walk, with the kind. */
export const MARKED_DEPTH = 6;
/** Positions from the end that are told apart. */
export const FURTHEST_FROM_END = 7;

function fromEnd(symbols: Int32Array, j: number): number {
  return Math.min(FURTHEST_FROM_END, symbols.length - 1 - j);
}

/** The view with the most classes found in the inputs, and that with the fewest; the last two, if there are any. */
function twoViews(views: readonly View[]): (View | undefined)[] {
  return [views.at(-2), views.at(-1)];
}

/**
 * For each mark: the mark, the symbol at hand and those that follow; the symbol and those before; what follows alone; where the
 * position is, counted from the end. The same with classes of symbols. At the end also which symbols the input holds anywhere.
 */
export class MarkWalks extends Walks {
  static readonly kinds = 8;

  constructor(
    boundary: number,
    private readonly views: readonly View[],
  ) {
    super(MarkWalks.kinds, boundary);
  }

  protected listAll({ symbols, marks }: MarkedInput, j: number): void {
    const [few] = twoViews(this.views);
    for (const mark of marks) {
      this.from(0, 1, mark);
      this.read(symbols, j, 1, 4);
      this.from(1, 3, mark);
      this.read(symbols, j, -1, 3);
      this.from(2, 2, mark);
      this.read(symbols, j + 1, 1, 3);
      this.from(3, 2, mark);
      this.add(fromEnd(symbols, j));
      if (few) {
        this.from(4, 2, mark);
        this.read(symbols, j, 1, 4, few);
        this.from(5, 3, mark);
        this.read(symbols, j, -1, 3, few);
      }
    }
    if (fromEnd(symbols, j) > 2) return;
    for (let i = 0; i < symbols.length; i++) {
      if (symbols.indexOf(symbols[i]) < i) continue;
      this.from(6, 2, symbols[i]);
      this.add(fromEnd(symbols, j));
    }
  }

  private from(kind: number, least: number, mark: number): void {
    this.begin(kind, least);
    this.add(mark);
  }
}

/** Where copying is likely: by itself, by the symbol, by classes around, from the end, and each mark with these. */
export class CopyWalks extends Walks {
  static readonly kinds = 9;

  constructor(
    boundary: number,
    private readonly views: readonly View[],
  ) {
    super(CopyWalks.kinds, boundary);
  }

  protected listAll({ symbols, marks }: MarkedInput, j: number): void {
    const [few] = twoViews(this.views);
    this.begin(0, 0);
    this.add(fromEnd(symbols, j));
    this.begin(1, 1);
    this.add(Math.min(2, j));
    if (few) {
      this.begin(2, 1);
      this.read(symbols, j, 1, 4, few);
      this.begin(3, 2);
      this.read(symbols, j, -1, 3, few);
    }
    this.begin(4, 1);
    this.read(symbols, j + 1, 1, 3);
    for (const mark of marks) {
      this.begin(5, 1);
      this.add(mark);
      this.add(fromEnd(symbols, j));
      this.begin(6, 2);
      this.add(mark);
      this.read(symbols, j + 1, 1, 3);
      if (!few) continue;
      this.begin(7, 2);
      this.add(mark);
      this.read(symbols, j, 1, 4, few);
    }
  }
}

/** What writing a copy at position j writes: the symbol there; at the end of an input, where that is a symbol, the one before. */
export function copyAt(
  { copies, edgeEmit }: { copies: Int32Array; edgeEmit: number },
  symbols: Int32Array,
  j: number,
): number {
  return copies[symbols[edgeEmit > 0 && j === symbols.length - 1 && j > 0 ? j - 1 : j]];
}
