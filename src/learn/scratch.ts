// Room on disk for a training whose examples do not fit into memory, as a training sees it: a file to put numbers into, and how
// much memory it may take. What the file is, whoever starts the training says (src/formats/scratch.ts for Node).

import { MOST_NAMES } from "../engine/growing-alphabet.js";

/** A file that belongs to one training and is gone when it is closed, or when the program ends however it ends. */
export interface ScratchFile {
  /** Bytes so far. */
  readonly size: number;
  /** Appends bytes. */
  append(bytes: Uint8Array): void;
  /** Overwrites bytes. */
  write(at: number, bytes: Uint8Array): void;
  /** Fills `into` with the bytes from `at` on. */
  read(at: number, into: Uint8Array): void;
  close(): void;
}

export interface Scratch {
  /** Approximate number of bytes of memory that training may use. */
  memory: number;
  open(): ScratchFile;
  /** Instead of the sizes that follow from the memory, and of the default block sizes. */
  sizes?: Partial<MemorySizes>;
}

/** What may be in memory, and how passes go through examples. */
export interface MemorySizes extends OrderSizes {
  /** Number of values of examples kept in memory; if there are more, all go to disk. */
  examples: number;
  /** Numbers of the examples at hand, when they are on disk. */
  window: number;
  /** Names in a dictionary. */
  names: number;
  /** Weights. */
  weights: number;
}

/** How passes go through examples, whether these are in memory or on disk; in numbers of examples. */
export interface OrderSizes {
  /** Up to this many values, all examples are shuffled together. */
  whole: number;
  /** Beyond that: the size of a block, and how many blocks are shuffled together. */
  block: number;
  together: number;
}

/** Data of up to 256 MB is shuffled as a whole; of more, 64 blocks of 1 MB each at a time. */
export const usualOrder: OrderSizes = { whole: 1 << 26, block: 1 << 18, together: 64 };

/** What a program takes before it reads anything. */
const BASE = 150e6;
/**
 * Bytes of a name while data is read and learned from: its text, its places in the dictionary and in the table of rows. Bytes of a
 * weight: itself, AdaGrad's sums, the gradient, the best so far, the one that is judged, and what a checkpoint copies.
 */
const NAME_BYTES = 90;
const WEIGHT_BYTES = 110;
/** Copies of the numbers of examples that there are at a time when they are in memory, at most. */
const COPIES = 4;
const NUMBER_BYTES = 4;

/** The kernel addresses 4 GiB: numbers of examples and weights that lie there together, at most. */
const MOST = { examples: 1 << 28, weights: 75e6 };

/** What fits into memory. A name has one weight or two, as a rule. */
export function sizesFor({ memory, sizes }: Pick<Scratch, "memory" | "sizes">): MemorySizes {
  const free = Math.max(BASE, memory - BASE);
  return {
    ...usualOrder,
    // What half of the memory holds, beside names and weights.
    examples: Math.min(MOST.examples, Math.floor(free / 2 / (COPIES * NUMBER_BYTES))),
    window: Math.min(1 << 24, Math.floor(free / 12 / NUMBER_BYTES)),
    names: Math.min(MOST_NAMES, Math.floor((0.35 * free) / NAME_BYTES)),
    weights: Math.min(MOST.weights, Math.floor((0.55 * free) / WEIGHT_BYTES)),
    ...sizes,
  };
}
