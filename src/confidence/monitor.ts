// What precision answers have, watched as they are checked one after another: bounds that are true at all times together with
// probability `confidence`, however often one looks and whenever one stops (a confidence sequence).
//
// A sequence has A checked answers, at most K, and W wrong ones among them; Z = W − αA has mean 0 if the precision is 1 − α. For
// each precision on a grid there are two bets, that it is higher (the capital is multiplied by 1 − λZ) and that it is lower
// (by 1 + λZ). At the true precision neither can be expected to gain, so with probability 1 − δ neither ever reaches 2 / δ (Ville);
// the bounds enclose the precisions of which that is so. (Waudby-Smith and Ramdas, "Estimating means of bounded random variables
// by betting", 2024.) Nothing is assumed of how the answers of one sequence depend on each other.

/** Parts of the greatest stake that a bet can have; the capital begins spread evenly over them. */
const STAKES = [0.02, 0.05, 0.1, 0.2, 0.4, 0.7];

/** [precisions] ascending, denser where few answers are wrong. */
const GRID = gridOf();

function gridOf(): number[] {
  const points = new Set<number>();
  for (let i = 1; i < 100; i++) points.add(i / 100);
  for (let i = 0; i <= 100; i++) points.add(Number((1 - 10 ** (-1 - i / 50)).toPrecision(6)));
  return [...points].sort((a, b) => a - b);
}

export interface PrecisionBounds {
  /** Sequences with checked answers, the answers, and how many of them are wrong. */
  sequences: number;
  answers: number;
  wrong: number;
  /** The share that is right; undefined without answers. */
  precision?: number;
  lower: number;
  upper: number;
}

export class PrecisionMonitor {
  private readonly limit: number;
  /** [precisions][stakes] logs of capital: that the precision is higher than the one of the grid, and that it is lower. */
  private readonly higher: Float64Array;
  private readonly lower: Float64Array;
  /** [precisions] whether a bet against it has been won. */
  private readonly isTooLow = new Uint8Array(GRID.length);
  private readonly isTooHigh = new Uint8Array(GRID.length);
  private sequences = 0;
  private answers = 0;
  private wrong = 0;

  /** `most`: answers of one sequence, at most. */
  constructor(
    private readonly most: number,
    readonly confidence = 0.95,
  ) {
    this.limit = Math.log(2 / (1 - confidence)) + Math.log(STAKES.length);
    this.higher = new Float64Array(GRID.length * STAKES.length);
    this.lower = new Float64Array(GRID.length * STAKES.length);
  }

  /** Takes in a sequence: how many of its answers were checked, and how many of these are wrong. */
  add(answered: number, wrong: number): void {
    if (!(wrong >= 0 && wrong <= answered && answered <= this.most)) {
      throw new RangeError(`${wrong} of ${answered} answers wrong, where ${this.most} are possible`);
    }
    if (answered === 0) return;
    this.sequences++;
    this.answers += answered;
    this.wrong += wrong;
    GRID.forEach((precision, p) => {
      const alpha = 1 - precision;
      const z = wrong - alpha * answered;
      if (!this.isTooLow[p] && this.bet(this.higher, p, -z / (precision * this.most)) >= this.limit)
        this.isTooLow[p] = 1;
      if (!this.isTooHigh[p] && this.bet(this.lower, p, z / (alpha * this.most)) >= this.limit) this.isTooHigh[p] = 1;
    });
  }

  bounds(): PrecisionBounds {
    const { sequences, answers, wrong } = this;
    let low = 0;
    while (low < GRID.length && this.isTooLow[low]) low++;
    let high = GRID.length - 1;
    while (high >= 0 && this.isTooHigh[high]) high--;
    return {
      ...{ sequences, answers, wrong },
      ...(answers > 0 && { precision: 1 - wrong / answers }),
      lower: low === 0 ? 0 : GRID[low - 1],
      upper: high === GRID.length - 1 ? 1 : GRID[high + 1],
    };
  }

  /** Bets each stake on a gain that is at least −1; the log of the capital, times the number of stakes. */
  private bet(capital: Float64Array, p: number, gain: number): number {
    let top = Number.NEGATIVE_INFINITY;
    for (let s = 0; s < STAKES.length; s++) {
      const at = p * STAKES.length + s;
      capital[at] += Math.log1p(STAKES[s] * gain);
      top = Math.max(top, capital[at]);
    }
    let sum = 0;
    for (let s = 0; s < STAKES.length; s++) sum += Math.exp(capital[p * STAKES.length + s] - top);
    return top + Math.log(sum);
  }
}
