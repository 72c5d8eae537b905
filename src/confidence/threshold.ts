// A threshold with a guarantee: above it, with probability `confidence` over the draw of the held-out examples, at least a
// share `precision` of all answers the model will ever give is right. For a threshold t let
//   risk(t) = P(wrong | model's probability ≥ t)
//
// Fixed-sequence testing. A random tenth of the held-out examples places candidate thresholds t1 > t2 > …; the others test,
// from t1 down, the hypotheses "risk(tj) > 1 − precision" with an exact binomial test at level α = 1 − confidence:
// rejected if P(Binomial(n, 1 − precision) ≤ wrong) ≤ α, with n tested examples at or above tj. The first that is not
// rejected ends it; the last one rejected is the threshold.
//
// Why this holds although the threshold is chosen by the same data that tests it: the candidates and their order are
// fixed before a tested example is looked at, as the placing examples are others. A false promise needs that some true
// hypothesis was rejected; then the first true one in the order was tested and rejected, and that one test errs with
// probability ≤ α. (Given n, the wrong ones among n examples at or above a fixed threshold are binomial with risk(t).)
// Nothing is assumed of the model, not even that surer answers are righter, and ties cannot matter, as a threshold takes all
// of them or none. What is assumed: held-out examples and those to come are drawn alike and independently.

import { type Answers, columnsOf } from "../metrics/answers.js";
import { binomialCdf, trialsNeeded, upperBound } from "../util/binomial.js";
import { generator, shuffle } from "../util/random.js";
import { bisect, firstWhere } from "../util/search.js";
import type { Guarantee } from "./calibration.js";

export interface ThresholdOptions {
  /** Share of answers that must be right, above 0 and below 1. */
  precision: number;
  /** Default 0.95. */
  confidence?: number;
  /** Seed that chooses the examples which place the candidate thresholds. Default 1. */
  seed?: number;
}

/** Why there is no threshold, and what would help. */
export interface NoThreshold {
  /** Held-out examples. */
  examples: number;
  /**
   * The most certain answers, cut off where the evidence for the promise is strongest: how many there are, and how many are
   * wrong.
   */
  surest: { answered: number; wrong: number };
  /**
   * Approximate number of held-out examples needed, if the most certain answers stay as accurate; undefined if no number
   * suffices, or if `endedBy` says what went wrong.
   */
  examplesNeeded?: number;
  /**
   * If those are accurate enough: even more certain answers, which are tested first and of which too many are wrong. This may be
   * chance; other or more examples would tell.
   */
  endedBy?: { answered: number; wrong: number };
  /** The highest precision that these examples can promise, in hundredths; undefined if it is below 0.5. */
  possible?: number;
}

const PLACING_SHARE = 0.1;
/** More would not place better and would be missed in the tests. */
const MOST_PLACING = 1000;
const MOST_CANDIDATES = 100;
/** A threshold that answers less is of little use, and testing it would only risk an early end. */
const LEAST_SHARE = 0.1;
/** Whoever would need more held-out examples than this needs a better model. */
const MOST_NEEDED = 1e6;

/** The threshold with its evidence, or undefined if the promise cannot be made. */
export function findThreshold(answers: Answers, options: ThresholdOptions): Guarantee | undefined {
  const { precision, alpha, seed } = levelsOf(options);
  return testInOrder(splitAnswers(answers, seed), precision, alpha);
}

/** What `findThreshold` would need, where it finds none. */
export function whyNoThreshold(answers: Answers, options: ThresholdOptions): NoThreshold {
  const { precision, alpha, seed } = levelsOf(options);
  return reasonsFor(splitAnswers(answers, seed), precision, alpha);
}

function levelsOf({ precision, confidence = 0.95, seed = 1 }: ThresholdOptions) {
  for (const [name, value] of Object.entries({ precision, confidence })) {
    if (!(value > 0 && value < 1)) throw new RangeError(`the ${name} must be between 0 and 1, not ${value}`);
  }
  return { precision, alpha: 1 - confidence, seed };
}

interface Parts {
  /** [placing] confidences, descending. */
  placing: Float64Array;
  /** [tested] confidences, descending. */
  confidence: Float64Array;
  /** [tested + 1] how many of the surest i are wrong. */
  wrong: Uint32Array;
}

function splitAnswers(answers: Answers, seed: number): Parts {
  const { confidence, correct } = columnsOf(answers);
  const count = confidence.length;
  const order = shuffle(
    Int32Array.from({ length: count }, (_, i) => i),
    generator(seed, 0),
  );
  const placingCount = count < 2 ? 0 : Math.min(MOST_PLACING, Math.max(1, Math.round(count * PLACING_SHARE)));
  const placing = Float64Array.from(order.subarray(0, placingCount), (i) => confidence[i])
    .sort()
    .reverse();
  const tested = order.subarray(placingCount).sort((a, b) => confidence[b] - confidence[a]);
  const wrong = new Uint32Array(tested.length + 1);
  tested.forEach((answer, i) => {
    wrong[i + 1] = wrong[i] + (correct[answer] ? 0 : 1);
  });
  return { placing, confidence: Float64Array.from(tested, (i) => confidence[i]), wrong };
}

function testInOrder(parts: Parts, precision: number, alpha: number): Guarantee | undefined {
  let passed: { threshold: number; answered: number; wrong: number } | undefined;
  for (const threshold of placeCandidates(parts, precision, alpha)) {
    const answered = countAtLeast(parts.confidence, threshold);
    const wrong = parts.wrong[answered];
    if (binomialCdf(wrong, answered, 1 - precision) > alpha) break;
    passed = { threshold, answered, wrong };
  }
  if (!passed) return undefined;
  return {
    precision,
    confidence: Number((1 - alpha).toPrecision(12)),
    placing: parts.placing.length,
    tested: parts.confidence.length,
    ...passed,
    lowerBound: 1 - upperBound(passed.wrong, passed.answered, alpha),
  };
}

/**
 * Candidates, descending: confidences of placing examples, and 0, which answers everything. The first is where so many
 * tested examples are to be expected that up to two wrong answers would not end it at once (or one, or none, where half
 * of the examples are too few for that), and no fewer than a tenth.
 */
function placeCandidates({ placing, confidence }: Parts, precision: number, alpha: number): number[] {
  const tested = confidence.length;
  let needed = trialsNeeded(0, 1 - precision, alpha);
  for (const spare of [1, 2]) {
    const more = trialsNeeded(spare, 1 - precision, alpha);
    if (more <= tested / 2) needed = more;
  }
  const share = (needed + 2 * Math.sqrt(needed)) / tested; // room for the chance in either part
  const first = Math.ceil(Math.max(share, LEAST_SHARE) * placing.length);
  const candidates: number[] = [];
  const step = Math.max(1, (placing.length - first) / MOST_CANDIDATES);
  for (let rank = first; rank < placing.length; rank += step) {
    const threshold = placing[Math.floor(rank)];
    if (candidates.at(-1) !== threshold && threshold > 0) candidates.push(threshold);
  }
  candidates.push(0);
  return candidates;
}

/** How many of a descending list are at least `threshold`. */
function countAtLeast(descending: Float64Array, threshold: number): number {
  return firstWhere(0, descending.length, (i) => descending[i] < threshold);
}

function reasonsFor(parts: Parts, precision: number, alpha: number): NoThreshold {
  const tested = parts.confidence.length;
  const examples = parts.placing.length + tested;
  // All shares of the surest are looked at here, those too few for a test as well.
  const first = Math.floor(LEAST_SHARE * tested);
  const why: NoThreshold = { examples, surest: { answered: first, wrong: parts.wrong[first] } };
  for (let percent = 100 * LEAST_SHARE; percent <= 100; percent += 5) {
    const answered = Math.floor((percent / 100) * tested);
    const surest = { answered, wrong: parts.wrong[answered] };
    const needed = examplesFor(surest, tested, precision, alpha);
    if (needed >= (why.examplesNeeded ?? Number.POSITIVE_INFINITY)) continue;
    why.surest = surest;
    why.examplesNeeded = needed;
  }
  if (why.examplesNeeded !== undefined && why.examplesNeeded <= examples) {
    const answered = countAtLeast(parts.confidence, placeCandidates(parts, precision, alpha)[0]);
    if (answered < why.surest.answered) {
      why.endedBy = { answered, wrong: parts.wrong[answered] };
      why.examplesNeeded = undefined;
    } else why.examplesNeeded = roundUp(1.1 * examples); // they were nearly enough
  }
  for (let hundredths = Math.ceil(100 * precision) - 1; hundredths >= 50; hundredths--) {
    if (!testInOrder(parts, hundredths / 100, alpha)) continue;
    why.possible = hundredths / 100;
    break;
  }
  return why;
}

/** Held-out examples after which a candidate would pass if it went on being wrong as often as here; Infinity if never. */
function examplesFor(
  { answered, wrong }: { answered: number; wrong: number },
  tested: number,
  precision: number,
  alpha: number,
): number {
  const rate = answered > 0 ? wrong / answered : 0;
  if (rate >= 1 - precision) return Number.POSITIVE_INFINITY;
  const coverage = answered > 0 ? answered / tested : 1;
  // From the normal approximation: n · (limit − rate) = z · √(n · limit · (1 − limit)).
  const limit = 1 - precision;
  const count = Math.max(
    trialsNeeded(0, limit, alpha),
    (normalQuantile(1 - alpha) ** 2 * limit * precision) / (limit - rate) ** 2,
  );
  if (count > MOST_NEEDED) return Number.POSITIVE_INFINITY;
  return roundUp((count + 2 * Math.sqrt(count)) / coverage / (1 - PLACING_SHARE));
}

/** The z with P(N(0, 1) ≤ z) = p, by bisection of Abramowitz and Stegun's 26.2.17 (error below 1e-7). */
function normalQuantile(p: number): number {
  return bisect(-8, 8, 24, (z) => normalCdf(z) >= p); // 16 / 2^24 < 1e-6
}

function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return z >= 0 ? 1 - tail : tail;
}

/** To two significant digits, upwards. */
export function roundUp(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return Math.ceil(count / unit) * unit;
}
