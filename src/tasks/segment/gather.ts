// What a training makes of its examples before the first pass: labels, symbols, strings that were seen, attributes, rows.

import { Alphabet } from "../../engine/alphabet.js";
import { RowTableBuilder } from "../../engine/rows.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { InputError } from "../../util/errors.js";
import { longestShape, positionShape } from "./attributes.js";
import { type AttributeParts, type SegmentCorpus, SegmentEncoder, wholeName } from "./encoder.js";
import { goldOf, type PositionSegment, positionsOf, type SegmentedText } from "./example.js";
import { type Positions, segmentText } from "./positions.js";
import { addContextRows, addRows, goldRoles, ROLES, type SegmenterRows } from "./rows.js";
import { StringCounts, seenClasses } from "./strings.js";
import { longestSegment, type SegmentSymbols, segmentSymbols, symbolOf } from "./symbols.js";

/** Strings that were a segment in fewer examples have no weight of their own. */
const FEWEST_OF_STRING = 2;

/** A text and its right segments. */
interface GatheredText {
  positions: Positions;
  gold: readonly PositionSegment[];
}

/** Everything that a training needs beside options. */
export interface Prepared {
  parts: AttributeParts;
  rows: SegmenterRows;
  corpus: SegmentCorpus;
}

/** Gathers examples one by one. */
export class Gatherer {
  readonly labels = new Alphabet();
  private readonly texts: GatheredText[] = [];
  private readonly longest: number[] = []; // [labels]
  private readonly counts = new StringCounts();
  private mayHoldSpaces = false;

  constructor(
    private readonly input: SymbolKind,
    private readonly lexicon: Alphabet,
  ) {}

  get textCount(): number {
    return this.texts.length;
  }

  add(example: SegmentedText): void {
    const positions = positionsOf(example, this.input);
    const gold = goldOf(example, positions);
    const place = { file: example?.file, line: example?.line };
    if (!gold) throw new InputError("a text has no segments to learn from", place);
    if (gold.length === 0) throw new InputError("the text is empty", place);
    for (const { from, to, label } of gold) {
      const y = this.labels.add(label);
      this.longest[y] = Math.max(this.longest[y] ?? 1, to - from);
      if (!this.mayHoldSpaces) this.mayHoldSpaces = positions.spaced.subarray(from + 1, to).includes(1);
    }
    for (const [string, label] of this.stringsOf(positions, gold)) this.counts.addSegment(string, label);
    this.texts.push({ positions, gold });
  }

  private stringsOf(positions: Positions, gold: readonly PositionSegment[]): [string, number][] {
    return gold.map(({ from, to, label }) => [
      segmentText(positions, from, to, this.input),
      this.labels.indexOf(label),
    ]);
  }

  prepare({ order, minCount }: { order: number; minCount: number }): Prepared {
    const { labels, input, lexicon, mayHoldSpaces } = this;
    const symbols = segmentSymbols(this.longest);
    for (const { positions } of this.texts) this.countOccurrences(positions, longestSegment(symbols), this.counts);
    const found = this.wholeAttributes(symbols, minCount);
    const wholes = new Alphabet([...found.keys()]);
    const seenLengths = new Set(wholes.all().map((name) => Number(/^(?:seen|is)\[(\d+)/.exec(name)?.[1] ?? 0)));
    const seen = this.counts.seen((string) => seenLengths.has(this.lengthOf(string)));
    const parts = { input, mayHoldSpaces, labels, attributes: new Alphabet(), wholes, seen, lexicon };
    const corpus = this.encode(parts, symbols);
    const table = new RowTableBuilder(symbols.labelOf.length);
    const roles = goldRoles(corpus, symbols);
    const roleCount = ROLES * labels.size;
    const attributeRow = addRows(table, corpus.attributes, parts.attributes.size, (p) => roles[p], roleCount, minCount);
    const wholeRow = Int32Array.from(found.values(), (own) => table.add([...own].sort((a, b) => a - b)));
    const classTree = addContextRows(table, corpus, symbols, order);
    const { start, symbols: entries } = table.build();
    return { parts, corpus, rows: { symbols, start, entries, attributeRow, wholeRow, classTree } };
  }

  /** The attributes that right segments have as a whole, with the symbols they were seen with. */
  private wholeAttributes(symbols: SegmentSymbols, minCount: number): Map<string, Set<number>> {
    const found = new Map<string, { symbols: Set<number>; count: number }>();
    const { input, labels, lexicon } = this;
    for (const { positions, gold } of this.texts) {
      const own = this.ownCounts(positions, gold, longestSegment(symbols));
      for (const { from, to, label } of gold) {
        const length = to - from;
        const y = labels.indexOf(label);
        const symbol = symbolOf(symbols, y, length);
        const note = (name: string): void => {
          let entry = found.get(name);
          if (!entry) {
            entry = { symbols: new Set(), count: 0 };
            found.set(name, entry);
          }
          entry.symbols.add(symbol);
          entry.count++;
        };
        const string = segmentText(positions, from, to, input);
        const { byLabel, occurrences } = this.counts.of(string) as NonNullable<ReturnType<StringCounts["of"]>>;
        const taken = own.of(string) as NonNullable<ReturnType<StringCounts["of"]>>;
        let total = 0;
        for (const [other, count] of byLabel) {
          total += count;
          const left = count - (taken.byLabel.get(other) ?? 0);
          if (left <= 0) continue;
          for (const kind of seenClasses(left, occurrences - taken.occurrences))
            note(wholeName.seen(length, kind, labels.nameOf(other)));
        }
        if (total >= FEWEST_OF_STRING) note(wholeName.is(length, string));
        if (lexicon.size > 0 && lexicon.indexOf(string) >= 0) note(wholeName.lexicon(length));
        if (length <= longestShape(input)) {
          let shape = "";
          for (let i = from; i < to; i++) shape += positionShape(positions, i, input);
          note(wholeName.shape(length, shape));
        }
      }
    }
    return new Map(
      [...found].filter(([, { count }]) => count >= minCount).map(([name, own]) => [name, own.symbols] as const),
    );
  }

  /** Counts where strings that were segments stand in a text. */
  private countOccurrences({ columns, spaced }: Positions, longest: number, counts: StringCounts): void {
    const separator = this.input === "tokens" ? " " : "";
    const breaks = this.input === "chars" && !this.mayHoldSpaces;
    for (let i = 0; i < columns.length; i++) {
      let string = "";
      for (let n = 1; n <= longest && i + n <= columns.length; n++) {
        const p = i + n - 1;
        if (n > 1 && breaks && spaced[p]) break;
        string += n > 1 ? separator + columns[p][0] : columns[p][0];
        if (this.counts.of(string)) counts.addOccurrence(string);
      }
    }
  }

  private ownCounts(positions: Positions, gold: readonly PositionSegment[], longest: number): StringCounts {
    const own = new StringCounts();
    for (const [string, label] of this.stringsOf(positions, gold)) own.addSegment(string, label);
    this.countOccurrences(positions, longest, own);
    return own;
  }

  private lengthOf(string: string): number {
    return positionsOf({ text: string }, this.input).columns.length;
  }

  private encode(parts: AttributeParts, symbols: SegmentSymbols): SegmentCorpus {
    const encoder = new SegmentEncoder(parts, longestSegment(symbols), true);
    const right: number[] = [];
    for (const { positions, gold } of this.texts) {
      encoder.add(positions, this.ownCounts(positions, gold, longestSegment(symbols)));
      for (const { from, to, label } of gold) {
        right.push(symbolOf(symbols, this.labels.indexOf(label), to - from));
        for (let i = from + 1; i < to; i++) right.push(-1);
      }
    }
    return encoder.build(Int32Array.from(right));
  }
}
