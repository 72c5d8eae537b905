// The features of a transducer's slots: windows, marks, copies, and a network (encoder.ts). All slots of a position with the same class of written symbols
// have the same ones, so scores are summed for each (position, class) and then given to its slots:
//   slotScores(j, k)[y] = sum over the features of position j, with the class of k: weight(feature, y)

import type { Backend, FrozenTree, PositionRows } from "../../engine/backend.js";
import type { RowTree } from "../../engine/rows.js";
import type { Gradient } from "../../learn/gradient.js";
import { COUNT_CLASSES, countClass } from "./aligner.js";
import { mostEmit } from "./emits.js";
import type { MoveEncoder } from "./encoder.js";
import type { TransducerShape } from "./engine.js";
import { CopyWalks, copyAt, MarkWalks } from "./mark-walks.js";
import type { MarkedInput } from "./pairs.js";
import { RowMemory, type RowMemoryParts } from "./row-memory.js";
import type { TransducerRows } from "./rows.js";
import { RowFinder } from "./walks.js";
import { WindowWalks } from "./windows.js";

export class SlotFeatures {
  /** [positions][COUNT_CLASSES][symbolCount] scores on the way there, differences of expected decisions on the way back. */
  private classScores: Float64Array;
  /** The same of rows of copies: what they say is at symbol 0. */
  private copyScores: Float64Array;
  /** Find rows of windows, of marks. */
  private readonly finders: readonly RowFinder[];
  private readonly copyFinder: RowFinder | undefined;
  /** [finders, then that of copies] the rows of the input at hand. */
  private readonly found: PositionRows[] = [];
  private memory: RowMemory | undefined;
  /** [finders] their trees with weights that stay as they are, once these are known. */
  private frozen: (FrozenTree | undefined)[] = [];

  constructor(
    private readonly rows: TransducerRows,
    private readonly shape: TransducerShape,
    private readonly backend: Pick<Backend, "arrays" | "loops">,
    private readonly encoder?: MoveEncoder,
  ) {
    const { rowOptions, boundary } = shape;
    const { arrays } = backend;
    const { views } = rows;
    this.classScores = arrays.float64(1024);
    this.copyScores = arrays.float64(1024);
    const windows = hasRows(rows.windowTree) ? [new WindowWalks(rowOptions, boundary, views)] : [];
    this.finders = [
      ...windows.map((walks) => new RowFinder(rows.windowTree, walks, backend)),
      ...(rows.marked ? [new RowFinder(rows.marked.tree, new MarkWalks(boundary, views), backend)] : []),
    ];
    if (rows.copyTree) this.copyFinder = new RowFinder(rows.copyTree, new CopyWalks(boundary, views), backend);
  }

  /**
   * Finds the features of an input and writes the scores of its slots; `starts` has the first slot of each position, and the end.
   * With `isFrozen` weights are the same each time, and nothing is counted afterwards.
   */
  score(
    input: MarkedInput,
    starts: Int32Array,
    weights: Float64Array,
    slotScores: Float64Array,
    isFrozen = false,
  ): void {
    const { symbolCount } = this.shape;
    const { loops, arrays } = this.backend;
    const { symbols } = input;
    const most = mostEmit(this.shape);
    const classes = symbols.length * COUNT_CLASSES;
    const size = classes * symbolCount;
    if (this.classScores.length < size) {
      this.classScores = arrays.float64(2 * size);
      this.copyScores = arrays.float64(2 * size);
    }
    const { classScores, copyScores } = this;
    classScores.fill(0, 0, size);
    this.finders.forEach((finder, f) => {
      const frozen = isFrozen ? this.frozenTree(f, weights) : undefined;
      if (frozen) {
        finder.score(input, most, classScores, frozen);
        return;
      }
      this.find(f, finder, input, most);
      loops.scoreSlots(classScores, classes, 0, this.found[f], this.rows.table, weights);
    });
    if (this.copyFinder) {
      const copies = this.finders.length;
      this.find(copies, this.copyFinder, input, most);
      copyScores.fill(0, 0, size);
      loops.scoreSlots(copyScores, classes, 0, this.found[copies], this.rows.table, weights);
      this.eachCopy(symbols, (copy, own) => {
        classScores[copy] += copyScores[own];
      });
    }
    this.encoder?.score(input, classScores);
    for (let j = 0; j < symbols.length; j++) {
      for (let slot = starts[j]; slot < starts[j + 1]; slot++) {
        const from = (j * COUNT_CLASSES + countClass(slot - starts[j])) * symbolCount;
        // Few numbers at a time: views of them would take longer.
        for (let y = 0; y < symbolCount; y++) slotScores[slot * symbolCount + y] = classScores[from + y];
      }
    }
    const end = starts[symbols.length] * symbolCount;
    slotScores.fill(0, end, end + symbolCount);
  }

  /** Remembers the rows of so many inputs, or of some of them, from now on; `shared` is what another thread remembers. */
  remember(inputs: number, shared?: RowMemoryParts): RowMemory {
    this.memory = new RowMemory(this.backend.arrays, inputs, this.finders.length + 1, shared);
    return this.memory;
  }

  /** The rows of an input, remembered or found. */
  private find(f: number, finder: RowFinder, input: MarkedInput, most: number): void {
    const { example, symbols } = input;
    const memory = example === undefined ? undefined : this.memory;
    const classes = symbols.length * COUNT_CLASSES;
    const known = memory?.recall(f, example as number, classes);
    this.found[f] = known ?? finder.find(input, most);
    if (memory && !known) memory.note(f, example as number, classes, this.found[f]);
  }

  /** Finds the rows of an input, so that they are remembered. */
  look(input: MarkedInput): void {
    const most = mostEmit(this.shape);
    this.finders.forEach((finder, f) => {
      this.find(f, finder, input, most);
    });
    if (this.copyFinder) this.find(this.finders.length, this.copyFinder, input, most);
  }

  /** Forgets weights that did not change. */
  thaw(): void {
    for (const tree of this.frozen) tree?.dispose();
    this.frozen = [];
  }

  private frozenTree(f: number, weights: Float64Array): FrozenTree | undefined {
    if (!(f in this.frozen)) this.frozen[f] = this.finders[f].freeze(this.rows.table, weights);
    return this.frozen[f];
  }

  /** Turns differences of expected decisions at slots into the gradient of the features found last. */
  count(input: Int32Array, starts: Int32Array, slotCounts: Float64Array, gradient: Gradient): void {
    const { symbolCount } = this.shape;
    const { classScores: classCounts, copyScores: copyCounts } = this;
    const { loops } = this.backend;
    const classes = input.length * COUNT_CLASSES;
    classCounts.fill(0, 0, classes * symbolCount);
    for (let j = 0; j < input.length; j++) {
      for (let slot = starts[j]; slot < starts[j + 1]; slot++) {
        const to = (j * COUNT_CLASSES + countClass(slot - starts[j])) * symbolCount;
        const from = slot * symbolCount;
        for (let y = 0; y < symbolCount; y++) classCounts[to + y] += slotCounts[from + y];
      }
    }
    this.encoder?.count(input.length, classCounts);
    for (let f = 0; f < this.finders.length; f++) {
      loops.countSlots(classCounts, classes, 0, this.found[f], this.rows.table, gradient);
    }
    if (!this.copyFinder) return;
    copyCounts.fill(0, 0, classes * symbolCount);
    this.eachCopy(input, (copy, own) => {
      copyCounts[own] = classCounts[copy];
    });
    loops.countSlots(copyCounts, classes, 0, this.found[this.finders.length], this.rows.table, gradient);
  }

  /** Visits where class scores say how well a copy would do, and where rows of copies say it, of each position and class. */
  private eachCopy(input: Int32Array, visit: (copy: number, own: number) => void): void {
    const { symbolCount } = this.shape;
    for (let j = 0; j < input.length; j++) {
      const symbol = copyAt(this.shape, input, j);
      if (symbol < 0) continue;
      for (let q = 0; q < COUNT_CLASSES; q++) {
        const own = (j * COUNT_CLASSES + q) * symbolCount;
        visit(own + symbol, own);
      }
    }
  }
}

function hasRows({ row }: RowTree): boolean {
  return row.some((number) => number >= 0);
}
