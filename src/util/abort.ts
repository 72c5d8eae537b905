// Work that an AbortSignal can end. Inside, it is asked for like any other stop; whoever gave the signal gets its reason in place
// of a result.

/** Whether to stop: because a signal was given and says so, or because of another reason. */
export function stopOf(signal: AbortSignal | undefined, shouldStop?: () => boolean): (() => boolean) | undefined {
  return signal ? () => signal.aborted || shouldStop?.() === true : shouldStop;
}

/** What the work gives, unless the signal was aborted by then: that rejects with the signal's reason. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const result = await work();
  signal?.throwIfAborted();
  return result;
}
