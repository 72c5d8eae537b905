// A typed array that grows as numbers are pushed, by doubling.

export class Numbers<A extends Int32Array | Float64Array | Uint8Array> {
  length = 0;
  private array: A;

  constructor(private readonly make: (length: number) => A) {
    this.array = make(64);
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1);
    this.array[this.length++] = value;
  }

  /** Pushes `from[begin]` to `from[end - 1]`. */
  pushRange(from: A, begin: number, end: number): void {
    const array = this.reserved(end - begin);
    let at = this.length;
    for (let i = begin; i < end; i++) array[at++] = from[i];
    this.length = at;
  }

  /** The array itself, as `lent` gives it, with room for so many more. */
  reserved(more: number): A {
    if (this.length + more > this.array.length) this.reserve(more);
    return this.array;
  }

  private reserve(more: number): void {
    const larger = this.make(Math.max(2 * this.array.length, this.length + more));
    larger.set(this.array);
    this.array = larger;
  }

  taken(): A {
    return this.array.slice(0, this.length) as A;
  }

  /** The array itself, of which the first `length` numbers count, until more are pushed. */
  lent(): A {
    return this.array;
  }
}

/** An array with room for one more place, and as much again. */
export function withRoom(array: Int32Array<ArrayBuffer>, at: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * (at + 1));
  larger.set(array);
  return larger;
}
