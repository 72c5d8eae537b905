// The best path to each context, which goes along with the forward pass:
//   best(t) = max over the expansions (c, y) that lead to t: best(c) * mass(c, y) / mass(t),
// shares of forward masses, on a scale that each slot has so that they do not fade away as paths grow long.

import { best, bestFrom, bestScale, bestSymbol, contextSlot, int, list, listBest, num, setInt, setNum } from "../state";
import { expOne } from "../vector";
import { Entered } from "./pass";

/** Stands for the symbol by which the best path comes to `⋆`: the best that leads there, to be found when it is asked for. */
export const TO_BE_FOUND = -1;

/** Shares below this are put on a scale of their own, before they lose digits. */
const FADING: f64 = 1e-150;

/** Puts the shares of the best paths to the contexts of the list on one scale, which becomes the slot's. */
export function scaleBest(isOneSource: bool): void {
  const listed = Entered.listed;
  let scale: f64 = listed > 0 ? num(bestScale, int(contextSlot, int(list, 0))) : 0;
  if (!isOneSource) {
    for (let i = 1; i < listed; i++) scale = max(scale, num(bestScale, int(contextSlot, int(list, i))));
  }
  setNum(bestScale, Entered.slot, scale);
  for (let i = 0; i < listed; i++) {
    const c = int(list, i);
    const own = isOneSource ? scale : num(bestScale, int(contextSlot, c));
    setNum(listBest, i, own == scale ? num(best, c) : num(best, c) * expOne(own - scale));
  }
}

/** Keeps the shares of the best paths to a slot's contexts from fading away. */
export function lift(from: i32, to: i32): void {
  let greatest: f64 = 0;
  for (let c = from; c < to; c++) greatest = max(greatest, num(best, c));
  if (greatest == 0 || greatest >= FADING) return;
  setNum(bestScale, Entered.slot, num(bestScale, Entered.slot) + Math.log(greatest));
  for (let c = from; c < to; c++) setNum(best, c, num(best, c) / greatest);
}

/** Notes the mass of the best path to a context, and by which context and symbol it comes. */
// @ts-expect-error
@inline
export function setBest(context: i32, bestMass: f64, from: i32, symbol: i32): void {
  setNum(best, context, bestMass);
  setInt(bestFrom, context, from);
  setInt(bestSymbol, context, symbol);
}
