// The rows of slot features that inputs have which are learned from again and again: found in the first pass and looked up in
// the others. One record for each input and finder: where the rows of each position and class begin, and the rows.

import type { Arrays, PositionRows } from "../../engine/backend.js";

/** Numbers of a block. */
const BLOCK = 2 ** 20;
/** Blocks at most: 128 MiB; where memory cannot grow, 64. Rows of further inputs are found each time. */
const MOST_BLOCKS = typeof SharedArrayBuffer === "function" ? 32 : 16;

/** What threads share. */
export interface RowMemoryParts {
  blocks: Int32Array[];
  /** [finders][inputs] where records begin, counted over all blocks; -1 for those that are not there. */
  place: Int32Array;
}

export class RowMemory {
  private readonly blocks: Int32Array[];
  private readonly place: Int32Array;
  /** Used of the last block. */
  private used = BLOCK;
  private isFull = false;

  constructor(
    private readonly arrays: Arrays,
    private readonly inputs: number,
    finders: number,
    /** Of another thread: then nothing is added. */
    shared?: RowMemoryParts,
    private readonly most = MOST_BLOCKS,
  ) {
    this.blocks = shared?.blocks ?? [];
    this.place = shared?.place ?? arrays.int32(inputs * finders).fill(-1);
    this.isFull = shared !== undefined;
  }

  get parts(): RowMemoryParts {
    return { blocks: this.blocks, place: this.place };
  }

  /** The rows of an input with so many positions and classes, if they are known. */
  recall(finder: number, input: number, classes: number): PositionRows | undefined {
    const at = this.place[finder * this.inputs + input];
    if (at < 0) return undefined;
    const block = this.blocks[Math.floor(at / BLOCK)];
    const first = at % BLOCK;
    const ids = first + classes + 1;
    return { start: block.subarray(first, ids), ids: block.subarray(ids, ids + block[ids - 1]) };
  }

  /** Notes the rows of an input, if there is room. */
  note(finder: number, input: number, classes: number, { start, ids }: PositionRows): void {
    const size = classes + 1 + start[classes];
    if (this.isFull || size > BLOCK) return;
    if (this.used + size > BLOCK && !this.addBlock()) return;
    const block = this.blocks[this.blocks.length - 1];
    this.place[finder * this.inputs + input] = (this.blocks.length - 1) * BLOCK + this.used;
    block.set(start.subarray(0, classes + 1), this.used);
    block.set(ids.subarray(0, start[classes]), this.used + classes + 1);
    this.used += size;
  }

  private addBlock(): boolean {
    this.isFull = this.blocks.length === this.most;
    if (this.isFull) return false;
    this.blocks.push(this.arrays.int32(BLOCK));
    this.used = 0;
    return true;
  }

  /** Forgets everything, and gives the room back. */
  forget(): void {
    for (const block of this.blocks.splice(0)) this.arrays.release(block);
    this.place.fill(-1);
    this.used = BLOCK;
    this.isFull = false;
  }
}
