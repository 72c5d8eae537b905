// A promise for each group of parts, such as each label, so that rare ones cannot hide behind common ones. Groups are those that
// occur among the placing sequences, G of them, which are fixed before anything is tested. Each is tested at the level
// (1 − confidence) / G, so that all promises together are true with probability `confidence` (Bonferroni). A group without a
// promise, or one that the placing sequences do not have, is never answered.

import {
  answeredParts,
  type Cluster,
  type ClusteredGuarantee,
  type ClusteredOptions,
  findClusteredThreshold,
  placingOrder,
} from "./clustered.js";

/** The parts of a sequence, each with its group. */
export interface GroupedCluster extends Cluster {
  group: readonly string[]; // [parts]
}

/** The threshold of a group, with its evidence. */
export interface GroupThreshold
  extends Pick<ClusteredGuarantee, "threshold" | "most" | "parts" | "answered" | "wrong"> {
  group: string;
}

export interface GroupedGuarantee extends ClusteredGuarantee {
  groups: GroupThreshold[];
  /** Groups that nothing can be promised of. */
  open: string[];
}

/** The thresholds with their evidence, or undefined if the promise can be made for no group. */
export function findGroupedThresholds(
  clusters: readonly GroupedCluster[],
  options: ClusteredOptions,
): GroupedGuarantee | undefined {
  const { confidence = 0.95, seed = 1 } = options;
  const { placing } = placingOrder(clusters, seed);
  const names = [...new Set(placing.flatMap(({ group }) => group))].sort();
  const each = { ...options, confidence: 1 - (1 - confidence) / Math.max(1, names.length) };
  const groups: GroupThreshold[] = [];
  let last: ClusteredGuarantee | undefined;
  for (const name of names) {
    const found = findClusteredThreshold(
      clusters.map((one) => partsOf(one, name)),
      each,
    );
    if (!found) continue;
    last = found;
    const { threshold, most, parts, answered, wrong } = found;
    groups.push({ group: name, threshold, most, parts, answered, wrong });
  }
  if (!last) return undefined;
  const sum = (of: (one: GroupThreshold) => number): number => groups.reduce((all, one) => all + of(one), 0);
  const all = clusters.reduce((count, one) => count + one.confidence.length, 0);
  const placed = placing.reduce((count, one) => count + one.confidence.length, 0);
  return {
    ...last,
    confidence,
    // The least of them; the threshold of a part is that of its group.
    threshold: Math.min(...groups.map((one) => one.threshold)),
    most: Math.max(...groups.map((one) => one.most)),
    parts: all - placed,
    answered: sum((one) => one.answered),
    wrong: sum((one) => one.wrong),
    groups,
    open: names.filter((name) => !groups.some(({ group }) => group === name)),
  };
}

function partsOf({ confidence, correct, group }: GroupedCluster, name: string): Cluster {
  const own: number[] = [];
  group.forEach((one, part) => {
    if (one === name) own.push(part);
  });
  return { confidence: own.map((part) => confidence[part]), correct: own.map((part) => correct[part]) };
}

/** The parts of a sequence that a guarantee with groups answers: their numbers, in order. */
export function answeredInGroups(
  confidence: ArrayLike<number>,
  group: readonly string[],
  groups: readonly GroupThreshold[],
): number[] {
  const answered: number[] = [];
  for (const one of groups) {
    const own: number[] = [];
    group.forEach((name, part) => {
      if (name === one.group) own.push(part);
    });
    const sure = answeredParts(
      own.map((part) => confidence[part]),
      one,
    );
    answered.push(...sure.map((i) => own[i]));
  }
  return answered.sort((a, b) => a - b);
}
