// Compiled code, which is kept as text in base64, as bytes.

/** By Node's own decoder where it is at hand: the loop takes milliseconds before it is compiled. */
export function bytesOfBase64(text: string): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: "base64"): Uint8Array } };
  if (Buffer) return Buffer.from(text, "base64");
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
