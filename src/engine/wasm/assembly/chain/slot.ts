// The slot of a chain at hand: its contexts, the symbols they are expanded by, and where in the scratch its numbers lie.
// Symbols have places, an even number of which the last may be unused; groups have columns, also an even number.

import { Bundle } from "../../layout";
import { need, scratch } from "../state";
import { RECORD } from "./context";

/** What is asked for. */
export class Asked {
  static isBeam: bool = false;
  /** How many contexts the next slot keeps beside `⋆`. */
  static limit: i32 = 0;
  /** [slotCount] the same for every slot; 0 if they all have `limit`. */
  static limits: usize = 0;
  static lightest: f64 = 0;
}

export class Slot {
  /** Its contexts: from here up to there. */
  static from: i32 = 0;
  static to: i32 = 0;
  /** Symbols first .. first + width - 1. */
  static first: i32 = 0;
  static width: i32 = 0;
  static places: i32 = 0;
  static groups: i32 = 0;
  static columns: i32 = 0;
  /** Groups are looked at in so many blocks. */
  static blocks: i32 = 0;
  /** The first group that has several members, -1 if there is none. */
  static firstSeveral: i32 = -1;

  /** [places] E(y); 0 where unused. */
  static emissions: usize = 0;
  /** [places] sum of the masses of a symbol's expansions, and the mass of the best path through one: of what is not claimed. */
  static restSum: usize = 0;
  static restBest: usize = 0;
  /** [places] the greatest mass of a symbol's expansions. */
  static tops: usize = 0;
  /** [places] i32: address of the symbol's row of masses, if it reaches the bound of those that may stay. */
  static rows: usize = 0;
  /** [places + 1] i32: the symbols that do. */
  static reaching: usize = 0;
  /** [columns] forward mass, and the mass of the best path; the latter is 0 for groups of several. */
  static shares: usize = 0;
  static bests: usize = 0;
  /** [columns] i32: address of the factors. */
  static columnFactors: usize = 0;
  /** Bytes of a row of columns. */
  static stride: usize = 0;
  /** [blocks][places] the greatest of the masses of a symbol's expansions in a block of groups. */
  static maxima: usize = 0;
  /** [2][places] for each group of several members: sums, and best path masses, without E(y). */
  static several: usize = 0;
  /** Where the next row of masses goes. */
  static nextRow: usize = 0;
}

/** So many times the sets whose maxima give a bound as there are expansions to be kept: more of them, and the bound is closer. */
const SETS = 4;

/** Finds room for the numbers of the slot. */
export function makeRoom(): void {
  const columns = Slot.columns;
  const places = Slot.places;
  // As many blocks as give several times the sets that `choose` needs, if there are groups enough.
  const blocks = min(Slot.groups, max(1, (SETS * Asked.limit + Slot.width - 1) / Slot.width));
  const several = Slot.groups < (Slot.to - Slot.from) / RECORD ? 2 * Slot.groups * places : 0;
  // Behind the maxima, room for half as many and two more; behind everything, two rows for each symbol.
  need(Bundle.scratch, 5 * places + 3 * columns + ((3 * blocks * places) >> 1) + several + 2 * columns * places + 8);
  const size = <usize>places << 3;
  const stride = <usize>columns << 3;
  Slot.blocks = blocks;
  Slot.stride = stride;
  Slot.restSum = scratch;
  Slot.restBest = Slot.restSum + size;
  Slot.tops = Slot.restBest + size;
  Slot.rows = Slot.tops + size;
  Slot.reaching = Slot.rows + size;
  Slot.shares = Slot.reaching + size + 16;
  Slot.bests = Slot.shares + stride;
  Slot.columnFactors = Slot.bests + stride;
  Slot.maxima = Slot.columnFactors + stride;
  Slot.several = Slot.maxima + (<usize>((((3 * blocks * places) >> 1) + 3) & ~1) << 3);
  Slot.nextRow = Slot.several + (<usize>several << 3);
}

/** The masses of a symbol's expansions, [columns], 0 once they are claimed; behind these, those of the best paths through them. */
// @ts-expect-error
@inline
export function rowOf(place: i32): usize {
  return <usize>load<i32>(Slot.rows + (<usize>place << 2));
}

/** One past the last group of a block. */
// @ts-expect-error
@inline
export function blockEnd(block: i32): i32 {
  return ((block + 1) * Slot.groups) / Slot.blocks;
}
