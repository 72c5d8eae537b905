// The CRC-32 of IEEE 802.3, as in gzip and PNG: the remainder of the bytes, as a polynomial over GF(2), by 0xedb88320 (reversed).

import { nodeModule } from "./node.js";

const zlib = nodeModule("node:zlib");

/** The CRC-32 of IEEE 802.3 (as in gzip and PNG), bytes taken after those that gave `previous`: by zlib where it is at hand. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  // To zlib an array without bytes may be none at all, which begins anew.
  if (bytes.length === 0) return previous;
  return zlib ? zlib.crc32(bytes, previous) : crc32ByTable(bytes, previous);
}

/** The same where there is no zlib. */
export function crc32ByTable(bytes: Uint8Array, previous = 0): number {
  crcTable ??= makeCrcTable();
  const table = crcTable;
  let crc = ~previous;
  let i = 0;
  for (const eights = bytes.length - 7; i < eights; i += 8) {
    crc ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    crc =
      table[1792 + (crc & 0xff)] ^
      table[1536 + ((crc >>> 8) & 0xff)] ^
      table[1280 + ((crc >>> 16) & 0xff)] ^
      table[1024 + (crc >>> 24)] ^
      table[768 + bytes[i + 4]] ^
      table[512 + bytes[i + 5]] ^
      table[256 + bytes[i + 6]] ^
      table[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}

let crcTable: Int32Array | undefined;

/** [8][256] the CRC of each byte value, and of that value with 1 to 7 zeros after it, to take eight bytes at a time. */
function makeCrcTable(): Int32Array {
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[byte] = crc;
  }
  for (let i = 256; i < table.length; i++) table[i] = (table[i - 256] >>> 8) ^ table[table[i - 256] & 0xff];
  return table;
}
