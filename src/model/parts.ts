// The parts that every kind of model file is made of: string tables, row tables, row trees and JSON, written as tensors
// and metadata and checked when read. A checksum (see safetensors.ts) tells damage; the checks here hold for any bytes, so
// that no file, however made, can lead the engine out of its arrays or round in circles.
//   NAME.text U8 + NAME.end I32 [count]           strings, one after the other
//   NAME.start I32 [rows + 1], NAME.symbols U16   a row table; I32 if the symbols need it
//   NAME.row, .childStart, .childEvent, .childNode I32  a row tree

import * as v from "valibot";
import { Alphabet, type PackedStrings, unpacked } from "../engine/alphabet.js";
import { backend } from "../engine/choice.js";
import { hasHalves, nameBytes, textOf } from "../engine/name-bytes.js";
import type { RowTable, RowTree } from "../engine/rows.js";
import { withCurrentNames } from "../learn/old-names.js";
import { InputError, MachineError } from "../util/errors.js";
import { nodeModule } from "./node.js";
import type { TensorData, TensorFile } from "./safetensors.js";

const DAMAGED = "the file is damaged";

/** A file that is being put together. */
export interface FileParts {
  metadata: Record<string, string>;
  tensors: Record<string, { data: TensorData; shape?: readonly number[] }>;
  /** The version of the layout, if not every model has it. */
  version?: number;
}

export function emptyParts(): FileParts {
  return { metadata: {}, tensors: {} };
}

export function putStrings(parts: FileParts, name: string, strings: readonly string[]): void {
  putPacked(parts, name, strings.length, (i) => nameBytes(strings[i]));
}

/** Some names of an alphabet, or all, without making strings of them. */
export function putNames(parts: FileParts, name: string, alphabet: Alphabet, numbers?: Int32Array): void {
  const count = numbers?.length ?? alphabet.size;
  putPacked(parts, name, count, (i) => alphabet.bytesOf(numbers ? numbers[i] : i));
}

function putPacked(parts: FileParts, name: string, count: number, bytesOf: (i: number) => Uint8Array): void {
  const end = new Int32Array(count);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const bytes = bytesOf(i);
    // UTF-8 has no half characters: the name would come back as another.
    if (hasHalves(bytes)) {
      const text = JSON.stringify(textOf(bytes));
      throw new InputError(`a name in \`${name}\` holds half a character (a lone surrogate): ${text}`, {
        hint: "split text at code points, as Array.from(word) does, not at UTF-16 units",
      });
    }
    length += bytes.length;
    end[i] = length;
  }
  if (length > MOST_TEXT) {
    throw new InputError(`the names in \`${name}\` take ${length} bytes; a model file holds up to ${MOST_TEXT}`, {
      hint: "use fewer or shorter attributes, or leave out rare ones (option `minCount`)",
    });
  }
  const text = new Uint8Array(length);
  for (let i = 0; i < count; i++) text.set(bytesOf(i), i === 0 ? 0 : end[i - 1]);
  parts.tensors[`${name}.text`] = { data: text };
  parts.tensors[`${name}.end`] = { data: end };
}

/** Bytes of the names of one kind: where each ends is a 32-bit number. */
const MOST_TEXT = 2 ** 31 - 1;

export function putTable(parts: FileParts, name: string, table: RowTable): void {
  parts.tensors[`${name}.start`] = { data: table.start };
  parts.tensors[`${name}.symbols`] = {
    data: table.symbolCount <= 0x10000 ? new Uint16Array(table.symbols) : table.symbols,
  };
}

export function putTree(parts: FileParts, name: string, tree: RowTree): void {
  parts.tensors[`${name}.row`] = { data: tree.row };
  parts.tensors[`${name}.childStart`] = { data: tree.childStart };
  parts.tensors[`${name}.childEvent`] = { data: tree.childEvent };
  parts.tensors[`${name}.childNode`] = { data: tree.childNode };
}

/** Numbers that JSON cannot hold are written as text; `finiteOrNot` reads them. */
export function putJson(parts: FileParts, key: string, value: unknown): void {
  parts.metadata[`stargram.${key}`] = JSON.stringify(value, (_, part) =>
    typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
  );
}

/** A number, or the text that `putJson` writes for one that is not finite. */
export const finiteOrNot = v.union([
  v.number(),
  v.pipe(v.picklist(["Infinity", "-Infinity", "NaN"]), v.transform(Number)),
]);

export const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An object, in files of older versions under the names of then. */
export function currently<E extends v.ObjectEntries>(entries: E) {
  return v.pipe(v.record(v.string(), v.unknown()), v.transform(withCurrentNames), v.object(entries));
}

/** How weights did on a held-out part, if there was one. */
export const heldOutSchema = v.optional(
  v.object({
    logLikelihood: v.optional(finiteOrNot),
    accuracy: finiteOrNot,
    exact: finiteOrNot,
    f1: v.optional(finiteOrNot),
    unlisted: v.optional(finiteOrNot),
  }),
);

/** How a training went, pass by pass. */
export const historySchema = v.array(
  currently({
    pass: countSchema,
    trainLogLikelihood: v.optional(finiteOrNot),
    contextLength: finiteOrNot,
    heldOut: heldOutSchema,
  }),
);

function isUtf8ByDecoding(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const isUtf8 = nodeModule("node:buffer")?.isUtf8 ?? isUtf8ByDecoding;

/** A file being read. Every method gives a checked part or throws an InputError that names the file. */
export class PartsReader {
  constructor(
    readonly content: TensorFile,
    readonly file: string | undefined,
  ) {}

  damaged(detail: string): InputError {
    return new InputError(`${DAMAGED}: ${detail}`, {
      file: this.file,
      hint: "copy or download the file again, or train the model again",
    });
  }

  /** Runs a function; an InputError it throws becomes one that says the file is damaged. */
  guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof MachineError || error.reason.startsWith(DAMAGED))
        throw error;
      throw this.damaged(error.message);
    }
  }

  has(name: string): boolean {
    return Object.hasOwn(this.content.tensors, name);
  }

  /** A list of numbers of one of the given types, as it lies in the file. */
  private tensor<T extends TensorData>(name: string, types: readonly (new (length: number) => T)[]): T {
    if (!this.has(name)) throw this.damaged(`it has no \`${name}\``);
    const { data, shape } = this.content.tensors[name];
    if (shape.length !== 1 || !types.some((type) => data instanceof type)) {
      throw this.damaged(`\`${name}\` is not a list of the right kind of numbers`);
    }
    return data as T;
  }

  /** Whole numbers that no kernel reads. */
  plainIntegers(name: string): Int32Array {
    return Int32Array.from(this.tensor<Int32Array | Uint16Array>(name, [Int32Array, Uint16Array]));
  }

  /** Whole numbers, where the kernel can read them. */
  integers(name: string): Int32Array {
    const data = this.tensor<Int32Array | Uint16Array>(name, [Int32Array, Uint16Array]);
    const numbers = backend().arrays.int32(data.length);
    numbers.set(data);
    return numbers;
  }

  /** Finite numbers in single precision that no kernel reads, as they lie in the file. */
  plainFloats(name: string): Float32Array {
    return this.finite(name, this.tensor(name, [Float32Array]));
  }

  private finite<T extends Float32Array | Float64Array>(name: string, data: T): T {
    // Three searches of the engine's own take a tenth of a loop that has not been compiled yet.
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      if (data.includes(bad)) throw this.damaged(`\`${name}\` holds a number that is not finite`);
    }
    return data;
  }

  /** Finite numbers in double precision, where the kernel can read them. */
  floats(name: string, length?: number): Float64Array {
    const data = this.finite(name, this.tensor<Float32Array | Float64Array>(name, [Float32Array, Float64Array]));
    if (length !== undefined && data.length !== length) {
      throw this.damaged(`\`${name}\` should hold ${length} numbers and holds ${data.length}`);
    }
    const numbers = backend().arrays.float64(data.length);
    numbers.set(data);
    return numbers;
  }

  /** Finite numbers in single precision, of a known shape. */
  matrix(name: string, sizes: readonly number[]): Float32Array {
    const { data, shape } = this.content.tensors[name] ?? {};
    if (!(data instanceof Float32Array) || shape.join() !== sizes.join()) {
      throw this.damaged(`it has no matrix \`${name}\` of ${sizes.join(" × ")} numbers`);
    }
    if (!data.every(Number.isFinite)) throw this.damaged(`\`${name}\` holds a number that is not finite`);
    return data;
  }

  /** Strings that are sound UTF-8 and do not overlap, as bytes. */
  private packed(name: string): PackedStrings {
    const bytes = this.tensor<Uint8Array>(`${name}.text`, [Uint8Array]);
    const end = this.tensor<Int32Array>(`${name}.end`, [Int32Array]);
    let begin = 0;
    for (let i = 0; i < end.length; i++) {
      if (end[i] < begin || end[i] > bytes.length) throw this.damaged(`the strings of \`${name}\` overlap`);
      if ((bytes[end[i]] & 0xc0) === 0x80) throw this.damaged(`a string of \`${name}\` is not UTF-8`);
      begin = end[i];
    }
    if (begin !== bytes.length) throw this.damaged(`\`${name}\` has text beyond its last string`);
    if (!isUtf8(bytes)) throw this.damaged(`a string of \`${name}\` is not UTF-8`);
    return { bytes, end };
  }

  strings(name: string): readonly string[] {
    return unpacked(this.packed(name));
  }

  /** `byHash`: the names are in that order. */
  alphabet(name: string, byHash = false): Alphabet {
    const packed = this.packed(name);
    try {
      return new Alphabet({ ...packed, byHash });
    } catch {
      throw this.damaged(`\`${name}\` holds a name twice`);
    }
  }

  table(name: string, symbolCount: number): RowTable {
    const start = this.integers(`${name}.start`);
    const symbols = this.integers(`${name}.symbols`);
    if (start.length === 0 || start[0] !== 0 || start[start.length - 1] !== symbols.length) {
      throw this.damaged("its rows do not cover its weights");
    }
    let e = 0;
    for (let row = 1; row < start.length; row++) {
      const end = start[row];
      if (end < e || end > symbols.length) throw this.damaged("its rows overlap");
      for (let before = -1; e < end; e++) {
        const symbol = symbols[e];
        if (symbol <= before || symbol >= symbolCount) {
          throw this.damaged("the symbols of a row are not in order or not in the alphabet");
        }
        before = symbol;
      }
    }
    return { symbolCount, start, symbols };
  }

  /**
   * A tree whose nodes follow their parents, each the child of one node. `limits` gives the least and the first too large
   * event of the children of nodes at a depth, or undefined where a node may have no children.
   */
  tree(
    name: string,
    rows: { from: number; to: number; needed: boolean },
    limits: (depth: number) => readonly [least: number, beyond: number] | undefined,
  ): RowTree {
    const row = this.integers(`${name}.row`);
    const childStart = this.integers(`${name}.childStart`);
    const childEvent = this.integers(`${name}.childEvent`);
    const childNode = this.integers(`${name}.childNode`);
    const nodes = row.length;
    const fault = (detail: string) => this.damaged(`the tree \`${name}\` ${detail}`);
    if (nodes === 0 || childStart.length !== nodes + 1) throw fault("has sizes that do not agree");
    if (childEvent.length !== nodes - 1 || childNode.length !== nodes - 1) throw fault("has sizes that do not agree");
    if (childStart[0] !== 0 || childStart[nodes] !== nodes - 1) throw fault("does not cover its nodes");
    const depth = new Int32Array(nodes).fill(-1);
    depth[0] = 0;
    for (let node = 0; node < nodes; node++) {
      if (row[node] >= rows.to || (row[node] < rows.from && (rows.needed || row[node] !== -1))) {
        throw fault("names a row that is not its own");
      }
      if (childStart[node + 1] < childStart[node] || childStart[node + 1] > nodes - 1)
        throw fault("has nodes that overlap");
      if (childStart[node] === childStart[node + 1]) continue;
      // Children follow their parents, so a node's depth is known when its turn comes; -1 is a node no other leads to.
      const limit = depth[node] < 0 ? undefined : limits(depth[node]);
      if (!limit) throw fault("is deeper than it should be");
      let before = limit[0] - 1;
      for (let c = childStart[node]; c < childStart[node + 1]; c++) {
        if (childEvent[c] <= before || childEvent[c] >= limit[1]) throw fault("has events out of order or range");
        before = childEvent[c];
        const child = childNode[c];
        if (child <= node || child >= nodes || depth[child] >= 0)
          throw fault("has a node that is not below its parent");
        depth[child] = depth[node] + 1;
      }
    }
    return { row, childStart, childEvent, childNode };
  }

  hasJson(key: string): boolean {
    return Object.hasOwn(this.content.metadata, `stargram.${key}`);
  }

  json<S extends v.GenericSchema>(key: string, schema: S): v.InferOutput<S> {
    const name = `stargram.${key}`;
    let value: unknown;
    try {
      value = JSON.parse(this.content.metadata[name] ?? "");
    } catch {
      throw this.damaged(`its \`${name}\` is not JSON`);
    }
    const result = v.safeParse(schema, value);
    if (result.success) return result.output;
    const issue = result.issues[0];
    const path = v.getDotPath(issue);
    throw this.damaged(`its \`${name}\`${path ? ` at \`${path.slice(0, 60)}\`` : ""} is not what it should be`);
  }
}
