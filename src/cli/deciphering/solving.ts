// Solving a cipher, with its progress shown: on this machine, or by a queue.

import { BLOCK, type CipherModel, type Expecter } from "../../learn/em.js";
import type { CipherText } from "../../tasks/decipher/cipher-text.js";
import type { Decipherer } from "../../tasks/decipher/decipherer.js";
import type { DecipherHooks, Decipherment } from "../../tasks/decipher/decipherment.js";
import type { Key } from "../../tasks/decipher/known-key.js";
import { Interrupt } from "../interrupt.js";
import type { QueueFlags } from "../queue/flags.js";
import { DecipherProgress } from "./printing.js";

interface SolvingFlags extends QueueFlags {
  threads: number;
}

/** Who counts for EM and who searches, if not this thread. */
type Helpers = Pick<DecipherHooks, "searchers"> & {
  expecter?: (model: CipherModel, sequences: readonly Int32Array[]) => Expecter;
};

/** Solves a cipher on threads or by a queue. */
export async function solve(
  decipherer: Decipherer,
  cipher: CipherText,
  known: Key,
  flags: SolvingFlags,
  candidate?: Key,
): Promise<Decipherment> {
  const run = (helpers: Helpers) => solveWith(decipherer, cipher, { known, candidate }, flags, helpers);
  if (flags.queue === undefined) return run(await threadHelpers(cipher, flags.threads));
  const { withQueue } = await import("../queue/queue.js");
  const { QueuedExpecter } = await import("../../workflows/queue/em.js");
  const { QueuedSearchers } = await import("../../workflows/queue/search.js");
  return withQueue({ ...flags, quiet: true }, ({ submitter }) =>
    run({
      expecter: (model, sequences) => new QueuedExpecter(model, sequences, submitter),
      searchers: (text, ngram) => new QueuedSearchers(text, ngram, submitter),
    }),
  );
}

async function threadHelpers(cipher: CipherText, given: number): Promise<Helpers> {
  // A thread takes longer to start than to count a block or two.
  const threads = Math.min(given, Math.floor(cipher.sequences.length / (2 * BLOCK)));
  const threaded = threads > 1 ? (await import("../../learn/em-threads.js")).ThreadedExpecter : undefined;
  const searching = given > 1 ? (await import("./search-threads.js")).SearchThreads : undefined;
  return {
    expecter: threaded && ((model, sequences) => new threaded(model, sequences, threads)),
    searchers: searching && ((text, ngram) => new searching(text, ngram, given)),
  };
}

/** Solves a cipher, with its progress shown. */
async function solveWith(
  decipherer: Decipherer,
  cipher: CipherText,
  keys: { known: Key; candidate?: Key },
  flags: SolvingFlags,
  helpers: Helpers,
): Promise<Decipherment> {
  const interrupt = new Interrupt(flags.quiet === true);
  interrupt.trainingStarts();
  const progress = new DecipherProgress(process.stderr.isTTY === true && !flags.quiet);
  try {
    return await decipherer.solve(cipher.sequences, {
      ...keys,
      shouldStop: () => interrupt.asked,
      onSearch: (restart, _score, best) => progress.search(restart, best),
      onWords: (share, best) => progress.words(share, best),
      onPass: (pass) => progress.pass(pass.pass, pass.logLikelihood, pass.contextLength, pass.settled),
      ...helpers,
    });
  } finally {
    progress.end();
    interrupt.end();
  }
}
