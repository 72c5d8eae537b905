// Which kinds of members a transducer has: those with rows for what is around a position, and those with a network in their place; from
// left to right and from right to left by turns. Where that is open (`auto`), inputs held out decide: the average of both kinds,
// unless one of them alone is clearly better.

/** What a member is. */
export interface MemberKind {
  backward: boolean;
  /** Whether it has a network. */
  encoded: boolean;
  /** How many like it come before it: these differ by their seeds. */
  turn: number;
}

/** The kinds of `count` members; of four of `auto`, each direction has both. */
export function memberKinds(encoder: "none" | "conv" | "auto", count: number): MemberKind[] {
  return Array.from({ length: count }, (_, n) => {
    const backward = n % 2 === 1;
    if (encoder !== "auto") return { backward, encoded: encoder === "conv", turn: n >> 1 };
    return { backward, encoded: backward !== n % 4 > 1, turn: n >> 2 };
  });
}

/** The kinds of members that there are. */
export function kindsIn(members: readonly { backward: boolean; encoder?: unknown }[]): MemberKind[] {
  const kinds: MemberKind[] = [];
  for (const { backward, encoder } of members) {
    const encoded = encoder !== undefined;
    const turn = kinds.filter((kind) => kind.backward === backward && kind.encoded === encoded).length;
    kinds.push({ backward, encoded, turn });
  }
  return kinds;
}

export function isSameKind(one: MemberKind, other: MemberKind): boolean {
  return one.backward === other.backward && one.encoded === other.encoded && one.turn === other.turn;
}

/** Sets of members to choose from, the one that is taken if they are alike first: all, or those of one kind. */
export function memberSets(members: readonly MemberKind[]): number[][] {
  const all = [...members.keys()];
  const byKind = [false, true].map((encoded) => all.filter((m) => members[m].encoded === encoded));
  return byKind.some((set) => set.length === 0) ? [all] : [all, ...byKind];
}

/** How far beyond chance a set must be better than the first to be taken: as many times the deviation of their mean difference. */
const CLEARLY = 2;

/**
 * The set that is taken, by the log loss of what each says of the same inputs: the first unless another is clearly better, of several
 * the best. Losses tell much sooner than the number of right answers which models know more.
 */
export function chooseSet(losses: readonly (readonly number[])[]): number {
  const [first] = losses;
  let best = 0;
  let most = 0;
  for (let s = 1; s < losses.length; s++) {
    const gains = losses[s].map((loss, i) => first[i] - loss);
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / gains.length;
    if (!(mean > CLEARLY * Math.sqrt(variance / gains.length)) || mean <= most) continue;
    best = s;
    most = mean;
  }
  return best;
}
