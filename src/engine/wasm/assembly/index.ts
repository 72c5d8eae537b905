// The hot loops, compiled to WebAssembly with SIMD. ../program.ts names them in types, ../layout.ts says what lies where in
// the memory that both sides work on.

export { bestOfChain } from "./chain/pass";
export { adam, affine, affineBack, embed, embedBack, multiply, rectify, sum } from "./dense";
export { scoreDense } from "./dense-rows";
export { adagrad, countSlots, scoreSlots, touchRows, truncate } from "./learn";
export { forward } from "./trellis/forward";
export { bestOutputs } from "./trellis/outputs";
export { addExpectations, backward, bestPath } from "./trellis/passes";
export { expAll } from "./vector";
export { findWalks, scoreWalks } from "./walks";
