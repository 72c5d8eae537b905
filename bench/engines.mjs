// The engine's problems, recorded from the tasks, so that kernels can be compared on what they are really given.
import { referenceBackend } from "#stargram/engine/reference/backend.js";
import { wasmBackend } from "#stargram/engine/wasm/backend.js";

const wasm = wasmBackend();
if (!wasm) throw new Error("there is no WebAssembly with SIMD here");
export const backends = { js: referenceBackend, wasm };

/**
 * @typedef {{
 *   problem: import("#stargram/engine/problem.js").Problem, space: import("#stargram/engine/problem.js").RowSpace,
 *   inference: import("#stargram/engine/trellis.js").Inference,
 * }} Recorded
 */

/**
 * The problems that a kernel is given while `work` runs. A kernel's arrays are used again, so they are copied.
 * @param {import("#stargram/engine/backend.js").Kernel} kernel
 * @param {() => void} work
 */
export function record(kernel, work) {
  /** @type {Recorded[]} */
  const recorded = [];
  const forward = kernel.forward;
  kernel.forward = (problem, space, weights, inference, ...rest) => {
    const { slotCount, symbolCount } = problem.graph;
    recorded.push({
      problem: {
        ...problem,
        slotScores: Float64Array.from(problem.slotScores.subarray(0, slotCount * symbolCount)),
        slotInput: problem.slotInput && Int32Array.from(problem.slotInput.subarray(0, slotCount)),
      },
      space,
      inference,
    });
    return forward.call(kernel, problem, space, weights, inference, ...rest);
  };
  work();
  kernel.forward = forward;
  return recorded;
}

/**
 * What a kernel does with recorded problems: forward; forward and best path; forward, backward and expected counts; and the best
 * output alone, for weights that stay as they are.
 * @param {import("#stargram/engine/backend.js").Backend} backend
 * @param {readonly Recorded[]} recorded
 * @param {Float64Array} given weights
 */
export function loopsOf(backend, recorded, given) {
  const { arrays } = backend;
  const kernel = backend.makeKernel();
  const weights = arrays.placed(given);
  const counts = arrays.float64(given.length);
  const largest = Math.max(...recorded.map(({ problem }) => problem.slotScores.length));
  const slotCounts = arrays.float64(largest);
  const placed = recorded.map(({ problem, space, inference }) => ({
    problem: {
      ...problem,
      slotScores: arrays.placed(problem.slotScores),
      slotInput: problem.slotInput && arrays.placed(problem.slotInput),
    },
    space,
    inference,
  }));
  const each = (/** @type {() => void} */ then) => () => {
    for (const { problem, space, inference } of placed) {
      kernel.forward(problem, space, weights, inference);
      then();
    }
  };
  /** @type {Map<import("#stargram/engine/problem.js").RowSpace, import("#stargram/engine/backend.js").FrozenRows>} */
  const frozen = new Map(placed.map(({ space }) => [space, backend.freeze(space, weights)]));
  return {
    output() {
      for (const { problem, space, inference } of placed) {
        const rows = frozen.get(space);
        if (rows) kernel.bestOutput(problem, rows, inference);
      }
    },
    forward: each(() => {}),
    best: each(() => kernel.bestPath()),
    counts: each(() => {
      kernel.backward();
      kernel.addExpectations(counts, slotCounts, 1);
    }),
  };
}
