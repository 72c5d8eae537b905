// A hash table of pairs of integers.

/**
 * Numbers pairs of integers in order of first appearance: an open-addressing table on typed arrays, so that millions of
 * pairs take a few bytes each.
 */
export class PairIndex {
  /** [size] in use. */
  first = new Int32Array(64);
  second = new Int32Array(64);
  size = 0;
  /** [power of two] number + 1 of the pair at a place, 0 where it is free. */
  private places = new Int32Array(128);

  /** The number of a pair, or -1. */
  indexOf(first: number, second: number): number {
    return this.places[this.placeOf(first, second)] - 1;
  }

  /** The number of a pair, which is given one if it has none yet. */
  add(first: number, second: number): number {
    let place = this.placeOf(first, second);
    if (this.places[place] > 0) return this.places[place] - 1;
    if (this.size === this.first.length) {
      this.grow();
      place = this.placeOf(first, second);
    }
    const number = this.size++;
    this.first[number] = first;
    this.second[number] = second;
    this.places[place] = number + 1;
    return number;
  }

  private placeOf(first: number, second: number): number {
    const { places, first: firsts, second: seconds } = this;
    const mask = places.length - 1;
    let hash = Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b);
    hash ^= hash >>> 15;
    let place = Math.imul(hash, 0xc2b2ae35) & mask;
    for (; places[place] > 0; place = (place + 1) & mask) {
      const number = places[place] - 1;
      if (firsts[number] === first && seconds[number] === second) break;
    }
    return place;
  }

  private grow(): void {
    const room = this.size * 2;
    const { first, second } = this;
    this.first = new Int32Array(room);
    this.second = new Int32Array(room);
    this.first.set(first);
    this.second.set(second);
    this.places = new Int32Array(room * 2);
    for (let number = 0; number < this.size; number++) {
      this.places[this.placeOf(first[number], second[number])] = number + 1;
    }
  }

  /**
   * The numbers of all pairs, ordered by first, which is below `firstCount`, and then by second, which is below
   * `secondCount`: two counting sorts, the lesser key first. `start`, [firstCount + 1], is where those of a first begin.
   */
  sorted(firstCount: number, secondCount: number): { order: Int32Array; start: Int32Array } {
    const { first, second, size } = this;
    const place = new Int32Array(secondCount + 1);
    for (let number = 0; number < size; number++) place[second[number] + 1]++;
    for (let s = 0; s < secondCount; s++) place[s + 1] += place[s];
    const bySecond = new Int32Array(size);
    for (let number = 0; number < size; number++) bySecond[place[second[number]]++] = number;
    const start = new Int32Array(firstCount + 1);
    for (let number = 0; number < size; number++) start[first[number] + 1]++;
    for (let f = 0; f < firstCount; f++) start[f + 1] += start[f];
    const next = start.slice(0, firstCount);
    const order = new Int32Array(size);
    for (const number of bySecond) order[next[first[number]]++] = number;
    return { order, start };
  }
}
