// Words of a text without spaces, and names in tokens: the segmenter against a tagger whose labels mark segments (BIES on
// characters, BIO on tokens), and, on words, the runtime's own `Intl.Segmenter`. A segment is right if its beginning, its end
// and its label are; F1 = 2 · right / (found + true). Words: every fifth sentence to judge, the others to train.

import { write, writeJson } from "#stargram/cli/output.js";
import { openLines } from "#stargram/formats/lines.js";
import { chunksOf } from "#stargram/metrics/tagging.js";
import { goldOf, OUTSIDE, positionsOf, type SegmentedText } from "#stargram/tasks/segment/example.js";
import { readSegmented } from "#stargram/tasks/segment/inputs.js";
import type { SegmenterOptions } from "#stargram/tasks/segment/options.js";
import type { Positions } from "#stargram/tasks/segment/positions.js";
import { Segmenter } from "#stargram/tasks/segment/segmenter.js";
import type { TaggerOptions } from "#stargram/tasks/tag/options.js";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { InputError } from "#stargram/util/errors.js";
import { table } from "#stargram/util/text.js";
import {
  chosenNames,
  cpuSeconds,
  markdownTable,
  ResultsFile,
  type Run,
  type Spread,
  shareText,
  spread,
  spreadText,
  writeText,
} from "../runs.js";

type DataName = "words" | "names";

type Setting = { data: DataName; title: string } & (
  | { method: "segmenter"; options: Partial<SegmenterOptions> }
  | { method: "tagger"; template?: string; options: Partial<TaggerOptions> }
  | { method: "runtime"; locale: string }
);

/** A window of five characters with pairs, their classes, and spaces: what taggers of characters are usually given. */
const characterTemplate = [
  ...["%x[-2,0]", "%x[-1,0]", "%x[0,0]", "%x[1,0]", "%x[2,0]"],
  ...["%x[-2,0]/%x[-1,0]", "%x[-1,0]/%x[0,0]", "%x[0,0]/%x[1,0]", "%x[1,0]/%x[2,0]", "%x[-1,0]/%x[1,0]"],
  "%x[-1,0]/%x[0,0]/%x[1,0]",
  ...["%x[-1,1]", "%x[0,1]", "%x[1,1]", "%x[-1,1]/%x[0,1]", "%x[0,1]/%x[1,1]", "%x[-1,1]/%x[0,1]/%x[1,1]"],
  ...["%x[0,2]", "%x[1,2]"],
]
  .map((macros, i) => `U${i}:${macros}\n`)
  .join("");

/** What is not given is left at its default. `long`: a tagger that takes about as long to train as the segmenter. */
export const settings: Record<string, Setting> = {
  "words-segmenter": { data: "words", title: "segmenter", method: "segmenter", options: {} },
  "words-tagger": {
    data: "words",
    title: "tagger on characters, BIES labels",
    method: "tagger",
    template: characterTemplate,
    options: {},
  },
  "words-runtime": { data: "words", title: "`Intl.Segmenter`", method: "runtime", locale: "zh" },
  "names-segmenter": { data: "names", title: "segmenter", method: "segmenter", options: {} },
  "names-tagger": { data: "names", title: "tagger, BIO labels", method: "tagger", options: {} },
  "names-tagger-long": {
    data: "names",
    title: "the same, order 4, 100 contexts",
    method: "tagger",
    options: { order: 4, contexts: 100 },
  },
};

interface SegmentationRun extends Run {
  f1: number;
  precision: number;
  recall: number;
  /** Share of the texts that are right in every segment. */
  textsRight: number;
  texts: number;
  segments: number;
  /** Of processor time. */
  trainSeconds: number;
  predictSeconds: number;
}

/** Files that are given: one of words; of names, one to train with and one to judge. */
interface Files {
  words?: string;
  names?: string[];
}

export interface SegmentationFlags extends Files {
  out: string;
  seeds: number;
  only?: string;
  json?: boolean;
}

export async function segmentation(flags: SegmentationFlags): Promise<void> {
  const chosen = chosenNames(flags.only, settings).filter((name) => flags[settings[name].data]);
  if (chosen.length === 0) throw new InputError("no data: give --words FILE, --names FILE FILE, or both");
  const data = await readData(flags);
  const file = await ResultsFile.open<SegmentationRun>(flags.out, "segmentation", settings);
  const runs = await file.complete(
    chosen,
    (name) => (settings[name].method === "runtime" ? 1 : flags.seeds),
    (name, seed) => runOnce(name, seed, data[settings[name].data] as Data),
    ({ setting, seed, f1, trainSeconds }) =>
      `${setting}, seed ${seed}: F1 ${shareText(f1)}, ${Math.round(trainSeconds)} s to train`,
  );
  const rows = rowsOf(runs);
  await writeText(flags.out, "table.md", markdownTable(rows));
  if (flags.json) await writeJson(Object.fromEntries(summaries(runs).map(({ name, ...rest }) => [name, rest])));
  else await write(table(rows));
}

interface Data {
  training: SegmentedText[];
  judged: SegmentedText[];
}

async function readData(files: Files): Promise<Partial<Record<DataName, Data>>> {
  const data: Partial<Record<DataName, Data>> = {};
  if (files.words) {
    const sentences = await read(files.words, "conllu");
    data.words = {
      training: sentences.filter((_, i) => i % 5 !== 4),
      judged: sentences.filter((_, i) => i % 5 === 4),
    };
  }
  if (files.names) {
    const [training, judged, ...others] = files.names;
    if (judged === undefined || others.length > 0) {
      throw new InputError("--names needs two files: one to train with, one to judge");
    }
    data.names = { training: await read(training, "columns"), judged: await read(judged, "columns") };
  }
  return data;
}

async function read(path: string, format: "conllu" | "columns"): Promise<SegmentedText[]> {
  const texts: SegmentedText[] = [];
  for await (const text of readSegmented([openLines(path)], { format })) texts.push(text);
  return texts;
}

/** A segment of positions, by its beginning, end and label. */
export interface Span {
  from: number;
  to: number;
  label: string;
}

/** Finds the segments of a text. */
type Method = (text: SegmentedText, positions: Positions) => Span[];

async function runOnce(name: string, seed: number, { training, judged }: Data): Promise<SegmentationRun> {
  const began = process.cpuUsage();
  const method = await trained(settings[name], seed, training);
  const trainSeconds = cpuSeconds(began);
  const texts = judged.map((text) => ({ text, ...truth(text) }));
  const beganJudging = process.cpuUsage();
  const found = texts.map(({ text, positions }) => method(unanswered(text), positions));
  const predictSeconds = cpuSeconds(beganJudging);
  return { setting: name, seed, ...score(texts, found), trainSeconds, predictSeconds };
}

/** The text alone. */
const unanswered = ({ text, columns }: SegmentedText): SegmentedText => ({ text, columns });

/** The positions of a text and its right segments. */
function truth(text: SegmentedText): { positions: Positions; gold: Span[] } {
  const positions = positionsOf(text, text.columns ? "tokens" : "chars");
  return { positions, gold: (goldOf(text, positions) ?? []).filter(({ label }) => label !== OUTSIDE) };
}

/** Counts over all texts. */
export function score(texts: readonly { gold: Span[] }[], found: readonly Span[][]) {
  const key = ({ from, to, label }: Span): string => `${from} ${to} ${label}`;
  let right = 0;
  let segments = 0;
  let predicted = 0;
  let textsRight = 0;
  texts.forEach(({ gold }, t) => {
    const keys = new Set(gold.map(key));
    const own = found[t].filter((span) => keys.has(key(span))).length;
    right += own;
    segments += gold.length;
    predicted += found[t].length;
    if (own === gold.length && own === found[t].length) textsRight++;
  });
  return {
    f1: (2 * right) / (predicted + segments),
    precision: right / predicted,
    recall: right / segments,
    textsRight: textsRight / texts.length,
    texts: texts.length,
    segments,
  };
}

async function trained(setting: Setting, seed: number, training: readonly SegmentedText[]): Promise<Method> {
  switch (setting.method) {
    case "segmenter": {
      const segmenter = await Segmenter.train(training, { ...setting.options, seed });
      return (text, positions) => spansAt(segmenter.predict(text).segments, positions);
    }
    case "tagger": {
      const { template, options } = setting;
      const sequences = training.map((text) => {
        const { positions, gold } = truth(text);
        return { columns: columnsOf(text, positions), labels: labelsOf(gold, positions.columns.length, !text.columns) };
      });
      const tagger = await Tagger.train(sequences, { ...options, template, seed });
      return (text, positions) => {
        const { labels } = tagger.predict({ columns: columnsOf(text, positions) });
        return chunksOf(labels).map(({ type, start, end }) => ({ from: start, to: end, label: type }));
      };
    }
    case "runtime": {
      const runtime = new Intl.Segmenter(setting.locale, { granularity: "word" });
      return (_, positions) => {
        const parts = [...runtime.segment(positions.text)].filter(({ segment }) => segment.trim() !== "");
        return spansAt(
          parts.map(({ index, segment }) => ({ start: index, end: index + segment.length })),
          positions,
        );
      };
    }
  }
}

/** Segments by offsets as segments of positions; -1 for an offset that lies within a position, so that it is wrong. */
export function spansAt(
  segments: readonly { start: number; end: number; label?: string }[],
  { start, end }: Positions,
): Span[] {
  return segments.map((one) => ({
    from: start.indexOf(one.start),
    to: end.indexOf(one.end) + 1 || -1,
    label: one.label ?? "",
  }));
}

/** What the tagger sees: the columns of a token; or a character, its class and whether a space stands before it. */
function columnsOf(text: SegmentedText, { columns, spaced }: Positions): string[][] {
  return text.columns ?? columns.map((row, i) => [...row, spaced[i] === 1 ? "spaced" : "joined"]);
}

/** Labels that mark segments: B, I, E, S (`singles`), or B, I; O outside. */
export function labelsOf(spans: readonly Span[], length: number, singles: boolean): string[] {
  const labels = new Array<string>(length).fill(OUTSIDE);
  for (const { from, to, label } of spans) {
    const type = label === "" ? "" : `-${label}`;
    for (let i = from; i < to; i++) labels[i] = `${i === from ? "B" : "I"}${type}`;
    if (singles) labels[to - 1] = `${to - from === 1 ? "S" : "E"}${type}`;
  }
  return labels;
}

const measures = ["f1", "precision", "recall", "textsRight", "trainSeconds", "predictSeconds"] as const;

type Summary = { name: string } & Record<(typeof measures)[number], Spread>;

function summaries(runs: readonly SegmentationRun[]): Summary[] {
  return Object.keys(settings).flatMap((name) => {
    const own = runs.filter(({ setting }) => setting === name);
    if (own.length === 0) return [];
    const spreads = measures.map((measure) => [measure, spread(own.map((run) => run[measure]))]);
    return { name, ...Object.fromEntries(spreads) };
  });
}

function rowsOf(runs: readonly SegmentationRun[]): string[][] {
  return [
    ["data", "method", "F1", "precision", "recall", "texts right", "training (CPU)", "prediction (CPU)"],
    ...summaries(runs).map(({ name, f1, precision, recall, textsRight, trainSeconds, predictSeconds }) => [
      ...[settings[name].data, settings[name].title, spreadText(f1)],
      ...[precision, recall, textsRight].map(({ median }) => shareText(median)),
      ...[`${trainSeconds.median.toFixed(1)} s`, `${predictSeconds.median.toFixed(2)} s`],
    ]),
  ];
}
