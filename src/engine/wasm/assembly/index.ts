// The hot loops, compiled to WebAssembly with SIMD. src/engine/wasm/kernel.ts is the other side: it owns the memory, lays out
// what these functions read, and names them in types.

export { bestOfChain, bestOfChainScore, chainLogPartition } from "./best";
export { adagrad, countSlots, scoreSlots, touchRows, truncate } from "./learn";
export { averageContextLength, forward } from "./forward";
export { addExpectations, backward, bestPath, bestScore } from "./passes";
export { expAll } from "./vector";
