// How far two sequences are apart: the fewest symbols to put in, take out or change that make one of the other.
//   d(i, j) = min(d(i − 1, j − 1) + [aᵢ ≠ bⱼ], d(i − 1, j) + 1, d(i, j − 1) + 1)

/** Levenshtein distance of two sequences, row by row. */
export function editDistance<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j); // [b.length + 1]
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(change, previous[j] + 1, current[j - 1] + 1));
    }
    previous = current;
  }
  return previous[b.length];
}
