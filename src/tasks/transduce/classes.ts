// Classes of input symbols, so that what is learned of one letter holds for others of its kind. A view is the input with a
// class in place of each symbol. Some are Unicode's: letters without accents, accents without letters. Others are found in the
// inputs: classes c that predict each other best where they stand side by side,
//   most of  Σ N(c, d) ln N(c, d) - 2 Σ N(c) ln N(c),
// by the exchange of single symbols. With two classes these are mostly vowels and consonants.

import type { Alphabet } from "../../engine/alphabet.js";
import { decomposed } from "../../util/characters.js";
import { inputOf, type PairCorpus } from "./pairs.js";

/** [symbols + 2] the class of each input symbol, of any unknown one, and of the outside. */
export type View = Int32Array;

/** How many classes are found in the inputs, for each view. */
const SIZES = [2, 6];
/** Fewer symbols than this for each class tell nothing that the symbols themselves do not. */
const SYMBOLS_PER_CLASS = 3;

export function viewsOf(corpus: PairCorpus, alphabet: Alphabet): View[] {
  const views: View[] = [];
  for (const text of [letterOf, accentsOf]) {
    const view = viewBy(alphabet, text);
    if (new Set(view).size > 3 && new Set(view).size < view.length) views.push(view);
  }
  for (const size of SIZES) {
    if (alphabet.size >= SYMBOLS_PER_CLASS * size) views.push(exchangeClasses(corpus, alphabet.size, size));
  }
  return views;
}

/** A symbol without its accents, in small letters; an accent that is a symbol of its own is what it is. */
function letterOf(symbol: string): string {
  return (
    decomposed(symbol)
      .replace(/\p{M}+/gu, "")
      .toLowerCase() || symbol
  );
}

function accentsOf(symbol: string): string {
  const marks = decomposed(symbol).match(/\p{M}/gu) ?? [];
  return letterOf(symbol) === symbol ? "" : marks.join("");
}

function viewBy(alphabet: Alphabet, text: (symbol: string) => string): View {
  const numbers = new Map<string, number>();
  const view = new Int32Array(alphabet.size + 2);
  alphabet.all().forEach((name, symbol) => {
    const key = text(name);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    view[symbol] = numbers.get(key) as number;
  });
  return closed(view, numbers.size);
}

/** With classes of their own for unknown symbols and the outside. */
function closed(view: View, classes: number): View {
  view[view.length - 2] = classes;
  view[view.length - 1] = classes + 1;
  return view;
}

const MOST_SWEEPS = 30;

/** Classes of symbols found by exchange; the outside is a class of its own. */
export function exchangeClasses(corpus: PairCorpus, symbols: number, size: number): View {
  const counts = neighbours(corpus, symbols);
  const view = firstClasses(counts, symbols, size);
  const table = new ClassTable(counts, view, symbols + 1, size + 1);
  for (let sweep = 0, moved = true; moved && sweep < MOST_SWEEPS; sweep++) {
    moved = false;
    for (let symbol = 0; symbol < symbols; symbol++) {
      const best = table.bestClass(symbol, size);
      if (best === view[symbol]) continue;
      table.move(symbol, best);
      moved = true;
    }
  }
  const found = new Int32Array(symbols + 2);
  found.set(view.subarray(0, symbols));
  return closed(found, size);
}

/** [symbols + 1][symbols + 1] how often a symbol stands before another; the last one is the outside. */
function neighbours(corpus: PairCorpus, symbols: number): Float64Array {
  const counts = new Float64Array((symbols + 1) ** 2);
  for (let i = 0; i < corpus.inputCount; i++) {
    let before = symbols;
    for (const symbol of inputOf(corpus, i)) {
      counts[before * (symbols + 1) + symbol]++;
      before = symbol;
    }
    counts[before * (symbols + 1) + symbols]++;
  }
  return counts;
}

/** The most frequent symbols take turns; the outside has the last class. */
function firstClasses(counts: Float64Array, symbols: number, size: number): Int32Array {
  const frequency = (symbol: number): number =>
    counts.subarray(symbol * (symbols + 1), (symbol + 1) * (symbols + 1)).reduce((sum, count) => sum + count, 0);
  const order = Array.from({ length: symbols }, (_, symbol) => ({ symbol, often: frequency(symbol) }));
  order.sort((a, b) => b.often - a.often || a.symbol - b.symbol);
  const view = new Int32Array(symbols + 1);
  order.forEach(({ symbol }, rank) => {
    view[symbol] = rank % size;
  });
  view[symbols] = size;
  return view;
}

/** Counts of neighbouring classes, and what it is worth to move a symbol. */
class ClassTable {
  /** [classes][classes] */
  private readonly pairs: Float64Array;
  /** [classes] */
  private readonly single: Float64Array;
  /** [classes] the symbol at hand before and after each class. */
  private readonly after: Float64Array;
  private readonly before: Float64Array;

  constructor(
    private readonly counts: Float64Array,
    private readonly view: Int32Array,
    private readonly symbols: number,
    private readonly classes: number,
  ) {
    this.pairs = new Float64Array(classes * classes);
    this.single = new Float64Array(classes);
    this.after = new Float64Array(classes);
    this.before = new Float64Array(classes);
    for (let a = 0; a < symbols; a++) {
      for (let b = 0; b < symbols; b++) {
        this.pairs[view[a] * classes + view[b]] += counts[a * symbols + b];
        this.single[view[a]] += counts[a * symbols + b];
      }
    }
  }

  /** The class in which a symbol is worth most. The sums over all classes are small, so they are taken anew each time. */
  bestClass(symbol: number, size: number): number {
    const own = this.view[symbol];
    let best = own;
    let most = this.value();
    for (let c = 0; c < size; c++) {
      if (c === own) continue;
      this.move(symbol, c);
      const value = this.value();
      if (value > most + 1e-9 * Math.abs(most)) [best, most] = [c, value];
    }
    this.move(symbol, own);
    return best;
  }

  move(symbol: number, to: number): void {
    const { counts, view, symbols, classes, pairs, single, after, before } = this;
    const from = view[symbol];
    if (from === to) return;
    after.fill(0);
    before.fill(0);
    let total = 0;
    for (let other = 0; other < symbols; other++) {
      total += counts[symbol * symbols + other];
      if (other === symbol) continue;
      after[view[other]] += counts[symbol * symbols + other];
      before[view[other]] += counts[other * symbols + symbol];
    }
    for (let c = 0; c < classes; c++) {
      pairs[from * classes + c] -= after[c];
      pairs[to * classes + c] += after[c];
      pairs[c * classes + from] -= before[c];
      pairs[c * classes + to] += before[c];
    }
    const doubled = counts[symbol * symbols + symbol];
    pairs[from * classes + from] -= doubled;
    pairs[to * classes + to] += doubled;
    single[from] -= total;
    single[to] += total;
    view[symbol] = to;
  }

  private value(): number {
    let sum = 0;
    for (const count of this.pairs) if (count > 0) sum += count * Math.log(count);
    for (const count of this.single) if (count > 0) sum -= 2 * count * Math.log(count);
    return sum;
  }
}
