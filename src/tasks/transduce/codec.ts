// A transducer as tensors and metadata.
//   inputs, outputs            string tables: the symbols of either side
//   rows                       the row table; weights F32 beside it
//   views                      if windows look at classes of input symbols: the class of each, view by view
//   windows, outputs.n, moves  row trees: substrings of the input; n-grams of outputs; n-grams of moves
//   marks, marked, marked.n    if pairs had attributes: a string table of what holds for whole inputs; row trees of it
//   copies                     if there are rows of copies: their tree
//   joint                      if there is a joint model: its graphones' symbols, the rows, tree and unigrams of its n-grams, and triggers
//   memory                     if training pairs are remembered: these, as numbers
//   member1, member2, …        of an ensemble: rows, weights and joint of the members beside the first
//   words                      if there is a model of words: the words' symbols, and how often which follows which

import * as v from "valibot";
import { type NgramModel, ngramFamily } from "../../engine/ngram.js";
import type { RowTree } from "../../engine/rows.js";
import { BEGIN } from "../../engine/trellis.js";
import { putCalibration, readCalibration } from "../../model/calibration.js";
import { type KeptEncoder, putEncoder, readEncoder } from "../../model/encoder.js";
import {
  countSchema as count,
  currently,
  emptyParts,
  type FileParts,
  historySchema,
  PartsReader,
  putJson,
  putStrings,
  putTable,
  putTree,
} from "../../model/parts.js";
import type { TensorFile } from "../../model/safetensors.js";
import { noteSchema, optionsSchema } from "../../model/trained.js";
import { storedOptions } from "../../util/options.js";
import type { Codec } from "../task.js";
import { COUNT_CLASSES } from "./aligner.js";
import type { View } from "./classes.js";
import { END, START } from "./emits.js";
import { encoderEnds } from "./encoder.js";
import { type JointParts, jointNgrams } from "./joint-model.js";
import { CopyWalks, FURTHEST_FROM_END, MARKED_DEPTH, MarkWalks } from "./mark-walks.js";
import type { MemberParts } from "./member.js";
import { MOST_MEMBERS, type TransducerOptions, transducerOptions } from "./options.js";
import type { PairCorpus } from "./pairs.js";
import { type Powers, plainPowers } from "./powers.js";
import { inputEvent, type TransducerRows } from "./rows.js";
import { wholeKinds } from "./symbols.js";
import { Transducer } from "./transducer.js";
import type { TriggerParts } from "./triggers.js";
import { windowKinds } from "./windows.js";
import type { WordCounts } from "./word-model.js";

const power = v.pipe(v.number(), v.minValue(0), v.maxValue(1000));
const offset = v.pipe(v.number(), v.minValue(-1000), v.maxValue(1000));
const powersSchema = v.object({
  own: power,
  joint: power,
  triggers: v.optional(power),
  words: power,
  rest: v.optional(v.object({ power, offset })),
  mass: power,
});
/** What older files have of them. */
const jointPowersSchema = v.object({ own: power, joint: power });

const summarySchema = currently({
  pairs: count,
  inputs: count,
  alignedPairs: count,
  history: historySchema,
  bestPass: count,
  temperature: v.number(),
  stopped: v.boolean(),
});

const membersSchema = v.pipe(v.array(v.object({ backward: v.boolean() })), v.maxLength(MOST_MEMBERS));

const WITH_MARKS = 3;
const WITH_MEMBERS = 4;
const WITH_ENCODER = 5;

const wordTensors = ["start", "symbols", "first", "second", "count"] as const;

function encodeTransducer(transducer: Transducer): FileParts {
  const { rows } = transducer;
  const parts = emptyParts();
  putJson(parts, "options", transducer.options);
  putJson(parts, "summary", transducer.summary);
  putJson(parts, "note", transducer.note);
  putJson(parts, "powers", transducer.powers);
  putCalibration(parts, transducer.calibration);
  putStrings(parts, "inputs", transducer.inputSymbols.all());
  putStrings(parts, "outputs", transducer.outputSymbols.all());
  if (transducer.marks.size > 0) putStrings(parts, "marks", transducer.marks.all());
  const [first, ...others] = transducer.members;
  putMember(parts, "", first);
  others.forEach((member, m) => {
    putMember(parts, prefixOf(m + 1), member);
  });
  // Versions that know none of these would answer as if they were not there.
  if (rows.marked || rows.copyTree || transducer.options.edgeEmit > 0) parts.version = WITH_MARKS;
  if (others.length > 0) {
    parts.version = WITH_MEMBERS;
    putJson(
      parts,
      "members",
      others.map(({ backward }) => ({ backward })),
    );
  }
  if (transducer.members.some(({ encoder }) => encoder)) parts.version = WITH_ENCODER;
  if (transducer.remembered) putCorpus(parts, "memory", transducer.remembered);
  if (transducer.words) {
    for (const name of wordTensors) parts.tensors[`words.${name}`] = { data: transducer.words.counts[name] };
  }
  return parts;
}

/** Before the names of what belongs to a member beside the first. */
function prefixOf(m: number): string {
  return `member${m}.`;
}

function putMember(parts: FileParts, prefix: string, { rows, weights, encoder, joint }: MemberParts): void {
  if (rows.views.length > 0) {
    parts.tensors[`${prefix}views`] = { data: Int32Array.from(rows.views.flatMap((view) => [...view])) };
  }
  putTree(parts, `${prefix}windows`, rows.windowTree);
  putTree(parts, `${prefix}outputs.n`, rows.outputTree);
  putTree(parts, `${prefix}moves`, rows.moveTree);
  if (rows.marked) {
    putTree(parts, `${prefix}marked`, rows.marked.tree);
    putTree(parts, `${prefix}marked.n`, rows.marked.outputTree);
  }
  if (rows.copyTree) putTree(parts, `${prefix}copies`, rows.copyTree);
  putTable(parts, `${prefix}rows`, rows.table);
  parts.tensors[`${prefix}weights`] = { data: Float32Array.from(weights) };
  if (encoder) putEncoder(parts, encoder, prefix);
  if (!joint) return;
  const { start, symbols, ngram, triggers } = joint;
  parts.tensors[`${prefix}joint.start`] = { data: start };
  parts.tensors[`${prefix}joint.symbols`] = { data: symbols };
  putTree(parts, `${prefix}joint.n`, ngram.space.families[0].tree);
  putTable(parts, `${prefix}joint.rows`, ngram.space.table);
  parts.tensors[`${prefix}joint.weights`] = { data: Float32Array.from(ngram.weights) };
  parts.tensors[`${prefix}joint.offsets`] = { data: Float32Array.from(ngram.space.offsets) };
  parts.tensors[`${prefix}joint.unigram`] = { data: Float32Array.from(ngram.unigram) };
  if (!triggers) return;
  parts.tensors[`${prefix}joint.trigger.place`] = { data: triggers.place };
  parts.tensors[`${prefix}joint.trigger.logs`] = { data: triggers.logs };
}

function decodeTransducer(content: TensorFile, file?: string): Transducer {
  const reader = new PartsReader(content, file);
  const found = reader.json("options", optionsSchema);
  const summary = reader.json("summary", summarySchema);
  const note = reader.json("note", noteSchema);
  const calibration = readCalibration(reader);
  return reader.guard(() => {
    const options = storedOptions(transducerOptions, found, {
      jointGrams: 0,
      lookup: false,
      edgeEmit: 0,
      copying: false,
      ensemble: 1,
      encoder: "none",
      dropout: 0,
      ...wholeKinds,
    }) as TransducerOptions;
    const open = Object.keys(transducerOptions).find((name) => options[name as keyof TransducerOptions] === undefined);
    if (open !== undefined || typeof options.words !== "number") {
      throw reader.damaged(`it lacks the option \`${open ?? "words"}\``);
    }
    const inputSymbols = reader.alphabet("inputs");
    const outputSymbols = reader.alphabet("outputs");
    if (inputSymbols.size === 0) throw reader.damaged("it has no input symbols");
    if (options.edgeEmit > 0 && [START, END].some((name) => inputSymbols.indexOf(name) < 0)) {
      throw reader.damaged("it has no symbols for the ends of inputs");
    }
    const symbolCount = outputSymbols.size + 1;
    const boundary = inputSymbols.size + 1;
    const marks = reader.has("marks.text") ? reader.alphabet("marks") : undefined;
    const sizes = { boundary, symbolCount, marks: marks?.size };
    const directions = reader.hasJson("members") ? reader.json("members", membersSchema) : [];
    const others = directions.map(({ backward }, m) => ({
      backward,
      ...readMember(reader, prefixOf(m + 1), options, sizes),
    }));
    const wordCounts = options.words > 0 ? readWordCounts(reader, outputSymbols.size) : undefined;
    const remembered = reader.has("memory.inputs")
      ? readCorpus(reader, "memory", inputSymbols.size, outputSymbols.size, marks?.size ?? 0)
      : undefined;
    return new Transducer({
      inputSymbols,
      outputSymbols,
      marks,
      ...readMember(reader, "", options, sizes),
      others,
      options,
      summary,
      note,
      wordCounts,
      remembered,
      powers: readPowers(reader, options.words),
      calibration,
    });
  });
}

interface Sizes {
  /** The input symbol that stands for the outside, the last of them all. */
  boundary: number;
  symbolCount: number;
  marks: number | undefined;
}

function readMember(
  reader: PartsReader,
  prefix: string,
  options: TransducerOptions,
  sizes: Sizes,
): Omit<MemberParts, "backward"> {
  const rows = readRows(reader, prefix, options, sizes);
  const weights = reader.floats(`${prefix}weights`, rows.table.symbols.length);
  const joint = reader.has(`${prefix}joint.start`) ? readJoint(reader, prefix, options.jointGrams, sizes) : undefined;
  return { rows, weights, encoder: readMoveEncoder(reader, prefix, rows.views, sizes), joint };
}

function readRows(
  reader: PartsReader,
  prefix: string,
  { window, outputGrams, moveGrams, copying }: TransducerOptions,
  { boundary, symbolCount, marks }: Sizes,
): TransducerRows {
  const written = symbolCount - 1;
  const table = reader.table(`${prefix}rows`, symbolCount);
  const all = { from: 0, to: table.start.length - 1, needed: false };
  const views = readViews(reader, `${prefix}views`, boundary);
  const windowTree = reader.tree(`${prefix}windows`, all, (depth) => {
    if (depth === 0) return [0, COUNT_CLASSES * windowKinds(window, views.length)];
    return depth <= 2 * window + 2 ? [0, boundary + 1] : undefined;
  });
  const outputTree = reader.tree(`${prefix}outputs.n`, all, (depth) =>
    depth < outputGrams ? [BEGIN, written] : undefined,
  );
  const deepest = Math.max(0, ...moveGrams.map((grams, ahead) => grams + ahead + 1));
  const moveTree = reader.tree(`${prefix}moves`, all, (depth) =>
    depth < deepest ? [inputEvent(boundary), (boundary + 1) * symbolCount] : undefined,
  );
  const rows: TransducerRows = { table, views, windowTree, outputTree, moveTree };
  const slotTree = (name: string, kinds: number): RowTree =>
    reader.tree(`${prefix}${name}`, all, (depth) => {
      if (depth === 0) return [0, COUNT_CLASSES * kinds];
      return depth < MARKED_DEPTH ? [0, Math.max(boundary, marks ?? 0, FURTHEST_FROM_END) + 1] : undefined;
    });
  if (marks !== undefined) {
    rows.marked = {
      tree: slotTree("marked", MarkWalks.kinds),
      outputTree: reader.tree(`${prefix}marked.n`, all, (depth) => {
        if (depth === 0) return [inputEvent(marks - 1), BEGIN];
        return depth <= outputGrams ? [BEGIN, written] : undefined;
      }),
    };
  }
  if (copying) rows.copyTree = slotTree("copies", CopyWalks.kinds);
  return rows;
}

function readMoveEncoder(
  reader: PartsReader,
  prefix: string,
  views: readonly View[],
  { boundary, symbolCount, marks = 0 }: Sizes,
): KeptEncoder | undefined {
  const encoder = readEncoder(reader, prefix);
  if (!encoder) return undefined;
  const { inputs, outputs } = encoderEnds({ boundary, views, marks }, symbolCount);
  if (encoder.shape.inputs !== inputs || encoder.shape.outputs !== outputs) {
    throw reader.damaged("its encoder is of other symbols");
  }
  return encoder;
}

/** A class for each input symbol and the two beyond them, view by view. */
function readViews(reader: PartsReader, name: string, boundary: number): View[] {
  if (!reader.has(name)) return [];
  const all = reader.plainIntegers(name);
  const size = boundary + 1;
  if (all.length % size !== 0 || !all.every((number) => number >= 0 && number <= size)) {
    throw reader.damaged("its classes of symbols are not in order");
  }
  return Array.from({ length: all.length / size }, (_, v) => all.slice(v * size, (v + 1) * size));
}

function readPowers(reader: PartsReader, words: number): Powers {
  if (reader.hasJson("powers")) return reader.json("powers", powersSchema);
  return { ...plainPowers(words), ...(reader.hasJson("joint") ? reader.json("joint", jointPowersSchema) : {}) };
}

function readJoint(reader: PartsReader, prefix: string, order: number, { boundary, symbolCount }: Sizes): JointParts {
  const start = reader.plainIntegers(`${prefix}joint.start`);
  const symbols = reader.plainIntegers(`${prefix}joint.symbols`);
  const graphones = start.length - 1;
  const sound =
    graphones >= 0 &&
    areStarts(start, symbols.length) &&
    start.every((from, g) => g === 0 || from > start[g - 1]) &&
    start.subarray(0, graphones).every((from) => symbols[from] >= 0 && symbols[from] <= boundary) &&
    symbols.every((symbol) => symbol >= 0 && symbol < Math.max(symbolCount, boundary + 1));
  if (!sound) throw reader.damaged("its graphones are not in order");
  const table = reader.table(`${prefix}joint.rows`, graphones + 2);
  const rows = { from: 0, to: table.start.length - 1, needed: false };
  const tree = reader.tree(`${prefix}joint.n`, rows, (depth) => (depth < order ? [BEGIN, graphones + 1] : undefined));
  if (!tree.row.every((row, node) => row === node - 1)) throw reader.damaged("its n-grams of graphones have no rows");
  const ngram: NgramModel = {
    options: { ...jointNgrams, order },
    symbolCount: table.symbolCount,
    unigram: reader.floats(`${prefix}joint.unigram`, table.symbolCount),
    space: {
      table,
      families: [ngramFamily(tree, order)],
      offsets: reader.floats(`${prefix}joint.offsets`, table.start.length - 1),
    },
    weights: reader.floats(`${prefix}joint.weights`, table.symbols.length),
  };
  return { start, symbols, ngram, triggers: readTriggers(reader, `${prefix}joint.trigger`, graphones) };
}

function readTriggers(reader: PartsReader, name: string, graphones: number): TriggerParts | undefined {
  if (!reader.has(`${name}.place`)) return undefined;
  const place = reader.plainIntegers(`${name}.place`);
  const size = place.reduce((most, one) => Math.max(most, one + 1), 0);
  if (place.length !== graphones || !place.every((one) => one >= -1)) {
    throw reader.damaged("its triggers are not those of its graphones");
  }
  return { place, logs: Float32Array.from(reader.floats(`${name}.logs`, size * size)) };
}

const corpusTensors = ["inputStart", "inputs", "answerStart", "outputStart", "outputs", "answerCount"] as const;

const markTensors = ["markStart", "marks"] as const;

function putCorpus(parts: FileParts, name: string, corpus: PairCorpus): void {
  for (const part of corpusTensors) parts.tensors[`${name}.${part}`] = { data: corpus[part] };
  if (corpus.marks.length === 0) return;
  for (const part of markTensors) parts.tensors[`${name}.${part}`] = { data: corpus[part] };
}

function readCorpus(
  reader: PartsReader,
  name: string,
  inputSymbols: number,
  outputSymbols: number,
  markCount: number,
): PairCorpus {
  const [inputStart, inputs, answerStart, outputStart, outputs, answerCount] = corpusTensors.map((part) =>
    reader.plainIntegers(`${name}.${part}`),
  );
  const [markStart, marks] = reader.has(`${name}.marks`)
    ? markTensors.map((part) => reader.plainIntegers(`${name}.${part}`))
    : [new Int32Array(inputStart.length), new Int32Array(0)];
  const sound =
    areStarts(inputStart, inputs.length) &&
    areStarts(markStart, marks.length) &&
    markStart.length === inputStart.length &&
    marks.every((mark) => mark >= 0 && mark < markCount) &&
    areStarts(answerStart, answerCount.length) &&
    areStarts(outputStart, outputs.length) &&
    answerStart.length === inputStart.length &&
    outputStart.length === answerCount.length + 1 &&
    inputs.every((symbol) => symbol >= 0 && symbol < inputSymbols) &&
    outputs.every((symbol) => symbol >= 0 && symbol < outputSymbols) &&
    answerCount.every((count) => count > 0);
  if (!sound) throw reader.damaged("the pairs it remembers are not in order");
  const read = { inputCount: inputStart.length - 1, inputStart, inputs, markStart, marks };
  return { ...read, answerStart, outputStart, outputs, answerCount };
}

/** Whether these are the starts of stretches that cover a list, one after another. */
function areStarts(start: Int32Array, length: number): boolean {
  return start[0] === 0 && start.at(-1) === length && start.every((from, i) => i === 0 || from >= start[i - 1]);
}

function readWordCounts(reader: PartsReader, symbolCount: number): WordCounts {
  const [start, symbols, first, second, count] = wordTensors.map((name) => reader.plainIntegers(`words.${name}`));
  const within = (numbers: Int32Array, least: number, beyond: number): boolean =>
    numbers.every((number) => number >= least && number < beyond);
  const words = start.length - 1;
  const sound =
    words > 0 &&
    areStarts(start, symbols.length) &&
    within(symbols, 0, symbolCount) &&
    first.length === count.length &&
    second.length === count.length &&
    within(first, -1, words) &&
    within(second, -1, words) &&
    second.includes(-1) &&
    within(count, 1, Number.POSITIVE_INFINITY);
  if (!sound) throw reader.damaged("its words are not in order");
  return { start, symbols, first, second, count };
}

export const transducerCodec: Codec<Transducer> = {
  kind: "transducer",
  encode: encodeTransducer,
  decode: decodeTransducer,
};
