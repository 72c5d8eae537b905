// EM over the table of substitutions, from given counts until a pass gains next to nothing.

import { type Expectations, type Expecter, emissionsOf } from "../../learn/em.js";
import type { DecipherHooks, DecipherPass } from "./decipherment.js";
import type { Substitution } from "./substitution.js";

/** What EM came to. */
export interface Climb {
  /** [cipherCount][plainCount] */
  counts: Float64Array;
  passes: DecipherPass[];
}

/** The first counts are a beginning, not an estimate: they need no more smoothing than keeps them above 0. */
const FIRST_SMOOTHING = 1e-9;

export async function climb(
  cipher: Substitution,
  start: Float64Array,
  expecter: Expecter,
  hooks: DecipherHooks,
): Promise<Climb> {
  const { cipherCount, plainCount, allowed } = cipher;
  const { smoothing, passes, tolerance } = cipher.options;
  const symbols = cipher.places;
  const run: Climb = { counts: start, passes: [] };
  let logEmission = emissionsOf(start, cipherCount, plainCount, FIRST_SMOOTHING, allowed);
  for (let pass = 1; pass <= passes; pass++) {
    const found: Expectations | undefined = await expecter.expect(logEmission, hooks.shouldStop);
    if (!found) break;
    run.counts = found.counts;
    logEmission = emissionsOf(found.counts, cipherCount, plainCount, smoothing, allowed);
    const before = run.passes.at(-1);
    const report: DecipherPass = {
      pass,
      logLikelihood: found.logLikelihood,
      contextLength: found.decisions > 0 ? found.contextLength / found.decisions : 0,
      settled: cipher.settled(found.counts),
      lost: found.lost,
      key: () => cipher.named(cipher.keyOf(found.counts)),
      readings: () => cipher.readings(found.counts),
    };
    run.passes.push(report);
    hooks.onPass?.(report);
    // A beam that still finds sequences it had lost gains, whatever the likelihood says.
    const gain = found.logLikelihood - (before?.logLikelihood ?? Number.NEGATIVE_INFINITY);
    if ((before?.lost ?? found.lost) === found.lost && gain < tolerance * symbols) break;
  }
  return run;
}
