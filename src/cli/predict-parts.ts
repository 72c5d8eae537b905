// Prediction in parts that others work on: the lines of the input are cut between sequences, and what is printed comes out in the
// order of the input, the same as if one had done it all. A few parts are under way at a time, so memory stays constant.

import type { ConfidenceCounts } from "../confidence/drift.js";
import { LONGEST_SEQUENCE } from "../formats/limits.js";
import { blockFrom, joinedBlocks, type LineBlock, type Lines } from "../formats/line-blocks.js";
import type { Cutting, LearningTask, Predictor } from "../tasks/task.js";
import { InputError, type Place } from "../util/errors.js";
import { writeBlank } from "./beside.js";
import { collectOutput, say, takeOutput, write } from "./output.js";
import { isByLine, type PartOfSource, type PredictAsked, predictInputs } from "./predicting.js";
import { ReviewDesk } from "./review-desk.js";

/** How parts are read: the same for all of an input. */
export interface PartReader extends PartOfSource {
  asked: PredictAsked;
  /** The name of the input for errors. */
  file: string;
}

/** What was found for a part. */
export interface Predicted {
  out: string;
  said: string[];
  answered: number;
  seen: number;
  sureness?: Pick<ConfidenceCounts, "counts" | "count" | "sum">;
  /** An input that could not be read; `out` is what came before it. */
  refused?: Refused;
}

/** An InputError as another thread is told of it. */
export interface Refused {
  reason: string;
  place: Place & { hint?: string };
}

/** What an error refuses; others are thrown again. */
export function refusedBy(error: unknown): Refused {
  if (!(error instanceof InputError)) throw error;
  const { reason, file, line, column, hint } = error;
  return { reason, place: { file, line, column, hint } };
}

/** Whoever predicts for parts. */
export interface PartPredictor {
  /** Undefined for a part that could not be done and is left out; whoever did it has said so. */
  predict(reader: PartReader, block: LineBlock): Promise<Predicted | undefined>;
  /** Parts that are read before the first of them is printed. */
  ahead: number;
  /** Lines of a part, about. */
  lines: number;
  /** Whether parts are as long as that though lines come slowly: then they do not depend on how lines come. */
  isPatient?: boolean;
}

/** Predicts for all inputs of a file, and prints. */
export async function predictInParts(
  task: LearningTask,
  model: Predictor,
  source: Lines & { file: string },
  asked: PredictAsked,
  desk: ReviewDesk,
  crew: PartPredictor,
): Promise<void> {
  const { file } = source;
  const written = new Set<string>();
  let isEmpty = true;
  let gap = 0; // blank lines that are printed when something else is
  let lines = 0;
  const onLines = (count: number): void => {
    lines += count;
  };
  const print = async ({ out, said, answered, seen, sureness, refused }: Predicted): Promise<void> => {
    if (/^\n*$/.test(out)) gap += out.length;
    else {
      isEmpty &&= out.trim() === "";
      await writeBlank(gap);
      gap = 0;
      await write(out);
    }
    for (const line of said) {
      if (!written.has(line)) say(line);
      written.add(line);
    }
    desk.answered += answered;
    desk.seen += seen;
    if (sureness) desk.sureness?.join(sureness);
    if (refused) throw new InputError(refused.reason, refused.place);
  };
  const waiting: { blank: number; found: Promise<Predicted | undefined> }[] = [];
  const printNext = async (): Promise<void> => {
    const { blank, found } = waiting.shift() as (typeof waiting)[number];
    gap += blank;
    const part = await found;
    if (part) await print(part);
  };
  for await (const { blank, block, rereading, ...beside } of parts(source, task, model, asked, onLines, crew)) {
    const found = crew.predict({ asked: { ...asked, rereading }, file, ...beside }, block);
    found.catch(() => undefined); // heard of when its turn comes; not waited for when something before it was refused
    waiting.push({ blank, found });
    if (waiting.length >= crew.ahead) await printNext();
  }
  while (waiting.length > 0) await printNext();
  if (!isEmpty) await writeBlank(gap);
  // Without anything to predict for, it is said what one thread would say.
  const blocks = lines > 0 ? [{ first: 1, lines: [""] }] : [];
  if (isEmpty) await predictInputs(task, model, { file, blocks }, asked, desk);
}

interface Part extends PartOfSource {
  block: LineBlock;
  /** Lines before it that are printed as blank ones. */
  blank: number;
  rereading: PredictAsked["rereading"];
}

/** The input cut between examples, with how it is read: as it was said, or found out from the first lines. */
async function* parts(
  { file, blocks }: Lines & { file: string },
  task: LearningTask,
  model: Predictor,
  asked: PredictAsked,
  onLines: (count: number) => void,
  size: Pick<PartPredictor, "lines" | "isPatient">,
): AsyncGenerator<Part> {
  const { rereading: given } = asked;
  let cut: Cutting | undefined;
  let held: LineBlock = { first: 1, lines: [] };
  let blank = 0;
  /** Leaves out the blank lines at the beginning of what is held, after the lines that are done. */
  const drop = (done: number): void => {
    let from = done;
    while (!cut?.isKept && from < held.lines.length && held.lines[from].trim() === "") from++;
    blank += from - done;
    held = blockFrom(held, from);
  };
  const part = (end: number, { options, isByLine: hasLines, isKept }: Cutting): Part => {
    const isBeside = hasLines && isByLine(asked);
    const before = isBeside ? blank : 0;
    blank = 0;
    const block = blockFrom(held, 0, end);
    return { block, blank: before, isByLine: isBeside, isKept, rereading: { ...given, ...options } };
  };
  for await (const block of blocks) {
    onLines(block.lines.length);
    held = held.lines.length === 0 ? blockFrom(block, 0) : joinedBlocks(held, block);
    cut ??= held.lines.some((line) => line.trim() !== "")
      ? task.predicting.cutting(model, held, { ...asked.prediction, ...given }, file)
      : undefined;
    drop(0);
    if (!cut || held.lines.length === 0) continue;
    for (let end = nextEnd(held.lines, cut.ends, size); end > 0; end = nextEnd(held.lines, cut.ends, size)) {
      yield part(end, cut);
      drop(end);
    }
    // Longer than any sequence may be: whoever reads it will say so.
    if (held.lines.length > 2 * LONGEST_SEQUENCE) break;
  }
  if (cut && (held.lines.length > 0 || blank > 0)) yield part(held.lines.length, cut);
}

/** Where a part ends: at the end of an input, so many lines on or the last there is; 0 if there is none. */
function nextEnd(
  lines: readonly string[],
  ends: (line: string) => boolean,
  { lines: size, isPatient }: Pick<PartPredictor, "lines" | "isPatient">,
): number {
  for (let end = size; end <= lines.length; end++) if (ends(lines[end - 1])) return end;
  if (isPatient) return 0;
  for (let end = Math.min(size, lines.length); end > 0; end--) if (ends(lines[end - 1])) return end;
  return 0;
}

/** Predicts for a part, with what is printed collected. */
export async function predictPart(
  { task, model }: { task: LearningTask; model: Predictor },
  { asked, file, ...beside }: PartReader,
  block: LineBlock,
): Promise<Predicted> {
  collectOutput();
  const desk = await ReviewDesk.open(undefined, model.calibration);
  let refused: Predicted["refused"];
  try {
    await predictInputs(task, model, { file, blocks: [block] }, asked, desk, beside);
  } catch (error) {
    refused = refusedBy(error);
  }
  const { answered, seen, sureness } = desk;
  const counted = sureness && { counts: sureness.counts, count: sureness.count, sum: sureness.sum };
  return { ...takeOutput(), answered, seen, sureness: counted, refused };
}
