// What a call of the page may do in a worker besides returning.

import type { CallName, Calls } from "../protocol.js";

export interface Work<Name extends CallName> {
  progress(report: Calls[Name]["progress"]): void;
  stopped(): boolean;
}

/** Answers a call. */
export type Handler<Name extends CallName> = (
  params: Calls[Name]["params"],
  work: Work<Name>,
) => Calls[Name]["result"] | Promise<Calls[Name]["result"]>;
