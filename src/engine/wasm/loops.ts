// The loops of training in the compiled code: what they are asked for is written to one record (`LoopField`).

import type { AdaGradArrays, AdaGradStep, GradientArrays, Loops, PositionRows } from "../backend.js";
import type { RowTable } from "../rows.js";
import { LOOP_BYTES, LOOP_NUMBERS_AT, LoopField, LoopNumber } from "./layout.js";
import type { BlockOwner } from "./memory.js";
import type { Program } from "./program.js";
import type { Records } from "./records.js";

export class WasmLoops implements Loops {
  /** [LoopField.count] */
  private readonly work: Int32Array;
  /** [LoopNumber.count] */
  private readonly numbers: Float64Array;

  constructor(
    private readonly program: Program,
    private readonly records: Records,
    owner?: BlockOwner,
  ) {
    const { memory } = program;
    const { address } = memory.take(LOOP_BYTES, false, owner);
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
  ): void {
    const { program, work } = this;
    program.begin();
    work[LoopField.slots] = program.ownAddressOf(scores);
    work[LoopField.weights] = program.addressOf(weights);
    this.putPositions(length, from, rows, table);
    program.code.scoreSlots(work.byteOffset);
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
