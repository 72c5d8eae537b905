// A test that the model answers in the worker, with its progress, and that can be stopped.

import { useEffect, useRef, useState } from "preact/hooks";
import { patient } from "../../engine.js";
import type { Calls, Choice, Judged } from "../../protocol.js";

interface Evaluation {
  /** Undefined until it has ended, or been stopped. */
  judged: Judged[] | undefined;
  warnings: readonly string[];
  /** The share that is answered. */
  progress: number;
  state: "idle" | "running" | "stopped" | "done";
  trouble: Error | undefined;
  stop: () => void;
}

/** Has the model answer the inputs of a test, anew whenever the model, the test or the choice of contexts changes. */
export function useEvaluation(
  model: string | undefined,
  source: Omit<Calls["evaluate"]["params"], "model" | "choice"> | undefined,
  choice: Choice | undefined,
): Evaluation {
  const [judged, setJudged] = useState<Judged[]>();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [progress, setProgress] = useState(0);
  const [state, setState] = useState<Evaluation["state"]>("idle");
  const [trouble, setTrouble] = useState<Error>();
  const control = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    setJudged(undefined);
    setTrouble(undefined);
    if (model === undefined || !source) {
      setState("idle");
      return;
    }
    const mine = new AbortController();
    control.current = mine;
    setState("running");
    setProgress(0);
    patient.call("evaluate", { model, ...source, choice }, { signal: mine.signal, onProgress: setProgress }).then(
      (result) => {
        if (control.current !== mine) return;
        setJudged(result.judged);
        setWarnings(result.warnings);
        setState(result.stopped ? "stopped" : "done");
      },
      (failure) => {
        if (control.current !== mine) return;
        setTrouble(failure);
        setState("idle");
      },
    );
    return () => {
      control.current = undefined;
      mine.abort();
    };
  }, [model !== undefined && source ? JSON.stringify([model, source, choice]) : ""]);
  return { judged, warnings, progress, state, trouble, stop: () => control.current?.abort() };
}
