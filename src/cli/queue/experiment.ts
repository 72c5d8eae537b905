// Runs of experiments as jobs: one setting with one seed. What an experiment does lies beside the library (experiments/jobs.ts), and
// data comes from the registry of the machine that runs it.

import type { JobKind } from "../../cluster/job.js";
import { InputError } from "../../util/errors.js";

export interface ExperimentRun {
  experiment: string;
  setting: string;
  /** What the setting is: another one is another job. */
  options: unknown;
  seed: number;
}

interface Jobs {
  runners: Record<string, () => Promise<(setting: string, seed: number, options: unknown) => Promise<unknown>>>;
}

/** The build puts experiments beside the library. */
const library = new URL("../../", import.meta.url);

/** Gives a run as JSON: what results.json has of it. */
export const experimentKind: JobKind<ExperimentRun> = {
  name: "experiment",
  async run({ experiment, setting, seed, options }) {
    const { runners }: Jobs = await import(new URL("experiments/jobs.js", library).href);
    if (!Object.hasOwn(runners, experiment)) throw new InputError(`there is no experiment \`${experiment}\``);
    const run = await runners[experiment]();
    return new TextEncoder().encode(JSON.stringify(await run(setting, seed, options)));
  },
};
