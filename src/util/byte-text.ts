// Text that is written as bytes into one buffer after another: nothing is made of it on the way.

import type { ByteStrings } from "./byte-strings.js";
import { millionthsOf, probabilityText } from "./text.js";

const ZERO = 0x30;
const POINT = 0x2e;
/** More than a probability takes. */
const LONGEST_NUMBER = 32;
/** From here on, six digits of a probability are those of 1. */
const AS_GOOD_AS_ONE = 0.9999996;

export class ByteText {
  private bytes = new Uint8Array(1 << 12);
  private length = 0;

  byte(code: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = code;
  }

  string(strings: ByteStrings, number: number): void {
    this.reserve(strings.lengthOf(number));
    this.length = strings.write(number, this.bytes, this.length);
  }

  /** A probability with six significant digits, as `probabilityText` writes it. */
  probability(probability: number): void {
    this.reserve(LONGEST_NUMBER);
    if (probability >= AS_GOOD_AS_ONE && probability <= 1) {
      this.bytes[this.length++] = ZERO + 1;
      return;
    }
    const millionths = millionthsOf(probability);
    if (millionths >= 0) this.millionths(millionths);
    else this.ascii(probabilityText(probability));
  }

  /** `0.25` for 250000. */
  private millionths(count: number): void {
    const { bytes } = this;
    let rest = count;
    let digits = 6;
    while (rest % 10 === 0) {
      rest = (rest / 10) | 0;
      digits--;
    }
    bytes[this.length] = ZERO;
    bytes[this.length + 1] = POINT;
    for (let at = this.length + 1 + digits; at > this.length + 1; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.length += 2 + digits;
  }

  private ascii(text: string): void {
    this.reserve(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i);
  }

  /** What was written since the last time, which is the caller's. */
  taken(): Uint8Array<ArrayBuffer> {
    const written = this.bytes.subarray(0, this.length);
    // As much again will come; what was given away must not be written over.
    this.bytes = new Uint8Array(Math.max(1 << 12, this.length + (this.length >> 2)));
    this.length = 0;
    return written;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
