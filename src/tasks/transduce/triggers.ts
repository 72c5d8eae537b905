// Graphones that call for each other, however far apart: whoever writes ɪ for one ი of a word writes it for the next one, too, and
// n-grams do not look back that far. An alignment is scored by the graphones g of uncertain input symbols,
//   sum over g of the mean over all other such graphones h of log (seen(g, h) + a) / (expected(g, h) + a),
// where seen counts pairs in the same input, and expected is what it would be if every symbol chose its graphone alone.

/** The graphones that may call for others, and how much they do. */
export interface TriggerParts {
  /** [graphones] place of a graphone in `logs`, or -1. */
  place: Int32Array;
  /** [places][places] log of how much oftener two of them come together than alone; symmetric. */
  logs: Float32Array;
}

/** A symbol is uncertain if its most frequent graphone has no more than this share of it. */
const CERTAIN = 0.97;
/** A graphone that is rarer says nothing. */
const FEWEST = 5;
/** Graphones at most, the most frequent ones. */
const MOST = 256;
/** What is added to both counts (a): pairs that are rare say little. Chosen among 2, 5 and 15 on held-out training words. */
const ADDED = 5;

/**
 * Counts which graphones come together; undefined if no symbol is uncertain. `sequences` are aligned inputs, as numbers of graphones;
 * `symbolOf` [graphones] is the input symbol of each.
 */
export function countTriggers(
  sequences: readonly (readonly number[])[],
  symbolOf: ArrayLike<number>,
): TriggerParts | undefined {
  const count = new Float64Array(symbolOf.length);
  for (const sequence of sequences) for (const graphone of sequence) count[graphone]++;
  const places = uncertain(count, symbolOf);
  const size = places.length;
  if (size === 0) return undefined;
  const place = new Int32Array(symbolOf.length).fill(-1);
  places.forEach((graphone, p) => {
    place[graphone] = p;
  });
  const symbols = [...new Set(places.map((graphone) => symbolOf[graphone]))];
  const symbolAt = places.map((graphone) => symbols.indexOf(symbolOf[graphone])); // [places] which symbol it is of
  const seen = new Float64Array(size * size);
  const met = new Float64Array(symbols.length * symbols.length); // the same of symbols
  for (const sequence of sequences) {
    const here = placesIn(sequence, place);
    for (let i = 0; i < here.length; i++) {
      for (let j = 0; j < here.length; j++) {
        if (i === j) continue;
        seen[here[i] * size + here[j]]++;
        met[symbolAt[here[i]] * symbols.length + symbolAt[here[j]]]++;
      }
    }
  }
  const share = sharesOf(places, symbolAt, count, symbols.length);
  const logs = new Float32Array(size * size);
  for (let g = 0; g < size; g++) {
    for (let h = 0; h < size; h++) {
      const expected = met[symbolAt[g] * symbols.length + symbolAt[h]] * share[g] * share[h];
      logs[g * size + h] = Math.log((seen[g * size + h] + ADDED) / (expected + ADDED));
    }
  }
  return { place, logs };
}

/** The score of an alignment, as numbers of graphones; numbers beyond those known are of unknown ones. */
export function triggerScore({ place, logs }: TriggerParts, graphones: readonly number[]): number {
  const here = placesIn(graphones, place);
  if (here.length < 2) return 0;
  const size = Math.sqrt(logs.length);
  let sum = 0;
  for (let i = 1; i < here.length; i++) {
    for (let j = 0; j < i; j++) sum += logs[here[i] * size + here[j]];
  }
  return (2 * sum) / (here.length - 1); // each pair counts for both
}

/** The graphones of uncertain symbols that are frequent enough. */
function uncertain(count: Float64Array, symbolOf: ArrayLike<number>): number[] {
  const total = new Map<number, number>();
  const most = new Map<number, number>();
  count.forEach((own, graphone) => {
    const symbol = symbolOf[graphone];
    total.set(symbol, (total.get(symbol) ?? 0) + own);
    most.set(symbol, Math.max(most.get(symbol) ?? 0, own));
  });
  const isUncertain = (symbol: number): boolean => (most.get(symbol) ?? 0) < CERTAIN * (total.get(symbol) ?? 0);
  const found = [...count.keys()].filter((g) => count[g] >= FEWEST && isUncertain(symbolOf[g]));
  return found.sort((a, b) => count[b] - count[a] || a - b).slice(0, MOST);
}

/** [places] Which share of its symbol's listed graphones each is. */
function sharesOf(
  places: readonly number[],
  symbolAt: readonly number[],
  count: Float64Array,
  symbols: number,
): Float64Array {
  const total = new Float64Array(symbols);
  places.forEach((graphone, p) => {
    total[symbolAt[p]] += count[graphone];
  });
  return Float64Array.from(places, (graphone, p) => count[graphone] / total[symbolAt[p]]);
}

function placesIn(graphones: readonly number[], place: Int32Array): number[] {
  const here: number[] = [];
  for (const graphone of graphones) if (graphone < place.length && place[graphone] >= 0) here.push(place[graphone]);
  return here;
}
