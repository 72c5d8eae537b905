// The forward pass at hand: its settings, and what is known of the slot that it is entering.

import { CallField, CallNumber, Mode } from "../../layout";
import { asked, askedArray, askedNumber } from "../state";

/** What is asked for. */
export class Pass {
  static mode: i32 = 0;
  /** How many contexts the slot keeps beside `⋆`. */
  static limit: i32 = 0;
  /** [slotCount] the same for every slot; 0 if they all have `limit`. */
  static limits: usize = 0;
  static lightest: f64 = 0;
  static order: i32 = 0;
  /** The most decisions that a context remembers. */
  static longest: i32 = 0;
  static allRows: bool = false;
  /** Contexts remember only what rows can tell apart; with every context kept. */
  static byRows: bool = false;
  /** [slotCount] decisions of a path whose contexts are kept, -1 elsewhere; 0 for none. */
  static forced: usize = 0;
}

/** The slot that is being entered. */
export class Entered {
  static slot: i32 = 0;
  static segments: i32 = 0;
  /** Contexts in the lists of all segments. */
  static listed: i32 = 0;
  static groups: i32 = 0;
  /** Log of the heaviest expansion into the slot; masses are relative to it. */
  static top: f64 = 0;
}

export function usePass(): void {
  Pass.mode = asked(CallField.mode);
  Pass.limit = asked(CallField.contexts);
  Pass.limits = askedArray(CallField.limits);
  Pass.lightest = Pass.mode == Mode.exact ? 0 : askedNumber(CallNumber.lightest);
  Pass.order = asked(CallField.order);
  Pass.longest = asked(CallField.longest);
  Pass.allRows = asked(CallField.allRows) != 0;
  Pass.byRows = asked(CallField.byRows) != 0;
  Pass.forced = askedArray(CallField.forced);
}
