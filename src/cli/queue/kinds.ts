// Everything that `stargram worker` can do.

import type { JobKind } from "../../cluster/job.js";
import { crossKind } from "../../workflows/queue/cross-validate.js";
import { emKind } from "../../workflows/queue/em.js";
import { evaluateKind } from "../../workflows/queue/evaluate.js";
import { judgeKind, mixKind } from "../../workflows/queue/mixing.js";
import { walkKind } from "../../workflows/queue/search.js";
import { experimentKind } from "./experiment.js";
import { predictKind } from "./predict.js";

// biome-ignore lint/suspicious/noExplicitAny: parameters of any kind
export const kinds: readonly JobKind<any>[] = [
  predictKind,
  emKind,
  mixKind,
  judgeKind,
  walkKind,
  evaluateKind,
  crossKind,
  experimentKind,
];
