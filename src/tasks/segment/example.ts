// A text to segment as data and programs give it, and its right segments as ranges of positions that follow one another from
// the first position to the last: what no given segment covers lies outside, a segment a position.

import { checkSequenceLength } from "../../formats/limits.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { chunksOf } from "../../metrics/tagging.js";
import { areStrings } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { columnPositions, type Positions, textPositions } from "./positions.js";

/** The label of what lies outside of all segments; such segments are one position long. */
export const OUTSIDE = "O";
/** The label of segments that have none. */
export const UNLABELLED = "";

/** A segment of a text, by UTF-16 units: it reads `text.slice(start, end)`. */
export interface GivenSegment {
  start: number;
  end: number;
  /** Absent where segments have no labels. */
  label?: string;
}

/** A text to segment, with or without its segments: `text`, or `columns` (tokens and what goes with them). */
export interface SegmentedText {
  text?: string;
  /** [tokens][columns] */
  columns?: string[][];
  /** The segments of `text`, in order; what they leave out lies outside. */
  segments?: GivenSegment[];
  /** [tokens] the segments of `columns`, as labels that mark chunks: BIO, IOB1, BIOES and the like. */
  labels?: (string | null)[];
  id?: string;
  /** Where it begins. */
  file?: string;
  line?: number;
}

/** A segment of positions `from` .. `to - 1`. */
export interface PositionSegment {
  from: number;
  to: number;
  label: string;
}

/** The positions of a text; what is not of the right shape is refused. */
export function positionsOf(example: SegmentedText, input: SymbolKind): Positions {
  const positions = shapedPositions(example, input);
  // UTF-8 cannot hold half a surrogate pair: such a text would not survive a model file.
  if (/\p{Surrogate}/u.test(positions.text)) throw refusal(example, "half a character (a lone surrogate)");
  checkSequenceLength(positions.columns.length, { file: example.file, line: example.line });
  return positions;
}

function shapedPositions(example: SegmentedText, input: SymbolKind): Positions {
  const { text, columns } = example ?? {};
  if (text !== undefined) {
    if (typeof text !== "string") throw refusal(example, "`text` should be text");
    return textPositions(text, input);
  }
  if (columns === undefined) {
    throw refusal(example, "there is neither `text` nor `columns`", 'such as text: "北京在哪里"');
  }
  if (!Array.isArray(columns)) throw refusal(example, "`columns` should be an array with an entry for each token");
  if (input !== "tokens") {
    throw refusal(example, "the model segments characters, and columns hold tokens", "give `text`");
  }
  columns.forEach((row, i) => {
    if (areStrings(row) && row.length > 0) return;
    throw refusal(example, `\`columns[${i}]\` should be an array of text`, 'such as columns: [["New"], ["York"]]');
  });
  return columnPositions(columns);
}

/** The right segments of a text, or undefined if it has none. They cover all positions. */
export function goldOf(example: SegmentedText, positions: Positions): PositionSegment[] | undefined {
  const { segments, labels } = example;
  if (labels !== undefined && example.columns) return covering(chunkSegments(example, positions), positions);
  if (segments === undefined) return undefined;
  if (!Array.isArray(segments)) throw refusal(example, "`segments` should be an array");
  return covering(offsetSegments(example, segments, positions), positions);
}

/** Segments of tokens that labels mark. */
function chunkSegments(example: SegmentedText, { columns }: Positions): PositionSegment[] {
  const labels = example.labels as readonly (string | null)[];
  if (!Array.isArray(labels)) throw refusal(example, "`labels` should be an array with an entry for each token");
  if (labels.length !== columns.length) throw refusal(example, `${labels.length} labels for ${columns.length} tokens`);
  const all = labels.map((label, i) => {
    if (typeof label === "string" && /^(?:O|[BIESLU](?:-.*)?)$/su.test(label)) return label;
    const line = example.line === undefined ? undefined : example.line + i;
    throw new InputError(`\`${label ?? "_"}\` does not mark a segment`, {
      file: example.file,
      line,
      hint: "labels are O, B-TYPE and I-TYPE, with E-TYPE and S-TYPE if you like",
    });
  });
  return chunksOf(all).map(({ type, start, end }) => ({ from: start, to: end, label: type }));
}

/** Segments of positions that offsets name. */
function offsetSegments(
  example: SegmentedText,
  segments: readonly GivenSegment[],
  { text, start, end }: Positions,
): PositionSegment[] {
  let p = 0;
  let before = 0;
  return segments.map((segment, s) => {
    const name = `\`segments[${s}]\``;
    const { start: first, end: last, label = UNLABELLED } = segment ?? {};
    if (!(Number.isInteger(first) && Number.isInteger(last) && first < last && first >= 0 && last <= text.length)) {
      throw refusal(example, `${name} runs from ${first} to ${last} in a text of ${text.length} characters`);
    }
    if (typeof label !== "string" || /\p{Surrogate}/u.test(label))
      throw refusal(example, `the label of ${name} should be text`);
    if (first < before) throw refusal(example, `${name} begins before the one before it ends`, "give them in order");
    before = last;
    while (p < start.length && end[p] <= first) p++;
    const from = p;
    while (p < start.length && end[p] <= last) p++;
    if (from === p || start[from] < first || (p < start.length && start[p] < last)) {
      const part = text.slice(first, last);
      throw refusal(example, `${name}, \`${part}\`, does not begin and end where a character or token does`);
    }
    return { from, to: p, label };
  });
}

/** The same segments, with those outside between them. */
function covering(segments: readonly PositionSegment[], { columns }: Positions): PositionSegment[] {
  const all: PositionSegment[] = [];
  let at = 0;
  const fill = (to: number): void => {
    for (; at < to; at++) all.push({ from: at, to: at + 1, label: OUTSIDE });
  };
  for (const segment of segments) {
    fill(segment.from);
    if (segment.label === OUTSIDE) fill(segment.to);
    else all.push(segment);
    at = segment.to;
  }
  fill(columns.length);
  return all;
}

function refusal(example: SegmentedText, reason: string, hint?: string): InputError {
  return new InputError(reason, { file: example?.file, line: example?.line, hint });
}
