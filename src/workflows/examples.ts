// Examples for a workflow, as programs and commands have them: in an array, or as they come.

/** Examples of a task, such as labelled sequences or pairs. */
export type Examples<T> = Iterable<T> | AsyncIterable<T>;

export async function* asTheyCome<T>(examples: Examples<T>): AsyncGenerator<T> {
  yield* examples;
}
