// The part of the WebAssembly API that is used here. Node's types do not have it and a browser's cannot be loaded beside
// them, so it is named here once.

export interface WebAssemblyMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

interface WebAssemblyApi {
  Memory: new (settings: { initial: number; maximum: number; shared?: boolean }) => WebAssemblyMemory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: object };
  validate(bytes: Uint8Array): boolean;
}

export const webAssembly: WebAssemblyApi = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
