// What a training makes of its examples before the first pass: labels, symbols, strings that were seen, attributes, rows.

import { Alphabet } from "../../engine/alphabet.js";
import { RowTableBuilder } from "../../engine/rows.js";
import type { SymbolKind } from "../../formats/pair-lines.js";
import { InputError } from "../../util/errors.js";
import { longestShape, positionShape } from "./attributes.js";
import { type AttributeParts, LENGTH, type SegmentCorpus, SegmentCorpusBuilder, wholeName } from "./corpus.js";
import { goldOf, type PositionSegment, positionsOf, type SegmentedText } from "./example.js";
import { contextsOf, type Learned, sameSymbol } from "./kept.js";
import type { ChosenOptions } from "./options.js";
import { type Positions, segmentText } from "./positions.js";
import { addContextRows, addRoleRows, entriesOf, goldRoles } from "./rows.js";
import { StringCounts } from "./strings.js";
import { longestSegment, MOST_SYMBOLS, type SegmentSymbols, segmentSymbols, symbolOf } from "./symbols.js";

/** Strings that were a segment in fewer examples have no weight of their own. */
const FEWEST_OF_STRING = 2;

/** A text and its right segments. */
interface GatheredText {
  positions: Positions;
  gold: readonly PositionSegment[];
}

/** Everything that a training needs beside options. */
export interface Prepared extends Learned {
  corpus: SegmentCorpus;
}

type PreparedOptions = Pick<ChosenOptions, "minCount"> & { order: number; encoder?: ChosenOptions["encoder"] };

/** Gathers examples one by one. */
export class Gatherer {
  private readonly labels: Alphabet;
  private readonly texts: GatheredText[] = [];
  /** [labels] */
  private readonly longest: number[];
  private readonly counts = new StringCounts();
  private mayHoldSpaces: boolean;

  constructor(
    private readonly input: SymbolKind,
    private readonly lexicon: Alphabet,
    /** A segmenter of which everything is kept. */
    private readonly kept?: Learned,
    /** The first labels. */
    labels: readonly string[] = kept?.parts.labels.all() ?? [],
  ) {
    this.labels = new Alphabet(labels);
    this.longest = labels.map((_, label) => kept?.rows.symbols.longest[label] ?? 1);
    this.mayHoldSpaces = kept?.parts.mayHoldSpaces ?? false;
    if (!kept) return;
    const { strings, start, labels: seenLabels } = kept.parts.seen;
    strings.all().forEach((string, n) => {
      // More than one, so that no example hides it.
      for (let s = start[n]; s < start[n + 1]; s++) this.counts.add(string, seenLabels[s], 2);
    });
  }

  /** Whether there is more to tell apart than where segments begin. */
  get hasLabels(): boolean {
    return this.labels.size > 1;
  }

  add(example: SegmentedText): void {
    const positions = positionsOf(example, this.input);
    const gold = goldOf(example, positions);
    const place = { file: example?.file, line: example?.line };
    if (!gold) throw new InputError("the text has no segments to learn from", place);
    if (gold.length === 0) throw new InputError("the text is empty", place);
    for (const { from, to, label } of gold) {
      const y = this.labels.add(label);
      this.longest[y] = Math.max(this.longest[y] ?? 1, to - from);
      this.mayHoldSpaces ||= positions.spaced.subarray(from + 1, to).includes(1);
    }
    this.counts.addExample(this.stringsOf(positions, gold));
    this.texts.push({ positions, gold });
  }

  private stringsOf(positions: Positions, gold: readonly PositionSegment[]): [string, number][] {
    return gold.map(({ from, to, label }) => [
      segmentText(positions, from, to, this.input),
      this.labels.indexOf(label),
    ]);
  }

  /** With an encoder, attributes of positions have no rows. */
  prepare({ order, minCount, encoder = "none" }: PreparedOptions): Prepared {
    const { labels, input, lexicon, mayHoldSpaces, kept } = this;
    if (this.longest.reduce((sum, length) => sum + length, 0) > MOST_SYMBOLS) {
      throw new InputError(`the lengths of the longest segments of all labels add up to more than ${MOST_SYMBOLS}`, {
        hint: "leave out very long segments, or use tokens instead of characters",
      });
    }
    const symbols = segmentSymbols(this.longest);
    const found = this.wholeAttributes(symbols, minCount);
    const wholes = new Alphabet([...found.keys()]);
    const seen = this.counts.seen(this.tellingStrings(wholes));
    const attributes = new Alphabet(kept?.parts.attributes.all());
    const parts: AttributeParts = { input, mayHoldSpaces, labels, attributes, wholes, seen, lexicon };
    const corpus = this.encode(parts, symbols);
    const table = new RowTableBuilder(symbols.labelOf.length);
    const attributeRow = addRoleRows(
      table,
      corpus.attributes,
      attributes.size,
      goldRoles(corpus, symbols),
      { labels: labels.size, minCount: encoder === "none" ? minCount : Number.POSITIVE_INFINITY },
      (attribute) => (kept ? entriesOf(kept.rows, kept.rows.attributeRow[attribute] ?? -1) : new Int32Array(0)),
    );
    const wholeRow = Int32Array.from(found.values(), (own) => table.add([...own].sort((a, b) => a - b)));
    const classTree = addContextRows(table, corpus, symbols, order, kept && contextsOf(kept, symbols));
    const { start, symbols: entries } = table.build();
    return { parts, corpus, rows: { symbols, start, entries, attributeRow, wholeRow, classTree } };
  }

  /** The attributes that right segments have as a whole, with the symbols they were seen with. */
  private wholeAttributes(symbols: SegmentSymbols, minCount: number): Map<string, Set<number>> {
    const found = new Map<string, { symbols: Set<number>; count: number }>();
    const note = (name: string, symbol: number, count: number): void => {
      let entry = found.get(name);
      if (!entry) {
        entry = { symbols: new Set(), count: 0 };
        found.set(name, entry);
      }
      entry.symbols.add(symbol);
      entry.count += count;
    };
    this.kept?.parts.wholes.all().forEach((name, id) => {
      const { rows } = this.kept as Learned;
      const own = entriesOf(rows, rows.wholeRow[id]);
      for (const symbol of own) note(name, sameSymbol(rows.symbols, symbol, symbols), minCount);
    });
    for (const { positions, gold } of this.texts) {
      for (const segment of gold) {
        const symbol = symbolOf(symbols, this.labels.indexOf(segment.label), segment.to - segment.from);
        for (const name of this.wholeNames(positions, segment)) note(name, symbol, 1);
      }
    }
    // How long segments of each label are, whatever comes before.
    found.set(LENGTH, { symbols: new Set(symbols.labelOf.keys()), count: minCount });
    const often = [...found].filter(([, { count }]) => count >= minCount);
    return new Map(often.map(([name, own]) => [name, own.symbols]));
  }

  /** The attributes of a right segment as a whole. */
  private wholeNames(positions: Positions, { from, to, label }: PositionSegment): string[] {
    const { input, labels, lexicon } = this;
    const names: string[] = [];
    const length = to - from;
    const string = segmentText(positions, from, to, input);
    const y = labels.indexOf(label);
    let examples = 0;
    for (const [other, count] of this.counts.of(string)) {
      examples += count;
      if (count > (other === y ? 1 : 0)) names.push(wholeName.seen(length, labels.nameOf(other)));
    }
    if (examples >= FEWEST_OF_STRING) names.push(wholeName.is(length, string));
    if (lexicon.indexOf(string) >= 0) names.push(wholeName.lexicon(length));
    if (length <= longestShape(input)) {
      let shape = "";
      for (let i = from; i < to; i++) shape += positionShape(positions, i, input);
      names.push(wholeName.shape(length, shape));
    }
    return names;
  }

  /** Strings of a length that was never seen twice, such as whole sentences, tell nothing, whatever comes. */
  private tellingStrings(wholes: Alphabet): (string: string) => boolean {
    const lengths = new Set(wholes.all().map((name) => Number(/^seen\[(\d+)\]/.exec(name)?.[1] ?? 0)));
    return (string) => lengths.has(positionsOf({ text: string }, this.input).columns.length);
  }

  private encode(parts: AttributeParts, symbols: SegmentSymbols): SegmentCorpus {
    const builder = new SegmentCorpusBuilder(parts, longestSegment(symbols), true);
    const right: number[] = [];
    for (const { positions, gold } of this.texts) {
      builder.add(positions, this.counts.withoutExample(this.stringsOf(positions, gold)));
      for (const { from, to, label } of gold) {
        right.push(symbolOf(symbols, this.labels.indexOf(label), to - from));
        for (let i = from + 1; i < to; i++) right.push(-1);
      }
    }
    return builder.build(Int32Array.from(right));
  }
}
