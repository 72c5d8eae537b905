// Errors a user can act on. Everything that is wrong with a file, an option or a value a user gave is an InputError: it
// says what is wrong, where, and (where we know) what to do. Anything else that is thrown is a fault of ours.

import { editDistance } from "./edit-distance.js";

export interface Place {
  /** The file, as the user named it; `-` is standard input. */
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1, in characters. */
  column?: number;
}

export class InputError extends Error implements Place {
  override readonly name = "InputError";
  /** What is wrong, without the place. */
  readonly reason: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** What the user can do about it. */
  readonly hint?: string;

  constructor(reason: string, where: Place & { hint?: string; cause?: unknown } = {}) {
    const place = placeText(where);
    super(place ? `${place}: ${reason}` : reason, where.cause === undefined ? undefined : { cause: where.cause });
    this.reason = reason;
    this.file = where.file;
    this.line = where.line;
    this.column = where.column;
    this.hint = where.hint;
  }
}

/** About the machine, not about anything that was read: memory that does not suffice, a setting of the environment. */
export class MachineError extends InputError {}

/** `file:line:column`, as far as known. */
function placeText(place: Place): string {
  const parts: string[] = [];
  if (place.file !== undefined) parts.push(place.file === "-" ? "standard input" : place.file);
  if (place.line !== undefined) parts.push(parts.length ? String(place.line) : `line ${place.line}`);
  if (place.column !== undefined) parts.push(String(place.column));
  return parts.join(":");
}

/**
 * Refuses an unknown name with the nearest known one: "unknown option `ordr`; did you mean `order`?".
 */
export function unknownName(kind: string, name: string, known: readonly string[]): InputError {
  const near = nearest(name, known);
  const hint = near ? `did you mean \`${near}\`?` : `known: ${known.join(", ")}`;
  return new InputError(`unknown ${kind} \`${name}\`; ${hint}`);
}

/** The known name at the smallest edit distance, if that is at most a third of the name's length (or 2) and less than all of it. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(Math.max(2, Math.floor(name.length / 3)), name.length - 1) + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}
