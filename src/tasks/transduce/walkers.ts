// The features of a place in an aligned pair, as walks of the trees that rows are kept in; see rows.ts.

import { BEGIN, grown } from "../../engine/trellis.js";
import { countClass } from "./aligner.js";
import type { TransducerShape } from "./engine.js";
import { copyAt } from "./mark-walks.js";
import type { MarkedInput } from "./pairs.js";
import { type AlignedPair, inputEvent, type TransducerRowOptions } from "./rows.js";
import { symbolAt, type Visit, type Walks } from "./walks.js";

/** Everything that is asked of a place in an aligned pair: the features there, as walks of the trees. */
export interface Walker {
  /** Called for each aligned pair. */
  begin(pair: AlignedPair): void;
  /** Walks the features of one move as far as `next` gives nodes; `hasRow` is told of the nodes that are features. */
  walk(m: number, j: number, written: number, next: (node: number, event: number) => number, hasRow: Visit): void;
  /** The symbol of rows that a move counts for, if that is not what it writes; -1 for none. */
  symbolOf?(m: number, j: number): number;
}

const NONE = new Int32Array(0);

/** Features of positions. */
export class SlotWalker implements Walker {
  protected pair: AlignedPair = { input: new Int32Array(0), moves: new Int32Array(0) };
  private input: MarkedInput = { symbols: new Int32Array(0), marks: NONE };
  /** The position whose walks are listed. */
  private listed = -1;

  constructor(private readonly walks: Walks) {}

  begin(pair: AlignedPair): void {
    this.pair = pair;
    this.input = { symbols: pair.input, marks: pair.marks ?? NONE };
    this.listed = -1;
  }

  walk(_m: number, j: number, written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    if (j !== this.listed) this.walks.list(this.input, j);
    this.listed = j;
    this.walks.follow(countClass(written), next, hasRow);
  }
}

/** Features of copying: of the moves, those that write a copy count. */
export class CopyWalker extends SlotWalker {
  constructor(
    walks: Walks,
    private readonly shape: Pick<TransducerShape, "copies" | "edgeEmit">,
  ) {
    super(walks);
  }

  symbolOf(m: number, j: number): number {
    const { input, moves } = this.pair;
    return moves[m] === copyAt(this.shape, input, j) ? 0 : -1;
  }
}

export class OutputWalker implements Walker {
  private moves: Int32Array = new Int32Array(0);
  constructor(
    readonly options: TransducerRowOptions,
    readonly shift: number,
  ) {}

  begin(pair: AlignedPair): void {
    this.moves = pair.moves;
  }

  walk(m: number, _j: number, _written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    if (this.moves[m] === this.shift) return;
    let node = 0;
    let left = this.options.outputGrams;
    for (let i = m - 1; left > 0 && i >= -1; i--) {
      const event = i < 0 ? BEGIN : this.moves[i];
      if (event === this.shift) continue;
      node = next(node, event);
      if (node < 0) return;
      hasRow(node);
      left--;
    }
  }
}

/** N-grams of written symbols below each mark; *shift* may follow them, too. */
export class MarkedOutputWalker implements Walker {
  private pair: AlignedPair = { input: NONE, moves: NONE };

  constructor(
    readonly options: TransducerRowOptions,
    readonly shift: number,
  ) {}

  begin(pair: AlignedPair): void {
    this.pair = pair;
  }

  walk(m: number, _j: number, _written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    const { moves, marks = NONE } = this.pair;
    for (const mark of marks) {
      let node = next(0, inputEvent(mark));
      let left = this.options.outputGrams;
      for (let i = m - 1; node >= 0 && left > 0 && i >= -1; i--) {
        const event = i < 0 ? BEGIN : moves[i];
        if (event === this.shift) continue;
        node = next(node, event);
        if (node < 0) break;
        hasRow(node);
        left--;
      }
    }
  }
}

export class MoveWalker implements Walker {
  private pair: AlignedPair = { input: new Int32Array(0), moves: new Int32Array(0) };
  /** [moves] the position each was made at. */
  private positions = new Int32Array(64);

  constructor(
    readonly options: TransducerRowOptions,
    readonly shift: number,
    readonly boundary: number,
  ) {}

  begin(pair: AlignedPair): void {
    this.pair = pair;
    if (this.positions.length < pair.moves.length) this.positions = grown(this.positions, pair.moves.length);
    let j = 0;
    for (let m = 0; m < pair.moves.length; m++) {
      this.positions[m] = j;
      if (pair.moves[m] === this.shift) j++;
    }
  }

  walk(m: number, j: number, _written: number, next: (node: number, event: number) => number, hasRow: Visit): void {
    const { input, moves } = this.pair;
    const symbolCount = this.shift + 1;
    let key = 0;
    for (let ahead = 0; ahead < this.options.moveGrams.length; ahead++) {
      const symbol = symbolAt(input, j + ahead, this.boundary);
      if (symbol < 0) return;
      key = next(key, inputEvent(symbol));
      if (key < 0) return;
      let node = key;
      for (let n = 1; n <= this.options.moveGrams[ahead] && m - n >= -1; n++) {
        const i = m - n;
        node = next(node, i < 0 ? BEGIN : input[this.positions[i]] * symbolCount + moves[i]);
        if (node < 0) break;
        hasRow(node);
      }
    }
  }
}
