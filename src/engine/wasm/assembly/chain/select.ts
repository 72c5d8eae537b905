// Select: the expansions that stay as contexts of the next slot, in the order of contexts. Only symbols with an expansion that
// reaches the bound get a row of masses, groups next to each other, so keys come out sorted.

import { Bundle, GroupBytes } from "../../layout";
import { groupAt } from "../groups";
import { boundOf, dropLightest, groupOfKey, key, keyOf, rounded, setKeptCount, symbolOfKey } from "../kept";
import { keptKey, keptMass, need, num, setInt, setNum } from "../state";
import { Asked, rowOf, Slot } from "./slot";
import { bestsOfSeveral } from "./weigh";

export function choose(): void {
  const limit = Asked.limit;
  const width = Slot.width;
  const places = Slot.places;
  need(Bundle.kept, Slot.columns * places + 5);
  // What has no mass is never kept.
  const found = boundOf(Slot.maxima, Slot.blocks * places, Slot.groups * width, limit, Asked.lightest);
  const bound = max(f64.MIN_NORMAL_VALUE, found);
  const bounds = f64x2.splat(bound);
  // The symbols that reach it: written whether they do or not, and counted if they do, so that there is no branch to guess.
  let last = Slot.reaching;
  for (let y = 0; y < places; y += 2) {
    const reached = i64x2.bitmask(f64x2.ge(v128.load(Slot.tops + (<usize>y << 3)), bounds));
    store<i32>(last, y);
    last += (<usize>reached & 1) << 2;
    store<i32>(last, y + 1);
    last += (<usize>reached >> 1) << 2;
  }
  let name = keptKey; // where the next goes
  for (let at = Slot.reaching; at < last; at += 4) name = collect(load<i32>(at), bounds, name);
  const count = <i32>(name - keptKey) >> 3;
  setKeptCount(count);
  if (count <= limit) return;
  for (let i = 0; i < count; i++) {
    setNum(keptMass, i, rounded(num(rowOf(symbolOfKey(key(i))), groupOfKey(key(i)))));
  }
  dropLightest(limit);
}

/** Writes down the masses of a symbol's expansions, and to `next` the keys of those that reach a bound; returns where these end. */
function collect(y: i32, bounds: v128, next: usize): usize {
  const at = <usize>y << 3;
  const row = Slot.nextRow;
  const toAlong = Slot.stride;
  const emission = v128.load_splat<f64>(Slot.emissions + at);
  const end = row + toAlong;
  setInt(Slot.rows, y, <i32>row);
  let factors = Slot.columnFactors;
  let share = Slot.shares;
  let name = keyOf(y, 0);
  for (let to = row; to < end; to += 16) {
    const one = v128.load_zero<f64>(<usize>load<i32>(factors) + at);
    const two = v128.load_lane<f64>(<usize>load<i32>(factors, 4) + at, one, 1);
    const masses = f64x2.mul(emission, f64x2.mul(v128.load(share), two));
    v128.store(to, masses);
    v128.store(to + toAlong, f64x2.mul(emission, f64x2.mul(v128.load(share + toAlong), two)));
    const reached = i64x2.bitmask(f64x2.ge(masses, bounds));
    store<u64>(next, name);
    next += (<usize>reached & 1) << 3;
    store<u64>(next, name + 1);
    next += (<usize>reached >> 1) << 3;
    factors += 8;
    share += 16;
    name += 2;
  }
  for (let g = Slot.firstSeveral; g >= 0; g = load<i32>(groupAt(g), GroupBytes.nextSeveral)) {
    setNum(end, g, num(Slot.emissions, y) * num(bestsOfSeveral(g), y));
  }
  Slot.nextRow = end + toAlong;
  return next;
}
