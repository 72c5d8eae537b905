// What the views have in common: the address, models in a worker, and answers that follow their question.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Address, formatAddress, parseAddress } from "./address.js";
import type { View } from "./catalogue.js";
import type { Engine, EngineError } from "./engine.js";
import { loaded, type OfferedModel, whenLoaded } from "./models.js";
import type { CallName, Calls, LoadedModel } from "./protocol.js";

export type Change = (changes: Record<string, string | undefined>, view?: View) => void;

/** The address, and a way to change it. Changes within a view leave no trail of steps to go back through. */
export function useAddress(): [Address, Change] {
  const [address, setAddress] = useState(() => parseAddress(location.hash));
  useEffect(() => {
    const follow = () => {
      const now = parseAddress(location.hash);
      const plain = formatAddress(now.view, {});
      // What leads to no view is replaced by where one is.
      if (location.hash !== "" && location.hash.split("?", 1)[0] !== plain) history.replaceState(null, "", plain);
      setAddress(now);
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const change = useCallback<Change>((changes, view) => {
    const now = parseAddress(location.hash);
    const to = view ?? now.view;
    const hash = formatAddress(to, to === now.view ? { ...now.params, ...changes } : changes);
    if (to === now.view) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
    setAddress(parseAddress(hash));
  }, []);
  return [address, change];
}

export interface Loading {
  model?: LoadedModel;
  /** Share that has come, from 0 to 1. */
  share: number;
  error?: EngineError;
}

/** A model in a worker, fetched when it is first needed. */
export function useModel(engine: Engine, offered: OfferedModel | undefined): Loading {
  const ready = offered && loaded(engine, offered.id);
  const [state, setState] = useState<Loading & { id?: string }>({ share: 0 });
  const id = offered?.id;
  useEffect(() => {
    if (!offered || ready) return;
    let current = true;
    setState({ id, share: 0 });
    whenLoaded(engine, offered, (share) => {
      if (current) setState((now) => ({ ...now, share }));
    }).then(
      (model) => {
        if (current) setState({ id, model, share: 1 });
      },
      (error: EngineError) => {
        if (current) setState({ id, share: 0, error });
      },
    );
    return () => {
      current = false;
    };
  }, [engine, id, ready === undefined]);
  if (ready) return { model: ready, share: 1 };
  return state.id === id ? state : { share: 0 };
}

export interface Answered<Result> {
  /** The latest there is; while a newer one is awaited, that of the question before. */
  result?: Result;
  error?: EngineError;
  /** Whether `result` answers the question as it is now. */
  current: boolean;
}

/**
 * The worker's answer to a question that changes. One question is under way at a time; when it is answered, the latest is
 * asked next and those in between never are, so that a dragged slider does not pile up work.
 */
export function useAnswer<Name extends CallName>(
  engine: Engine,
  name: Name,
  params: Calls[Name]["params"] | undefined,
): Answered<Calls[Name]["result"]> {
  const [state, setState] = useState<{ key: string; result?: Calls[Name]["result"]; error?: EngineError }>({ key: "" });
  const wanted = useRef<{ key: string; params: Calls[Name]["params"] } | undefined>(undefined);
  const busy = useRef(false);
  const key = params === undefined ? "" : JSON.stringify(params);
  useEffect(() => {
    wanted.current = params === undefined ? undefined : { key, params };
    const next = async (): Promise<void> => {
      const question = wanted.current;
      if (!question || busy.current) return;
      wanted.current = undefined;
      busy.current = true;
      try {
        const result = await engine.call(name, question.params);
        setState({ key: question.key, result });
      } catch (error) {
        setState({ key: question.key, error: error as EngineError });
      }
      busy.current = false;
      void next();
    };
    void next();
  }, [engine, name, key]);
  if (key === "") return { current: true };
  return { result: state.result, error: state.error, current: state.key === key };
}
