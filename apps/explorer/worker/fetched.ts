// Files of the site, and model files packed with gzip.

import { InputError } from "../../../src/browser.js";

/** A file of the site, with the share that has come so far reported. */
export async function fetched(url: string, name: string, progress: (share: number) => void): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new InputError("could not be loaded", { file: name, hint: "are you still online?", cause });
  }
  if (!response.ok || !response.body) {
    throw new InputError(`could not be loaded (server status ${response.status})`, { file: name });
  }
  const total = Number(response.headers.get("Content-Length") ?? 0);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    length += part.value.length;
    if (total > 0) progress(length / total);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Model files may be packed with gzip; some hosts unpack them on the way. */
export async function unpacked(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (cause) {
    throw new InputError("the gzip file is damaged", { file: name, hint: "download it again", cause });
  }
}
