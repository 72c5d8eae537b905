// The course of a decipherment: started, paused, taken up again, done; with the key, the searches and the passes of EM that
// the worker has told of so far.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Reading } from "../../../../src/tasks/decipher/decipherment.js";
import { patient } from "../../engine.js";
import type { DecipherProgress, DecipherResult } from "../../protocol.js";

export type Phase = "ready" | "running" | "paused" | "done";
export type Pass = Extract<DecipherProgress, { stage: "pass" }>;
export type Search = Extract<DecipherProgress, { stage: "search" }>;

/** How a cipher symbol is read. */
export interface Found extends Reading {
  others?: Reading[];
}

export interface Decipherable {
  /** The one chosen, and the one that is loaded. */
  offered: string | undefined;
  model: string | undefined;
  text: string;
  oneToOne: boolean;
  contexts: number;
  /** Whether a first key is searched for, not left to EM. */
  searching: boolean;
  known: Record<string, string>;
}

export interface Deciphering {
  phase: Phase;
  key: ReadonlyMap<string, Found>;
  passes: readonly Pass[];
  searches: readonly Search[];
  /** Share of improving the key by its words that is done, if that has begun. */
  improved: number | undefined;
  outcome: DecipherResult | undefined;
  trouble: Error | undefined;
  /** Begins anew, or from the key at hand. */
  run: (goOn: boolean) => Promise<void>;
  pause: () => void;
  reset: () => void;
}

export function useDeciphering(cipher: Decipherable): Deciphering {
  const { offered, model, text, oneToOne, contexts, searching, known } = cipher;
  const [phase, setPhase] = useState<Phase>("ready");
  const [key, setKey] = useState<Map<string, Found>>(new Map());
  const [passes, setPasses] = useState<Pass[]>([]);
  const [searches, setSearches] = useState<Search[]>([]);
  const [improved, setImproved] = useState<number>();
  const [outcome, setOutcome] = useState<DecipherResult>();
  const [trouble, setTrouble] = useState<Error>();
  const control = useRef<AbortController | undefined>(undefined);

  const reset = (): void => {
    control.current?.abort();
    control.current = undefined;
    setPhase("ready");
    setKey(new Map());
    setPasses([]);
    setSearches([]);
    setImproved(undefined);
    setOutcome(undefined);
    setTrouble(undefined);
  };
  useEffect(() => reset, [text, offered, oneToOne, searching]);

  const run = async (goOn: boolean): Promise<void> => {
    if (model === undefined) return;
    if (!goOn) reset();
    const mine = new AbortController();
    control.current = mine;
    setPhase("running");
    setTrouble(undefined);
    const before = goOn ? passes.length : 0;
    const show = (report: DecipherProgress): void => {
      // What arrives after a pause was under way; what belongs to an older run is of no interest.
      if (control.current !== mine || mine.signal.aborted) return;
      setKey(new Map(report.key));
      setImproved(report.stage === "words" ? report.share : undefined);
      if (report.stage === "words") return;
      if (report.stage === "search") setSearches((now) => [...now, report]);
      else setPasses((now) => [...now, { ...report, pass: before + report.pass }]);
    };
    try {
      const begin = goOn ? keyAtHand(key, known) : searching ? undefined : leftToEM;
      const question = { model, text, oneToOne, contexts, known, begin };
      const found = await patient.call("decipher", question, { signal: mine.signal, onProgress: show });
      if (control.current !== mine) return;
      setKey(new Map(found.key));
      setOutcome(found);
      setPhase(found.stopped ? "paused" : "done");
    } catch (failure) {
      if (control.current !== mine) return;
      setTrouble(failure as Error);
      setPhase(goOn ? "paused" : "ready");
    }
  };
  const pause = (): void => control.current?.abort();
  return { phase, key, passes, searches, improved, outcome, trouble, run, pause, reset };
}

/** An empty key to begin with. */
const leftToEM: Record<string, string> = {};

function keyAtHand(key: ReadonlyMap<string, Found>, known: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries([...key].map(([cipher, { plain }]) => [cipher, known[cipher] ?? plain]));
}
