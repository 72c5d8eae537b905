// The safetensors layout: header length (u64), JSON header, raw tensors; everything little-endian, so that other tools
// can open our models. Tensors lie widest type first and without holes, so each starts at a multiple of its item size.
// We add a CRC-32 over metadata, names, types, shapes and values, kept in `__metadata__` under `stargram.crc32`: it
// depends on the content alone, not on the order of keys. Whatever bytes come in, the answer is tensors or an InputError.

import { InputError } from "../util/errors.js";
import { crc32 } from "./crc32.js";

export type TensorData =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;

export interface Tensor {
  data: TensorData;
  /** Sizes, outermost first; their product is `data.length`. `[]` is a single number. */
  shape: number[];
}

export interface TensorFile {
  metadata: Record<string, string>;
  tensors: Record<string, Tensor>;
}

export interface TensorFileInput {
  metadata: Readonly<Record<string, string>>;
  /** `shape` defaults to `[data.length]`. */
  tensors: Readonly<Record<string, { data: TensorData; shape?: readonly number[] }>>;
}

/** The bytes that `checkModelHead` looks at. */
export const HEAD_BYTES = 16;

/** Of the number that says how long the header is. */
export const LENGTH_BYTES = 8;
/** The limit of the safetensors reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;
/** Commas, colons and brackets outside strings: some hundreds in a model. The limit bounds what parsing can allocate. */
const MAX_HEADER_MARKS = 1_000_000;
/** The header, a tensor's entry, its shape. */
const MAX_HEADER_DEPTH = 3;

const METADATA_KEY = "__metadata__";
const CHECKSUM_KEY = "stargram.crc32";
const DAMAGED_HINT = "copy or download the file again, or train the model again";

interface TensorClass {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TensorData;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
}

const CLASS_OF_TYPE = new Map<string, TensorClass>([
  ["F64", Float64Array],
  ["I64", BigInt64Array],
  ["U64", BigUint64Array],
  ["F32", Float32Array],
  ["I32", Int32Array],
  ["U32", Uint32Array],
  ["I16", Int16Array],
  ["U16", Uint16Array],
  ["I8", Int8Array],
  ["U8", Uint8Array],
]);
const TYPE_OF_CLASS = new Map([...CLASS_OF_TYPE].map(([type, tensorClass]) => [tensorClass.name, type]));

/** What the header says of one tensor. */
interface Entry {
  name: string;
  type: string;
  shape: number[];
  /** Offsets into the data section. */
  begin: number;
  end: number;
}

/** One file of named tensors and a text-to-text map. Equal content gives equal bytes, whatever the order of keys. */
export function encodeTensors({ metadata, tensors }: TensorFileInput): Uint8Array {
  requireLittleEndian();
  if (METADATA_KEY in tensors) throw new RangeError(`a tensor cannot be called ${METADATA_KEY}`);
  if (CHECKSUM_KEY in metadata) throw new RangeError(`the metadata key ${CHECKSUM_KEY} is taken`);

  const entries: Entry[] = Object.entries(tensors).map(([name, { data, shape = [data.length] }]) => {
    const type = TYPE_OF_CLASS.get(data[Symbol.toStringTag]);
    if (type === undefined) throw new RangeError(`tensor ${name}: ${data[Symbol.toStringTag]} has no type in the file`);
    if (itemCount(shape) !== data.length) {
      throw new RangeError(`tensor ${name}: the shape [${shape}] does not hold ${data.length} items`);
    }
    return { name, type, shape: [...shape], begin: 0, end: 0 };
  });
  entries.sort((a, b) => itemBytes(b.type) - itemBytes(a.type) || compareText(a.name, b.name));
  let dataBytes = 0;
  for (const entry of entries) {
    entry.begin = dataBytes;
    dataBytes += tensors[entry.name].data.byteLength;
    entry.end = dataBytes;
  }

  const checksum = contentChecksum(metadata, entries, (entry) => bytesOf(tensors[entry.name].data));
  const headerPairs = [
    [METADATA_KEY, { [CHECKSUM_KEY]: checksum, ...sortedByKey(metadata) }] as const,
    ...entries.map(({ name, type, shape, begin, end }) => [name, { dtype: type, shape, data_offsets: [begin, end] }]),
  ];
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(headerPairs)));
  const headerBytes = Math.ceil(header.length / 8) * 8;
  if (headerBytes > MAX_HEADER_BYTES) {
    throw new RangeError(`the header would take ${headerBytes} bytes; the format allows ${MAX_HEADER_BYTES}`);
  }

  const bytes = new Uint8Array(LENGTH_BYTES + headerBytes + dataBytes);
  new DataView(bytes.buffer).setUint32(0, headerBytes, true); // The upper half of the length stays 0.
  bytes.set(header, LENGTH_BYTES);
  bytes.fill(0x20, LENGTH_BYTES + header.length, LENGTH_BYTES + headerBytes);
  for (const { name, begin } of entries) bytes.set(bytesOf(tensors[name].data), LENGTH_BYTES + headerBytes + begin);
  return bytes;
}

/**
 * The content of a file that `encodeTensors` (or another writer that kept the checksum) made. The tensors are views of
 * `bytes` where alignment allows, copies elsewhere.
 */
export function decodeTensors(bytes: Uint8Array, file?: string): TensorFile {
  requireLittleEndian();
  const headerBytes = checkModelHead(bytes, bytes.length, file);
  const dataStart = LENGTH_BYTES + headerBytes;
  const header = parseHeader(bytes.subarray(LENGTH_BYTES, dataStart), file);
  const { metadata, checksum } = readMetadata(header, file);
  const entries = Object.keys(header)
    .filter((name) => name !== METADATA_KEY)
    .map((name) => readEntry(name, header[name], file));
  checkTiling(entries, bytes.length - dataStart, file);

  const bytesOfEntry = (entry: Entry) => bytes.subarray(dataStart + entry.begin, dataStart + entry.end);
  if (contentChecksum(metadata, entries, bytesOfEntry) !== checksum) {
    throw damaged("its content does not match its checksum", file);
  }

  const tensors: Record<string, Tensor> = Object.create(null);
  for (const entry of entries) {
    tensors[entry.name] = { data: viewOf(bytesOfEntry(entry), entry.type), shape: entry.shape };
  }
  return { metadata, tensors };
}

/**
 * Refuses what cannot be a model by its first `HEAD_BYTES` bytes (fewer if the file is shorter) and its size, before the
 * rest is read. Returns the header's length in bytes.
 */
export function checkModelHead(head: Uint8Array, totalBytes: number, file?: string): number {
  if (totalBytes === 0) throw new InputError("not a Stargram model: the file is empty", { file });
  if (totalBytes < LENGTH_BYTES) throw foreign(head, file);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const headerBytes = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (headerBytes < 2 || headerBytes > MAX_HEADER_BYTES) throw foreign(head, file);
  if (totalBytes > LENGTH_BYTES && head[LENGTH_BYTES] !== 0x7b) throw foreign(head, file); // `{`
  if (LENGTH_BYTES + headerBytes > totalBytes) {
    throw cutShort(`its header should take ${headerBytes} bytes and ${totalBytes - LENGTH_BYTES} are there`, file);
  }
  return headerBytes;
}

/** The bytes that a file with this header has, by what the header says of its tensors. */
export function sizeByHeader(headerBytes: Uint8Array, file?: string): number {
  const header = parseHeader(headerBytes, file);
  let dataBytes = 0;
  for (const [name, given] of Object.entries(header)) {
    if (name !== METADATA_KEY) dataBytes = Math.max(dataBytes, readEntry(name, given, file).end);
  }
  return LENGTH_BYTES + headerBytes.length + dataBytes;
}

/** Eight hexadecimal digits for metadata, then types and shapes, then values, each in the order of names. */
function contentChecksum(
  metadata: Readonly<Record<string, string>>,
  entries: readonly Entry[],
  bytesOfEntry: (entry: Entry) => Uint8Array,
): string {
  const sorted = [...entries].sort((a, b) => compareText(a.name, b.name));
  const description = [
    Object.entries(metadata).sort((a, b) => compareText(a[0], b[0])),
    sorted.map(({ name, type, shape }) => [name, type, shape]),
  ];
  let crc = crc32(new TextEncoder().encode(JSON.stringify(description)));
  for (const entry of sorted) crc = crc32(bytesOfEntry(entry), crc);
  return crc.toString(16).padStart(8, "0");
}

function parseHeader(bytes: Uint8Array, file?: string): Record<string, unknown> {
  checkHeaderStructure(bytes, file);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw damaged("its header is not valid JSON", file, cause);
  }
  if (!isObject(header)) throw damaged("its header is not a JSON object", file);
  return header;
}

/** Bounds nesting and the number of values before parsing, so that a hostile header cannot exhaust the memory. */
function checkHeaderStructure(bytes: Uint8Array, file?: string): void {
  let inString = false;
  let depth = 0;
  let marks = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === 0x5c)
        i++; // A backslash: what follows cannot end the string.
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) {
      inString = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      marks++;
      if (++depth > MAX_HEADER_DEPTH) throw damaged("its header is nested too deeply", file);
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === 0x2c || byte === 0x3a) {
      marks++;
    }
  }
  if (marks > MAX_HEADER_MARKS) throw damaged("its header lists far too many values", file);
}

function readMetadata(header: Record<string, unknown>, file?: string) {
  const given = Object.hasOwn(header, METADATA_KEY) ? header[METADATA_KEY] : undefined;
  if (!isObject(given) || !Object.hasOwn(given, CHECKSUM_KEY)) {
    throw new InputError("not a Stargram model: a safetensors file without Stargram's checksum", {
      file,
      hint: "it was written by another program, or it is damaged",
    });
  }
  // Without a prototype, so that no key (`__proto__`, `constructor`) means anything but itself.
  const metadata: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== "string") throw damaged(`its metadata \`${shorten(key)}\` is not text`, file);
    if (key !== CHECKSUM_KEY) metadata[key] = value;
  }
  return { metadata, checksum: given[CHECKSUM_KEY] };
}

function readEntry(name: string, given: unknown, file?: string): Entry {
  const what = `tensor \`${shorten(name)}\``;
  if (!isObject(given)) throw damaged(`${what} has no description`, file);
  const { dtype, shape, data_offsets: offsets } = given;
  if (typeof dtype !== "string" || !CLASS_OF_TYPE.has(dtype)) {
    throw damaged(`${what} is of the type ${shorten(JSON.stringify(dtype) ?? "none")}, which no model uses`, file);
  }
  if (!isSizes(shape)) throw damaged(`the shape of ${what} is not a list of sizes`, file);
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[0] > offsets[1]) {
    throw damaged(`${what} does not say where its values are`, file);
  }
  const [begin, end] = offsets;
  if (itemCount(shape) * itemBytes(dtype) !== end - begin) {
    throw damaged(`${what} should take ${itemCount(shape) * itemBytes(dtype)} bytes and takes ${end - begin}`, file);
  }
  return { name, type: dtype, shape: shape.map((size) => size + 0), begin, end }; // `+ 0` turns -0 into 0.
}

/** The tensors must cover the data section exactly: no hole, no overlap, nothing left over. */
function checkTiling(entries: readonly Entry[], dataBytes: number, file?: string): void {
  const inOrder = [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = 0;
  for (const entry of inOrder) {
    if (entry.begin !== end) {
      const fault = entry.begin < end ? "overlaps the tensor before it" : "does not start where the one before it ends";
      throw damaged(`tensor \`${shorten(entry.name)}\` ${fault}`, file);
    }
    end = entry.end;
  }
  if (end > dataBytes) throw cutShort(`its tensors take ${end} bytes and ${dataBytes} are there`, file);
  if (end < dataBytes) throw damaged(`bytes too many after its last tensor: ${dataBytes - end}`, file);
}

function viewOf(bytes: Uint8Array, type: string): TensorData {
  const tensorClass = CLASS_OF_TYPE.get(type) as TensorClass;
  const length = bytes.length / tensorClass.BYTES_PER_ELEMENT;
  if (bytes.byteOffset % tensorClass.BYTES_PER_ELEMENT === 0) {
    return new tensorClass(bytes.buffer, bytes.byteOffset, length);
  }
  return new tensorClass(new Uint8Array(bytes).buffer, 0, length);
}

function bytesOf(data: TensorData): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function itemBytes(type: string): number {
  return (CLASS_OF_TYPE.get(type) as TensorClass).BYTES_PER_ELEMENT;
}

/** The product of the sizes; past 2^53 it is not exact, but then it is no length of anything either. */
function itemCount(shape: readonly number[]): number {
  return shape.includes(0) ? 0 : shape.reduce((product, size) => product * size, 1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

function sortedByKey(map: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(map).sort((a, b) => compareText(a[0], b[0])));
}

/** By UTF-16 code units: the same everywhere, unlike `localeCompare`. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names from a damaged file go into messages: keep them short and printable. */
function shorten(text: string): string {
  const printable = text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, "?");
  return printable.length > 40 ? `${printable.slice(0, 40)}…` : printable;
}

/** First bytes of files that people give by mistake. */
const FOREIGN_HEADS: [start: number[], what: string, hint?: string][] = [
  [[0x1f, 0x8b], "a gzip file", "unpack it first: gunzip"],
  [[0x50, 0x4b, 0x03, 0x04], "a zip archive", "unpack it first: unzip"],
  [[0x28, 0xb5, 0x2f, 0xfd], "a zstd file", "unpack it first: unzstd"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "an xz file", "unpack it first: unxz"],
  [[0x89, 0x50, 0x4e, 0x47], "a PNG picture"],
  [[0x25, 0x50, 0x44, 0x46], "a PDF document"],
  [[0x6c, 0x43, 0x52, 0x46], "a CRFsuite model", "train a Stargram model on the same data"],
  [[0x7b], "a JSON text"],
];

function foreign(head: Uint8Array, file?: string): InputError {
  const known = FOREIGN_HEADS.find(([start]) => start.every((byte, i) => head[i] === byte));
  if (known) return new InputError(`not a Stargram model: this is ${known[1]}`, { file, hint: known[2] });
  const isText = head.subarray(0, HEAD_BYTES).every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));
  return new InputError(`not a Stargram model: it begins like ${isText ? "a text" : "another kind of file"}`, {
    file,
    hint: "models are what `stargram train` writes",
  });
}

function cutShort(detail: string, file?: string): InputError {
  return new InputError(`the file is truncated: ${detail}`, { file, hint: DAMAGED_HINT });
}

export function damaged(detail: string, file?: string, cause?: unknown): InputError {
  return new InputError(`the file is damaged: ${detail}`, { file, hint: DAMAGED_HINT, cause });
}

/** Typed arrays have the byte order of the machine, and the layout fixes it. */
function requireLittleEndian(): void {
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) {
    throw new Error("model files need a little-endian machine");
  }
}
