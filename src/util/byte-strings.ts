// Strings of bytes one after another, numbered from 1 up. There are no objects for them, so that a million take no more memory
// than their bytes and where each begins.

import { Numbers } from "./numbers.js";

export class ByteStrings {
  /** All bytes; those of number n are `begin[n]` to `begin[n + 1] - 1`. Both arrays may be longer than what they hold. */
  bytes = new Uint8Array(64);
  begin = new Int32Array(64);
  private readonly room = new Numbers((length) => {
    this.bytes = new Uint8Array(length);
    return this.bytes;
  });
  private readonly places = new Numbers((length) => {
    this.begin = new Int32Array(length);
    return this.begin;
  });

  constructor() {
    this.clear();
  }

  clear(): void {
    this.room.length = 0;
    this.places.length = 0;
    this.places.push(0); // of number 0, which is none
    this.places.push(0);
  }

  get count(): number {
    return this.places.length - 2;
  }

  /** Of all of them, in bytes. */
  get size(): number {
    return this.room.length;
  }

  /** Adds `bytes[from]` to `bytes[to - 1]`; returns their number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    this.room.pushRange(bytes as Uint8Array<ArrayBuffer>, from, to);
    this.places.push(this.room.length);
    return this.places.length - 2;
  }

  isSame(number: number, other: Uint8Array, from: number, to: number): boolean {
    const { bytes, begin } = this;
    let at = begin[number];
    if (begin[number + 1] - at !== to - from) return false;
    for (let i = from; i < to; i++) if (bytes[at++] !== other[i]) return false;
    return true;
  }

  lengthOf(number: number): number {
    return this.begin[number + 1] - this.begin[number];
  }

  /** Copies the bytes of a number, for which there must be room; returns where they end. */
  write(number: number, to: Uint8Array, at: number): number {
    const { bytes, begin } = this;
    const end = begin[number + 1];
    let place = at;
    for (let i = begin[number]; i < end; i++) to[place++] = bytes[i];
    return place;
  }

  viewOf(number: number): Uint8Array {
    return this.bytes.subarray(this.begin[number], this.begin[number + 1]);
  }
}
