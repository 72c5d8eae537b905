// The WebAssembly kernel, seen from JavaScript: loads the code of src/engine/wasm/assembly/, keeps the arrays of each kernel in
// its memory, and lays out models and problems as the code reads them. A trellis is a set of views on that memory, so
// whatever reads a trellis reads this one too.

import type {
  AdaGradArrays,
  AdaGradStep,
  Backend,
  BestOutput,
  FrozenRows,
  GradientArrays,
  Kernel,
  Loops,
  PositionRows,
} from "../backend.js";
import { bestPath, type Path, trellisLattice } from "../lattice.js";
import type { Problem, RowSpace } from "../problem.js";
import { ReferenceKernel } from "../reference/kernel.js";
import { outputOf } from "../reference/passes.js";
import type { Guide } from "../reference/select.js";
import type { RowTable, RowTree } from "../rows.js";
import type { SlotGraph } from "../slots.js";
import { type Inference, Trellis } from "../trellis.js";
import { code, memoryFlagAt } from "./code.js";
import { KernelMemory } from "./memory.js";
import { type WebAssemblyMemory, webAssembly } from "./web-assembly.js";

/** What the compiled code offers. Numbers are addresses unless their names say otherwise. */
interface Code {
  forward(
    state: number,
    space: number,
    weights: number,
    graph: number,
    slotScores: number,
    slotInput: number,
    starts: number,
    mode: number,
    contexts: number,
    lightest: number,
    order: number,
    longestSuffix: number,
    allRows: number,
    byRows: number,
    forced: number,
  ): number;
  averageContextLength(): number;
  backward(state: number, graph: number): void;
  addExpectations(
    state: number,
    space: number,
    graph: number,
    counts: number,
    slotCounts: number,
    factor: number,
    arcs: number,
  ): void;
  bestPath(state: number, graph: number, path: number): number;
  bestScore(): number;
  bestOfChain(
    state: number,
    space: number,
    frozen: number,
    graph: number,
    slotScores: number,
    beam: number,
    contexts: number,
    lightest: number,
    longestSuffix: number,
    depth: number,
    path: number,
    confidences: number,
  ): number;
  bestOfChainScore(): number;
  chainLogPartition(): number;
  scoreSlots(...values: number[]): void;
  countSlots(...values: number[]): number;
  touchRows(rows: number, count: number, touched: number, isTouched: number, touchedCount: number): number;
  truncate(...values: number[]): void;
  adagrad(...values: number[]): void;
  expAll(to: number, from: number, count: number, shift: number): void;
}

const INT = 4;
const NUMBER = 8;
// Records of src/engine/wasm/assembly/best.ts.
const CHAIN_CONTEXT = 48;
const CHAIN_GROUP = 24;

/**
 * The arrays of a kernel in the order of src/engine/wasm/assembly/state.ts: groups that grow together, each array with the
 * bytes of an element and its name in the trellis, if it has one.
 */
const groups: readonly (readonly (readonly [bytes: number, name?: keyof Trellis])[])[] = [
  [[INT, "slotStart"], [NUMBER]],
  [
    [INT, "contextSlot"],
    [INT, "contextParent"],
    [INT, "contextSymbol"],
    [INT, "contextLength"],
    [INT, "contextCommon"],
    [INT, "arcStart"],
    [INT, "rowStart"],
    [NUMBER, "logForward"],
    [NUMBER, "mass"],
    [NUMBER, "posterior"],
    [NUMBER],
    [INT],
    [INT],
  ],
  [[INT, "rows"]],
  [
    [NUMBER, "arcScore"],
    [INT, "arcTarget"],
    [NUMBER, "arcMass"],
  ],
  [[INT], [INT], [INT], [INT], [INT], [INT], [INT], [NUMBER]],
  [[NUMBER]],
  [[NUMBER], [NUMBER], [INT]],
  [[INT], [INT], [INT], [INT]],
  [[INT]],
  [[CHAIN_CONTEXT]],
  [[CHAIN_GROUP]],
  [[INT]],
  [[NUMBER]],
];
/** Room of each group to begin with. */
const firstRoom = [64, 256, 1024, 4096, 64, 256, 64, 16, 16, 256, 64, 64, 256];
/** Where a group's arrays begin among all. */
const firstArray = groups.map((_, group) => groups.slice(0, group).reduce((sum, arrays) => sum + arrays.length, 0));
const arrayCount = groups.reduce((sum, arrays) => sum + arrays.length, 0);

const modes = { rcms: 0, beam: 1, exact: 2 };

/** Children of a node are also kept by event if their events leave no more than this many times as many gaps. */
const SPARSEST = 4;
/** Nodes with fewer children are searched as fast. */
const FEWEST_DIRECT = 4;
/** Stands for a node whose children are to be searched for. */
const SEARCHED = -(2 ** 31);

/** What `bestOfChain` returns for factors out of bounds. */
const OUT_OF_BOUNDS = -2;
/** Bytes for factors that are kept beside those of the slot at hand. */
const FACTOR_BYTES = 2 ** 23;

/** Frozen rows, and where the compiled code keeps their factors; see src/engine/wasm/assembly/factors.ts. */
class WasmFrozenRows implements FrozenRows {
  /** Whether the code can do without a trellis: one plain family, no offsets, no weight out of bounds. */
  isPlain: boolean;
  /** The most decisions that a walk down the tree takes. */
  readonly depth: number;
  private readonly weightsThere: Float64Array;
  private readonly nodeVector: Int32Array;
  private vectors: Float64Array = new Float64Array(0);
  private block: Int32Array | undefined;
  private room = 0;
  private allRows = false;

  constructor(
    private readonly arrays: KernelMemory,
    readonly space: RowSpace,
    readonly weights: Float64Array,
  ) {
    const { families, table, offsets } = space;
    const [family] = families;
    this.isPlain =
      families.length === 1 &&
      offsets === undefined &&
      !family.keyed &&
      !family.pairs &&
      !(family.skip >= 0 && family.skip < table.symbolCount);
    this.depth = this.isPlain ? depthOf(family.tree) : 0;
    this.weightsThere = arrays.placed(weights);
    this.nodeVector = arrays.int32(this.isPlain ? family.tree.row.length : 0);
  }

  /** The address of the block, with room for the factors of so many contexts at least. */
  address(contexts: number, allRows: boolean): number {
    // No more than one for each node, and one for contexts without rows.
    const most = this.nodeVector.length + 1;
    const least = Math.min(most, (contexts + 2) * (this.depth + 2));
    if (!this.block || this.room < least || this.allRows !== allRows) {
      const { arrays, weightsThere, nodeVector } = this;
      const size = (this.space.table.symbolCount + 2) & ~1;
      this.room = Math.min(most, least + Math.floor(FACTOR_BYTES / 8 / size));
      this.allRows = allRows;
      this.vectors = arrays.float64(this.room * size);
      this.block = arrays.int32(7);
      const { vectors, room } = this;
      this.block.set([
        ...[weightsThere.byteOffset, nodeVector.length, nodeVector.byteOffset, vectors.byteOffset],
        ...[room, 0, allRows ? 1 : 0],
      ]);
    }
    return this.block.byteOffset;
  }
}

/** The longest way from a tree's root; nodes come after their parents. */
function depthOf({ row, childStart, childNode }: RowTree): number {
  const depth = new Int32Array(row.length);
  let most = 0;
  for (let node = 0; node < row.length; node++) {
    for (let c = childStart[node]; c < childStart[node + 1]; c++) depth[childNode[c]] = depth[node] + 1;
    most = Math.max(most, depth[node]);
  }
  return most;
}

class WasmBackend implements Backend, Loops {
  readonly name = "wasm";
  readonly arrays: KernelMemory;
  readonly code: Code;
  readonly loops: Loops = this;
  /** The kernel whose call is under way. */
  current: WasmKernel | undefined;
  private readonly tables = new WeakMap<RowTable, Pick<RowTable, "start" | "symbols">>();
  private readonly spaces = new WeakMap<RowSpace, Layout>();
  private readonly graphs = new WeakMap<SlotGraph, Layout>();
  private readonly chains = new WeakMap<SlotGraph, boolean>();

  constructor(memory?: WebAssemblyMemory) {
    this.arrays = new KernelMemory(memory);
    const bytes = bytesOfBase64(code);
    bytes[memoryFlagAt] = this.arrays.shared ? 3 : 1;
    const grow = (_state: number, group: number, count: number): void => this.current?.grow(group, count);
    this.code = new webAssembly.Instance(new webAssembly.Module(bytes), {
      env: { memory: this.arrays.memory },
      host: { grow },
    }).exports as Code;
  }

  makeKernel(): Kernel {
    return new WasmKernel(this);
  }

  /** The address of an array that is written to, and so must lie in this memory. */
  ownAddressOf(array: Int32Array | Float64Array | Uint8Array): number {
    if (!this.arrays.holds(array)) throw new Error("an array to be written to lies outside the kernel's memory");
    return array.byteOffset;
  }

  /**
   * The address of an array, 0 for none. One that lies elsewhere is copied to where it stays until the call at hand is
   * over; a call begins with `begin`.
   */
  addressOf(array: Int32Array | Float64Array | Uint8Array | undefined): number {
    if (!array) return 0;
    if (this.arrays.holds(array)) return array.byteOffset;
    const from = (this.scratchUsed + 15) & ~15;
    if (from + array.byteLength > this.scratch.bytes) {
      this.outgrown.push(this.scratch);
      this.scratch = this.arrays.take(2 * (this.scratch.bytes + array.byteLength), true);
      this.scratchUsed = 0;
      return this.addressOf(array);
    }
    this.scratchUsed = from + array.byteLength;
    const address = this.scratch.address + from;
    new Uint8Array(this.arrays.buffer, address, array.byteLength).set(
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    );
    return address;
  }
  private scratch = { address: 0, bytes: 0 };
  private scratchUsed = 0;
  private outgrown: { address: number; bytes: number }[] = [];

  begin(): void {
    this.scratchUsed = 0;
    for (const block of this.outgrown.splice(0)) if (block.bytes > 0) this.arrays.release(block);
  }

  tableOf(table: RowTable): Pick<RowTable, "start" | "symbols"> {
    let placed = this.tables.get(table);
    if (!placed) {
      placed = { start: this.arrays.placed(table.start), symbols: this.arrays.placed(table.symbols) };
      this.tables.set(table, placed);
    }
    return placed;
  }

  spaceOf(space: RowSpace): number {
    let layout = this.spaces.get(space);
    if (!layout) {
      const { arrays } = this;
      const { table, families, offsets } = space;
      layout = new Layout(arrays);
      layout.number(table.symbolCount);
      layout.array(this.tableOf(table).start);
      layout.array(this.tableOf(table).symbols);
      layout.array(offsets);
      layout.number(families.length);
      for (const family of families) {
        const { row, childStart, childEvent, childNode } = family.tree;
        const direct = directChildren(family.tree);
        layout.array(row);
        layout.array(childStart);
        layout.array(childEvent);
        layout.array(childNode);
        layout.array(direct.nodes);
        layout.array(direct.children);
        layout.number(family.skip);
        layout.number(family.pairs ? 1 : 0);
        layout.number(family.keyed ? 1 : 0);
        layout.number(family.depth);
      }
      this.spaces.set(space, layout.done());
    }
    return layout.address;
  }

  freeze(space: RowSpace, weights: Float64Array): FrozenRows {
    return new WasmFrozenRows(this.arrays, space, weights);
  }

  /** Whether each slot leads to the next, whatever is decided. */
  isChain(graph: SlotGraph): boolean {
    let known = this.chains.get(graph);
    if (known === undefined) {
      known = graph.slotCount > 1;
      for (let slot = 0; slot < graph.slotCount - 1; slot++) {
        const branch = graph.branchStart[slot];
        if (graph.branchStart[slot + 1] !== branch + 1 || graph.branchNext[branch] !== slot + 1) known = false;
      }
      this.chains.set(graph, known);
    }
    return known;
  }

  graphOf(graph: SlotGraph): number {
    let layout = this.graphs.get(graph);
    if (!layout) {
      layout = new Layout(this.arrays);
      layout.number(graph.slotCount);
      layout.array(graph.branchStart);
      layout.array(graph.branchSlot);
      layout.array(graph.branchFirst);
      layout.array(graph.branchEnd);
      layout.array(graph.incomingStart);
      layout.array(graph.incoming);
      layout.number(graph.symbolCount);
      this.graphs.set(graph, layout.done());
    }
    return layout.address;
  }

  scoreSlots(
    scores: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    weights: Float64Array,
  ): void {
    this.begin();
    const { start, symbols } = this.tableOf(table);
    this.code.scoreSlots(
      this.ownAddressOf(scores),
      table.symbolCount,
      length,
      from,
      this.addressOf(rows.start),
      this.addressOf(rows.ids),
      this.addressOf(rows.values),
      this.addressOf(rows.map),
      start.byteOffset,
      symbols.byteOffset,
      this.addressOf(weights),
    );
  }

  countSlots(
    slotCounts: Float64Array,
    length: number,
    from: number,
    rows: PositionRows,
    table: RowTable,
    gradient: GradientArrays,
  ): void {
    this.begin();
    const { start, symbols } = this.tableOf(table);
    gradient.touchedCount = this.code.countSlots(
      this.addressOf(slotCounts),
      table.symbolCount,
      length,
      from,
      this.addressOf(rows.start),
      this.addressOf(rows.ids),
      this.addressOf(rows.values),
      this.addressOf(rows.map),
      start.byteOffset,
      symbols.byteOffset,
      this.ownAddressOf(gradient.values),
      this.ownAddressOf(gradient.touched),
      this.ownAddressOf(gradient.isTouched),
      gradient.touchedCount,
    );
  }

  touch(rows: Int32Array, count: number, gradient: GradientArrays): void {
    this.begin();
    gradient.touchedCount = this.code.touchRows(
      this.addressOf(rows),
      count,
      this.ownAddressOf(gradient.touched),
      this.ownAddressOf(gradient.isTouched),
      gradient.touchedCount,
    );
  }

  truncate(gradient: GradientArrays, table: RowTable, threshold: number, seed: number): void {
    const { touched, touchedCount, values } = gradient;
    this.code.truncate(
      this.ownAddressOf(touched),
      touchedCount,
      this.ownAddressOf(values),
      this.tableOf(table).start.byteOffset,
      threshold,
      seed,
    );
  }

  step(adagrad: AdaGradArrays, gradient: GradientArrays, table: RowTable, step: AdaGradStep): void {
    const { start } = this.tableOf(table);
    this.code.adagrad(
      this.ownAddressOf(gradient.touched),
      gradient.touchedCount,
      this.ownAddressOf(gradient.isTouched),
      this.ownAddressOf(gradient.values),
      start.byteOffset,
      this.ownAddressOf(adagrad.weights),
      this.ownAddressOf(adagrad.squares),
      this.ownAddressOf(adagrad.sums),
      this.ownAddressOf(adagrad.settled),
      step.step,
      step.rate,
      step.delta,
      step.l1,
      step.l2,
    );
    gradient.touchedCount = 0;
  }
}

/** By Node's own decoder where it is at hand: the loop takes milliseconds before it is compiled. */
function bytesOfBase64(text: string): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: "base64"): Uint8Array } };
  if (Buffer) return Buffer.from(text, "base64");
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** A block of i32 made of settings and addresses of arrays, which it keeps alive. */
class Layout {
  address = 0;
  private readonly fields: number[] = [];
  private readonly held: unknown[] = [];

  constructor(private readonly arrays: KernelMemory) {}

  number(value: number): void {
    this.fields.push(value);
  }

  array(array: Int32Array | Float64Array | undefined): void {
    if (!array) {
      this.fields.push(0);
      return;
    }
    const placed = this.arrays.placed(array);
    this.held.push(placed);
    this.fields.push(placed.byteOffset);
  }

  done(): this {
    const block = this.arrays.int32(this.fields.length);
    block.set(this.fields);
    this.held.push(block);
    this.address = block.byteOffset;
    return this;
  }
}

/**
 * Records of a tree's nodes, as src/engine/wasm/assembly/space.ts reads them, and for nodes whose children's events lie close
 * together the children by event.
 */
function directChildren(tree: RowTree) {
  const { childStart, childEvent, childNode } = tree;
  const nodeCount = tree.row.length;
  const nodes = new Int32Array(4 * nodeCount);
  let size = 0;
  for (let node = 0; node < nodeCount; node++) {
    const first = childStart[node];
    const count = childStart[node + 1] - first;
    if (count === 0) continue;
    const least = childEvent[first];
    const events = childEvent[first + count - 1] + 1 - least;
    const isDirect = count >= FEWEST_DIRECT && events <= SPARSEST * count;
    nodes[4 * node] = least;
    nodes[4 * node + 1] = events;
    nodes[4 * node + 2] = isDirect ? size - least : SEARCHED;
    nodes[4 * node + 3] = childNode[first];
    if (isDirect) size += events;
  }
  const children = new Int32Array(size).fill(-1);
  for (let node = 0; node < nodeCount; node++) {
    const base = nodes[4 * node + 2];
    if (base === SEARCHED) continue;
    for (let c = childStart[node]; c < childStart[node + 1]; c++) children[base + childEvent[c]] = childNode[c];
  }
  return { nodes, children };
}

class WasmKernel implements Kernel {
  private readonly own = new Trellis();
  /** Does what the compiled code does not: contexts chosen with a clamp, or some of those that rows tell apart. */
  private reference: ReferenceKernel | undefined;
  private usesReference = false;
  private readonly state: Int32Array;
  /** [arrays] where each is. */
  private readonly blocks: { address: number; bytes: number }[] = [];
  private space!: RowSpace;
  private graph!: SlotGraph;

  constructor(private readonly backend: WasmBackend) {
    this.state = backend.arrays.int32(groups.length + arrayCount);
    for (let i = 0; i < arrayCount; i++) this.blocks.push({ address: 0, bytes: 0 });
    for (let group = 0; group < groups.length; group++) this.grow(group, firstRoom[group]);
    releaseWith(this, backend.arrays, this.blocks);
  }

  get trellis(): Trellis {
    return this.usesReference ? (this.reference as ReferenceKernel).trellis : this.own;
  }

  /** Makes the arrays of a group larger. */
  grow(group: number, count: number): void {
    const { state, backend, blocks } = this;
    const { arrays } = backend;
    const room = Math.max(count, Math.ceil(state[group] * 1.5));
    groups[group].forEach(([bytes, name], i) => {
      const array = firstArray[group] + i;
      const old = blocks[array];
      const block = arrays.take(room * bytes, true);
      const { buffer } = arrays;
      if (old.bytes > 0) {
        const used = state[group] * bytes;
        new Uint8Array(buffer, block.address, used).set(new Uint8Array(buffer, old.address, used));
        arrays.release(old);
      }
      blocks[array] = block;
      state[groups.length + array] = block.address;
      if (!name) return;
      const view =
        bytes === INT ? new Int32Array(buffer, block.address, room) : new Float64Array(buffer, block.address, room);
      (this.own as unknown as Record<string, unknown>)[name] = view;
    });
    state[group] = room;
  }

  forward(
    problem: Problem,
    space: RowSpace,
    weights: Float64Array,
    inference: Inference,
    forced?: Int32Array,
    guide?: Guide,
  ): Trellis {
    const longest = inference.recombine || inference.order === 0 ? inference.order : 2 ** 31 - 1;
    const isByRows = inference.byRows === true && longest === inference.order && longest > 0;
    this.usesReference = guide !== undefined || (isByRows && inference.mode !== "exact");
    if (this.usesReference) {
      this.reference ??= new ReferenceKernel();
      return this.reference.forward(problem, space, weights, inference, forced, guide);
    }
    const { backend, own } = this;
    this.space = space;
    this.graph = problem.graph;
    backend.current = this;
    backend.begin();
    own.toMasses();
    own.graph = problem.graph;
    own.logPartition = backend.code.forward(
      this.state.byteOffset,
      backend.spaceOf(space),
      backend.addressOf(weights),
      backend.graphOf(problem.graph),
      backend.addressOf(problem.slotScores),
      backend.addressOf(problem.slotInput),
      this.startsOf(problem),
      modes[inference.mode],
      inference.contexts,
      inference.lightest ?? 0,
      inference.order,
      longest,
      inference.rows === "all" ? 1 : 0,
      isByRows ? 1 : 0,
      backend.addressOf(forced),
    );
    own.contextCount = own.slotStart[problem.graph.slotCount];
    return own;
  }

  private startsOf({ starts }: Problem): number {
    if (!starts?.some((nodes) => nodes !== undefined)) return 0;
    const { backend } = this;
    const addresses = starts.flatMap((nodes) => [backend.addressOf(nodes?.offsets), backend.addressOf(nodes?.nodes)]);
    return backend.addressOf(Int32Array.from(addresses));
  }

  backward(): void {
    if (this.usesReference) this.reference?.backward();
    else if (!this.own.hasPosteriors) {
      this.own.toPosteriors();
      this.backend.code.backward(this.state.byteOffset, this.backend.graphOf(this.graph));
    }
  }

  addExpectations(
    counts: Float64Array | undefined,
    slotCounts: Float64Array,
    factor: number,
    arcs = this.trellis.arcPosterior,
  ): void {
    if (this.usesReference) {
      this.reference?.addExpectations(counts, slotCounts, factor, arcs);
      return;
    }
    if (!this.own.hasPosteriors) throw new Error("expected counts need the backward pass");
    const { arrays } = this.backend;
    this.backend.begin();
    const placedCounts = counts && arrays.placed(counts);
    const placedSlotCounts = arrays.placed(slotCounts);
    this.backend.code.addExpectations(
      this.state.byteOffset,
      this.backend.spaceOf(this.space),
      this.backend.graphOf(this.graph),
      this.backend.addressOf(placedCounts),
      placedSlotCounts.byteOffset,
      factor,
      this.backend.addressOf(arcs),
    );
    if (placedCounts && placedCounts !== counts) counts?.set(placedCounts);
    if (placedSlotCounts !== slotCounts) slotCounts.set(placedSlotCounts);
  }

  bestPath(): Path | undefined {
    if (this.usesReference) return bestPath(trellisLattice(this.trellis));
    const { backend, graph } = this;
    const count = backend.code.bestPath(this.state.byteOffset, backend.graphOf(graph), this.pathFor(graph));
    return count < 0 ? undefined : { symbols: this.pathRead(count), score: backend.code.bestScore() };
  }

  bestOutput(problem: Problem, frozen: FrozenRows, inference: Inference, confidences = false): BestOutput | undefined {
    const { backend } = this;
    const { graph } = problem;
    const { mode, contexts, order, recombine, byRows } = inference;
    const isWithin =
      mode !== "exact" &&
      contexts > 0 &&
      order > 0 &&
      !(byRows && recombine) &&
      graph.slotCount * (contexts + 1) * CHAIN_CONTEXT < 2 ** 31;
    if (isWithin && frozen instanceof WasmFrozenRows && frozen.isPlain && backend.isChain(graph)) {
      backend.current = this;
      backend.begin();
      const count = backend.code.bestOfChain(
        this.state.byteOffset,
        backend.spaceOf(frozen.space),
        frozen.address(contexts, inference.rows === "all"),
        backend.graphOf(graph),
        backend.addressOf(problem.slotScores),
        mode === "beam" ? 1 : 0,
        contexts,
        inference.lightest ?? 0,
        recombine ? order : 2 ** 31 - 1,
        frozen.depth,
        this.pathFor(graph),
        confidences ? this.probabilitiesFor(graph) : 0,
      );
      if (count >= 0) {
        const { code } = backend;
        const output: BestOutput = {
          symbols: this.pathRead(count),
          score: code.bestOfChainScore(),
          logPartition: code.chainLogPartition(),
        };
        if (confidences) output.confidences = this.probabilitiesRead(count);
        return output;
      }
      if (count === OUT_OF_BOUNDS) frozen.isPlain = false;
    }
    this.forward(problem, frozen.space, frozen.weights, inference);
    return outputOf(this, confidences);
  }

  /** The address of an array that a path through a graph fits in. */
  private pathFor({ slotCount }: SlotGraph): number {
    if (this.path.length < slotCount) this.path = this.backend.arrays.int32(slotCount * 2);
    return this.path.byteOffset;
  }

  /** The decisions that the code wrote there, last first. */
  private pathRead(count: number): number[] {
    const symbols = Array<number>(count);
    for (let i = 0; i < count; i++) symbols[i] = this.path[count - 1 - i];
    return symbols;
  }
  private path = new Int32Array(0) as Int32Array;

  /** The address of an array for a probability of each decision. */
  private probabilitiesFor({ slotCount }: SlotGraph): number {
    if (this.probabilities.length < slotCount) this.probabilities = this.backend.arrays.float64(slotCount * 2);
    return this.probabilities.byteOffset;
  }

  private probabilitiesRead(count: number): number[] {
    const read = Array<number>(count);
    for (let i = 0; i < count; i++) read[i] = Math.min(1, this.probabilities[i]);
    return read;
  }
  private probabilities = new Float64Array(0) as Float64Array;

  averageContextLength(): number {
    return this.usesReference ? this.trellis.averageContextLength() : this.backend.code.averageContextLength();
  }
}

interface Released {
  arrays: KernelMemory;
  blocks: { address: number; bytes: number }[];
}

const kernels = new FinalizationRegistry<Released>(({ arrays, blocks }) => {
  for (const block of blocks) arrays.release(block);
});

/** Gives the blocks back when the kernel is collected. */
function releaseWith(kernel: WasmKernel, arrays: KernelMemory, blocks: Released["blocks"]): void {
  kernels.register(kernel, { arrays, blocks });
}

/** The WebAssembly backend, or undefined where WebAssembly with SIMD is missing. `memory` joins that of another thread. */
export function wasmBackend(memory?: WebAssemblyMemory): WasmBackend | undefined {
  try {
    return new WasmBackend(memory);
  } catch {
    return undefined;
  }
}
export type { WasmBackend };
