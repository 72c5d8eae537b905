// Names and numbers: an alphabet gives every distinct string a number from 0 up, in order of first appearance.

export class Alphabet {
  private readonly numbers = new Map<string, number>();
  private readonly names: string[] = [];

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.add(name);
  }

  get size(): number {
    return this.names.length;
  }

  /** The number of a name, which is given one if it has none yet. */
  add(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.length;
    this.numbers.set(name, number);
    this.names.push(name);
    return number;
  }

  /** The number of a name, or -1. */
  indexOf(name: string): number {
    return this.numbers.get(name) ?? -1;
  }

  nameOf(number: number): string {
    return this.names[number];
  }

  /** All names, by number. Not to be changed. */
  all(): readonly string[] {
    return this.names;
  }
}
