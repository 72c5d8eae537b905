// What a transducer sees around an input position, as walks of a tree: substrings that hold the position, the symbol there with
// a substring a few symbols away, what stands beside it, and substrings of classes of symbols (views, see classes.ts), with
// and without the symbol itself.

import type { View } from "./classes.js";
import type { MarkedInput } from "./pairs.js";
import type { TransducerRowOptions } from "./rows.js";
import { symbolAt, Walks } from "./walks.js";

/** Most symbols of a substring of classes, of one with a symbol among them, and of what stands beside a symbol. */
export const CLASSES_LENGTH = 5;
const MIXED_LENGTH = 3;
const BESIDE_LENGTH = 3;
/** What stands to the right of a symbol, to the left, and on both sides. */
const BESIDE_KINDS = 3;

/**
 * The window features of a position as walks of the tree: kinds and then input symbols, without the class of written
 * symbols. Kind 0 is the class alone; then substrings from `left` symbols to the left; then the symbol at hand and what
 * is `away` symbols to the right, or to the left, read away from it. With views, there follow for each substrings of classes,
 * the same with the symbol at hand in place of its class, and after all views what stands beside the symbol.
 */
export class WindowWalks extends Walks {
  constructor(
    private readonly options: TransducerRowOptions,
    boundary: number,
    private readonly views: readonly View[],
  ) {
    super(windowKinds(options.window, views.length), boundary);
  }

  protected listAll({ symbols }: MarkedInput, j: number): void {
    this.begin(0, 0);
    this.listWindows(symbols, j);
    if (this.views.length === 0) return;
    for (let v = 0; v < this.views.length; v++) this.listClasses(symbols, j, v);
    this.listBeside(symbols, j);
  }

  private listWindows(input: Int32Array, j: number): void {
    const { window, windowLength, skipLength } = this.options;
    for (let left = 0; left <= window; left++) {
      this.begin(1 + left, left + 1);
      this.read(input, j - left, 1, Math.min(window + left, windowLength - 1) + 1);
    }
    if (skipLength === 0) return;
    for (let way = 1; way >= -1; way -= 2) {
      for (let away = 2; away <= window; away++) {
        this.begin(window + away + (way < 0 ? window - 1 : 0), 2);
        this.add(input[j]);
        this.read(input, j + way * away, way, Math.min(skipLength, window - away + 1));
      }
    }
  }

  private listClasses(input: Int32Array, j: number, v: number): void {
    const { window } = this.options;
    const view = this.views[v];
    const first = windowKinds(window, 0) + 2 * v * (window + 1);
    for (let left = 0; left <= window && left < CLASSES_LENGTH; left++) {
      this.begin(first + left, left + 1);
      this.read(input, j - left, 1, Math.min(window + left + 1, CLASSES_LENGTH), view);
      this.begin(first + window + 1 + left, Math.max(2, left + 1));
      this.read(input, j - left, 1, left, view);
      // Outside of the input there is no walk that reaches it.
      if (this.length < left) continue;
      this.add(input[j]);
      this.read(input, j + 1, 1, Math.min(window, MIXED_LENGTH - 1 - left), view);
    }
  }

  private listBeside(input: Int32Array, j: number): void {
    const first = this.kinds - BESIDE_KINDS;
    const length = Math.min(BESIDE_LENGTH, this.options.window);
    this.begin(first, 1);
    this.read(input, j + 1, 1, length);
    this.begin(first + 1, 1);
    this.read(input, j - 1, -1, length);
    this.begin(first + 2, 2);
    for (let away = 1; away < length; away++) {
      const before = symbolAt(input, j - away, this.boundary);
      const after = symbolAt(input, j + away, this.boundary);
      if (before < 0 || after < 0) break;
      this.add(before);
      this.add(after);
    }
  }
}

/** Kinds of window features; see `WindowWalks`. */
export function windowKinds(window: number, views: number): number {
  return 3 * window + 2 + (views > 0 ? 2 * views * (window + 1) + BESIDE_KINDS : 0);
}
