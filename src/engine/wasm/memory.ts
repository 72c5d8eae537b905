// Memory of the WebAssembly kernel: blocks are taken from the top of one WebAssembly memory and come back to lists by
// size when the array or kernel they belonged to is collected. Where threads may share memory the top is moved
// atomically, so every thread takes blocks of its own from the same memory; and such a memory grows without moving. Where
// they may not (a page without cross-origin isolation) growing would detach every array, so the memory has a fixed size.

import { MachineError } from "../../util/errors.js";
import type { Arrays } from "../backend.js";
import { type WebAssemblyMemory, webAssembly } from "./web-assembly.js";

/** The first bytes hold constants of the compiled code; the top is kept among them. */
const TOP_AT = 64;
const FIRST_BLOCK = 65_536;
const PAGE = 65_536;
/** Pages a memory may have: 4 GiB. */
const MOST_PAGES = 65_536;
/** Pages of a memory that cannot grow: 512 MiB of addresses, of which only what is touched takes room. */
const FIXED_PAGES = 8192;
const ALIGNMENT = 16;

/** A block that is returned when its owner is collected. */
interface Block {
  address: number;
  bytes: number;
}

export class KernelMemory implements Arrays {
  readonly shared: boolean;
  readonly memory: WebAssemblyMemory;
  /** Free blocks by size. */
  private readonly free = new Map<number, number[]>();
  /** Buffers that are this memory: a shared one has a new object after growing, and others in other threads. */
  private readonly buffers = new WeakSet<ArrayBufferLike>();
  /** The one of them that was asked for last, which most arrays have. */
  private latest: ArrayBufferLike | undefined;
  private readonly collected = new FinalizationRegistry<Block>((block) => this.release(block));

  /** `memory` is given in a thread that joins another's memory. */
  constructor(memory?: WebAssemblyMemory) {
    this.shared = memory !== undefined || typeof SharedArrayBuffer === "function";
    this.memory =
      memory ??
      new webAssembly.Memory(
        this.shared
          ? { initial: 2, maximum: MOST_PAGES, shared: true }
          : { initial: FIXED_PAGES, maximum: FIXED_PAGES },
      );
    if (!memory) this.top()[0] = FIRST_BLOCK;
  }

  /** The memory's bytes. Another thread may have made it grow, so that this is an object never seen before. */
  get buffer(): ArrayBufferLike {
    const { buffer } = this.memory;
    this.buffers.add(buffer);
    return buffer;
  }

  private top(): Uint32Array {
    return new Uint32Array(this.buffer, TOP_AT, 1);
  }

  /** Takes a block of at least this many bytes. Its bytes are zero unless `dirty` is allowed. */
  take(bytes: number, dirty = false): Block {
    const size = sizeClass(bytes);
    const address = this.free.get(size)?.pop();
    if (address !== undefined) {
      if (!dirty) new Uint8Array(this.buffer, address, size).fill(0);
      return { address, bytes: size };
    }
    const from = this.raiseTop(size);
    if (from === undefined) {
      throw new MachineError(`not enough memory: ${bytes} more bytes do not fit into the kernel's`, {
        hint: "fewer contexts, a lower order, shorter sequences or another mode of inference than `exact` need less",
      });
    }
    return { address: from, bytes: size };
  }

  /** Moves the top up and returns where it was; undefined, and it stays there, if the memory cannot hold so much. */
  private raiseTop(size: number): number | undefined {
    for (;;) {
      const from = Atomics.load(this.top(), 0);
      if (from + size > MOST_PAGES * PAGE) return undefined;
      const needed = Math.ceil((from + size) / PAGE);
      const present = this.memory.buffer.byteLength / PAGE;
      if (needed > present && !this.growTo(needed, present)) return undefined;
      if (Atomics.compareExchange(this.top(), 0, from, from + size) === from) return from;
    }
  }

  private growTo(needed: number, present: number): boolean {
    if (!this.shared) return false;
    try {
      this.memory.grow(Math.min(MOST_PAGES - present, Math.max(needed - present, present >> 2)));
      return true;
    } catch {
      return this.memory.buffer.byteLength / PAGE >= needed;
    }
  }

  /** Gives a block back. */
  release({ address, bytes }: Block): void {
    const same = this.free.get(bytes);
    if (same) same.push(address);
    else this.free.set(bytes, [address]);
  }

  readonly float64 = (length: number): Float64Array => {
    const block = this.take(length * 8);
    return this.owned(new Float64Array(this.buffer, block.address, length), block);
  };

  readonly int32 = (length: number): Int32Array => {
    const block = this.take(length * 4);
    return this.owned(new Int32Array(this.buffer, block.address, length), block);
  };

  readonly uint8 = (length: number): Uint8Array => {
    const block = this.take(length);
    return this.owned(new Uint8Array(this.buffer, block.address, length), block);
  };

  private owned<T extends object>(array: T, block: Block): T {
    this.collected.register(array, block);
    return array;
  }

  placed<T extends Int32Array | Float64Array>(array: T): T {
    if (this.holds(array)) return array;
    const copy = array instanceof Int32Array ? this.int32(array.length) : this.float64(array.length);
    copy.set(array);
    return copy as T;
  }

  /** Counts an array that another thread sent as part of this memory. */
  join(array: ArrayBufferView): void {
    this.buffers.add(array.buffer);
  }

  holds(array: ArrayBufferView): boolean {
    const { buffer } = array;
    if (buffer === this.latest) return true;
    if (!this.buffers.has(buffer)) return false;
    this.latest = buffer;
    return true;
  }
}

/** The size of the block for this many bytes: one of eight steps between powers of two. */
function sizeClass(bytes: number): number {
  const least = Math.max(ALIGNMENT, bytes);
  const step = Math.max(ALIGNMENT, 2 ** Math.floor(Math.log2(least)) / 8);
  return Math.ceil(least / step) * step;
}
