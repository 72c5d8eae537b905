// The loops of training in the compiled code: what they are asked for is written to one record (`LoopField`).

import type {
  AdaGradArrays,
  AdaGradStep,
  DenseRows,
  FrozenTree,
  GradientArrays,
  Loops,
  PositionRows,
  TreeWalks,
  WalkRoots,
} from "../backend.js";
import type { RowTable, RowTree } from "../rows.js";
import { WasmDenseRows } from "./dense-rows.js";
import { LOOP_BYTES, LOOP_NUMBERS_AT, LoopField, LoopNumber, WalkField, WORD } from "./layout.js";
import type { BlockOwner, KernelArrays } from "./memory.js";
import type { Program } from "./program.js";
import type { Records } from "./records.js";
import { WeighedTree } from "./weighed-tree.js";

export class WasmLoops implements Loops {
  /** [LoopField.count] */
  private readonly work: Int32Array;
  /** [WalkField.count] */
  private readonly walkWork: Int32Array;
  /** [LoopNumber.count] */
  private readonly numbers: Float64Array;

  constructor(
    private readonly program: Program,
    private readonly records: Records,
    private readonly arrays: KernelArrays,
    owner?: BlockOwner,
  ) {
    const { memory } = program;
    const { address } = memory.take(LOOP_BYTES, false, owner);
    const walkBlock = memory.take(WalkField.count * WORD, false, owner);
    this.walkWork = new Int32Array(memory.buffer, walkBlock.address, WalkField.count);
    this.work = new Int32Array(memory.buffer, address, LoopField.count);
    this.numbers = new Float64Array(memory.buffer, address + LOOP_NUMBERS_AT, LoopNumber.count);
  }

  scoreSlots(
    scores: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    weights: Float64Array,
    dense?: DenseRows,
  ): void {
    const { program, work } = this;
    program.begin();
    work[LoopField.slots] = program.ownAddressOf(scores);
    work[LoopField.weights] = program.addressOf(weights);
    this.putPositions(length, from, rows, table);
    if (!(dense instanceof WasmDenseRows)) {
      program.code.scoreSlots(work.byteOffset);
      return;
    }
    dense.put(work);
    program.code.scoreDense(work.byteOffset);
    dense.next = work[LoopField.denseNext];
  }

  findWalks(
    tree: RowTree,
    walks: TreeWalks,
    roots: WalkRoots,
    lastClass: number,
    to: Pick<PositionRows, "start" | "ids">,
  ): void {
    const { program, walkWork: work } = this;
    program.begin();
    this.putWalks(walks, roots, lastClass);
    work[WalkField.tree] = this.records.treeOf(tree);
    work[WalkField.roots] = program.addressOf(roots.nodes);
    work[WalkField.rows] = program.ownAddressOf(to.ids);
    work[WalkField.starts] = program.ownAddressOf(to.start);
    program.code.findWalks(work.byteOffset);
  }

  private putWalks(walks: TreeWalks, roots: WalkRoots, lastClass: number): void {
    const { program, walkWork: work } = this;
    const { positions } = walks;
    const count = walks.positionStart[positions];
    // Only what is used of them, since arrays from elsewhere are copied.
    const used = (array: Int32Array, length: number): number => program.addressOf(array.subarray(0, length));
    work[WalkField.kinds] = walks.kinds;
    work[WalkField.classes] = roots.classes;
    work[WalkField.lastClass] = lastClass;
    work[WalkField.positions] = positions;
    work[WalkField.positionStart] = used(walks.positionStart, positions + 1);
    work[WalkField.kind] = used(walks.kind, count);
    work[WalkField.walkStart] = used(walks.start, count + 1);
    work[WalkField.least] = used(walks.least, count);
    work[WalkField.numbers] = used(walks.numbers, walks.start[count]);
  }

  scoreWalks(scores: Float64Array, walks: TreeWalks, roots: WalkRoots, lastClass: number, frozen: FrozenTree): void {
    const { program, walkWork: work } = this;
    if (!(frozen instanceof WeighedTree)) throw new Error("a tree of another backend");
    program.begin();
    this.putWalks(walks, roots, lastClass);
    work[WalkField.tree] = this.records.weighedTreeOf(frozen);
    work[WalkField.roots] = frozen.rootsOf(roots.nodes).byteOffset;
    work[WalkField.scores] = program.ownAddressOf(scores);
    work[WalkField.symbolCount] = frozen.symbolCount;
    program.code.scoreWalks(work.byteOffset);
  }

  freezeTree(tree: RowTree, table: RowTable, weights: Float64Array): FrozenTree | undefined {
    return WeighedTree.of(this.arrays, tree, table, weights);
  }

  denseRows(table: RowTable, weights: Float64Array): DenseRows | undefined {
    return this.program.memory.holds(weights) ? new WasmDenseRows(this.arrays, table) : undefined;
  }

  countSlots(
    slotCounts: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    gradient: GradientArrays,
  ): void {
    const { program, work } = this;
    program.begin();
    work[LoopField.slots] = program.addressOf(slotCounts);
    this.putPositions(length, from, rows, table);
    this.putGradient(gradient);
    program.code.countSlots(work.byteOffset);
    gradient.touchedCount = work[LoopField.touchedCount];
  }

  touch(rows: Int32Array, count: number, gradient: GradientArrays): void {
    const { program, work } = this;
    program.begin();
    work[LoopField.rows] = program.addressOf(rows);
    work[LoopField.rowCount] = count;
    this.putGradient(gradient);
    program.code.touchRows(work.byteOffset);
    gradient.touchedCount = work[LoopField.touchedCount];
  }

  truncate(gradient: GradientArrays, table: RowTable, threshold: number, seed: number): void {
    const { program, work, numbers } = this;
    work[LoopField.tableStart] = this.records.tableOf(table).start.byteOffset;
    work[LoopField.seed] = seed;
    numbers[LoopNumber.threshold] = threshold;
    this.putGradient(gradient);
    program.code.truncate(work.byteOffset);
  }

  step(adagrad: AdaGradArrays, gradient: GradientArrays, table: RowTable, step: AdaGradStep): void {
    const { program, work, numbers } = this;
    work[LoopField.tableStart] = this.records.tableOf(table).start.byteOffset;
    work[LoopField.weights] = program.ownAddressOf(adagrad.weights);
    work[LoopField.squares] = program.ownAddressOf(adagrad.squares);
    work[LoopField.sums] = program.ownAddressOf(adagrad.sums);
    work[LoopField.settled] = program.ownAddressOf(adagrad.settled);
    work[LoopField.step] = step.step;
    numbers[LoopNumber.rate] = step.rate;
    numbers[LoopNumber.delta] = step.delta;
    numbers[LoopNumber.l1] = step.l1;
    numbers[LoopNumber.l2] = step.l2;
    this.putGradient(gradient);
    program.code.adagrad(work.byteOffset);
    gradient.touchedCount = 0;
  }

  private putPositions(length: number, from: number, rows: PositionRows, table: RowTable): void {
    const { program, work } = this;
    const { start, symbols } = this.records.tableOf(table);
    work[LoopField.symbolCount] = table.symbolCount;
    work[LoopField.length] = length;
    work[LoopField.from] = from;
    work[LoopField.start] = program.addressOf(rows.start);
    work[LoopField.ids] = program.addressOf(rows.ids);
    work[LoopField.values] = program.addressOf(rows.values);
    work[LoopField.map] = program.addressOf(rows.map);
    work[LoopField.tableStart] = start.byteOffset;
    work[LoopField.tableSymbols] = symbols.byteOffset;
  }

  private putGradient({ values, touched, touchedCount, isTouched }: GradientArrays): void {
    const { program, work } = this;
    work[LoopField.gradient] = program.ownAddressOf(values);
    work[LoopField.touched] = program.ownAddressOf(touched);
    work[LoopField.touchedCount] = touchedCount;
    work[LoopField.isTouched] = program.ownAddressOf(isTouched);
  }
}
