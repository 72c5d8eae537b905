// Golden-section search: where a function of one number with a single valley is least. Each step keeps the part of the
// interval that holds the least value seen and costs one evaluation.

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** A place within `tolerance` of the minimum of `loss` between `low` and `high`. */
export function minimise(loss: (x: number) => number, low: number, high: number, tolerance: number): number {
  let a = high - GOLDEN * (high - low);
  let b = low + GOLDEN * (high - low);
  let atA = loss(a);
  let atB = loss(b);
  while (high - low > tolerance) {
    if (atA < atB) {
      high = b;
      b = a;
      atB = atA;
      a = high - GOLDEN * (high - low);
      atA = loss(a);
    } else {
      low = a;
      a = b;
      atA = atB;
      b = low + GOLDEN * (high - low);
      atB = loss(b);
    }
  }
  return (low + high) / 2;
}
