// What holds memory of the kernel for as long as a model lives: a work space for kernels and scratch arrays, and the arrays
// that the model was made of. All of it comes back when the holder is disposed of, or, later, when it is collected.

import { type Arrays, type Owner, placedAll, releaseAll, type WorkSpace } from "./backend.js";
import { backend } from "./choice.js";

export class Holder implements Owner {
  protected readonly backend: WorkSpace = backend().workSpace();
  /** Undefined when they are given back. */
  private held: unknown[] | undefined = [];

  /** The value with its arrays in the kernel's memory. The holder owns them from now on. */
  hold<T>(value: T): T {
    this.check();
    const placed = placedAll(value, this.arrays);
    this.held?.push(placed);
    return placed;
  }

  get arrays(): Arrays {
    return this.backend.arrays;
  }

  /** Throws if the memory was freed: it may already be used for something else. */
  check(): void {
    if (!this.held) throw new Error("the model was disposed of");
  }

  dispose(): void {
    if (!this.held) return;
    releaseAll(this.held, this.arrays);
    this.held = undefined;
    this.backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
