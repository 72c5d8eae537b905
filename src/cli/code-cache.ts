// Compiled code of the bundled command, kept between runs by Node where it can (22.1 and newer): compiling takes about a third of what
// starting takes beside Node itself.

import Module from "node:module";
import { join } from "node:path";
import { cacheFolder } from "../datasets/cache-folder.js";

/** What newer versions of Node have, and the types of ours do not tell of. */
interface Caching {
  enableCompileCache?(folder: string): unknown;
}

export function cacheCode(): void {
  (Module as Caching).enableCompileCache?.(join(cacheFolder(), "code"));
}
