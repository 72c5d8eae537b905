// Plain data with typed arrays as bytes, for what travels between machines: numbers keep every bit, and bytes from elsewhere are
// checked.
//   "SGP1", u32 length of the header, the header as JSON, then the arrays, each at a multiple of 8 bytes
// In the header {"$": ["Float64Array", offset, length]} stands for an array, {"$": ["number", "-Infinity"]} for a number that JSON
// has not, {"$": ["Map", [[key, value], …]]} for a map.

import { InputError } from "../util/errors.js";

const kinds = {
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
} as const;
type Kind = keyof typeof kinds;
type Typed = InstanceType<(typeof kinds)[Kind]>;

const MAGIC = "SGP1";
const BEGIN = 8; // bytes

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

export function pack(value: unknown): Uint8Array {
  const arrays: Typed[] = [];
  let bytes = 0;
  const plain = (one: unknown): unknown => {
    if (typeof one === "number" && (!Number.isFinite(one) || Object.is(one, -0))) {
      return { $: ["number", Object.is(one, -0) ? "-0" : String(one)] };
    }
    if (typeof one !== "object" || one === null) return one;
    if (ArrayBuffer.isView(one)) {
      const kind = one.constructor.name;
      if (!Object.hasOwn(kinds, kind)) throw new TypeError(`cannot pack ${kind}`);
      const at = bytes;
      arrays.push(one as Typed);
      bytes += aligned(one.byteLength);
      return { $: [kind, at, (one as Typed).length] };
    }
    if (Array.isArray(one)) return one.map(plain);
    if (one instanceof Map) return { $: ["Map", [...one].map(plain)] };
    return Object.fromEntries(
      Object.entries(one).flatMap(([key, item]) => (item === undefined ? [] : [[key, plain(item)]])),
    );
  };
  const header = new TextEncoder().encode(JSON.stringify(plain(value) ?? null));
  const begin = aligned(BEGIN + header.length);
  const packed = new Uint8Array(begin + bytes);
  packed.set(new TextEncoder().encode(MAGIC));
  new DataView(packed.buffer).setUint32(4, header.length, true);
  packed.set(header, BEGIN);
  let at = begin;
  for (const array of arrays) {
    packed.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += aligned(array.byteLength);
  }
  return packed;
}

/** What was packed. Arrays are copies, unless they are `onlyRead`: then they lie in the bytes, where these permit it. */
export function unpack(packed: Uint8Array, onlyRead = false): unknown {
  // A Buffer's slices share its memory.
  const bytes = new Uint8Array(packed.buffer, packed.byteOffset, packed.length);
  const damaged = () => new InputError("packed data is damaged");
  if (bytes.length < BEGIN || new TextDecoder().decode(bytes.slice(0, 4)) !== MAGIC) throw damaged();
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  const begin = aligned(BEGIN + length);
  if (begin > aligned(bytes.length)) throw damaged();
  const array = ([kind, at, count]: unknown[]): Typed => {
    const Made = kinds[kind as Kind];
    const from = begin + Number(at);
    const size = Number(count) * Made.BYTES_PER_ELEMENT;
    if (!Number.isSafeInteger(from) || from < begin || !(size >= 0) || from + size > bytes.length) throw damaged();
    if (onlyRead && bytes.byteOffset % 8 === 0)
      return new Made(bytes.buffer as ArrayBuffer, bytes.byteOffset + from, Number(count));
    return new Made(bytes.slice(from, from + size).buffer as ArrayBuffer);
  };
  const special = (given: unknown): unknown => {
    if (!Array.isArray(given)) throw damaged();
    if (given[0] === "number") return given[1] === "-0" ? -0 : Number(given[1]);
    if (given[0] === "Map") return new Map(given[1] as [unknown, unknown][]);
    if (Object.hasOwn(kinds, String(given[0]))) return array(given);
    throw damaged();
  };
  const revive = (_: string, item: unknown): unknown =>
    typeof item === "object" && item !== null && "$" in item ? special(item.$) : item;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.slice(BEGIN, BEGIN + length)), revive);
  } catch (error) {
    throw error instanceof InputError ? error : damaged();
  }
}
