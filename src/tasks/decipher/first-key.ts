// A first key for a letter cipher: searches from many beginnings until the best end has been met three times, and then keys
// drawn in proportion to their likelihood.

import { generator } from "../../util/random.js";
import { type DecipherHooks, pausedAndStopped } from "./decipherment.js";
import { KeySearch, keySampleDefaults, keySearchDefaults } from "./key-search.js";
import type { Substitution } from "./substitution.js";

/** What the search for keys found. */
export interface FirstKey {
  /** [cipherCount] the best key; -1 for symbols that the part searched does not show. */
  key: Int32Array;
  /** Searches made. */
  tried: number;
  /** The same of keys drawn in proportion to their likelihood. */
  drawn: Int32Array[];
}

/** A search for keys looks at so many symbols of the text at most: enough to tell a key, and it stays quick. */
const MOST_SEARCHED = 2000;

/** Moves to draw keys, as many times those of one search. */
const DRAWING = 3;

/** The best key met this often is taken for the best there is. */
const RECURRENCES = 3;

export async function searchFirstKey(cipher: Substitution, restarts: number, hooks: DecipherHooks): Promise<FirstKey> {
  const { oneToOne, moves, seed } = cipher.options;
  const search = new KeySearch(firstOf(cipher.sequences), cipher.cipherCount, cipher.plainCount, cipher.language.ngram);
  const pause = (): Promise<boolean> => pausedAndStopped(hooks);
  const ends: { key: Int32Array; score: number }[] = []; // different ones, the best first
  let times = 0;
  let tried = 0;
  while (tried < restarts && times < RECURRENCES) {
    tried++;
    const options = { ...keySearchDefaults, moves, oneToOne };
    const found = await search.search(generator(seed, tried), options, cipher.allowed, pause);
    const same = ends.findIndex(({ score }) => Math.abs(found.score - score) < 1e-6 * Math.abs(score));
    if (same < 0) {
      const place = ends.findIndex(({ score }) => score < found.score);
      ends.splice(place < 0 ? ends.length : place, 0, found);
      if (ends[0] === found) times = 1;
    } else if (same === 0) times++;
    hooks.onSearch?.(tried, found.score, ends[0].score, () => cipher.named(ends[0].key));
    if (await pause()) break;
  }
  const drawn = await search.sample(
    ends.map((end) => end.key),
    generator(seed, 0),
    { ...keySampleDefaults, moves: DRAWING * moves, oneToOne },
    cipher.allowed,
    pause,
  );
  // What the part searched does not show is left open, for EM to find.
  const shown = (key: Int32Array): Int32Array => key.map((y, x) => (search.shows(x) ? y : -1));
  return { key: shown(ends[0].key), tried, drawn: drawn.map(shown) };
}

/** The first symbols of sequences, MOST_SEARCHED in all. */
function firstOf(sequences: readonly Int32Array[]): Int32Array[] {
  const part: Int32Array[] = [];
  let left = MOST_SEARCHED;
  for (const sequence of sequences) {
    if (left <= 0) break;
    part.push(sequence.slice(0, left));
    left -= sequence.length;
  }
  return part;
}
