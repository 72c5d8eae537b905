// A rest in a long computation, for timers, signals and messages.

/** Lets timers, signals and messages through. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
