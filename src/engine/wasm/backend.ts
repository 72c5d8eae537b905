// The WebAssembly backend. A backend and the work spaces made by it share one program and its memory; a work space keeps a
// list of what it took from it, so that all of it comes back at once.

import type { Backend, FrozenRows, Kernel, WorkSpace } from "../backend.js";
import { BackoffCounter, type DecisionCounter, KernelCounter, prefersBackoff } from "../counter.js";
import type { Inference } from "../inference.js";
import type { RowSpace } from "../problem.js";
import { WasmDense } from "./dense.js";
import { WasmFrozenRows } from "./frozen-rows.js";
import { WasmKernel } from "./kernel.js";
import { WasmLoops } from "./loops.js";
import { BlockOwner, KernelArrays } from "./memory.js";
import { Program } from "./program.js";
import { Records } from "./records.js";
import type { WebAssemblyMemory } from "./web-assembly.js";

export class WasmBackend implements Backend {
  readonly name = "wasm";
  readonly arrays: KernelArrays;
  readonly loops: WasmLoops;
  readonly dense: WasmDense;
  protected readonly records: Records;

  constructor(
    readonly program: Program,
    protected readonly owner?: BlockOwner,
  ) {
    this.arrays = new KernelArrays(program.memory, owner);
    this.records = new Records(this.arrays);
    this.loops = new WasmLoops(program, this.records, this.arrays, owner);
    this.dense = new WasmDense(program, owner);
  }

  makeKernel(): Kernel {
    return new WasmKernel(this.program, this.records);
  }

  freeze(space: RowSpace, weights: Float64Array): FrozenRows {
    return new WasmFrozenRows(this.arrays, this.records, space, weights);
  }

  makeCounter(space: RowSpace, weights: Float64Array, inference: Inference): DecisionCounter {
    if (prefersBackoff(space, inference)) return new BackoffCounter(space, weights, inference);
    return new KernelCounter(this.makeKernel(), space, this.arrays.placed(weights), inference);
  }

  workSpace(): WorkSpace {
    return new WasmWorkSpace(this.program);
  }
}

class WasmWorkSpace extends WasmBackend implements WorkSpace {
  private readonly kernels = new Set<WasmKernel>();

  constructor(program: Program) {
    super(program, new BlockOwner());
  }

  override makeKernel(): Kernel {
    const kernel = new WasmKernel(this.program, this.records, (disposed) => this.kernels.delete(disposed));
    this.kernels.add(kernel);
    return kernel;
  }

  dispose(): void {
    for (const kernel of this.kernels) kernel.dispose();
    this.program.memory.dispose(this.owner as BlockOwner);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** The WebAssembly backend, or undefined where WebAssembly with SIMD is missing. `memory` joins that of another thread. */
export function wasmBackend(memory?: WebAssemblyMemory): WasmBackend | undefined {
  try {
    return new WasmBackend(new Program(memory));
  } catch {
    return undefined;
  }
}
