// The page's side of a worker: calls that return promises, report progress and can be stopped. There are two workers, so
// that what takes long never keeps a slider waiting.

import type { CallName, Calls, Failure, FromWorker, ToWorker } from "./protocol.js";

/** What went wrong, in words for the person. */
export class EngineError extends Error {
  readonly hint: string | undefined;

  constructor(failure: Failure) {
    super(failure.mine ? `Something went wrong in the page: ${failure.message}` : failure.message);
    this.hint = failure.hint;
  }
}

export interface CallOptions<Name extends CallName> {
  onProgress?: (progress: Calls[Name]["progress"]) => void;
  /** Asks the worker to end early; the promise still gets what was found. */
  signal?: AbortSignal;
}

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: EngineError) => void;
  onProgress: ((progress: never) => void) | undefined;
}

export class Engine {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor() {
    this.worker = new Worker(new URL("./worker/worker.ts", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const one = this.waiting.get(data.call);
      if (!one) return;
      if ("progress" in data) {
        one.onProgress?.(data.progress as never);
        return;
      }
      this.waiting.delete(data.call);
      if ("failure" in data) one.reject(new EngineError(data.failure));
      else one.resolve(data.result as never);
    };
    this.worker.onerror = (event) => {
      const message = event.message || "the worker could not be started";
      for (const one of this.waiting.values()) one.reject(new EngineError({ message, mine: true }));
      this.waiting.clear();
    };
  }

  call<Name extends CallName>(
    name: Name,
    params: Calls[Name]["params"],
    options: CallOptions<Name> = {},
  ): Promise<Calls[Name]["result"]> {
    const call = ++this.last;
    options.signal?.addEventListener("abort", () => this.worker.postMessage({ stop: call } satisfies ToWorker));
    return new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject, onProgress: options.onProgress as Waiting["onProgress"] });
      this.worker.postMessage({ call, name, params });
    });
  }
}

/** Answers at once. */
export const quick = new Engine();
/** Takes its time: EM, evaluations. */
export const patient = new Engine();
