// Word classes from text (Martin, Liermann and Ney, "Algorithms for bigram and trigram word clustering", 1998). With N(a, b) = how
// often a word of class a stands before one of class b, the log-likelihood of a class bigram model is, up to a constant,
//   F = Σ over a, b: h(N(a, b)) − Σ over a: h(N(a, ·)) − Σ over b: h(N(·, b)),     h(n) = n log n.
// A word is taken out of its class and put into the one where F is greatest, word by word, until few words move. Then classes
// are joined, the two that lose least of F first (Brown et al. 1992); the way of joining is a tree, which gives every class a string of
// bits: classes with a common beginning are alike.

import type { Bigrams } from "./bigrams.js";

/** Counts up to this have h in a table. */
const TABLE = 1 << 16;
const table = /* @__PURE__ */ Float64Array.from({ length: TABLE }, (_, n) => (n < 2 ? 0 : n * Math.log(n)));

function h(n: number): number {
  return n < TABLE ? table[n] : n * Math.log(n);
}

/** Counts of class bigrams. */
export class ClassCounts {
  /** [size][size] N(a, b), and the same turned: what follows a class, and what comes before it, lie side by side. */
  readonly after: Int32Array;
  readonly before: Int32Array;
  /** [size] N(a, ·) and N(·, b). */
  readonly left: Int32Array;
  readonly right: Int32Array;

  constructor(readonly size: number) {
    this.after = new Int32Array(size * size);
    this.before = new Int32Array(size * size);
    this.left = new Int32Array(size);
    this.right = new Int32Array(size);
  }

  add(a: number, b: number, count: number): void {
    this.addPair(a, b, count);
    this.left[a] += count;
    this.right[b] += count;
  }

  /** The same without N(a, ·) and N(·, b). */
  addPair(a: number, b: number, count: number): void {
    this.after[a * this.size + b] += count;
    this.before[b * this.size + a] += count;
  }

  /** F, from scratch. */
  objective(): number {
    let sum = 0;
    for (const n of this.after) sum += h(n);
    for (let a = 0; a < this.size; a++) sum -= h(this.left[a]) + h(this.right[a]);
    return sum;
  }
}

/** Words that move between classes. Two classes are for neighbours alone: the boundary's, and that of rare words. */
export class Exchange {
  /** [words + 2] Before a word has its turn, it is among the rare, unless it began a class. */
  readonly classOf: Int32Array;
  readonly counts: ClassCounts;
  private readonly size: number;
  // The word at hand: how often each class stands after it and before it, and which do. Itself is not counted.
  private readonly afterCount: Int32Array;
  private readonly beforeCount: Int32Array;
  private readonly afterClass: Int32Array;
  private readonly beforeClass: Int32Array;
  private afterSize = 0;
  private beforeSize = 0;
  /** How often it follows itself, how often anything follows it, and comes before it. */
  private own = 0;
  private leftCount = 0;
  private rightCount = 0;

  constructor(
    readonly bigrams: Bigrams,
    /** That words move between, at most as many as there are words. */
    readonly classCount: number,
  ) {
    const { words, after } = bigrams;
    this.size = classCount + 2;
    this.counts = new ClassCounts(this.size);
    this.classOf = Int32Array.from({ length: words.length + 2 }, (_, w) => (w < classCount ? w : classCount + 1));
    this.classOf[words.length] = classCount;
    for (let w = 0; w < words.length + 2; w++) {
      for (let i = after.start[w]; i < after.start[w + 1]; i++) {
        this.counts.add(this.classOf[w], this.classOf[after.word[i]], after.count[i]);
      }
    }
    this.afterCount = new Int32Array(this.size);
    this.beforeCount = new Int32Array(this.size);
    this.afterClass = new Int32Array(this.size);
    this.beforeClass = new Int32Array(this.size);
  }

  /** Puts a word where F is greatest; returns what F gained, 0 if the word stays. */
  move(word: number): number {
    const from = this.classOf[word];
    this.look(word);
    this.shift(from, -1);
    const isPlaced = from < this.classCount;
    const stays = this.gain(from);
    let best = from;
    let most = isPlaced ? stays : Number.NEGATIVE_INFINITY;
    for (let b = 0; b < this.classCount; b++) {
      if (b === from) continue;
      const gain = this.gain(b);
      if (gain > most) {
        most = gain;
        best = b;
      }
    }
    this.shift(best, 1);
    this.classOf[word] = best;
    return best === from ? 0 : most - stays;
  }

  /** Counts the classes beside a word. */
  private look(word: number): void {
    const { after, before } = this.bigrams;
    const { afterCount, beforeCount, afterClass, beforeClass, classOf } = this;
    for (let i = 0; i < this.afterSize; i++) afterCount[afterClass[i]] = 0;
    for (let i = 0; i < this.beforeSize; i++) beforeCount[beforeClass[i]] = 0;
    this.afterSize = 0;
    this.beforeSize = 0;
    this.own = 0;
    this.leftCount = 0;
    this.rightCount = 0;
    for (let i = after.start[word]; i < after.start[word + 1]; i++) {
      this.leftCount += after.count[i];
      if (after.word[i] === word) {
        this.own = after.count[i];
        continue;
      }
      const g = classOf[after.word[i]];
      if (afterCount[g] === 0) afterClass[this.afterSize++] = g;
      afterCount[g] += after.count[i];
    }
    for (let i = before.start[word]; i < before.start[word + 1]; i++) {
      this.rightCount += before.count[i];
      if (before.word[i] === word) continue;
      const g = classOf[before.word[i]];
      if (beforeCount[g] === 0) beforeClass[this.beforeSize++] = g;
      beforeCount[g] += before.count[i];
    }
  }

  /** Adds the word at hand to the counts of a class, or takes it out; its neighbours' own counts stay as they are. */
  private shift(to: number, sign: 1 | -1): void {
    const { counts, afterCount, beforeCount, afterClass, beforeClass } = this;
    for (let i = 0; i < this.afterSize; i++) counts.addPair(to, afterClass[i], sign * afterCount[afterClass[i]]);
    for (let i = 0; i < this.beforeSize; i++) counts.addPair(beforeClass[i], to, sign * beforeCount[beforeClass[i]]);
    counts.addPair(to, to, sign * this.own);
    counts.left[to] += sign * this.leftCount;
    counts.right[to] += sign * this.rightCount;
  }

  /** What F gains when the word at hand, which is in no class, is put into one. */
  private gain(to: number): number {
    const { counts, afterCount, beforeCount, afterClass, beforeClass, size } = this;
    const { after, before, left, right } = counts;
    const row = to * size;
    let sum = h(left[to]) - h(left[to] + this.leftCount) + h(right[to]) - h(right[to] + this.rightCount);
    for (let i = 0; i < this.afterSize; i++) {
      const g = afterClass[i];
      if (g === to) continue;
      const n = after[row + g];
      sum += h(n + afterCount[g]) - h(n);
    }
    for (let i = 0; i < this.beforeSize; i++) {
      const g = beforeClass[i];
      if (g === to) continue;
      const n = before[row + g];
      sum += h(n + beforeCount[g]) - h(n);
    }
    const within = after[row + to];
    return sum + h(within + afterCount[to] + beforeCount[to] + this.own) - h(within);
  }
}

/** Two classes that are joined: the first takes the second up. */
export interface Joined {
  into: number;
  from: number;
  /** What F loses. */
  loss: number;
}

/** Joins the first classes of the counts, which are changed, two by two until one is left. */
export function joinClasses(counts: ClassCounts, classCount: number): Joined[] {
  const alive = Array.from({ length: classCount }, (_, a) => a);
  const all = Array.from({ length: counts.size }, (_, a) => a); // neighbours: those alive and those that never join
  const loss = new Float64Array(classCount * classCount); // [a][b], a < b
  for (let a = 0; a < classCount; a++)
    for (let b = a + 1; b < classCount; b++) loss[a * classCount + b] = lossOf(counts, all, a, b);
  const joins: Joined[] = [];
  while (alive.length > 1) {
    let [into, from] = [alive[0], alive[1]];
    for (let i = 0; i < alive.length; i++) {
      const row = alive[i] * classCount;
      for (let k = i + 1; k < alive.length; k++) {
        if (loss[row + alive[k]] < loss[into * classCount + from]) [into, from] = [alive[i], alive[k]];
      }
    }
    joins.push({ into, from, loss: loss[into * classCount + from] });
    alive.splice(alive.indexOf(from), 1);
    // What the two were to a pair as neighbours is replaced by what they are together.
    const others = alive.filter((a) => a !== into);
    each(others, (a, b) => {
      loss[a * classCount + b] -= beside(counts, a, b, into) + beside(counts, a, b, from);
    });
    join(counts, into, from);
    all.splice(all.indexOf(from), 1);
    each(others, (a, b) => {
      loss[a * classCount + b] += beside(counts, a, b, into);
    });
    for (const a of others) loss[Math.min(a, into) * classCount + Math.max(a, into)] = lossOf(counts, all, a, into);
  }
  return joins;
}

function each(classes: readonly number[], pair: (a: number, b: number) => void): void {
  for (let i = 0; i < classes.length; i++) for (let k = i + 1; k < classes.length; k++) pair(classes[i], classes[k]);
}

/** h(x) + h(y) − h(x + y): what F loses when two of its terms become one. */
function lost(x: number, y: number): number {
  return x === 0 || y === 0 ? 0 : h(x) + h(y) - h(x + y);
}

/** What of the loss of joining a and b is due to their neighbour g. */
function beside({ after, before, size }: ClassCounts, a: number, b: number, g: number): number {
  return lost(after[a * size + g], after[b * size + g]) + lost(before[a * size + g], before[b * size + g]);
}

/** What F loses when a and b are joined. */
function lossOf(counts: ClassCounts, all: readonly number[], a: number, b: number): number {
  const { after, left, right, size } = counts;
  let sum = -lost(left[a], left[b]) - lost(right[a], right[b]);
  for (const g of all) if (g !== a && g !== b) sum += beside(counts, a, b, g);
  const [aa, ab, ba, bb] = [after[a * size + a], after[a * size + b], after[b * size + a], after[b * size + b]];
  return sum + h(aa) + h(ab) + h(ba) + h(bb) - h(aa + ab + ba + bb);
}

/** Counts of `from` become those of `into`. */
function join(counts: ClassCounts, into: number, from: number): void {
  const { after, size } = counts;
  for (let g = 0; g < size; g++) {
    const follows = after[from * size + g];
    if (follows > 0) {
      counts.add(from, g, -follows);
      counts.add(into, g === from ? into : g, follows);
    }
  }
  for (let g = 0; g < size; g++) {
    const precedes = after[g * size + from];
    if (precedes > 0) {
      counts.add(g, from, -precedes);
      counts.add(g, into, precedes);
    }
  }
}

/** [classCount] the bits of each class: 0 and 1 from the last joining to the first. */
export function bitsOf(joins: readonly Joined[], classCount: number): string[] {
  const bits = Array<string>(classCount).fill("");
  const members = Array.from({ length: classCount }, (_, a) => [a]);
  // From the first joining to the last, so each bit is put in front.
  for (const { into, from } of joins) {
    for (const a of members[into]) bits[a] = `0${bits[a]}`;
    for (const a of members[from]) bits[a] = `1${bits[a]}`;
    members[into].push(...members[from]);
  }
  return bits;
}
