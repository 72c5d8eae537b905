// Weights and AdaGrad's sums of squares as they travel between machines. A round moves most of them by next to nothing, so only some
// are told, in single precision, and sums of squares in half of that: three digits are enough for the length of a step.

/** Nearer to each other than this, weights say the same: a tagger's file leaves out weights of attributes ten times as large. */
export const SLIGHT = 1e-3;

export interface Thin {
  /** [entries] bits, eight to a byte: whether an entry is told. */
  told: Uint8Array;
  /** [entries told] */
  weights: Float32Array;
  /** [entries told] the upper halves of 32-bit floats; none where weights are only used. */
  squares: Uint16Array;
  /** [entries told] averages of the weights; none where they are not asked for. */
  averages: Float32Array;
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** The upper half of a number that is not negative, as a 32-bit float; to the nearest. */
function upperHalf(value: number): number {
  single[0] = value;
  return (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) >>> 16;
}

/** A sum of squares of its upper half. */
export function fromUpperHalf(half: number): number {
  bits[0] = half << 16;
  return single[0];
}

/** A sum of squares as it arrives. */
export function roundedSquare(square: number): number {
  return fromUpperHalf(upperHalf(square));
}

/** Writes entries, in rising order; what it gives holds until it begins again. */
export class ThinWriter {
  private readonly told: Uint8Array;
  private readonly weights: Float32Array;
  private readonly squares: Uint16Array;
  private readonly averages: Float32Array;
  private count = 0;

  constructor(entries: number, { squares = false, averages = false } = {}) {
    this.told = new Uint8Array(Math.ceil(entries / 8));
    this.weights = new Float32Array(entries);
    this.squares = new Uint16Array(squares ? entries : 0);
    this.averages = new Float32Array(averages ? entries : 0);
  }

  begin(): this {
    this.told.fill(0);
    this.count = 0;
    return this;
  }

  tell(entry: number, weight: number, square = 0, average = 0): void {
    this.told[entry >> 3] |= 1 << (entry & 7);
    if (this.squares.length > 0) this.squares[this.count] = upperHalf(square);
    if (this.averages.length > 0) this.averages[this.count] = average;
    this.weights[this.count++] = weight;
  }

  done(): Thin {
    const { told, weights, squares, averages, count } = this;
    return {
      told,
      weights: weights.subarray(0, count),
      squares: squares.subarray(0, count),
      averages: averages.subarray(0, count),
    };
  }
}

/** Finds entries, in rising order: none that is told may be passed over but by `pass`. */
export class ThinReader {
  private readonly told: Uint8Array;
  private at = 0;

  constructor(thin: Thin) {
    this.told = thin.told;
  }

  /** Where an entry stands among those told; -1 if it is not. */
  find(entry: number): number {
    return (this.told[entry >> 3] & (1 << (entry & 7))) === 0 ? -1 : this.at++;
  }

  /** Passes over the entries before `to`. */
  pass(entry: number, to: number): void {
    for (let e = entry; e < to; e++) this.at += (this.told[e >> 3] >> (e & 7)) & 1;
  }
}

/** Weights to be used. */
export function thinned(weights: Float64Array, room = new ThinWriter(weights.length)): Thin {
  const thin = room.begin();
  for (let e = 0; e < weights.length; e++) if (Math.abs(weights[e]) >= SLIGHT) thin.tell(e, weights[e]);
  return thin.done();
}

/** All entries; those that are not told are zero. */
export function spread(thin: Thin, weights: Float64Array, squares?: Float64Array): void {
  const { told } = thin;
  weights.fill(0);
  squares?.fill(0);
  let at = 0;
  for (let byte = 0; byte < told.length; byte++) {
    for (let left = told[byte]; left !== 0; left &= left - 1) {
      const entry = 8 * byte + 31 - Math.clz32(left & -left);
      weights[entry] = thin.weights[at];
      if (squares) squares[entry] = fromUpperHalf(thin.squares[at]);
      at++;
    }
  }
}

/** Weights as they would arrive. */
export function rounded(weights: Float64Array, arrived: Float64Array): Float64Array {
  for (let e = 0; e < weights.length; e++) arrived[e] = Math.abs(weights[e]) < SLIGHT ? 0 : Math.fround(weights[e]);
  return arrived;
}
