// The WebAssembly kernel, seen from JavaScript: writes down what is asked for (layout.ts), calls the compiled code of
// assembly/, and reads what it found. A trellis is a set of views on the memory, so whatever reads a trellis reads this
// one too.

import type { BestOutput, FrozenRows, Kernel, OutputSearch, WrittenOutput } from "../backend.js";
import { type Inference, longestSuffix, remembersByRows } from "../inference.js";
import type { Path } from "../lattice.js";
import type { Problem, RowSpace } from "../problem.js";
import { ReferenceKernel } from "../reference/kernel.js";
import { outputOf } from "../reference/passes.js";
import type { Guide } from "../reference/select.js";
import { isChain, type SlotGraph } from "../slots.js";
import type { Trellis } from "../trellis.js";
import { WasmFrozenRows } from "./frozen-rows.js";
import { CallField, CallNumber, ChainBytes, Mode, NoAnswer, StartField } from "./layout.js";
import { type Block, BlockOwner } from "./memory.js";
import type { Program } from "./program.js";
import type { Records } from "./records.js";
import { KernelState } from "./state.js";
import type { WeighedTree } from "./weighed-tree.js";

/** Graphs that are known to be chains, or not to be. */
const chains = new WeakMap<SlotGraph, boolean>();

/** Gives the memory of a kernel back that was dropped and not disposed of. */
const dropped = new FinalizationRegistry<{ program: Program; owner: BlockOwner }>(({ program, owner }) =>
  program.memory.dispose(owner),
);

export class WasmKernel implements Kernel {
  /** Does what the compiled code does not: contexts chosen with a clamp, or some of those that rows tell apart. */
  private reference: ReferenceKernel | undefined;
  private usesReference = false;
  /** Of the latest forward pass. */
  private slotSymbols: Int32Array | undefined;
  private readonly owner = new BlockOwner();
  private readonly state: KernelState;
  /** What the compiled code wrote: decisions, and their probabilities. */
  private path: Int32Array = new Int32Array(0);
  private pathBlock: Block | undefined;
  private confidences: Float64Array = new Float64Array(0);
  private confidencesBlock: Block | undefined;
  /** Paths of outputs, and their logarithms. */
  private outputPaths: Int32Array = new Int32Array(0);
  private outputLogs: Float64Array = new Float64Array(0);
  private outputsBlock: Block | undefined;

  constructor(
    private readonly program: Program,
    private readonly records: Records,
    private readonly onDispose: (kernel: WasmKernel) => void = () => {},
  ) {
    this.state = new KernelState(program, this.owner);
    dropped.register(this, { program, owner: this.owner }, this);
  }

  get trellis(): Trellis {
    return this.usesReference ? (this.reference as ReferenceKernel).trellis : this.state.trellis;
  }

  forward(
    problem: Problem,
    space: RowSpace,
    weights: Float64Array,
    inference: Inference,
    forced?: Int32Array,
    guide?: Guide,
  ): Trellis {
    const isByRows = remembersByRows(inference);
    this.usesReference = guide !== undefined || (isByRows && inference.mode !== "exact");
    if (this.usesReference) {
      this.reference ??= new ReferenceKernel();
      return this.reference.forward(problem, space, weights, inference, forced, guide);
    }
    this.begin();
    const { program, state } = this;
    const { call } = state;
    call[CallField.weighed] = 0;
    call[CallField.starts] = this.startsOf(problem);
    call[CallField.forced] = program.addressOf(forced);
    call[CallField.byRows] = isByRows ? 1 : 0;
    return this.pass(problem, space, weights, inference);
  }

  forwardFrozen(problem: Problem, frozen: FrozenRows, inference: Inference): Trellis {
    const { space, weights } = frozen;
    const canBe = inference.rows === "all" && !remembersByRows(inference) && !problem.slotSymbols;
    const families = canBe && frozen instanceof WasmFrozenRows ? frozen.weighedFamilies() : undefined;
    if (!families) return this.forward(problem, space, weights, inference);
    this.usesReference = false;
    this.begin();
    const { call } = this.state;
    call[CallField.weighed] = families.record.byteOffset;
    call[CallField.starts] = this.startsOf(problem, families.trees);
    call[CallField.forced] = 0;
    call[CallField.byRows] = 0;
    return this.pass(problem, space, weights, inference);
  }

  /** A forward pass, when what is special about it has been written down. */
  private pass(problem: Problem, space: RowSpace, weights: Float64Array, inference: Inference): Trellis {
    const { program, state } = this;
    const { trellis, call } = state;
    trellis.toMasses();
    trellis.graph = problem.graph;
    this.ask(problem, space, inference);
    call[CallField.weights] = program.addressOf(weights);
    call[CallField.slotInput] = program.addressOf(problem.slotInput);
    this.slotSymbols = problem.slotSymbols;
    call[CallField.slotSymbols] = program.addressOf(problem.slotSymbols);
    program.code.forward(state.address);
    program.grow = undefined;
    trellis.logPartition = state.numbers[CallNumber.logPartition];
    trellis.contextCount = trellis.slotStart[problem.graph.slotCount];
    return trellis;
  }

  /** A call of the compiled code is about to be made. */
  private begin(): void {
    if (this.owner.isDisposed) throw new Error("the kernel was disposed of");
    this.program.grow = this.state.grow;
    this.program.begin();
  }

  /** Writes down what any forward pass needs to know. */
  private ask({ graph, slotScores, limits }: Problem, space: RowSpace, inference: Inference): void {
    const { call, numbers } = this.state;
    call[CallField.space] = this.records.spaceOf(space);
    call[CallField.graph] = this.records.graphOf(graph);
    call[CallField.slotScores] = this.program.addressOf(slotScores);
    call[CallField.mode] = Mode[inference.mode];
    call[CallField.contexts] = inference.contexts;
    call[CallField.limits] = this.program.addressOf(limits);
    call[CallField.order] = inference.order;
    call[CallField.longest] = longestSuffix(inference);
    call[CallField.allRows] = inference.rows === "all" ? 1 : 0;
    numbers[CallNumber.lightest] = inference.lightest ?? 0;
  }

  /** The address of records of start nodes, 0 if no family has any. `trees`: of nodes in these. */
  private startsOf({ starts }: Problem, trees?: readonly WeighedTree[]): number {
    if (!starts?.some((nodes) => nodes !== undefined)) return 0;
    const { program } = this;
    const words = new Int32Array(starts.length * StartField.count);
    for (let f = 0; f < starts.length; f++) {
      words[f * StartField.count + StartField.offsets] = program.addressOf(starts[f]?.offsets);
      const nodes = starts[f]?.nodes;
      const placed = trees && nodes ? trees[f].placesOf(nodes) : nodes;
      words[f * StartField.count + StartField.nodes] = program.addressOf(placed);
    }
    return program.addressOf(words);
  }

  backward(): void {
    if (this.usesReference) {
      this.reference?.backward();
      return;
    }
    const { program, state } = this;
    if (state.trellis.hasPosteriors) return;
    this.begin();
    state.trellis.toPosteriors();
    program.code.backward(state.address);
    program.grow = undefined;
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
    if (!this.trellis.hasPosteriors) throw new Error("expected counts need the backward pass");
    this.begin();
    const { program, state } = this;
    const { call, numbers } = state;
    // Arrays from elsewhere are worked on as copies, and copied back.
    const countsAt = program.addressOf(counts);
    const slotCountsAt = program.addressOf(slotCounts);
    call[CallField.counts] = countsAt;
    call[CallField.slotSymbols] = program.addressOf(this.slotSymbols);
    call[CallField.slotCounts] = slotCountsAt;
    call[CallField.arcs] = program.addressOf(arcs);
    numbers[CallNumber.factor] = factor;
    program.code.addExpectations(state.address);
    program.grow = undefined;
    if (counts) program.copyBack(counts, countsAt);
    program.copyBack(slotCounts, slotCountsAt);
  }

  bestPath(): Path | undefined {
    if (this.usesReference) return this.reference?.bestPath();
    this.begin();
    const { program, state } = this;
    state.call[CallField.path] = this.pathFor(this.trellis.graph);
    const count = program.code.bestPath(state.address);
    program.grow = undefined;
    return count < 0 ? undefined : { symbols: this.readPath(count), score: state.numbers[CallNumber.bestScore] };
  }

  bestOutputs({ free, most, within, reach, paths }: OutputSearch): WrittenOutput[] | undefined {
    const { program, state } = this;
    if (this.usesReference || state.trellis.hasPosteriors) return undefined;
    this.begin();
    const { call, numbers, trellis } = state;
    const { graph } = trellis;
    const size = graph.slotCount + 1;
    this.makeOutputs((paths + 1) * size, 2 * (paths + 2));
    call[CallField.path] = this.pathFor(graph);
    call[CallField.free] = free;
    call[CallField.most] = most;
    call[CallField.paths] = paths;
    call[CallField.outputPaths] = this.outputPaths.byteOffset;
    call[CallField.outputLogs] = this.outputLogs.byteOffset;
    numbers[CallNumber.within] = within;
    numbers[CallNumber.reach] = reach;
    const count = program.code.bestOutputs(state.address);
    program.grow = undefined;
    if (count !== NoAnswer.noBackward) trellis.toPosteriors();
    if (count < 0) return undefined;
    const { outputPaths, outputLogs } = this;
    const found: WrittenOutput[] = [];
    for (let i = 0; i < count; i++) {
      const at = outputLogs[2 * i + 1] * size;
      const length = outputPaths[at];
      const symbols = Array<number>(length);
      for (let m = 0; m < length; m++) symbols[m] = outputPaths[at + 1 + m];
      found.push({ symbols, log: outputLogs[2 * i] });
    }
    return found;
  }

  private makeOutputs(words: number, logs: number): void {
    if (this.outputPaths.length >= words && this.outputLogs.length >= logs) return;
    const { memory } = this.program;
    if (this.outputsBlock) memory.release(this.outputsBlock);
    const bytes = 2 * (logs * Float64Array.BYTES_PER_ELEMENT + words * Int32Array.BYTES_PER_ELEMENT);
    this.outputsBlock = memory.take(bytes, true, this.owner);
    const { address } = this.outputsBlock;
    this.outputLogs = new Float64Array(memory.buffer, address, 2 * logs);
    this.outputPaths = new Int32Array(memory.buffer, address + 2 * logs * Float64Array.BYTES_PER_ELEMENT, 2 * words);
  }

  bestOutput(problem: Problem, frozen: FrozenRows, inference: Inference, confidences = false): BestOutput | undefined {
    if (frozen instanceof WasmFrozenRows && frozen.fitsChain && fitsChain(problem, inference)) {
      const count = this.bestOfChain(problem, frozen, inference, confidences);
      if (count >= 0) return this.readOutput(count, confidences);
      if (count === NoAnswer.outOfBounds) frozen.fitsChain = false;
    }
    this.forward(problem, frozen.space, frozen.weights, inference);
    return outputOf(this, confidences);
  }

  /** Finds the best output without a trellis; returns the number of its decisions, or a `NoAnswer`. */
  private bestOfChain(problem: Problem, frozen: WasmFrozenRows, inference: Inference, confidences: boolean): number {
    this.begin();
    const { program, state } = this;
    const { call } = state;
    this.ask(problem, frozen.space, inference);
    call[CallField.frozen] = frozen.addressFor(inference.contexts, inference.rows === "all");
    call[CallField.frozenDepth] = frozen.depth;
    call[CallField.path] = this.pathFor(problem.graph);
    call[CallField.confidences] = confidences ? this.confidencesFor(problem.graph) : 0;
    const count = program.code.bestOfChain(state.address);
    program.grow = undefined;
    return count;
  }

  private readOutput(count: number, confidences: boolean): BestOutput {
    const { numbers } = this.state;
    const output: BestOutput = {
      symbols: this.readPath(count),
      score: numbers[CallNumber.bestScore],
      logPartition: numbers[CallNumber.logPartition],
    };
    if (confidences) {
      output.confidences = Array<number>(count);
      for (let i = 0; i < count; i++) output.confidences[i] = Math.min(1, this.confidences[i]);
    }
    return output;
  }

  /** The address of an array that a path through a graph fits in. */
  private pathFor({ slotCount }: SlotGraph): number {
    if (this.path.length < slotCount) {
      const { memory } = this.program;
      if (this.pathBlock) memory.release(this.pathBlock);
      this.pathBlock = memory.take(2 * slotCount * Int32Array.BYTES_PER_ELEMENT, true, this.owner);
      this.path = new Int32Array(memory.buffer, this.pathBlock.address, 2 * slotCount);
    }
    return this.path.byteOffset;
  }

  /** The decisions that the code wrote there, last first. */
  private readPath(count: number): number[] {
    const symbols = Array<number>(count);
    for (let i = 0; i < count; i++) symbols[i] = this.path[count - 1 - i];
    return symbols;
  }

  /** The address of an array for a probability of each decision. */
  private confidencesFor({ slotCount }: SlotGraph): number {
    if (this.confidences.length < slotCount) {
      const { memory } = this.program;
      if (this.confidencesBlock) memory.release(this.confidencesBlock);
      this.confidencesBlock = memory.take(2 * slotCount * Float64Array.BYTES_PER_ELEMENT, true, this.owner);
      this.confidences = new Float64Array(memory.buffer, this.confidencesBlock.address, 2 * slotCount);
    }
    return this.confidences.byteOffset;
  }

  averageContextLength(): number {
    if (this.usesReference) return this.trellis.averageContextLength();
    return this.state.numbers[CallNumber.averageContextLength];
  }

  dispose(): void {
    if (this.owner.isDisposed) return;
    dropped.unregister(this);
    this.program.memory.dispose(this.owner);
    this.onDispose(this);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Whether the best output of a problem can be found without a trellis. */
function fitsChain({ graph, slotSymbols }: Problem, inference: Inference): boolean {
  const { mode, contexts, order } = inference;
  if (slotSymbols || mode === "exact" || contexts <= 0 || order <= 0 || remembersByRows(inference)) return false;
  if (graph.slotCount * (contexts + 1) * ChainBytes.bytes >= 2 ** 31) return false;
  let known = chains.get(graph);
  if (known === undefined) {
    known = isChain(graph);
    chains.set(graph, known);
  }
  return known;
}
