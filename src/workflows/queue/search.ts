// The walks of a search for a key, made by other machines. A walk is a function of its number, and what is found is looked at in the
// order of the walks, so the result is that of one process.

import type { JobKind } from "../../cluster/job.js";
import { pack, unpack } from "../../cluster/pack.js";
import type { Blob, Submitter } from "../../cluster/submitter.js";
import type { NgramModel } from "../../engine/ngram.js";
import type { FoundKey, Searchers } from "../../tasks/decipher/letter-search.js";
import type { SearchText } from "../../tasks/decipher/letter-walks.js";
import { type PlannedWalk, Walker } from "../../tasks/decipher/walker.js";

/** Walks that are made at once: those beyond the one that ends the search are made for nothing. */
const AT_ONCE = 16;

export const walkKind: JobKind<PlannedWalk> = {
  name: "walk",
  async run(planned, blobs) {
    const walker = blobs.made("search", (bytes) => {
      const { text, ngram } = unpack(bytes) as { text: SearchText; ngram: NgramModel };
      return new Walker(text, ngram);
    });
    return pack(await walker.walk(planned, {}));
  },
};

export class QueuedSearchers implements Searchers {
  readonly count = AT_ONCE;
  private readonly search: Blob;

  constructor(
    text: SearchText,
    ngram: NgramModel,
    private readonly submitter: Submitter,
  ) {
    this.search = submitter.blob(pack({ text, ngram: { ...ngram } }));
  }

  async walk(planned: PlannedWalk): Promise<FoundKey> {
    const found = await this.submitter.run({
      kind: walkKind.name,
      parameters: planned,
      blobs: { search: this.search },
      what: `walk ${planned.number}`,
    });
    return unpack(found) as FoundKey;
  }

  async close(): Promise<void> {
    await this.submitter.forget();
  }
}
