// Search by halving: in sorted arrays, in ranges of whole numbers, and between two numbers.

/** Where a value stands among the rising values from `from` up to `to`, or -1. */
export function indexOfSorted(values: Int32Array, from: number, to: number, wanted: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low < to && values[low] === wanted ? low : -1;
}

/** The least whole number from `from` up to `to` for which something holds, as it does for all that are greater; else `to`. */
export function firstWhere(from: number, to: number, holds: (i: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Where between `low` and `high` something begins to hold, as it does for all that is greater, within `(high - low) / 2^steps`;
 * from above.
 */
export function bisect(low: number, high: number, steps: number, holds: (x: number) => boolean): number {
  for (let i = 0; i < steps; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
