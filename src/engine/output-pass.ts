// The probability of an output and its best path, in a trellis that has had its backward pass. Contexts are then the states of a
// Markov chain that takes arc (c, y) with probability posterior(arc) / posterior(c), so with w the first symbols of the output
//   A(c, w) = probability that a path passes context c when it has written w, and B(c, w) that of the best such path
// follow from those of the contexts before. Unlike the pruned pass, this needs no path to begin with, and gives one.

import { grown, type Trellis } from "./trellis.js";

export interface OutputPath {
  /** That a path writes the output, whichever it is. */
  probability: number;
  /** The decisions of the best path that does. */
  symbols: number[];
}

export class OutputPass {
  // An entry for each (c, w) that a path comes to, those of the shortest w first.
  private context = new Int32Array(1024);
  /** A(c, w) / posterior(c), and the same of B. */
  private share = new Float64Array(1024);
  private bestShare = new Float64Array(1024);
  /** The entry that the best path comes from. */
  private from = new Int32Array(1024);

  // [contextCount] of the w at hand, while they are summed; zero outside.
  private passing = new Float64Array(256);
  private bestPassing = new Float64Array(256);
  private bestFrom = new Int32Array(256);
  /** [contextCount / 32] a bit for each context that is passed: few are, and the others need not be looked at. */
  private isPassed = new Int32Array(8);

  /** [symbols of the output + 1] where the entries of each w begin. */
  private start = new Int32Array(64);

  /** `free` is the symbol that writes nothing. Undefined if no path writes the output, or none that numbers can tell from nothing. */
  find(trellis: Trellis, output: ArrayLike<number>, free: number): OutputPath | undefined {
    const { contextCount, slotStart } = trellis;
    const end = contextCount - 1;
    this.makeRoom(contextCount, output.length);
    const { start } = this;
    this.pass(slotStart[0], 1, 1, -1);
    let count = this.goOn(trellis, free, 0);
    for (let n = 0; n < output.length; n++) {
      this.clear(end); // what ends before all is written is not the output
      start[n + 1] = count;
      for (let i = start[n]; i < start[n + 1]; i++) this.take(trellis, i, output[n]);
      count = this.goOn(trellis, free, count);
    }
    const probability = this.passing[end];
    const isThere = this.bestPassing[end] > 0;
    this.clear(end);
    return isThere ? { probability, symbols: this.pathTo(this.bestFrom[end], output, free) } : undefined;
  }

  /** Goes on by `free` from the contexts that are passed, in order, but for the end. Returns how many entries there are by then. */
  private goOn(trellis: Trellis, free: number, entries: number): number {
    const { posterior, contextCount } = trellis;
    const { passing, bestPassing, bestFrom, isPassed, context, share, bestShare, from } = this;
    const end = contextCount - 1;
    let count = entries;
    // Arcs lead to later contexts, so what is passed is complete when its turn comes.
    for (let word = 0; word <= end >> 5; word++) {
      while (isPassed[word] !== 0) {
        const lowest = isPassed[word] & -isPassed[word];
        const c = (word << 5) + 31 - Math.clz32(lowest);
        if (c === end) break;
        isPassed[word] ^= lowest;
        context[count] = c;
        share[count] = passing[c] / posterior[c];
        bestShare[count] = bestPassing[c] / posterior[c];
        from[count] = bestFrom[c];
        passing[c] = 0;
        bestPassing[c] = 0;
        this.take(trellis, count++, free);
      }
    }
    return count;
  }

  /** Takes the arc of an entry's context by a symbol. */
  private take({ arcStart, arcTarget, arcPosterior }: Trellis, entry: number, symbol: number): void {
    const arc = arcStart[this.context[entry]] + symbol;
    const target = arcTarget[arc];
    if (target < 0) return;
    const part = this.share[entry] * arcPosterior[arc];
    if (part > 0) this.pass(target, part, this.bestShare[entry] * arcPosterior[arc], entry);
  }

  private pass(context: number, part: number, best: number, entry: number): void {
    this.passing[context] += part;
    if (best > this.bestPassing[context]) {
      this.bestPassing[context] = best;
      this.bestFrom[context] = entry;
    }
    this.isPassed[context >> 5] |= 1 << (context & 31);
  }

  private clear(context: number): void {
    this.passing[context] = 0;
    this.bestPassing[context] = 0;
    this.isPassed[context >> 5] &= ~(1 << (context & 31));
  }

  /** The decisions of a path to the end, from the last entry before it. */
  private pathTo(last: number, output: ArrayLike<number>, free: number): number[] {
    const symbols: number[] = [];
    let written = output.length;
    for (let entry = last; entry >= 0; entry = this.from[entry]) {
      const isFree = entry >= this.start[written];
      symbols.push(isFree ? free : output[written - 1]);
      if (!isFree) written--;
    }
    return symbols.reverse();
  }

  /** For so many contexts, each with all that may be written. */
  private makeRoom(contexts: number, length: number): void {
    const entries = contexts * (length + 1);
    if (length >= this.start.length) this.start = grown(this.start, length + 1);
    if (contexts > this.passing.length) {
      this.passing = grown(this.passing, contexts);
      this.bestPassing = grown(this.bestPassing, contexts);
      this.bestFrom = grown(this.bestFrom, contexts);
      this.isPassed = grown(this.isPassed, (this.passing.length >> 5) + 1);
    }
    if (entries > this.context.length) {
      this.context = grown(this.context, entries);
      this.share = grown(this.share, entries);
      this.bestShare = grown(this.bestShare, entries);
      this.from = grown(this.from, entries);
    }
  }
}
