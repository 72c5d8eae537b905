// A model of the words that outputs are made of, from the outputs of the training pairs: which words there are, how they
// follow each other, and how unknown ones are spelled. Everything is interpolated as Witten and Bell do, where N is how often
// a history was seen and D how many different events followed it:
//   P(w | history) = (count(history, w) + D P(w | shorter history)) / (N + D)
// Words after the word before; below that words alone; below that symbols after up to four others, over distinct words.

/** How often words of training outputs follow each other: all that a model of words is made of. */
export interface WordCounts {
  /** [words + 1] first symbol of each word in `symbols`. */
  start: Int32Array;
  symbols: Int32Array;
  /** [pairs] numbers of words; -1 stands for the beginning. */
  first: Int32Array;
  /** [pairs] numbers of words; -1 stands for the end. */
  second: Int32Array;
  /** [pairs] */
  count: Int32Array;
}

/** The beginning of a sequence as part of a history, and its end as an event. */
const EDGE = -1;
/** Symbols before, at most, that the next one of an unknown word depends on. */
const SPELLING_ORDER = 4;

/** The words of an output: what stands between separators. */
function wordsIn(output: ArrayLike<number>, separator: number): number[][] {
  const words: number[][] = [[]];
  for (let i = 0; i < output.length; i++) {
    if (output[i] === separator) words.push([]);
    else words[words.length - 1].push(output[i]);
  }
  return words;
}

/** Counts the words of outputs, each with how often it was given. */
export function countWords(
  outputs: Iterable<{ output: ArrayLike<number>; count: number }>,
  separator: number,
): WordCounts {
  const numbers = new Map<string, number>();
  const words: number[][] = [];
  const pairs = new Map<string, { first: number; second: number; count: number }>();
  for (const { output, count } of outputs) {
    const found = wordsIn(output, separator).map((word) => {
      const key = word.join();
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, words.length);
      return words.push(word) - 1;
    });
    for (let i = 0; i <= found.length; i++) {
      const first = found[i - 1] ?? EDGE;
      const second = found[i] ?? EDGE;
      const key = `${first} ${second}`;
      const pair = pairs.get(key);
      if (pair) pair.count += count;
      else pairs.set(key, { first, second, count });
    }
  }
  const start = new Int32Array(words.length + 1);
  words.forEach((word, w) => {
    start[w + 1] = start[w] + word.length;
  });
  const list = [...pairs.values()];
  return {
    start,
    symbols: Int32Array.from(words.flat()),
    first: Int32Array.from(list, ({ first }) => first),
    second: Int32Array.from(list, ({ second }) => second),
    count: Int32Array.from(list, ({ count }) => count),
  };
}

/** What followed the histories of one kind. */
class Followers {
  private readonly byHistory = new Map<string, { total: number; counts: Map<number, number> }>();

  add(history: string, event: number, count: number): void {
    let followers = this.byHistory.get(history);
    if (!followers) {
      followers = { total: 0, counts: new Map() };
      this.byHistory.set(history, followers);
    }
    followers.total += count;
    followers.counts.set(event, (followers.counts.get(event) ?? 0) + count);
  }

  /** The log-probability of an event after a history, given that after the shorter one. */
  log(history: string, event: number | undefined, shorter: number): number {
    const followers = this.byHistory.get(history);
    if (!followers) return shorter;
    const { total, counts } = followers;
    const seen = event === undefined ? undefined : counts.get(event);
    // Long unknown words have probabilities too small for numbers; known ones have not.
    if (seen === undefined) return shorter + Math.log(counts.size / (total + counts.size));
    return Math.log((seen + counts.size * Math.exp(shorter)) / (total + counts.size));
  }
}

export class WordModel {
  /** By symbols as text. */
  private readonly numbers = new Map<string, number>();
  private readonly words = new Followers();
  private readonly spelling = new Followers();

  constructor(
    readonly counts: WordCounts,
    /** The symbol between words. */
    readonly separator: number,
    /** Symbols of outputs. */
    private readonly symbolCount: number,
  ) {
    const { start, symbols, first, second, count } = counts;
    for (let w = 0; w + 1 < start.length; w++) {
      const word = [...symbols.subarray(start[w], start[w + 1])];
      this.numbers.set(word.join(), w);
      eachSymbol(word, (symbol, histories) => {
        for (const history of histories) this.spelling.add(history, symbol, 1);
      });
    }
    for (let p = 0; p < count.length; p++) {
      this.words.add("", second[p], count[p]);
      this.words.add(`${first[p]}`, second[p], count[p]);
    }
  }

  /** The log-probability of an output. */
  logProbability(output: ArrayLike<number>): number {
    let before: number | undefined = EDGE;
    let sum = 0;
    for (const word of wordsIn(output, this.separator)) {
      const number = this.numbers.get(word.join());
      sum += this.log(before, number, this.spelled(word));
      before = number;
    }
    // The end is no word that could be spelled.
    return sum + this.log(before, EDGE, Number.NEGATIVE_INFINITY);
  }

  /** Of a word, known or not (undefined), after another. */
  private log(before: number | undefined, word: number | undefined, spelled: number): number {
    const alone = this.words.log("", word, spelled);
    return before === undefined ? alone : this.words.log(`${before}`, word, alone);
  }

  /** The log-probability that a word has this spelling. */
  private spelled(word: readonly number[]): number {
    let sum = 0;
    eachSymbol(word, (symbol, histories) => {
      let log = -Math.log(this.symbolCount); // all but the separator, and the end
      for (const history of histories) log = this.spelling.log(history, symbol, log);
      sum += log;
    });
    return sum;
  }
}

/** Visits the symbols of a word and its end, each with its histories from the shortest to the longest. */
function eachSymbol(word: readonly number[], visit: (symbol: number, histories: readonly string[]) => void): void {
  const events = [EDGE, ...word, EDGE];
  for (let i = 1; i < events.length; i++) {
    const longest = Math.min(SPELLING_ORDER, i);
    const histories = Array.from({ length: longest + 1 }, (_, length) => events.slice(i - length, i).join());
    visit(events[i], histories);
  }
}
