// The experiments whose runs other machines can do: by the name in results.json, what does a setting with a seed.

import type { Run } from "./runs.js";

/** `options` are those of the setting. */
type OneRun = (setting: string, seed: number, options: unknown) => Promise<Run>;

export const runners: Record<string, () => Promise<OneRun>> = {
  "word-recognition": async () => (await import("./word-recognition/word-recognition.js")).oneRun,
  contexts: async () => (await import("./contexts/contexts.js")).oneRun,
  "letter-protocols": async () => (await import("./letter-protocols/letter-protocols.js")).oneRun,
  "part-of-speech": async () => (await import("./part-of-speech/part-of-speech.js")).oneRun,
  "promise-simulations": async () => {
    const { simulate } = await import("./promise-simulations/promise-simulations.js");
    return async (setting, _, options) => simulate(setting, (options as { draws: number }).draws);
  },
  "speech-buckeye": async () => (await import("./speech/speech.js")).oneRun("buckeye"),
  "speech-timit": async () => (await import("./speech/speech.js")).oneRun("timit"),
};
