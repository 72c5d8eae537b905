// Search in sorted arrays.

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
