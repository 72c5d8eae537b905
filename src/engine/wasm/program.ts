// The compiled code of assembly/ with the memory it works on, one for each thread.

import { bytesOfBase64 } from "./base64.js";
import { code, memoryFlagAt } from "./code.js";
import { type Block, KernelMemory } from "./memory.js";
import { type WebAssemblyMemory, webAssembly } from "./web-assembly.js";

/** What the compiled code offers. `state` is the address of a kernel's state, `work` that of a record for loops: layout.ts. */
export interface Code {
  forward(state: number): void;
  backward(state: number): void;
  addExpectations(state: number): void;
  /** Returns how many decisions the path has, -1 if there is no path. */
  bestPath(state: number): number;
  /** Returns how many outputs there are, or a `NoAnswer`. */
  bestOutputs(state: number): number;
  /** Returns how many decisions the path has, or a `NoAnswer`. */
  bestOfChain(state: number): number;
  scoreSlots(work: number): void;
  scoreDense(work: number): void;
  countSlots(work: number): void;
  touchRows(work: number): void;
  truncate(work: number): void;
  adagrad(work: number): void;
  affine(work: number): void;
  affineBack(work: number): void;
  adam(work: number): void;
  embed(work: number): void;
  embedBack(work: number): void;
  rectify(work: number): void;
  sum(work: number): void;
  multiply(work: number): void;
  findWalks(work: number): void;
  scoreWalks(work: number): void;
  expAll(to: number, from: number, count: number, shift: number): void;
}

/** Makes the arrays of a bundle larger, for at least `count` elements. */
export type Grow = (bundle: number, count: number) => void;

export class Program {
  readonly memory: KernelMemory;
  readonly code: Code;
  /** Of the kernel whose call is under way. */
  grow: Grow | undefined;
  /** Holds arrays from elsewhere for as long as a call lasts. */
  private scratch: Block | undefined;
  private scratchWords: Int32Array = new Int32Array(0);
  private scratchUsed = 0;
  private readonly outgrown: Block[] = [];

  constructor(memory?: WebAssemblyMemory) {
    this.memory = new KernelMemory(memory);
    const bytes = bytesOfBase64(code);
    bytes[memoryFlagAt] = this.memory.shared ? 3 : 1;
    this.code = new webAssembly.Instance(new webAssembly.Module(bytes), {
      env: { memory: this.memory.memory },
      host: { grow: (bundle: number, count: number) => this.grow?.(bundle, count) },
    }).exports as Code;
  }

  /** Begins a call: what `addressOf` copied for the one before is not needed any more. */
  begin(): void {
    this.scratchUsed = 0;
    for (const block of this.outgrown.splice(0)) this.memory.release(block);
  }

  /** The address of an array, 0 for none. One that lies elsewhere is copied to where it stays until the next call begins. */
  addressOf(array: Int32Array | Float64Array | Uint8Array | undefined): number {
    if (!array) return 0;
    if (this.memory.holds(array)) return array.byteOffset;
    const from = (this.scratchUsed + 15) & ~15;
    const room = this.scratch?.bytes ?? 0;
    if (!this.scratch || from + array.byteLength > room) {
      if (this.scratch) this.outgrown.push(this.scratch);
      this.scratch = this.memory.take(2 * (room + array.byteLength), true);
      this.scratchWords = new Int32Array(this.memory.buffer, this.scratch.address, this.scratch.bytes >> 2);
      this.scratchUsed = 0;
      return this.addressOf(array);
    }
    this.scratchUsed = from + array.byteLength;
    const address = this.scratch.address + from;
    if (array instanceof Int32Array) this.scratchWords.set(array, from >> 2);
    else new Uint8Array(this.memory.buffer, address, array.byteLength).set(bytesOf(array));
    return address;
  }

  /** Copies to an array from elsewhere what the call wrote to its copy at an address. */
  copyBack(array: Float64Array, address: number): void {
    if (!this.memory.holds(array)) array.set(new Float64Array(this.memory.buffer, address, array.length));
  }

  /** The address of an array that is written to, and so must lie in this memory. */
  ownAddressOf(array: Int32Array | Float32Array | Float64Array | Uint8Array): number {
    if (!this.memory.holds(array)) throw new Error("an array to be written to lies outside the kernel's memory");
    return array.byteOffset;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
