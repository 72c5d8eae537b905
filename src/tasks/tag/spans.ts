// Spans that labels mark (B-PER I-PER O), each with the exact probability that it stands there: that of all outputs together
// which have a span of this type from this position to that one, whatever they say elsewhere. It is the probability of a
// clamp that reads labels as `chunksOf` does.

import type { Clamp } from "../../engine/clamp.js";
import { ClampedPass } from "../../engine/clamped-pass.js";
import type { SlotGraph } from "../../engine/slots.js";
import type { Trellis } from "../../engine/trellis.js";
import { type Chunk, chunksOf, labelParts } from "../../metrics/tagging.js";
import type { ValidOutputs } from "./valid.js";

/** A span of positions, with its probability. */
export interface TaggedSpan {
  label: string;
  /** The first position, and the one after the last. */
  from: number;
  to: number;
  /** Of running text: the same by UTF-16 units of the text, and what stands there. */
  start?: number;
  end?: number;
  text?: string;
  probability: number;
  /** After the calibration map for spans, if the model has one. */
  calibratedProbability?: number;
}

/** Tells which label (or the end) a symbol of a trellis stands for at a slot. */
interface SymbolLabels {
  labelAt(slot: number, symbol: number): number;
}

/** What a label does to a span of one type, one bit each. */
const CONTINUES = 1; // goes on with one that is open
const BEGINS = 2; // begins one, whatever stands before
const ENDS = 4; // closes it at once, whatever follows
const IS = 8; // is of the type at all

/** Finds probabilities of spans for labels of these names. */
export class SpanFinder {
  private readonly pass = new ClampedPass();
  /** By type: [labels and the end] what each does to a span of the type. */
  private readonly roles = new Map<string, Uint8Array>();

  constructor(private readonly labels: readonly string[]) {}

  /** The spans of an output, with probabilities by the trellis of a forward pass that has not had its backward pass. */
  find(trellis: Trellis, output: readonly string[], slots: SymbolLabels): TaggedSpan[] {
    return chunksOf(output).map((chunk) => {
      const probability = this.probability(trellis, chunk, slots);
      return { label: chunk.type, from: chunk.start, to: chunk.end, probability };
    });
  }

  /** The probability of a span, in an output that is given or not. */
  probability(trellis: Trellis, chunk: Chunk, slots: SymbolLabels): number {
    this.pass.forward(trellis, this.clampOf(trellis.graph, slots, chunk));
    return Math.min(1, Math.exp(this.pass.logProbability));
  }

  /** The same for a learned output, among the outputs that a scheme allows. */
  findValid(
    trellis: Trellis,
    valid: ValidOutputs,
    symbols: readonly number[],
    output: readonly string[],
  ): TaggedSpan[] {
    return chunksOf(output).map((chunk) => {
      const probability = Math.min(1, Math.exp(valid.logSpan(trellis, symbols, chunk)));
      return { label: chunk.type, from: chunk.start, to: chunk.end, probability };
    });
  }

  private rolesOf(type: string): Uint8Array {
    let roles = this.roles.get(type);
    if (!roles) {
      roles = new Uint8Array(this.labels.length + 1); // the end does nothing, as O
      this.labels.forEach((label, y) => {
        const { prefix, type: own } = labelParts(label);
        if (prefix === "O" || own !== type) return;
        const single = prefix === "S" || prefix === "U";
        const begins = prefix === "B" || single;
        const ends = single || prefix === "E" || prefix === "L";
        (roles as Uint8Array)[y] = IS | (begins ? BEGINS : CONTINUES) | (ends ? ENDS : 0);
      });
      this.roles.set(type, roles);
    }
    return roles;
  }

  /**
   * Allows the outputs with exactly this span. A slot has two states: 2 · slot where a span of the type is not open, and one more
   * where it is and can go on. Within the span that is the span itself.
   */
  private clampOf(graph: SlotGraph, slots: SymbolLabels, { start, end, type }: Chunk): Clamp {
    const { slotCount, branchStart, branchFirst, branchEnd } = graph;
    const roles = this.rolesOf(type);
    const arcStart = new Int32Array(2 * slotCount + 1);
    const arcSymbol: number[] = [];
    const arcNext: number[] = [];
    for (let slot = 0; slot < slotCount; slot++) {
      for (const isOpen of [false, true]) {
        for (let b = branchStart[slot]; b < branchStart[slot + 1]; b++) {
          for (let y = branchFirst[b]; y < branchEnd[b]; y++) {
            const opens = nextState(roles[slots.labelAt(slot, y)], slot, isOpen, start, end);
            if (opens === undefined) continue;
            arcSymbol.push(y);
            arcNext.push(2 * (slot + 1) + (opens ? 1 : 0));
          }
        }
        arcStart[2 * slot + (isOpen ? 2 : 1)] = arcSymbol.length;
      }
    }
    return {
      stateCount: 2 * slotCount,
      arcStart,
      arcSymbol: Int32Array.from(arcSymbol),
      arcNext: Int32Array.from(arcNext),
      end: 2 * (slotCount - 1),
      band: { low: Int32Array.from({ length: slotCount }, (_, slot) => 2 * slot), width: 2 },
    };
  }
}

/** Whether a span is open after a label at a position; undefined if the label is not allowed there. */
function nextState(role: number, slot: number, isOpen: boolean, start: number, end: number): boolean | undefined {
  const goesOn = isOpen && (role & CONTINUES) !== 0;
  const opens = (role & IS) !== 0 && (role & ENDS) === 0;
  // Before it, only what could go on into its first position is of interest.
  if (slot < start - 1) return isOpen ? undefined : false;
  if (slot === start - 1) return isOpen ? undefined : opens;
  if (slot < end) {
    const isRight = slot === start ? (role & IS) !== 0 && !goesOn : goesOn;
    if (!isRight) return undefined;
    // Only its last label may close it.
    return opens ? true : slot === end - 1 ? false : undefined;
  }
  if (slot === end) return goesOn ? undefined : false;
  return isOpen ? undefined : false;
}
