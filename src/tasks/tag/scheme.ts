// Schemes of labels that mark spans. With s = a span begins here, e = it ends here, a label of type T is
//   bio     B-T if s, else I-T                          iob1    B-T if s and a span of T ends just before, else I-T
//   bioes   S-T if s and e, B-T if s, E-T if e, else I-T          bilou   the same, with L for E and U for S
// Data is in a scheme if no pair of neighbours breaks it. A tagger may learn in another scheme than that of its data: labels
// are then translated on the way in and on the way back.

import type { Alphabet } from "../../engine/alphabet.js";
import { areChunkLabels, labelParts } from "../../metrics/tagging.js";
import { InputError } from "../../util/errors.js";
import { allowedAt, type Corpus, UNKNOWN_LABEL } from "./corpus.js";
import { type CorpusScan, scanOf } from "./stored.js";

export const schemes = ["bio", "iob1", "bioes", "bilou"] as const;
export type Scheme = (typeof schemes)[number];

/** Schemes that a tagger may learn in: what an output marks follows from each label and the one before. */
export const learnedSchemes = ["bio", "bioes", "bilou"] as const;
export type LearnedScheme = (typeof learnedSchemes)[number];

/** The data's scheme, and the one that was learned. */
export interface Translation {
  data: Scheme;
  learned: LearnedScheme;
}

const prefixes: Record<Scheme, string> = { bio: "BI", iob1: "BI", bioes: "BIES", bilou: "BILU" };

/** `undefined` stands for the beginning, or the end, of a sequence. */
type Neighbour = string | undefined;

const isOutside = (label: Neighbour): boolean => label === undefined || labelParts(label).prefix === "O";

/** Whether a span that is open after `before` goes on with `label`, as `chunksOf` has it. */
export function goesOn(before: Neighbour, label: Neighbour): boolean {
  if (before === undefined || label === undefined || isOutside(before) || isOutside(label)) return false;
  const [one, next] = [labelParts(before), labelParts(label)];
  return one.type === next.type && !"ESLU".includes(one.prefix) && !"BSU".includes(next.prefix);
}

/** Whether one label may follow another in a scheme. */
export function mayFollow(scheme: Scheme, before: Neighbour, label: Neighbour): boolean {
  const [one, next] = [before, label].map((given) => (given === undefined ? undefined : labelParts(given)));
  if (next && next.prefix !== "O" && !prefixes[scheme].includes(next.prefix)) return false;
  if (scheme === "bio") return next?.prefix !== "I" || goesOn(before, label);
  if (scheme === "iob1") return next?.prefix !== "B" || (!isOutside(before) && one?.type === next.type);
  const isOpen = !isOutside(before) && "BI".includes(one?.prefix as string);
  const needsOpen = !isOutside(label) && "IEL".includes(next?.prefix as string);
  return isOpen === needsOpen && (!isOpen || one?.type === next?.type);
}

/** The scheme of all sequences of a corpus, undefined if they follow none: the first of those that no pair breaks. */
export function schemeOf(data: Corpus | CorpusScan, labels: Alphabet): Scheme | undefined {
  if (!areChunkLabels(labels.all())) return undefined;
  const end = labels.size;
  const pairs = new Uint8Array((end + 1) * (end + 1)); // [before][label], `end` being the beginning and the end
  for (const corpus of scanOf(data)) {
    for (let s = 0; s < corpus.sequenceCount; s++) {
      let before = end;
      for (let p = corpus.sequenceStart[s]; p <= corpus.sequenceStart[s + 1]; p++) {
        const label = p < corpus.sequenceStart[s + 1] ? corpus.labels[p] : end;
        if (before >= 0 && label >= 0) pairs[before * (end + 1) + label] = 1;
        before = label;
      }
    }
  }
  const nameOf = (label: number): Neighbour => (label === end ? undefined : labels.nameOf(label));
  return schemes.find((scheme) =>
    pairs.every(
      (seen, pair) => !seen || mayFollow(scheme, nameOf(Math.floor(pair / (end + 1))), nameOf(pair % (end + 1))),
    ),
  );
}

/** What may be true of a place: both, where a neighbour is not known. */
type Possible = readonly boolean[];

/** Whether a span may begin at a label, by the label before; null if that is not known. */
function mayBegin(scheme: Scheme, before: Neighbour | null, label: string): Possible {
  if (before !== null) return [!goesOn(before, label)];
  if (scheme === "iob1" && labelParts(label).prefix === "I") return [true, false];
  return ["BSU".includes(labelParts(label).prefix)];
}

/** Whether a span may end at a label, by the label after it; null if that is not known. */
function mayEnd(scheme: Scheme, label: string, after: Neighbour | null): Possible {
  if (after !== null) return [!goesOn(label, after)];
  if (scheme === "bio" || scheme === "iob1") return [true, false];
  return ["ESLU".includes(labelParts(label).prefix)];
}

function learnedName(scheme: LearnedScheme, type: string, begins: boolean, ends: boolean): string {
  const [single, last] = scheme === "bilou" ? ["U", "L"] : ["S", "E"];
  const prefix = scheme !== "bio" && ends ? (begins ? single : last) : begins ? "B" : "I";
  return type === "" ? prefix : `${prefix}-${type}`;
}

/** The labels of the learned scheme that a label of the data may stand for, by its neighbours; null for one not known. */
export function learnedFor(
  { data, learned }: Translation,
  before: Neighbour | null,
  label: string,
  after: Neighbour | null,
): string[] {
  if (isOutside(label)) return [label];
  const { type } = labelParts(label);
  const names = mayBegin(data, before, label).flatMap((begins) =>
    mayEnd(data, label, after).map((ends) => learnedName(learned, type, begins, ends)),
  );
  return [...new Set(names)];
}

/** The label of the data's scheme that a learned one stands for after another; these must be allowed to follow. */
export function dataLabel({ data, learned }: Translation, before: Neighbour, label: string): string {
  if (data === learned || isOutside(label)) return label;
  const { type } = labelParts(label);
  const begins = !goesOn(before, label);
  const touches = begins && !isOutside(before) && labelParts(before as string).type === type;
  const ends = "ESLU".includes(labelParts(label).prefix);
  if (data === "iob1") return learnedName("bio", type, touches, false);
  return learnedName(data, type, begins, ends);
}

/** What is to be learned in place of the labels of a corpus; undefined for these themselves, whatever they are. */
export function translationFor(
  data: Corpus | CorpusScan,
  labels: Alphabet,
  { scheme, constrained }: { scheme?: LearnedScheme | "data"; constrained: boolean },
): Translation | undefined {
  if (scheme === "data" && !constrained) return undefined;
  const found = schemeOf(data, labels);
  if (!found) {
    if (!scheme && !constrained) return undefined;
    const reason = areChunkLabels(labels.all())
      ? "the labels of the data do not follow any scheme"
      : "the labels of the data are not of the form B-PER, I-PER, O";
    throw new InputError(`option \`${constrained ? "constrained" : "scheme"}\`: ${reason}`, {
      hint: `schemes are ${schemes.join(", ")}`,
    });
  }
  // Outputs in IOB1 cannot be held to it as they are: what marks a beginning depends on what came before.
  const learned = scheme !== undefined && scheme !== "data" ? scheme : found === "iob1" ? "bio" : found;
  if (learned === found && !constrained) return undefined;
  if (!canLearn(found, learned)) {
    throw new InputError(`option \`scheme\`: labels in ${found} cannot be learned as ${learned}`);
  }
  return { data: found, learned };
}

/** "IOB1, learned as BIO, never broken" */
export function translationText({ data, learned }: Translation): string {
  const name = (scheme: Scheme): string => scheme.toUpperCase();
  return data === learned ? `${name(data)}, never broken` : `${name(data)}, learned as ${name(learned)}, never broken`;
}

/** Whether labels of the data can be told from learned ones without looking ahead. */
export function canLearn(data: Scheme, learned: LearnedScheme): boolean {
  return learned !== "bio" || data === "bio" || data === "iob1";
}

/** A corpus with the labels of the learned scheme; `symbols` gets those that are new, unless it is `fixed`: these stay open. */
export function translated(
  corpus: Corpus,
  labels: Alphabet,
  symbols: Alphabet,
  translation: Translation,
  fixed = false,
  /** What sets of symbols are added to. */
  allowedSets: Int32Array[] = [],
): Corpus {
  const made = new Int32Array(corpus.labels.length);
  const known = (label: number): string | null => (label >= 0 ? labels.nameOf(label) : null);
  for (let s = 0; s < corpus.sequenceCount; s++) {
    const from = corpus.sequenceStart[s];
    const to = corpus.sequenceStart[s + 1];
    for (let p = from; p < to; p++) {
      const before = p > from ? known(corpus.labels[p - 1]) : undefined;
      const after = p + 1 < to ? known(corpus.labels[p + 1]) : undefined;
      const names = Array.from(allowedAt(corpus, p) ?? []).flatMap((label) =>
        learnedFor(translation, before, labels.nameOf(label), after),
      );
      const numbers = names.map((name) => (fixed ? symbols.indexOf(name) : symbols.add(name))).filter((n) => n >= 0);
      const set = Int32Array.from(new Set(numbers)).sort();
      if (set.length < 2) made[p] = set[0] ?? UNKNOWN_LABEL;
      else made[p] = -1 - allowedSets.push(set);
    }
  }
  return { ...corpus, labels: made, allowedSets };
}
