// What is known of a key, as the address of the page holds it.

/** `q=a x=e`: cipher symbols and their plain ones; a symbol may itself be `=`. */
export function formatKnown(known: Readonly<Record<string, string>>): string | undefined {
  const pairs = Object.entries(known).map(([cipher, plain]) => `${cipher}=${plain}`);
  return pairs.length > 0 ? pairs.join(" ") : undefined;
}

export function parseKnown(text: string | undefined, symbols: ReadonlySet<string>): Record<string, string> {
  const known: Record<string, string> = {};
  for (const pair of (text ?? "").split(" ")) {
    const at = pair.lastIndexOf("=");
    if (at > 0 && symbols.has(pair.slice(0, at)) && pair.length > at + 1) known[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return known;
}

/** A plain letter that two signs are fixed as, where each letter has but one. */
export interface Conflict {
  letter: string;
  signs: string[];
}

export function letterFixedTwice(known: Readonly<Record<string, string>>): Conflict | undefined {
  const signs = new Map<string, string[]>();
  for (const [cipher, letter] of Object.entries(known)) signs.set(letter, [...(signs.get(letter) ?? []), cipher]);
  for (const [letter, all] of signs) if (all.length > 1) return { letter, signs: all };
  return undefined;
}
