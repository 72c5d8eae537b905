// How long a training on many pairs will take, and how much memory, before it is begun: rows are made for two small samples of the
// pairs, and a few of these are learned from. Entries of rows grow with the number of pairs n as
//   E(n) = E(m) (n / m)^b,   b = log(E(m) / E(m / 4)) / log 4,
// which was 10 % too many for 32,000 words of the CMU dictionary by samples of 1,000 and 4,000.

import { passSeconds } from "../../learn/estimate.js";
import { InputError } from "../../util/errors.js";
import { generator, shuffle } from "../../util/random.js";
import { bytesText, counted, duration } from "../../util/text.js";
import type { TransducerLearner } from "./learner.js";
import { inputsOf, type PairCorpus } from "./pairs.js";

/** With fewer inputs nothing is said. */
const MANY = 20_000;
/** Inputs of the samples. */
const SAMPLES = [1_000, 4_000] as const;
/** Bytes of an entry: its weight in all forms, those of the run that goes on, what a checkpoint copies. */
const ENTRY_BYTES = 200;
/** Bytes of a pair beside that: its symbols, alignments and the objects that rows are made of, what is remembered of it. */
const PAIR_BYTES = 5_000;
/** What a program takes whatever the data. */
const BASE = 200e6;
/** Rows are made without what is held out, and then for all. */
const PREPARED = 2;
/** Choosing the penalty, judging and tuning take as long as learning from so many inputs. */
const ASIDE = 25_000;

export interface Extent {
  /** Of all passes, and what comes before the first. */
  seconds: number;
  bytes: number;
}

/** What a training of so many passes by each of some members takes; `begin` makes the learner of a member for a part of the pairs. */
export function extentOf(
  corpus: PairCorpus,
  passes: readonly number[],
  begin: (corpus: PairCorpus, member: number) => TransducerLearner,
): Extent | undefined {
  if (corpus.inputCount < MANY) return undefined;
  const order = shuffle(
    Int32Array.from({ length: corpus.inputCount }, (_, i) => i),
    generator(1, 0),
  );
  const [few, more] = SAMPLES.map((count) => inputsOf(corpus, order.slice(0, count).sort()));
  const times = corpus.inputCount / more.inputCount;
  const extent: Extent = { seconds: 0, bytes: BASE + PAIR_BYTES * corpus.inputCount };
  for (const [member, count] of passes.entries()) {
    const least = begin(few, member).table.symbols.length;
    const began = performance.now();
    const learner = begin(more, member);
    const preparing = (performance.now() - began) / 1000;
    const entries = learner.table.symbols.length;
    const power = Math.log(entries / least) / Math.log(more.inputCount / few.inputCount);
    extent.bytes += ENTRY_BYTES * entries * times ** power;
    const sizes = Int32Array.from(
      { length: more.inputCount },
      (_, i) => more.inputStart[i + 1] - more.inputStart[i] + 1,
    );
    const pass = passSeconds(learner, sizes, { rate: 0.2, delta: 1, l2: 0, l1: 0 });
    extent.seconds += times * (PREPARED * preparing + count * pass) + (ASIDE / more.inputCount) * pass;
  }
  return extent;
}

/** What a person should hear of it. */
export function extentText({ inputCount }: PairCorpus, { seconds, bytes }: Extent): string {
  return `${counted(inputCount)} inputs: training will take about ${duration(seconds)} and ${bytesText(bytes)} of memory`;
}

/** Refuses a training that would need more memory than there is. */
export function checkExtent({ inputCount }: PairCorpus, { bytes }: Extent, memory: number): void {
  if (bytes <= memory) return;
  // Memory grows about as the pairs do.
  const fit = Math.floor((inputCount * memory) / bytes / 1000) * 1000;
  throw new InputError(
    `training on ${counted(inputCount)} inputs needs about ${bytesText(bytes)} of memory; there are ${bytesText(memory)}`,
    { hint: `train on fewer pairs, about ${counted(fit)}, or with a smaller option \`window\`` },
  );
}
