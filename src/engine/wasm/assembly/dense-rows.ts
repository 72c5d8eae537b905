// Attribute rows with weights that stay as they are, summed into slot scores: rows with an entry for many symbols are kept with
// one for each, so that those of a position are added up block by block of symbols, in registers. Of others, symbols and weights
// are kept side by side, so that a row is found at one place in memory. See `LoopField`.
//   slots[i][y] += sum over the rows r of position from + i: value * weight(r)[y]

import { DENSE_AT_ONCE, DenseRow, LoopField, SparseEntryBytes } from "../layout";
import { int, num, setInt } from "./state";

// What is asked for.
let symbolCount: i32 = 0;
let tableStart: usize = 0;
let tableSymbols: usize = 0;
let weights: usize = 0;
/** [rows] address of the row with an entry for every symbol; `DenseRow` says what else there may be. */
let places: usize = 0;
/** Where the next copy goes, and where there is no more room. */
let next: usize = 0;
let end: usize = 0;
/** [DENSE_AT_ONCE] pairs of value and address, of rows to be added. */
let list: usize = 0;

/** As `scoreSlots` of learn.ts. */
export function scoreDense(work: usize): void {
  const slots = <usize>int(work, LoopField.slots);
  const length = int(work, LoopField.length);
  const from = int(work, LoopField.from);
  const start = <usize>int(work, LoopField.start);
  const ids = <usize>int(work, LoopField.ids);
  const values = <usize>int(work, LoopField.values);
  const map = <usize>int(work, LoopField.map);
  symbolCount = int(work, LoopField.symbolCount);
  tableStart = <usize>int(work, LoopField.tableStart);
  tableSymbols = <usize>int(work, LoopField.tableSymbols);
  weights = <usize>int(work, LoopField.weights);
  places = <usize>int(work, LoopField.densePlaces);
  next = <usize>int(work, LoopField.denseNext);
  end = <usize>int(work, LoopField.denseEnd);
  list = <usize>int(work, LoopField.denseList);
  for (let i = 0; i < length; i++) {
    const slot = slots + (<usize>(i * symbolCount) << 3);
    const last = int(start, from + i + 1);
    let listed = list;
    for (let a = int(start, from + i); a < last; a++) {
      const row = map ? int(map, int(ids, a)) : int(ids, a);
      if (row < 0) continue;
      const value = values ? num(values, a) : 1;
      let place = int(places, row);
      if (place == DenseRow.unknown) place = placeRow(row);
      if (place & DenseRow.isCopy) {
        addCopy(slot, <usize>(place - DenseRow.isCopy), value);
        continue;
      }
      if (place == DenseRow.sparse) {
        addSparse(slot, row, value);
        continue;
      }
      store<f64>(listed, value);
      store<i32>(listed, place, 8);
      listed += 16;
      if (listed == list + DENSE_AT_ONCE * 16) {
        addListed(slot, listed);
        listed = list;
      }
    }
    if (listed > list) addListed(slot, listed);
  }
  setInt(work, LoopField.denseNext, <i32>next);
}

/** Copies of rows with fewer than one entry in so many symbols would take more time than they save. */
const SPARSEST = 4;

/** Finds out how a row is to be added, and copies it if that is worth it. */
function placeRow(row: i32): i32 {
  const entry = int(tableStart, row);
  const count = int(tableStart, row + 1) - entry;
  const size = <usize>symbolCount << 3;
  let place: i32 = DenseRow.sparse;
  if (count == symbolCount) place = <i32>(weights + (<usize>entry << 3));
  else if (count * SPARSEST >= symbolCount && next + size <= end) {
    place = <i32>next;
    memory.fill(next, 0, size);
    addSparse(next, row, 1);
    next += size;
  } else if (count > 0 && next + <usize>count * SparseEntryBytes.bytes <= end) {
    place = <i32>next + DenseRow.isCopy;
    for (let e = entry; e < entry + count; e++) {
      store<f64>(next, num(weights, e), SparseEntryBytes.weight);
      store<i32>(next, int(tableSymbols, e) << 3, SparseEntryBytes.place);
      store<i32>(next, i32(e == entry + count - 1), SparseEntryBytes.isLast);
      next += SparseEntryBytes.bytes;
    }
  }
  setInt(places, row, place);
  return place;
}

/** to[y] += value * weight(row)[y], of a copy. */
// @ts-expect-error
@inline
function addCopy(to: usize, entry: usize, value: f64): void {
  for (;;) {
    const at = to + <usize>load<i32>(entry, SparseEntryBytes.place);
    store<f64>(at, load<f64>(at) + value * load<f64>(entry, SparseEntryBytes.weight));
    if (load<i32>(entry, SparseEntryBytes.isLast)) return;
    entry += SparseEntryBytes.bytes;
  }
}

/** to[y] += value * weight(row)[y], entry by entry. */
// @ts-expect-error
@inline
function addSparse(to: usize, row: i32, value: f64): void {
  const last = int(tableStart, row + 1);
  for (let e = int(tableStart, row); e < last; e++) {
    const at = to + (<usize>int(tableSymbols, e) << 3);
    store<f64>(at, load<f64>(at) + value * num(weights, e));
  }
}

/** slot[y] += sum over the rows listed: value * row[y] */
function addListed(slot: usize, last: usize): void {
  const size = <usize>symbolCount << 3;
  let at: usize = 0;
  for (; at + 64 <= size; at += 64) {
    const to = slot + at;
    let a = v128.load(to);
    let b = v128.load(to, 16);
    let c = v128.load(to, 32);
    let d = v128.load(to, 48);
    for (let one = list; one < last; one += 16) {
      const by = v128.load_splat<f64>(one);
      const row = <usize>load<i32>(one, 8) + at;
      a = f64x2.add(a, f64x2.mul(by, v128.load(row)));
      b = f64x2.add(b, f64x2.mul(by, v128.load(row, 16)));
      c = f64x2.add(c, f64x2.mul(by, v128.load(row, 32)));
      d = f64x2.add(d, f64x2.mul(by, v128.load(row, 48)));
    }
    v128.store(to, a);
    v128.store(to, b, 16);
    v128.store(to, c, 32);
    v128.store(to, d, 48);
  }
  for (; at + 16 <= size; at += 16) {
    let a = v128.load(slot + at);
    for (let one = list; one < last; one += 16) {
      a = f64x2.add(a, f64x2.mul(v128.load_splat<f64>(one), v128.load(<usize>load<i32>(one, 8) + at)));
    }
    v128.store(slot + at, a);
  }
  if (at == size) return;
  let sum = load<f64>(slot + at);
  for (let one = list; one < last; one += 16) sum += load<f64>(one) * load<f64>(<usize>load<i32>(one, 8) + at);
  store<f64>(slot + at, sum);
}
