// Memory of the WebAssembly kernel: blocks are taken from the top of one WebAssembly memory and come back to lists by
// size, when they are given back or when the array they belonged to is collected. Where threads may share memory the top is
// moved atomically, so every thread takes blocks of its own from the same memory; and such a memory grows without moving.
// Where they may not (a page without cross-origin isolation) growing would detach every array, so the memory has a fixed
// size.

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
/** Bytes that may be taken from the top before the collector is told; see `press`. */
const UNTOLD = 2 ** 25;

export interface Block {
  readonly address: number;
  readonly bytes: number;
  readonly owner: BlockOwner | undefined;
  isFree: boolean;
}

/** Whose blocks all come back at once. */
export class BlockOwner {
  /** Those that are not free yet. */
  readonly blocks: Set<Block> = new Set();
  isDisposed = false;
}

/** Makes arrays in the kernel's memory. Those of an owner all come back when it is disposed of. */
export class KernelArrays implements Arrays {
  constructor(
    readonly memory: KernelMemory,
    private readonly owner?: BlockOwner,
  ) {}

  // As values, so that one of them can be handed on alone.
  readonly float64 = (length: number): Float64Array => {
    const block = this.memory.take(length * 8, false, this.owner);
    return this.memory.give(new Float64Array(this.memory.buffer, block.address, length), block);
  };

  readonly float32 = (length: number): Float32Array => {
    const block = this.memory.take(length * 4, false, this.owner);
    return this.memory.give(new Float32Array(this.memory.buffer, block.address, length), block);
  };

  readonly int32 = (length: number): Int32Array => {
    const block = this.memory.take(length * 4, false, this.owner);
    return this.memory.give(new Int32Array(this.memory.buffer, block.address, length), block);
  };

  readonly uint8 = (length: number): Uint8Array => {
    const block = this.memory.take(length, false, this.owner);
    return this.memory.give(new Uint8Array(this.memory.buffer, block.address, length), block);
  };

  placed<T extends Int32Array | Float64Array>(array: T): T {
    if (this.memory.holds(array)) return array;
    const copy = array instanceof Int32Array ? this.int32(array.length) : this.float64(array.length);
    copy.set(array);
    return copy as T;
  }

  release(array: Int32Array | Float32Array | Float64Array | Uint8Array): void {
    this.memory.giveBack(array);
  }
}

export class KernelMemory {
  readonly shared: boolean;
  readonly memory: WebAssemblyMemory;
  /** Addresses of free blocks by size. */
  private readonly free = new Map<number, number[]>();
  /** Buffers that are this memory: a shared one has a new object after growing, and others in other threads. */
  private readonly buffers = new WeakSet<ArrayBufferLike>();
  /** The one of them that was asked for last, which most arrays have. */
  private latest: ArrayBufferLike | undefined;
  private readonly blocks = new WeakMap<ArrayBufferView, Block>();
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
  take(bytes: number, dirty = false, owner?: BlockOwner): Block {
    if (owner?.isDisposed) throw new Error("memory of a work space or kernel that was disposed of");
    const size = sizeClass(bytes);
    let address = this.free.get(size)?.pop();
    if (address === undefined) {
      this.press(size);
      address = this.raiseTop(size);
      if (address === undefined) {
        throw new MachineError(`not enough memory: ${bytes} more bytes do not fit into the kernel's`, {
          hint: "fewer contexts, a lower order, shorter sequences or another mode of inference than `exact` need less",
        });
      }
    } else if (!dirty) new Uint8Array(this.buffer, address, size).fill(0);
    const block = { address, bytes: size, owner, isFree: false };
    owner?.blocks.add(block);
    return block;
  }

  /**
   * The collector sees a few small objects where arrays of the kernel lie, and no reason to look for those that were dropped.
   * So it is shown a plain buffer, never touched, as large as what was taken since the last time.
   */
  private press(bytes: number): void {
    this.untold += bytes;
    if (this.untold < UNTOLD) return;
    try {
      new ArrayBuffer(this.untold);
    } catch {
      // As much as there is not: the collector has noticed.
    }
    this.untold = 0;
  }
  private untold = 0;

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

  /** Gives a block back, unless it was. */
  release(block: Block): void {
    if (block.isFree) return;
    block.isFree = true;
    block.owner?.blocks.delete(block);
    const same = this.free.get(block.bytes);
    if (same) same.push(block.address);
    else this.free.set(block.bytes, [block.address]);
  }

  /** Makes an array the keeper of a block: it comes back when the array is collected. */
  give<T extends ArrayBufferView>(array: T, block: Block): T {
    this.blocks.set(array, block);
    this.collected.register(array, block, block);
    return array;
  }

  /** Takes the block of an array back at once; the array must not be used again. Nothing happens to arrays from elsewhere. */
  giveBack(array: ArrayBufferView): void {
    const block = this.blocks.get(array);
    if (!block) return;
    this.collected.unregister(block);
    this.release(block);
  }

  /** Takes the blocks of an owner back at once. */
  dispose(owner: BlockOwner): void {
    owner.isDisposed = true;
    for (const block of owner.blocks) {
      this.collected.unregister(block);
      this.release(block);
    }
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
