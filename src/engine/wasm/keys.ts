// Walks through the keys of a cipher in WebAssembly: a module of its own, with a memory of its own, so that who deciphers
// nothing loads nothing. Arrays of texts, tables and walks lie in that memory; a record of their addresses
// (keys-layout.ts) is a walk to the compiled code.

import type { KeyLoops, KeyText, KeyWalk, Temperature } from "../keys.js";
import { bytesOfBase64 } from "./base64.js";
import { code, memoryFlagAt } from "./keys-code.js";
import * as layout from "./keys-layout.js";
import { KernelArrays, KernelMemory } from "./memory.js";
import { type WebAssemblyMemory, webAssembly } from "./web-assembly.js";

interface Code {
  heatBath(work: number, steps: number): void;
  trade(work: number, steps: number): void;
}

/** Rows whose addresses the code notes at once; see assembly/keys.ts. */
const ROWS_AT_ONCE = 256;

export class WasmKeyLoops implements KeyLoops {
  readonly name = "wasm";
  readonly arrays: KernelArrays;
  private readonly memory: KernelMemory;
  private readonly code: Code;
  private readonly records = new WeakMap<KeyWalk, Int32Array>();
  private readonly scratches = new WeakMap<KeyText, { lists: Int32Array; scratch: Int32Array }>();

  /** `memory` is given in a thread that joins another's. */
  constructor(memory?: WebAssemblyMemory) {
    this.memory = new KernelMemory(memory);
    this.arrays = new KernelArrays(this.memory);
    const bytes = bytesOfBase64(code);
    bytes[memoryFlagAt] = this.memory.shared ? 3 : 1;
    const module = new webAssembly.Module(bytes);
    this.code = new webAssembly.Instance(module, { env: { memory: this.memory.memory } }).exports as Code;
  }

  heatBath(walk: KeyWalk, temperature: Temperature, steps: number): void {
    this.code.heatBath(this.recordOf(walk, temperature), steps);
  }

  trade(walk: KeyWalk, temperature: Temperature, steps: number): void {
    this.code.trade(this.recordOf(walk, temperature), steps);
  }

  /** The address of a walk's record. */
  private recordOf(walk: KeyWalk, { weights }: Temperature): number {
    let record = this.records.get(walk);
    if (!record) {
      record = this.recordFor(walk);
      this.records.set(walk, record);
    }
    if (!this.memory.holds(weights)) throw new Error("weights lie outside the memory of their loops");
    record[layout.WEIGHT_COUNT] = weights.length;
    record[layout.WEIGHTS] = weights.byteOffset;
    return record.byteOffset;
  }

  private recordFor(walk: KeyWalk): Int32Array {
    const { text } = walk;
    const { tables } = text;
    const { lists, scratch } = this.scratchOf(text);
    const record = this.arrays.int32(layout.FIELDS);
    const put = (name: number, array: Int32Array | Uint8Array): void => {
      if (!this.memory.holds(array)) throw new Error("an array of a walk lies outside the memory of its loops");
      record[name] = array.byteOffset;
    };
    record[layout.ORDER] = tables.order;
    record[layout.EVENTS] = tables.events;
    record[layout.STRIDE] = tables.stride;
    record[layout.PLAIN_COUNT] = tables.plainCount;
    record[layout.FREE_COUNT] = text.free.length;
    record[layout.IS_HOMOPHONIC] = text.isHomophonic ? 1 : 0;
    record[layout.CIPHER_COUNT] = text.cipherCount;
    put(layout.TABLES, lists);
    put(layout.FREQUENCY, text.frequency);
    put(layout.PLACE_START, text.placeStart);
    put(layout.PLACES, text.places);
    put(layout.WINDOW_START, text.windowStart);
    put(layout.WINDOWS, text.windows);
    put(layout.ONCE_START, text.onceStart);
    put(layout.ONCE, text.once);
    put(layout.OFTEN_START, text.oftenStart);
    put(layout.OFTEN, text.often);
    put(layout.OFTEN_STEP, text.oftenStep);
    put(layout.POWER, text.power);
    put(layout.FREE, text.free);
    put(layout.ALLOWED, text.allowed);
    put(layout.KEY, walk.key);
    put(layout.PLAIN, walk.plain);
    put(layout.WRITTEN, walk.written);
    put(layout.OWNER, walk.owner);
    put(layout.COST, walk.cost);
    put(layout.STAMP, walk.stamp);
    put(layout.BEST_KEY, walk.bestKey);
    put(layout.STATE, walk.state);
    put(layout.SCRATCH, scratch);
    return record;
  }

  /** What all walks of a text share: the addresses of the tables, and room for a step. */
  private scratchOf(text: KeyText): { lists: Int32Array; scratch: Int32Array } {
    let made = this.scratches.get(text);
    if (!made) {
      const { order, turned = [], costs, stride } = text.tables;
      const lists = this.arrays.int32(order + 1);
      for (const [j, table] of [...turned.entries(), [order, costs] as const]) {
        if (!this.memory.holds(table)) throw new Error("a table lies outside the memory of its loops");
        lists[j] = table.byteOffset;
      }
      made = { lists, scratch: this.arrays.int32(Math.max(stride + ROWS_AT_ONCE, 2 * text.text.length)) };
      this.scratches.set(text, made);
    }
    return made;
  }
}
