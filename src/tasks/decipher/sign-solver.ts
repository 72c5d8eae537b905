// Solves a cipher whose signs stand for letters, for nothing, or for whole words: walks that cool down, longer ones as long as none
// comes to the best end again, and keys drawn around it to tell how sure the readings are.

import { keyLoops } from "../../engine/key-choice.js";
import { InputError } from "../../util/errors.js";
import { generator, shuffle } from "../../util/random.js";
import { belief } from "./belief.js";
import {
  type DecipherHooks,
  type Decipherment,
  type MappedSymbol,
  pausedAndStopped,
  type Reading,
} from "./decipherment.js";
import { SPACE } from "./language.js";
import { type End, note } from "./letter-search.js";
import { coolingOf } from "./letter-walks.js";
import { type SignReadings, SignWalk, signReadings } from "./sign-walk.js";
import type { Substitution } from "./substitution.js";
import { likeness, unicityDistance } from "./unicity.js";
import { fineTables } from "./walker.js";
import { wordScoreOf } from "./word-score.js";

/** Sweeps through all signs of the first walks and of the longest, walks of each length, and of all of them together. */
const SWEEPS = { first: 150, longest: 2400, walks: 3, most: 9600 };

/** Words are among the choices in every so manieth sweep: they take long. */
const WORDS_EVERY = 4;

/** Letters of a word that has a sign of its own. */
const SHORTEST_WORD = 2;

/** An end that so many walks came to is taken for the best. */
const RECURRENCES = 2;

/** Temperature at which keys are drawn around the best, in nats, and how many. */
const DRAWING = 1.5;
const DRAWS = 150;

/** Readings that are compared as words: so many nats above the best by letters; and how often all signs are. */
const WITHIN = 12;
const ROUNDS = 3;

/** Readings less probable than this are not told. */
const LEAST_TOLD = 0.01;

/** `nulls`: signs may stand for nothing; `nomenclator`: for one of so many words, the commonest. */
export async function solveSigns(cipher: Substitution, hooks: DecipherHooks): Promise<Decipherment> {
  const { language, options } = cipher;
  if (language.symbols.indexOf(SPACE) >= 0) {
    throw new InputError("options `nulls` and `nomenclator` need a text without spaces", {
      hint: 'set option `spaces` to "unknown" to ignore those of the cipher text',
    });
  }
  if (options.oneToOne) throw new InputError("option `oneToOne` cannot be used for keys with nulls or words");
  const words = wordsOf(cipher);
  const readings = signReadings(
    cipher.plainCount,
    options.nulls,
    words.map(({ letters }) => letters),
  );
  const names = [...language.symbols.all(), "", ...words.map(({ word }) => word)];
  const text = Int32Array.from(cipher.sequences.flatMap((sequence) => [...sequence]));
  const { ends, tried } = await search(cipher, readings, text, hooks);
  const walk = walkOf(cipher, readings, text);
  await polish(cipher, walk, readings, ends[0], hooks);
  const shares = hooks.shouldStop?.() ? undefined : await draw(cipher, walk, ends[0].key, hooks);
  if (shares) await believe(cipher, readings, { ends, tried }, shares, hooks);
  return decipherment(cipher, { readings, names, text }, { ends, tried, shares }, hooks);
}

/** The commonest words whose letters the language has. */
function wordsOf({ language, options }: Substitution): { word: string; letters: number[] }[] {
  if (options.nomenclator === 0) return [];
  if (!language.words) throw new InputError("option `nomenclator` needs a language model that knows words");
  const found: { word: string; letters: number[] }[] = [];
  for (const word of language.words.words) {
    const letters = Array.from(word, (letter) => language.symbols.indexOf(letter));
    if (letters.length >= SHORTEST_WORD && !letters.includes(-1)) found.push({ word, letters });
    if (found.length >= options.nomenclator) break;
  }
  return found;
}

function walkOf(cipher: Substitution, readings: SignReadings, text: Int32Array): SignWalk {
  const tables = fineTables(cipher.language.ngram, keyLoops());
  return new SignWalk(tables, text, cipher.cipherCount, readings, cipher.allowed);
}

async function search(
  cipher: Substitution,
  readings: SignReadings,
  text: Int32Array,
  hooks: DecipherHooks,
): Promise<{ ends: End[]; tried: number }> {
  const { seed, restarts } = cipher.options;
  const ends: End[] = [];
  let sweeps = SWEEPS.first;
  let all = 0;
  let tried = 0;
  while (restarts === undefined ? all < SWEEPS.most : tried < restarts) {
    tried++;
    const walk = walkOf(cipher, readings, text);
    const found = await anneal(cipher, walk, sweeps, seed, tried, hooks);
    note(ends, found, cipher);
    hooks.onSearch?.(tried, -found.cost, -ends[0].cost, () => new Map());
    if (await pausedAndStopped(hooks)) break;
    if (restarts === undefined && ends[0].times >= RECURRENCES) break;
    all += sweeps;
    if (tried % SWEEPS.walks === 0) sweeps = Math.min(SWEEPS.longest, 2 * sweeps);
  }
  return { ends, tried };
}

async function anneal(
  cipher: Substitution,
  walk: SignWalk,
  sweeps: number,
  seed: number,
  number: number,
  hooks: DecipherHooks,
): Promise<{ key: Int32Array; cost: number }> {
  const random = generator(seed, number);
  const { hot, cold } = coolingOf("heatBath", cipher.places / cipher.cipherCount);
  walk.begin(walk.randomKey(random));
  for (let i = 0; i < sweeps; i++) {
    const temperature = hot * (cold / hot) ** (i / (sweeps - 1));
    walk.sweep(temperature, random, i % WORDS_EVERY === 0);
    if (i % 10 === 9 && (await pausedAndStopped(hooks))) break;
  }
  // Down to the nearest best key.
  for (let i = 0; i < 2 * WORDS_EVERY; i++) walk.sweep(0.2, random, true);
  return { key: walk.key.slice(), cost: walk.cost() };
}

/** Gives signs the readings with which the text is likeliest as words, one after the other, until none changes. */
async function polish(
  cipher: Substitution,
  walk: SignWalk,
  readings: SignReadings,
  end: End,
  hooks: DecipherHooks,
): Promise<void> {
  const words = wordScoreOf(cipher.language);
  if (!words) return;
  const score = (): number => {
    const plain = spelled(walk.key, cipher, readings);
    return words.unspaced(plain, 0, plain.length) - walk.emission();
  };
  walk.begin(end.key);
  for (let round = 0, changed = true; round < ROUNDS && changed; round++) {
    changed = false;
    for (let x = 0; x < walk.key.length; x++) {
      let kept = walk.key[x];
      let best = score();
      const costs = walk.costsOf(x);
      const most = Math.min(...costs) + WITHIN;
      for (const [reading, cost] of costs.entries()) {
        if (cost > most) continue;
        walk.read(x, reading);
        const own = score();
        if (own <= best) continue;
        best = own;
        kept = reading;
        changed = true;
      }
      walk.read(x, kept);
      if (await pausedAndStopped(hooks)) return;
    }
  }
  end.key = walk.key.slice();
}

/** [signs][readings] shares of keys drawn around a key; undefined if it was stopped. */
async function draw(
  cipher: Substitution,
  walk: SignWalk,
  key: Int32Array,
  hooks: DecipherHooks,
): Promise<Float64Array[] | undefined> {
  const random = generator(cipher.options.seed, -1);
  const shares = Array.from(key, () => new Float64Array(walk.readingCount));
  walk.begin(key);
  for (let n = 0; n < DRAWS; n++) {
    walk.sweep(DRAWING, random, n % WORDS_EVERY === 0);
    for (let x = 0; x < key.length; x++) shares[x][walk.key[x]] += 1 / DRAWS;
    if (n % 10 === 9 && (await pausedAndStopped(hooks))) return undefined;
  }
  return shares;
}

/** Mixes shares with those of a wrong key, as far as the key is not to be believed as a whole. */
async function believe(
  cipher: Substitution,
  readings: SignReadings,
  { ends, tried }: { ends: End[]; tried: number },
  shares: Float64Array[],
  hooks: DecipherHooks,
): Promise<void> {
  const words = wordScoreOf(cipher.language);
  const plain = spelled(ends[0].key, cipher, readings);
  // The same signs shuffled tell what a walk finds where there is nothing.
  const { seed } = cipher.options;
  const shuffled = shuffle(Int32Array.from(cipher.sequences.flatMap((sequence) => [...sequence])), generator(seed, -2));
  const nothing = await anneal(cipher, walkOf(cipher, readings, shuffled), SWEEPS.first * 2, seed, -3, hooks);
  const believed = belief({
    text: words && words.unspaced(plain, 0, plain.length, true) / Math.max(1, plain.length),
    typical: words?.typical,
    times: ends[0].times,
    tried,
    isSpaced: false,
    symbols: cipher.cipherCount,
    aboveChance: nothing.cost - ends[0].cost,
  });
  const { unigram } = cipher.language.ngram;
  for (const own of shares) {
    for (let r = 0; r < own.length; r++) {
      const byChance = r < readings.letterCount ? Math.exp(unigram[r]) : 0;
      own[r] = believed * own[r] + (1 - believed) * byChance;
    }
  }
}

/** The letters of the text under a key. */
function spelled(key: Int32Array, cipher: Substitution, { start, letters }: SignReadings): Int32Array {
  const plain: number[] = [];
  for (const sequence of cipher.sequences) {
    for (const x of sequence) for (let l = start[key[x]]; l < start[key[x] + 1]; l++) plain.push(letters[l]);
  }
  return Int32Array.from(plain);
}

function decipherment(
  cipher: Substitution,
  { readings, names }: { readings: SignReadings; names: readonly string[]; text: Int32Array },
  { ends, tried, shares }: { ends: End[]; tried: number; shares?: Float64Array[] },
  hooks: DecipherHooks,
): Decipherment {
  const { alphabet, frequency, language, sequences } = cipher;
  const [{ key, times }] = ends;
  let right = 0;
  const mapping = Array.from(key, (own, x): MappedSymbol => {
    const all: Reading[] = shares ? names.map((plain, r) => ({ plain, probability: shares[x][r] })) : [];
    const probability = shares ? shares[x][own] : 1;
    right += frequency[x] * probability;
    return {
      cipher: alphabet.nameOf(x),
      plain: names[own],
      probability,
      count: frequency[x],
      others: all
        .filter((reading, r) => r !== own && reading.probability >= LEAST_TOLD)
        .sort((a, b) => b.probability - a.probability),
    };
  });
  return {
    mapping: mapping.sort((a, b) => b.count - a.count || (a.cipher < b.cipher ? -1 : 1)),
    plain: sequences.map((sequence) => Array.from(sequence, (x) => names[key[x]])),
    slips: [],
    logLikelihood: [],
    contextLength: [],
    drawn: shares !== undefined,
    expectedAccuracy: shares ? right / cipher.places : undefined,
    likeness: likeness(language, [spelled(key, cipher, readings)]),
    unicity: unicityDistance(language, cipher.cipherCount, false),
    oneToOne: false,
    restarts: tried,
    recurrences: times,
    stopped: hooks.shouldStop?.() === true,
  };
}
