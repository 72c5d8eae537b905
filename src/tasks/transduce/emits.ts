// How many symbols may be written for an input symbol, and the slots that follow from it. Where the ends of inputs are symbols
// of their own (START, END), more may be written there: what comes before the first symbol and after the last.
//   slot (j, k) = slotStarts[j] + k,   k = 0 .. emitAt(j)

/** Unicode's controls for the start and the end of a text, as input symbols. */
export const START = "\u0002";
export const END = "\u0003";

export function isEdge(name: string): boolean {
  return name === START || name === END;
}

export interface Emits {
  /** Most symbols written for one input symbol. */
  maxEmit: number;
  /** The same for the two ends of the input; 0 if these are no symbols. */
  edgeEmit: number;
}

/** Most symbols written at position j of an input. */
export function emitAt({ maxEmit, edgeEmit }: Emits, j: number, length: number): number {
  return edgeEmit > 0 && (j === 0 || j === length - 1) ? edgeEmit : maxEmit;
}

/** Most symbols written at any position. */
export function mostEmit({ maxEmit, edgeEmit }: Emits): number {
  return Math.max(maxEmit, edgeEmit);
}

/** Most symbols that can be written for an input of some length. */
export function longestOutput(emits: Emits, length: number): number {
  let sum = 0;
  for (let j = 0; j < length; j++) sum += emitAt(emits, j, length);
  return sum;
}

/** [length + 1] the first slot of each position; the last is the end. */
export function slotStarts(emits: Emits, length: number): Int32Array {
  const starts = new Int32Array(length + 1);
  for (let j = 0; j < length; j++) starts[j + 1] = starts[j] + emitAt(emits, j, length) + 1;
  return starts;
}
