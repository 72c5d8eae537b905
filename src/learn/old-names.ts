// Options and results had other names once. Programs, model files and checkpoints that use the old ones are still understood.

const names: Readonly<Record<string, string>> = { epochs: "passes", epoch: "pass", bestEpoch: "bestPass" };

/** A copy under current names; where an option is given by both, the current name counts. */
export function withCurrentNames<T extends object>(given: T): T {
  if (typeof given !== "object" || given === null) return given;
  const renamed: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(names, name)) renamed.push([name, value]);
    else if (!Object.hasOwn(given, names[name])) renamed.push([names[name], value]);
  }
  return Object.fromEntries(renamed) as T;
}

/** For JSON that scripts read: everything that has got a new name is also there under its old one, at any depth. */
export function withOldNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOldNames);
  if (typeof value !== "object" || value === null) return value;
  const both = Object.entries(value).map(([name, part]) => [name, withOldNames(part)]);
  for (const [old, current] of Object.entries(names)) {
    if (Object.hasOwn(value, current)) both.push([old, value[current as keyof typeof value]]);
  }
  return Object.fromEntries(both);
}
