// The best path of a chain and the log-partition, without a trellis: the same context sets and sums as trellis/ finds, for
// weights that stay as they are. In linear numbers the mass of expanding context c by y is
//   forward(c) * E(y) * factors(c)[y],    E(y) = exp(slotScores[y] - the greatest of the slot),
// with factors(c) known from before (factors.ts), so an expansion costs two products and no exponential. Masses live as
// long as their slot; contexts keep their forward mass relative to that of their slot, and the mass of the best path to
// them on a scale of its own. Where linear numbers would lose digits the pass gives up, and the trellis is to be made.

import { Bundle, CallField, CallNumber, ChainBytes, Mode, NoAnswer } from "../../layout";
import { formGroups, useGroups } from "../groups";
import { clearKept } from "../kept";
import {
  BEGIN,
  branchEnd,
  branchFirst,
  branchStart,
  slotCount,
  slotScores,
  symbolCount,
  useGraph,
  useScores,
  useSpace,
} from "../space";
import {
  answer,
  asked,
  askedArray,
  askedNumber,
  chain,
  chainEmissions,
  chainSlots,
  int,
  need,
  setInt,
  setNum,
  use,
} from "../state";
import { expAll, maxOf, minOf } from "../vector";
import { weighPath } from "./confidences";
import {
  addToChain,
  bestOf,
  chainEnd,
  clearChain,
  enter,
  growChain,
  RECORD,
} from "./context";
import { findFactors, timesForgotten, useFactors } from "./factors";
import { merge } from "./merge";
import { choose } from "./select";
import { Asked, makeRoom, Slot } from "./slot";
import { readBestPath } from "./trace";
import { fillColumns, weigh } from "./weigh";

// With factors between e^-150 and e^150 the product of the three stays a normal number within these.
const LEAST_EMISSION: f64 = 1e-87;
const LEAST_SHARE: f64 = 1e-120;
const LEAST_BEST: f64 = 1e-140;
/** If no best path has more mass than this, they are put on another scale. */
const FADING: f64 = 1e-20;

/** Bytes from the emissions of a slot to those of the next: 0 if they need not last. */
let emissionStride: usize = 0;
/** How often factors had been forgotten at the first slot. */
let forgotten: i32 = 0;
let logPartition: f64 = 0;
/** Logarithm of what the masses of best paths were divided by, beside what all masses were. */
let bestScale: f64 = 0;

/** Finds what `CallField.path` asks for; returns how many decisions there are, or why there is no answer. */
export function bestOfChain(state: usize): i32 {
  use(state);
  useGraph();
  useSpace();
  useScores();
  useFactors();
  useGroups(asked(CallField.longest));
  Asked.isBeam = asked(CallField.mode) == Mode.beam;
  Asked.limit = asked(CallField.contexts);
  Asked.limits = askedArray(CallField.limits);
  Asked.lightest = askedNumber(CallNumber.lightest);
  const confidences = askedArray(CallField.confidences);
  const depth = min(asked(CallField.frozenDepth), asked(CallField.longest));
  begin(confidences != 0);
  for (let slot = 0; slot < slotCount - 1; slot++) {
    const reason = step(slot, min(depth, slot + 1));
    if (reason < 0) return reason;
  }
  const share = bestOf(Slot.from);
  if (share == 0) return NoAnswer.givesUp;
  answer(CallNumber.logPartition, logPartition);
  answer(CallNumber.bestScore, logPartition + bestScale + Math.log(share));
  setInt(chainSlots, slotCount - 1, Slot.from);
  const path = askedArray(CallField.path);
  readBestPath(path, forgotten != timesForgotten, depth);
  if (confidences) weighPath(path, confidences, emissionStride, forgotten != timesForgotten, depth);
  return slotCount - 1;
}

/** The first context, `^`. Emissions stay if probabilities are asked for. */
function begin(emissionsStay: bool): void {
  const emissionSize = (symbolCount + 1) & ~1;
  need(Bundle.chainSlots, slotCount);
  need(Bundle.chainEmissions, emissionsStay ? (slotCount - 1) * emissionSize : emissionSize);
  emissionStride = emissionsStay ? <usize>emissionSize << 3 : 0;
  logPartition = 0;
  bestScale = 0;
  clearChain();
  growChain(1);
  enter(addToChain(-1, BEGIN, 1, 0), 1, 1);
  Slot.from = 0;
  Slot.to = chainEnd;
}

/** From the contexts of a slot to those of the next; walks down the tree take up to `depth` decisions. 0, or why not. */
function step(slot: i32, depth: i32): i32 {
  const branch = int(branchStart, slot);
  const isEnd = slot == slotCount - 2;
  const count = (Slot.to - Slot.from) / RECORD;
  setInt(chainSlots, slot, Slot.from);
  Slot.first = int(branchFirst, branch);
  Slot.width = int(branchEnd, branch) - Slot.first;
  Slot.places = (Slot.width + 1) & ~1;
  if (!findFactors(Slot.from, Slot.to, count, depth)) return NoAnswer.outOfBounds;
  if (slot == 0) forgotten = timesForgotten;
  Slot.groups = formGroups(0, chain + <usize>Slot.from + ChainBytes.length, RECORD, count, Slot.from, RECORD);
  Slot.columns = (Slot.groups + 1) & ~1;
  if (Asked.limits) Asked.limit = int(Asked.limits, slot + 1);
  makeRoom();
  const slotTop = emit(slot);
  if (minOf(Slot.emissions, Slot.width) < LEAST_EMISSION) return NoAnswer.givesUp;
  fillColumns();
  weigh();
  if (isEnd) clearKept();
  else choose();
  merge(isEnd || !Asked.isBeam);
  const total = normalise();
  if (total == 0) return NoAnswer.givesUp;
  logPartition += slotTop + Math.log(total);
  return 0;
}

/** E(y) = exp(slotScores[y] - top); returns top, the greatest of the slot. */
function emit(slot: i32): f64 {
  const width = Slot.width;
  Slot.emissions = chainEmissions + <usize>slot * emissionStride;
  const scores = slotScores + (<usize>(slot * symbolCount + Slot.first) << 3);
  const top = maxOf(scores, width);
  expAll(Slot.emissions, scores, width, -top);
  if (width < Slot.places) setNum(Slot.emissions, width, 0);
  return top;
}

/** Goes on to the next slot: makes its masses shares. Returns their sum before; 0 if digits were lost. */
function normalise(): f64 {
  const from = chain + <usize>Slot.to;
  const end = chain + <usize>chainEnd;
  Slot.from = Slot.to;
  Slot.to = chainEnd;
  let total: f64 = 0;
  let greatest: f64 = 0;
  for (let at = from; at < end; at += RECORD) {
    total += load<f64>(at, ChainBytes.share);
    greatest = max(greatest, load<f64>(at, ChainBytes.best));
  }
  if (!(total > 0)) return 0;
  const scale = 1 / total;
  greatest *= scale;
  const isFading = greatest > 0 && greatest < FADING;
  const bestScaling = isFading ? scale / greatest : scale;
  if (isFading) bestScale += Math.log(greatest);
  let isLost = false;
  for (let at = from; at < end; at += RECORD) {
    const mass = load<f64>(at, ChainBytes.share);
    const share = mass * scale;
    const best = load<f64>(at, ChainBytes.best) * bestScaling;
    // What has no mass has no path.
    isLost = isLost || (mass > 0 && (share < LEAST_SHARE || best < LEAST_BEST));
    store<f64>(at, share, ChainBytes.share);
    store<f64>(at, best, ChainBytes.best);
  }
  return isLost ? 0 : total;
}
