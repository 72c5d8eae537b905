// Mixing of bits: the last steps of MurmurHash3, after which each bit of the result depends on each bit of the number.

/** A whole number of 32 bits from another, one to one. */
export function mixed(x: number): number {
  let h = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
