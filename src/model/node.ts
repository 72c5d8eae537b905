// Parts of Node that make reading a model faster, for code that also runs where there is no Node.

interface NodeModules {
  "node:zlib": { crc32(bytes: Uint8Array, previous?: number): number };
  "node:buffer": { isUtf8(bytes: Uint8Array): boolean };
}

/** A module of Node's own; undefined in a browser. Bundlers see no import, so they have nothing to replace. */
export function nodeModule<K extends keyof NodeModules>(name: K): NodeModules[K] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: K): NodeModules[K] } };
  return process?.getBuiltinModule?.(name);
}
