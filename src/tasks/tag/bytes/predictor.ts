// Prediction for columns from the bytes of lines to the bytes of what is printed, without text in between: values are numbers,
// attributes are remembered by these (piece-numbers.ts), and labels and probabilities are written as bytes. What is printed is
// what inputs.ts, `predict` and printing.ts give, byte for byte; where these do more than this can, it is left to them.

import { separatorNames } from "../../../formats/columns.js";
import { detectFormat } from "../../../formats/detect.js";
import { breaksLines } from "../../../formats/fields.js";
import type { ByteBlock } from "../../../formats/line-blocks.js";
import { noSequences } from "../../../formats/tagging.js";
import { ByteStrings } from "../../../util/byte-strings.js";
import { ByteText } from "../../../util/byte-text.js";
import { InputError } from "../../../util/errors.js";
import type { BytePredictor, InputUse, PredictionAsked } from "../../task.js";
import { checkLabels, type InputNote, inputNoteOf, type Rereading, splitLabels, type Unknown } from "../inputs.js";
import type { PositionPieces } from "../pieces.js";
import type { Tagger, ValueTagger } from "../tagger.js";
import { ByteValues } from "../values.js";
import { ByteColumns, type ColumnsSettled, lastBlank } from "./columns.js";

const TAB = 0x09;
const NEWLINE = 0x0a;

/** Options that ask for more than labels and their probabilities in columns. */
const others = ["nbest", "contexts", "json", "marginals", "known", "text", "tokenizer", "spans", "possible", "pixels"];

/** A predictor for lines that begin with these, or undefined if they need the text. */
export function bytePredictor(
  tagger: Tagger,
  first: ByteBlock,
  { asked, mayBeEmpty = false }: Pick<InputUse, "asked" | "mayBeEmpty">,
  file?: string,
  settled?: unknown,
): BytePredictor | undefined {
  const { inference, labelsOnly, format, separator, folds } = asked as PredictionAsked & Rereading;
  if (folds !== undefined || others.some((name) => asked[name] !== undefined && asked[name] !== false))
    return undefined;
  if (separator !== undefined && !separatorNames.includes(separator)) return undefined;
  const note = inputNoteOf(tagger);
  if (note.wordColumn ?? note.labelColumn ?? note.labelSets) return undefined;
  if (settled === undefined && !isColumns(format ?? note.format, first)) return undefined;
  if (tagger.labels.all().some(breaksLines)) return undefined;
  const values = new ByteValues();
  const ours = tagger.ofValues(values, inference);
  if (!ours) return undefined;
  const options = { file, labelsOnly: labelsOnly === true, mayBeEmpty };
  return new TaggerBytes(tagger, note, ours, values, options, {
    separator,
    ...(settled as ColumnsSettled | undefined),
  });
}

/** Whether lines that begin with these are in columns. */
function isColumns(format: string | undefined, { bytes }: ByteBlock): boolean {
  if (format !== undefined) return format === "columns";
  const lines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split(/\r?\n/);
  if (lines.every((line) => line.trim() === "")) return false;
  try {
    return detectFormat(lines) === "columns";
  } catch (error) {
    if (error instanceof InputError) return false; // whoever reads the text will say so
    throw error;
  }
}

interface TaggerBytesOptions {
  file: string | undefined;
  labelsOnly: boolean;
  mayBeEmpty: boolean;
}

class TaggerBytes implements BytePredictor {
  private readonly columns: ByteColumns;
  private readonly out = new ByteText();
  /** By number + 1. */
  private readonly labels = new ByteStrings();
  /** Known from the first sequence on. */
  private pieces: PositionPieces | undefined;
  /** Which labels of the data are refused; undefined once there is nothing to look at. */
  private unknown: Unknown | undefined = "some";
  /** The line that the next one printed stands beside; 0 before the first block. */
  private next = 0;
  /** The line after the last one read. */
  private beyond = 0;

  constructor(
    private readonly tagger: Tagger,
    private readonly note: InputNote,
    private readonly ours: ValueTagger,
    private readonly values: ByteValues,
    private readonly options: TaggerBytesOptions,
    reading: Partial<ColumnsSettled>,
  ) {
    this.columns = new ByteColumns(values, { ...reading, file: options.file }, () => this.sequence());
    if (reading.width !== undefined) this.unknown = undefined;
    const encoder = new TextEncoder();
    for (const label of tagger.labels.all()) {
      const bytes = encoder.encode(label);
      this.labels.add(bytes, 0, bytes.length);
    }
  }

  take(block: ByteBlock): void {
    if (this.next === 0) this.next = block.first;
    this.beyond = block.first + block.count;
    this.columns.take(block);
  }

  end(): void {
    this.columns.end();
    const { mayBeEmpty, file } = this.options;
    if (!this.pieces && !mayBeEmpty) throw noSequences({}, file, false);
    this.skipTo(this.beyond);
  }

  settled(): ColumnsSettled | undefined {
    return this.pieces && !this.unknown ? this.columns.settled() : undefined;
  }

  cut(bytes: Uint8Array): number {
    return lastBlank(bytes);
  }

  takePart(block: ByteBlock): void {
    if (block.first !== this.beyond) this.next = block.first;
    this.take(block);
    this.columns.end();
    this.skipTo(this.beyond);
  }

  taken(): Uint8Array {
    return this.out.taken();
  }

  private sequence(): void {
    const { columns, ours } = this;
    if (!this.pieces || this.unknown) this.look();
    const { labels, confidences } = ours.predict(columns, this.pieces as PositionPieces);
    this.skipTo(columns.line);
    this.print(labels, confidences);
    this.next = columns.line + columns.length + 1;
    ours.forgetIfFull();
  }

  /** Looks at the text of a sequence: whether it has the columns that the model needs, and labels that it knows. */
  private look(): void {
    const { columns, tagger, note } = this;
    const { file, line } = columns;
    const sequence = { columns: columns.texts(), file, line };
    const labels = splitLabels(sequence, tagger, note, true);
    const unknown = labels && checkLabels(tagger, labels, sequence, "columns", this.unknown ?? "allow", false);
    this.unknown = unknown === "allow" ? undefined : unknown;
    this.pieces ??= this.ours.pieces(sequence.columns, { file, line });
  }

  /** `column TAB column TAB label TAB probability`, a line for each position and a blank one. */
  private print(labels: readonly number[], confidences: readonly number[]): void {
    const { out, columns, values, options } = this;
    const { length, width, numbers } = columns;
    for (let i = 0; i < length; i++) {
      for (let c = 0; c < width; c++) {
        out.string(values.strings, numbers[i * width + c]);
        out.byte(TAB);
      }
      out.string(this.labels, labels[i] + 1);
      if (!options.labelsOnly) {
        out.byte(TAB);
        out.probability(confidences[i]);
      }
      out.byte(NEWLINE);
    }
    out.byte(NEWLINE);
  }

  /** Blank lines, so that what is printed stands beside what was read. */
  private skipTo(line: number): void {
    for (; this.next < line; this.next++) this.out.byte(NEWLINE);
  }
}
