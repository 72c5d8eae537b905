// Loops over vectors of f64, two lanes at a time: sums, maxima, and exp to within two units in the last place.

const LOG2E: f64 = 1.4426950408889634;
const LN2_HIGH: f64 = 0.6931471805598903; // 0x1.62e42fefa0000p-1: a product with a small integer is exact
const LN2_LOW: f64 = 5.497923018708371e-14;
/** Added to a number below 2^51 this leaves its nearest integer in the low bits. */
const ROUND: f64 = 6755399441055744.0;
/** Below this exp is taken as 0; just above it results are still normal numbers. */
const LEAST: f64 = -708.0;

/** exp of two numbers, neither above 709: 2^n times a polynomial in the rest, near the best of its degree on |rest| <= ln(2)/2. */
// @ts-expect-error
@inline
export function exp2(x: v128): v128 {
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(LOG2E)), f64x2.splat(ROUND));
  const n = f64x2.sub(shifted, f64x2.splat(ROUND));
  const r = f64x2.sub(
    f64x2.sub(x, f64x2.mul(n, f64x2.splat(LN2_HIGH))),
    f64x2.mul(n, f64x2.splat(LN2_LOW)),
  );
  // Three short chains rather than one long one, so that the processor can work on them at once.
  const r2 = f64x2.mul(r, r);
  const r4 = f64x2.mul(r2, r2);
  const a = f64x2.add(
    f64x2.add(f64x2.splat(1), r),
    f64x2.mul(r2, f64x2.add(f64x2.splat(0.5000000000000019), f64x2.mul(r, f64x2.splat(0.16666666666666702)))),
  );
  const b = f64x2.add(
    f64x2.add(f64x2.splat(0.04166666666648808), f64x2.mul(r, f64x2.splat(0.008333333333309526))),
    f64x2.mul(r2, f64x2.add(f64x2.splat(0.0013888888952318045), f64x2.mul(r, f64x2.splat(0.00019841269909219843)))),
  );
  const c = f64x2.add(
    f64x2.add(f64x2.splat(2.480148547921643e-5), f64x2.mul(r, f64x2.splat(2.755722495611072e-6))),
    f64x2.mul(r2, f64x2.add(f64x2.splat(2.7632640675430235e-7), f64x2.mul(r, f64x2.splat(2.5114870219497476e-8)))),
  );
  const p = f64x2.add(a, f64x2.mul(r4, f64x2.add(b, f64x2.mul(r4, c))));
  const scaled = i64x2.add(p, i64x2.shl(shifted, 52));
  return v128.and(scaled, f64x2.ge(x, f64x2.splat(LEAST)));
}

/** to[i] = exp(from[i] + shift) */
export function expAll(to: usize, from: usize, count: i32, shift: f64): void {
  const by = f64x2.splat(shift);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, exp2(f64x2.add(v128.load(from), by)));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, f64x2.extract_lane(exp2(f64x2.splat(load<f64>(from) + shift)), 0));
}

/** exp of one number not above 709. */
export function expOne(x: f64): f64 {
  return f64x2.extract_lane(exp2(f64x2.splat(x)), 0);
}

export function maxOf(from: usize, count: i32): f64 {
  let top = f64x2.splat(-Infinity);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    top = f64x2.pmax(top, v128.load(from));
    from += 16;
  }
  let found = max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1));
  if (count & 1) found = max(found, load<f64>(from));
  return found;
}

export function minOf(from: usize, count: i32): f64 {
  let least = f64x2.splat(Infinity);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    least = f64x2.pmin(least, v128.load(from));
    from += 16;
  }
  let found = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
  if (count & 1) found = min(found, load<f64>(from));
  return found;
}

/** to[i] += from[i] */
export function addAll(to: usize, from: usize, count: i32): void {
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, f64x2.add(v128.load(to), v128.load(from)));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, load<f64>(to) + load<f64>(from));
}

/** to[i] *= from[i] */
export function multiplyAll(to: usize, from: usize, count: i32): void {
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, f64x2.mul(v128.load(to), v128.load(from)));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, load<f64>(to) * load<f64>(from));
}

/** to[i] += factor * from[i] */
export function addScaled(to: usize, from: usize, count: i32, factor: f64): void {
  const by = f64x2.splat(factor);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, f64x2.add(v128.load(to), f64x2.mul(by, v128.load(from))));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, load<f64>(to) + factor * load<f64>(from));
}

/** The sum and the greatest of numbers that are not negative, in two lanes. */
export function sumAndTop(from: usize, count: i32): v128 {
  let sum = f64x2.splat(0);
  let top = f64x2.splat(0);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    const two = v128.load(from);
    sum = f64x2.add(sum, two);
    top = f64x2.pmax(top, two);
    from += 16;
  }
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  let greatest = max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1));
  if (count & 1) {
    total += load<f64>(from);
    greatest = max(greatest, load<f64>(from));
  }
  return f64x2.replace_lane(f64x2.splat(total), 1, greatest);
}

/** to[i] = from[i] + by */
export function copyShifted(to: usize, from: usize, count: i32, by: f64): void {
  const shift = f64x2.splat(by);
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, f64x2.add(v128.load(from), shift));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, load<f64>(from) + by);
}

/** to[i] = value */
export function fillNums(to: usize, value: f64, count: i32): void {
  for (const end = to + (<usize>count << 3); to < end; to += 8) store<f64>(to, value);
}

/** to[i] = value, for i32 */
export function fillInts(to: usize, value: i32, count: i32): void {
  const all = i32x4.splat(value);
  const fours = to + (<usize>(count & ~3) << 2);
  const end = to + (<usize>count << 2);
  while (to < fours) {
    v128.store(to, all);
    to += 16;
  }
  while (to < end) {
    store<i32>(to, value);
    to += 4;
  }
}

/** to[i] = max(to[i], from[i]) */
export function raiseAll(to: usize, from: usize, count: i32): void {
  const pairs = from + (<usize>(count & ~1) << 3);
  while (from < pairs) {
    v128.store(to, f64x2.pmax(v128.load(to), v128.load(from)));
    from += 16;
    to += 16;
  }
  if (count & 1) store<f64>(to, max(load<f64>(to), load<f64>(from)));
}

/** How many of `count` numbers are at least `least`. */
// @ts-expect-error
@inline
function reaching(values: usize, count: i32, least: f64): i32 {
  const bounds = f64x2.splat(least);
  let found = i64x2.splat(0);
  const pairs = values + (<usize>(count & ~1) << 3);
  while (values < pairs) {
    found = i64x2.sub(found, f64x2.ge(v128.load(values), bounds));
    values += 16;
  }
  let total = <i32>(i64x2.extract_lane(found, 0) + i64x2.extract_lane(found, 1));
  if (count & 1) total += i32(load<f64>(values) >= least);
  return total;
}

/** Powers of two below the greatest number within which the search begins. */
const NEAR: u64 = 40;

/**
 * A bound that k of `count` numbers reach, none of them negative, and at most `slack` more; if equal numbers make that
 * impossible, the k-th largest of them. 1 <= k <= count. Numbers that are not negative are ordered as their bits are, so
 * this halves an interval of bits; counting has no branches to guess, unlike sorting.
 */
export function separator(values: usize, count: i32, k: i32, slack: i32): f64 {
  let high = reinterpret<u64>(maxOf(values, count)) + 1;
  let low: u64 = 0;
  const near = high > NEAR << 52 ? high - (NEAR << 52) : 0;
  if (reaching(values, count, reinterpret<f64>(near)) >= k) low = near;
  else high = near;
  while (high - low > 1) {
    const middle = low + ((high - low) >> 1);
    const found = reaching(values, count, reinterpret<f64>(middle));
    if (found >= k) {
      if (found <= k + slack) return reinterpret<f64>(middle);
      low = middle;
    } else high = middle;
  }
  return reinterpret<f64>(low);
}

/** How many of `count` whole numbers, a multiple of four, are at least `least`. */
// @ts-expect-error
@inline
function reachingInts(values: usize, count: i32, least: i32): i32 {
  const bounds = i32x4.splat(least);
  let found = i32x4.splat(0);
  for (const end = values + (<usize>count << 2); values < end; values += 16) {
    found = i32x4.sub(found, i32x4.ge_s(v128.load(values), bounds));
  }
  const halves = i32x4.add(found, v128.shuffle<i32>(found, found, 2, 3, 0, 1));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/**
 * A number that at least k of `count` numbers reach, none of them negative, and often not many more than `slack` besides; 0 if
 * fewer are above 0. As `separator`, but on the upper halves of the bits alone, which it puts to `scratch` first: four
 * fit where two numbers did. `count` is even.
 */
export function coarseSeparator(values: usize, count: i32, k: i32, slack: i32, scratch: usize): f64 {
  const ints = (count + 3) & ~3;
  let greatest = i32x4.splat(0);
  let to = scratch;
  let from = values;
  for (const end = values + (<usize>(count & ~3) << 3); from < end; from += 32) {
    const four = v128.shuffle<i32>(v128.load(from), v128.load(from, 16), 1, 3, 5, 7);
    v128.store(to, four);
    greatest = i32x4.max_s(greatest, four);
    to += 16;
  }
  if (count & 2) {
    const four = v128.shuffle<i32>(v128.load(from), i64x2.splat(0), 1, 3, 5, 7);
    v128.store(to, four);
    greatest = i32x4.max_s(greatest, four);
  }
  const halves = i32x4.max_s(greatest, v128.shuffle<i32>(greatest, greatest, 2, 3, 0, 1));
  let high = max(i32x4.extract_lane(halves, 0), i32x4.extract_lane(halves, 1)) + 1;
  let low = 0;
  const near = high - (<i32>NEAR << 20);
  if (near > 0) {
    if (reachingInts(scratch, ints, near) >= k) low = near;
    else high = near;
  }
  while (high - low > 1) {
    const middle = low + ((high - low) >> 1);
    const found = reachingInts(scratch, ints, middle);
    if (found >= k) {
      low = middle;
      if (found <= k + slack) break;
    } else high = middle;
  }
  return reinterpret<f64>(<u64>low << 32);
}
