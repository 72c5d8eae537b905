// The state of a WebAssembly kernel: its arrays, which grow in bundles when the compiled code asks for room, and the record
// by which it is told what to do. Arrays that a trellis has are views of a `Trellis`.

import { Trellis } from "../trellis.js";
import {
  ARRAYS_AT,
  BranchingBytes,
  Bundle,
  CALL_AT,
  CALL_NUMBERS_AT,
  CallField,
  CallNumber,
  ChainBytes,
  GroupBytes,
  KernelArray,
  NUMBER,
  STATE_BYTES,
  TellingBytes,
  WORD,
  WrittenBytes,
} from "./layout.js";
import type { Block, BlockOwner } from "./memory.js";
import type { Program } from "./program.js";

type ArrayName = Exclude<keyof typeof KernelArray, "count">;
type BundleName = Exclude<keyof typeof Bundle, "count">;

/** The arrays of each bundle with the bytes of an element, and the room that there is to begin with. */
const bundles: Record<BundleName, { room: number; arrays: Partial<Record<ArrayName, number>> }> = {
  slots: { room: 64, arrays: { slotStart: WORD, bestScale: NUMBER } },
  contexts: {
    room: 256,
    arrays: {
      contextSlot: WORD,
      contextParent: WORD,
      contextSymbol: WORD,
      contextLength: WORD,
      contextCommon: WORD,
      arcStart: WORD,
      rowStart: WORD,
      logForward: NUMBER,
      mass: NUMBER,
      posterior: NUMBER,
      best: NUMBER,
      bestFrom: WORD,
      bestSymbol: WORD,
    },
  },
  rows: { room: 1024, arrays: { rows: WORD } },
  arcs: { room: 4096, arrays: { arcScore: NUMBER, arcTarget: WORD, arcMass: NUMBER } },
  lists: { room: 64, arrays: { list: WORD, listSuffix: 2 * WORD, listBest: NUMBER, listMerged: WORD } },
  groups: { room: 64, arrays: { groups: GroupBytes.bytes } },
  scratch: { room: 256, arrays: { scratch: NUMBER } },
  kept: { room: 64, arrays: { keptMass: NUMBER, keptKey: NUMBER, keptScratch: WORD } },
  claims: { room: 64, arrays: { claimedArc: WORD, claimedMass: NUMBER } },
  segments: { room: 16, arrays: { segmentFirst: WORD, segmentEnd: WORD, segmentList: WORD, segmentGroup: WORD } },
  walks: { room: 16, arrays: { walks: WORD } },
  telling: {
    room: 16,
    arrays: { tellingGroups: TellingBytes.bytes, tellingClosed: WORD, tellingOpen: WORD, tellingMember: WORD },
  },
  chain: { room: 256, arrays: { chain: ChainBytes.bytes } },
  chainSlots: { room: 64, arrays: { chainSlots: WORD } },
  chainEmissions: { room: 256, arrays: { chainEmissions: NUMBER } },
  outputs: { room: 16, arrays: { rest: NUMBER, passing: NUMBER, isPassed: WORD, edgeStart: WORD, edgeCount: WORD } },
  edges: { room: 64, arrays: { edge: WORD, edgeBound: NUMBER } },
  branchings: { room: 64, arrays: { branchings: BranchingBytes.bytes } },
  written: { room: 64, arrays: { written: WrittenBytes.bytes } },
  passings: { room: 256, arrays: { passed: WORD, passedShare: NUMBER } },
};

/** The same by number: [bundles] */
const byNumber = Object.entries(bundles)
  .map(([name, { room, arrays }]) => ({
    bundle: Bundle[name as BundleName],
    room,
    arrays: Object.entries(arrays).map(([array, bytes]) => ({
      name: array,
      number: KernelArray[array as ArrayName],
      bytes,
    })),
  }))
  .sort((a, b) => a.bundle - b.bundle);

export class KernelState {
  readonly trellis: Trellis = new Trellis();
  private readonly block: Block;
  /** [Bundle.count] how many elements the arrays of a bundle have room for. */
  private readonly rooms: Int32Array;
  /** [KernelArray.count] addresses. */
  private readonly addresses: Int32Array;
  /** [CallField.count] */
  readonly call: Int32Array;
  /** [CallNumber.count] */
  readonly numbers: Float64Array;
  /** [KernelArray.count] where the arrays are. */
  private readonly blocks: (Block | undefined)[] = [];

  /** `owner`: the blocks that are given back when it is disposed of. */
  constructor(
    private readonly program: Program,
    private readonly owner: BlockOwner,
  ) {
    const { memory } = program;
    this.block = memory.take(STATE_BYTES, false, owner);
    const { address } = this.block;
    this.rooms = new Int32Array(memory.buffer, address, Bundle.count);
    this.addresses = new Int32Array(memory.buffer, address + ARRAYS_AT, KernelArray.count);
    this.call = new Int32Array(memory.buffer, address + CALL_AT, CallField.count);
    this.numbers = new Float64Array(memory.buffer, address + CALL_NUMBERS_AT, CallNumber.count);
    for (const { bundle, room } of byNumber) this.grow(bundle, room);
  }

  get address(): number {
    return this.block.address;
  }

  /** Makes the arrays of a bundle larger, at least half as large again. */
  readonly grow = (bundle: Bundle, count: number): void => {
    const { memory } = this.program;
    const { rooms, blocks } = this;
    const room = Math.max(count, Math.ceil(rooms[bundle] * 1.5));
    for (const { name, number, bytes } of byNumber[bundle].arrays) {
      const old = blocks[number];
      const block = memory.take(room * bytes, true, this.owner);
      if (old) {
        const used = rooms[bundle] * bytes;
        new Uint8Array(memory.buffer, block.address, used).set(new Uint8Array(memory.buffer, old.address, used));
        memory.release(old);
      }
      blocks[number] = block;
      this.addresses[number] = block.address;
      if (!(name in this.trellis)) continue;
      const { buffer } = memory;
      const view =
        bytes === WORD ? new Int32Array(buffer, block.address, room) : new Float64Array(buffer, block.address, room);
      Object.assign(this.trellis, { [name]: view });
    }
    rooms[bundle] = room;
  };
}
