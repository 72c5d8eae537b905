// Damage, drawn from a seed. Any bytes: bits flipped, pieces cut, doubled, moved, put in from elsewhere. Text: numbers and
// words replaced by awkward ones. Model files: values inside replaced, under a checksum that is right, so that what reads them
// has to find the fault itself.
import { decodeTensors, encodeTensors } from "#stargram/model/safetensors.js";
import { generator, uniform } from "#stargram/util/random.js";

/** @typedef {{ below(n: number): number, chance(p: number): boolean, of<T>(list: readonly T[]): T }} Dice */

/**
 * @param {number} seed
 * @param {number} part
 * @returns {Dice}
 */
export function diceOf(seed, part) {
  const random = generator(seed, part);
  const below = (/** @type {number} */ n) => Math.floor(uniform(random) * n);
  return { below, chance: (p) => uniform(random) < p, of: (list) => list[below(list.length)] };
}

const interesting = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x23, 0x2d, 0x3a, 0x5b, 0x5c, 0x5f, 0x7b, 0x7d, 0x80, 0xff];
const awkwardWords = [
  ...[
    "",
    "_",
    "-",
    "\\",
    "\\\\",
    "\t",
    "\n",
    "\r\n",
    '"',
    "null",
    "true",
    "__proto__",
    "constructor",
    "\ufeff",
    "\u0000",
  ],
  ...[
    "\ud800",
    "é",
    "e\u0301",
    "😀",
    "👩‍👩‍👧‍👦",
    "א",
    "0",
    "-1",
    "1e999",
    "-0",
    "NaN",
    "9007199254740993",
    "1".repeat(400),
  ],
  ...[
    "{",
    "[",
    "{}",
    "[]",
    "[[[[",
    ":",
    "@weight:2",
    ";;;",
    "#",
    "%x[0,0]",
    '%m[0,0,".*.*"]',
    "|",
    "A|B",
    "..",
    "a".repeat(3000),
  ],
];

/**
 * Damages a sample of bytes once or a few times. `others` are further samples to take pieces from.
 * @param {Uint8Array} sample
 * @param {readonly Uint8Array[]} others
 * @param {Dice} dice
 * @returns {Uint8Array}
 */
export function damaged(sample, others, dice) {
  /** @type {Uint8Array} */
  let bytes = Uint8Array.from(sample);
  const times = dice.chance(0.7) ? 1 : 2 + dice.below(6);
  for (let t = 0; t < times; t++) bytes = damagedOnce(bytes, others, dice);
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @param {readonly Uint8Array[]} others
 * @param {Dice} dice
 */
function damagedOnce(bytes, others, dice) {
  const at = dice.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + (dice.chance(0.5) ? dice.below(8) : dice.below(bytes.length + 1)));
  if (dice.chance(PUMPED)) return pumped(bytes, at, dice);
  const put = (/** @type {Uint8Array} */ piece) => joined([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  switch (dice.below(9)) {
    case 0:
      if (at < bytes.length) bytes[at] ^= 1 << dice.below(8);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = dice.of(interesting);
      return bytes;
    case 2:
      return bytes.slice(0, at);
    case 3:
      return joined([bytes.subarray(0, at), bytes.subarray(end)]);
    case 4:
      return put(bytes.subarray(at, end)); // doubled
    case 5: {
      const other = dice.of(others);
      const from = dice.below(other.length + 1);
      return put(other.subarray(from, from + 1 + dice.below(64)));
    }
    case 6:
      return put(Uint8Array.of(dice.of(interesting)));
    case 7:
      return put(new TextEncoder().encode(dice.of(awkwardWords)));
    default:
      return withOtherNumber(bytes, dice);
  }
}

/** How often a piece is repeated thousands of times: what takes time that grows with its square will not end. */
const PUMPED = 0.002;
const PUMPED_BYTES = 200_000;

/** @param {Uint8Array} bytes @param {number} at @param {Dice} dice */
function pumped(bytes, at, dice) {
  const piece = dice.chance(0.5)
    ? bytes.subarray(at, at + 1 + dice.below(6))
    : new TextEncoder().encode(
        dice.of(["0", " ", "\\", "\t", "a", "(", "1.", " #", "[", "{", '"a",', "|", "é", "\n", "_ "]),
      );
  const long = Buffer.alloc(PUMPED_BYTES, piece.length > 0 ? piece : "a");
  return joined([bytes.subarray(0, at), long, bytes.subarray(at)]);
}

/** @param {readonly Uint8Array[]} parts */
function joined(parts) {
  return Uint8Array.from(Buffer.concat(parts));
}

/**
 * Replaces a number or a word of a text.
 * @param {Uint8Array} bytes
 * @param {Dice} dice
 */
function withOtherNumber(bytes, dice) {
  const text = Buffer.from(bytes).toString("latin1");
  const words = [...text.matchAll(dice.chance(0.5) ? /-?\d+(?:\.\d+)?/g : /[A-Za-z]+/g)];
  if (words.length === 0) return bytes;
  const word = dice.of(words);
  const other = Buffer.from(dice.of(awkwardWords)).toString("latin1");
  return Uint8Array.from(
    Buffer.from(text.slice(0, word.index) + other + text.slice(word.index + word[0].length), "latin1"),
  );
}

const awkwardNumbers = [
  0,
  1,
  -1,
  2,
  255,
  65535,
  65536,
  2 ** 31 - 1,
  -(2 ** 31),
  1e-300,
  1e300,
  -1e300,
  1e9,
  Number.NaN,
];
const awkwardValues = [
  null,
  "",
  "x",
  [],
  {},
  true,
  false,
  "Infinity",
  "NaN",
  "-Infinity",
  -1,
  0,
  0.5,
  1e9,
  1e308,
  2 ** 53,
];

/**
 * A model file (or checkpoint) with something inside replaced, and a checksum that fits.
 * @param {Uint8Array} sample
 * @param {Dice} dice
 * @returns {Uint8Array}
 */
export function damagedModel(sample, dice) {
  const { metadata, tensors } = decodeTensors(sample);
  const parts = { metadata: { ...metadata }, tensors: copied(tensors) };
  const times = dice.chance(0.7) ? 1 : 2 + dice.below(4);
  for (let t = 0; t < times; t++) {
    if (dice.chance(0.45)) damageMetadata(parts.metadata, dice);
    else damageTensors(parts.tensors, dice);
  }
  return encodeTensors(parts);
}

/**
 * @param {Record<string, import("#stargram/model/safetensors.js").Tensor>} tensors
 * @returns {Record<string, { data: any, shape?: number[] }>}
 */
function copied(tensors) {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { data, shape }]) => [name, { data: data.slice(), shape }]),
  );
}

/**
 * @param {Record<string, string>} metadata
 * @param {Dice} dice
 */
function damageMetadata(metadata, dice) {
  const key = dice.of(Object.keys(metadata).filter((name) => name !== "stargram.crc32"));
  if (dice.chance(0.1)) {
    delete metadata[key];
    return;
  }
  let value;
  try {
    value = JSON.parse(metadata[key]);
  } catch {
    metadata[key] = dice.of(awkwardWords);
    return;
  }
  metadata[key] = JSON.stringify(replaced(value, dice)) ?? "";
}

/**
 * A value with one part of it replaced, at any depth.
 * @param {any} value
 * @param {Dice} dice
 * @returns {unknown}
 */
function replaced(value, dice) {
  if (typeof value !== "object" || value === null || dice.chance(0.1)) {
    if (typeof value === "number" && dice.chance(0.7))
      return dice.of([...awkwardNumbers.filter(Number.isFinite), value + 1, value * 1000]);
    return dice.of(awkwardValues);
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return dice.of(awkwardValues);
  const key = dice.of(keys);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (dice.chance(0.1)) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
    return copy;
  }
  copy[key] = replaced(value[key], dice);
  return copy;
}

/**
 * @param {Record<string, { data: any, shape?: number[] }>} tensors
 * @param {Dice} dice
 */
function damageTensors(tensors, dice) {
  const name = dice.of(Object.keys(tensors));
  const { data } = tensors[name];
  switch (dice.below(6)) {
    case 0:
      delete tensors[name];
      return;
    case 1:
      tensors[name] = { data: data.slice(0, dice.below(data.length + 1)) };
      return;
    case 2:
      tensors[name] = { data: data.constructor.from([...data, ...data.slice(0, 3)]) };
      return;
    case 3: {
      const other = tensors[dice.of(Object.keys(tensors))];
      tensors[name] = { data: other.data.slice() };
      return;
    }
    default: {
      if (data.length === 0) return;
      const times = dice.chance(0.5) ? 1 : 1 + dice.below(10);
      for (let t = 0; t < times; t++) {
        const at = dice.below(data.length);
        const number = dice.chance(0.5) ? data[dice.below(data.length)] : dice.of(awkwardNumbers);
        data[at] = dice.chance(0.5) ? number : data[at] + dice.of([-1, 1]);
      }
    }
  }
}
