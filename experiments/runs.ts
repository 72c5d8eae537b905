// What experiments share: a results.json that is written after every run, so that a stopped experiment goes on; tables; and
// the median and range of a number over runs.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { say } from "#stargram/cli/output.js";
import { experimentKind } from "#stargram/cli/queue/experiment.js";
import type { QueueFlags } from "#stargram/cli/queue/flags.js";
import { withQueue } from "#stargram/cli/queue/queue.js";
import { writeFileSafely } from "#stargram/model/file.js";
import { InputError, unknownName } from "#stargram/util/errors.js";

/** The results that an earlier run left. */
function resultsIn<R extends Run>(text: string, file: string): Results<R> {
  let old: Partial<Results<R>> | null = null;
  try {
    old = JSON.parse(text);
  } catch {
    // said below
  }
  if (Array.isArray(old?.runs) && typeof old.settings === "object" && old.settings !== null) return old as Results<R>;
  throw new InputError("not a results file", { file, hint: "move it away, or choose another --out" });
}

/** Tables and plots are ours where there are results; elsewhere they would replace somebody's. */
async function refuseForeign(folder: string): Promise<void> {
  const foreign = (await readdir(folder)).find((name) => name === "table.md" || name.endsWith(".svg"));
  if (foreign === undefined) return;
  throw new InputError("a file exists here that no experiment has written; it is unchanged", {
    file: join(folder, foreign),
    hint: "choose another --out",
  });
}

/** A run by a queue that takes longer is given up. */
const RUN_SECONDS = 7 * 24 * 3600;

/** One run of one setting: numbers by name, and curves. */
export interface Run {
  setting: string;
  seed: number;
  [name: string]: unknown;
}

export interface Results<R extends Run> {
  experiment: string;
  /** What the settings were; a change makes the old runs void. */
  settings: Record<string, unknown>;
  runs: R[];
}

export class ResultsFile<R extends Run> {
  private constructor(
    private readonly path: string,
    readonly results: Results<R>,
  ) {}

  /** Reads what an earlier run left, keeping the runs whose setting is still the same, and with `keepsOthers` those of others. */
  static async open<R extends Run>(
    folder: string,
    experiment: string,
    settings: Record<string, unknown>,
    { keepsOthers = false } = {},
  ): Promise<ResultsFile<R>> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, "results.json");
    const results: Results<R> = { experiment, settings: { ...settings }, runs: [] };
    let text: string | undefined;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    if (text === undefined) await refuseForeign(folder);
    else {
      const old = resultsIn<R>(text, path);
      const now = JSON.parse(JSON.stringify(settings));
      const others = Object.entries(old.settings).filter(([name]) => keepsOthers && !(name in now));
      Object.assign(results.settings, Object.fromEntries(others));
      const same = (name: string) => isDeepStrictEqual(old.settings[name], now[name] ?? results.settings[name]);
      results.runs = old.runs.filter((run) => same(run.setting));
    }
    return new ResultsFile(path, results);
  }

  /**
   * Does the runs that are not there yet: each setting with as many seeds as it is to have. Says how each went. With a queue others do
   * them, for experiments that jobs.ts lists.
   */
  async complete(
    settings: readonly string[],
    seedsOf: (setting: string) => number,
    doRun: (setting: string, seed: number) => Promise<R>,
    textOf: (run: R) => string,
    flags: QueueFlags = {},
  ): Promise<readonly R[]> {
    const { runs } = this.results;
    const missing = settings
      .flatMap((setting) => Array.from({ length: seedsOf(setting) }, (_, i) => ({ setting, seed: i + 1 })))
      .filter(({ setting, seed }) => !runs.some((run) => run.setting === setting && run.seed === seed));
    const addRun = async (run: R): Promise<void> => {
      await this.add(run);
      say(textOf(run));
    };
    if (flags.queue !== undefined && missing.length > 0) await this.completeByQueue(missing, flags, addRun);
    else for (const { setting, seed } of missing) await addRun(await doRun(setting, seed));
    return runs;
  }

  /** All at once; those that are done are added in their order. */
  private async completeByQueue(
    missing: readonly Pick<Run, "setting" | "seed">[],
    flags: QueueFlags,
    addRun: (run: R) => Promise<void>,
  ): Promise<void> {
    const { experiment, settings } = this.results;
    await withQueue(flags, async (queue) => {
      queue.expect(missing.length);
      const found = missing.map(({ setting, seed }) =>
        queue.run({
          kind: experimentKind.name,
          parameters: { experiment, setting, options: settings[setting], seed },
          blobs: {},
          what: `${setting}, seed ${seed}`,
          seconds: RUN_SECONDS,
        }),
      );
      for (const one of found) one.catch(() => undefined); // heard of when its turn comes
      for (const one of found) {
        const bytes = await one;
        if (bytes) await addRun(JSON.parse(new TextDecoder().decode(bytes)));
      }
    });
  }

  async add(run: R): Promise<void> {
    this.results.runs.push(run);
    await writeFileSafely(this.path, new TextEncoder().encode(`${JSON.stringify(this.results)}\n`));
  }
}

export async function writeText(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
}

/** A table for a page; the first row is its head. */
export function markdownTable([head, ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** Processor time of all threads since a measurement, in seconds. */
export function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since); // microseconds
  return (user + system) / 1e6;
}

/** The settings to run: all, or those of a list with commas, each of which there must be. */
export function chosenNames(only: string | undefined, settings: Record<string, unknown>): string[] {
  const names = Object.keys(settings);
  const chosen = only === undefined ? names : only.split(",");
  for (const name of chosen) if (!names.includes(name)) throw unknownName("setting", name, names);
  return chosen;
}

export interface Spread {
  median: number;
  low: number;
  high: number;
  count: number;
}

/** Median (of an even number: the lower of the two in the middle, so that it is a value that occurred) and range. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: sorted[(sorted.length - 1) >> 1],
    low: sorted[0],
    high: sorted[sorted.length - 1],
    count: sorted.length,
  };
}

/** `88.5 %` */
export function shareText(share: number): string {
  return spreadText(spread([share]));
}

/** `88.5 % (87.9 to 89.1)` */
export function spreadText({ median, low, high, count }: Spread): string {
  const text = (value: number) => (100 * value).toFixed(1);
  return count === 1 ? `${text(median)} %` : `${text(median)} % (${text(low)} to ${text(high)})`;
}
