// Names as bytes: UTF-8, in which half a character (a lone surrogate) is three bytes like any other of its size, so that names that
// differ have bytes that differ.

export function nameBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(3 * text.length);
  return bytes.subarray(0, putNameBytes(text, bytes));
}

/** Writes the bytes of a name, which have room; returns how many they are. */
export function putNameBytes(text: string, to: Uint8Array): number {
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code < 0x80) to[at++] = code;
    else if (code < 0x800) {
      to[at++] = 0xc0 | (code >> 6);
      to[at++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      to[at++] = 0xe0 | (code >> 12);
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
      to[at++] = 0x80 | (code & 0x3f);
    } else {
      to[at++] = 0xf0 | (code >> 18);
      to[at++] = 0x80 | ((code >> 12) & 0x3f);
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
      to[at++] = 0x80 | (code & 0x3f);
      i++;
    }
  }
  return at;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function textOf(bytes: Uint8Array): string {
  return hasHalves(bytes) ? halvesOf(bytes) : decoder.decode(bytes);
}

/** Whether there is half a character in a name, which UTF-8 does not have. */
export function hasHalves(bytes: Uint8Array): boolean {
  for (let i = 0; i + 1 < bytes.length; i++) if (bytes[i] === 0xed && bytes[i + 1] >= 0xa0) return true;
  return false;
}

/** A text with half characters, which no decoder gives. */
function halvesOf(bytes: Uint8Array): string {
  let text = "";
  let from = 0;
  for (let i = 0; i + 1 < bytes.length; i++) {
    if (bytes[i] !== 0xed || bytes[i + 1] < 0xa0) continue;
    text += decoder.decode(bytes.subarray(from, i));
    text += String.fromCharCode(0xd000 | ((bytes[i + 1] & 0x3f) << 6) | (bytes[i + 2] & 0x3f));
    from = i + 3;
  }
  return text + decoder.decode(bytes.subarray(from));
}
