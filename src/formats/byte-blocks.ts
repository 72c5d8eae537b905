// Blocks of lines as bytes, cut at the ends of lines and joined again.

import type { ByteBlock } from "./line-blocks.js";

const NEWLINE = 0x0a;

/** How many lines bytes hold that end before a newline. */
export function lineCount(bytes: Uint8Array): number {
  let count = 1;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === NEWLINE) count++;
  return count;
}

/** A block cut at the end of a line: the lines up to there, and the others if there are any. */
export function cutBytes({ first, count, bytes }: ByteBlock, end: number): [ByteBlock, ByteBlock | undefined] {
  const before = bytes.subarray(0, end);
  const own = { first, count: lineCount(before), bytes: before };
  if (end === bytes.length) return [own, undefined];
  return [own, { first: first + own.count, count: count - own.count, bytes: bytes.subarray(end + 1) }];
}

/** A block and the one that follows it. */
export function joinedBytes(one: ByteBlock | undefined, next: ByteBlock): ByteBlock {
  if (!one) return next;
  const bytes = new Uint8Array(one.bytes.length + 1 + next.bytes.length);
  bytes.set(one.bytes);
  bytes[one.bytes.length] = NEWLINE;
  bytes.set(next.bytes, one.bytes.length + 1);
  return { first: one.first, count: one.count + next.count, bytes };
}
