// Clauses made of common words alone, from any text: a stand-in for a corpus of simple sentences. Words are letters with
// apostrophes inside, in lower case; clauses end at punctuation and at blank lines.

export interface ClauseOptions {
  /** How many of the commonest words count as common. */
  words: number;
  /** Fewest and most words of a clause. */
  least: number;
  most: number;
}

export const clauseDefaults: ClauseOptions = { words: 500, least: 4, most: 20 };

/** Every different clause of common words, in order of first appearance. */
export function commonClauses(text: string, given: Partial<ClauseOptions> = {}): string[] {
  const { words, least, most } = { ...clauseDefaults, ...given };
  const clauses = text
    .toLowerCase()
    .split(/[.,;:!?()[\]"*]|--|\n\s*\n/)
    .map((clause) => clause.match(/[a-z]+(?:'[a-z]+)*/g) ?? []);
  const counts = new Map<string, number>();
  for (const clause of clauses) for (const word of clause) counts.set(word, (counts.get(word) ?? 0) + 1);
  const common = new Set(
    [...counts]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, words)
      .map(([word]) => word),
  );
  const found = new Set<string>();
  for (const clause of clauses) {
    if (clause.length < least || clause.length > most) continue;
    if (clause.every((word) => common.has(word))) found.add(clause.join(" "));
  }
  return [...found];
}
