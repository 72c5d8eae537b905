// The worker: holds models and computes with them, with the same core as the command line. What takes long lets messages
// through now and then, so that it can be stopped.

import { pixelAttributes, pixelsOf } from "../../demo/digits.js";
import {
  Decipherer,
  decodeModel,
  InputError,
  type Model,
  type Reading,
  readCipher,
  Tagger,
  type TaggingSequence,
  Transducer,
  warnings,
} from "../../src/browser.js";
import { columnsParser } from "../../src/formats/columns.js";
import { crfsuiteParser } from "../../src/formats/crfsuite.js";
import { detectFormat, taggingFormats } from "../../src/formats/detect.js";
import { jsonlParser } from "../../src/formats/jsonl.js";
import { lettersParser, pixelChoices } from "../../src/formats/letters.js";
import { detectLayout, joinSymbols, kindsOf, layoutOf, parsePair, splitSymbols } from "../../src/formats/pair-lines.js";
import { type Expectations, LocalExpecter } from "../../src/learn/em.js";
import { LanguageModel } from "../../src/tasks/decipher/language.js";
import type { TestFormat } from "./catalogue.js";
import type {
  CallName,
  Calls,
  Choice,
  CipherPiece,
  Failure,
  FromWorker,
  Inference,
  Judged,
  Key,
  LoadedModel,
  ToWorker,
} from "./protocol.js";
import { unknownLabel } from "./protocol.js";
import { foldCase } from "./words.js";

/** What a call may do besides returning. */
interface Work<Name extends CallName> {
  progress(report: Calls[Name]["progress"]): void;
  stopped(): boolean;
}

type Handlers = {
  [Name in CallName]: (
    params: Calls[Name]["params"],
    work: Work<Name>,
  ) => Calls[Name]["result"] | Promise<Calls[Name]["result"]>;
};

/** Least time between the passes of EM, in ms. */
const passTime = 280;

const models = new Map<string, Model>();
const stopped = new Set<number>();

const handlers: Handlers = {
  async load({ id, name, url, bytes }, { progress }) {
    const content = bytes ? new Uint8Array(bytes) : await fetched(url as string, name, progress);
    const model = decodeModel(await unpacked(content, name), name);
    if (model instanceof Tagger && model.source.kind === "function") {
      throw new InputError("the model makes its attributes with a function of the program that trained it", {
        file: name,
        hint: "use it from that program",
      });
    }
    models.set(id, model);
    return describe(id, model);
  },

  read({ model, attributes, choice, whole }) {
    const options = { nbest: 4, contexts: whole, marginals: whole, inference: inferenceOf(choice) };
    const {
      labels,
      probability,
      nbest = [],
      contexts = [],
      marginals = [],
    } = tagger(model).predict({ attributes }, options);
    return { labels, probability, nbest, contexts, marginals };
  },

  tag({ model, columns }) {
    const options = { nbest: 5, confidences: true, marginals: true };
    const {
      labels,
      probability,
      nbest = [],
      confidences = [],
      marginals = [],
    } = tagger(model).predict({ columns }, options);
    return { labels, probability, nbest, confidences, marginals };
  },

  explain({ model, columns, position, label }) {
    return tagger(model).explain({ columns }, position, label);
  },

  pronounce({ model, text, choice }) {
    const found = transducer(model);
    const input = foldCase(
      splitSymbols(text, kindsOf(layoutOf(found)).read),
      (symbol) => found.inputSymbols.indexOf(symbol) >= 0,
    );
    const inference = choice && { mode: choice.inference, contexts: choice.contexts };
    const {
      nbest = [],
      slots = [],
      unknown,
    } = found.predict(input, { nbest: 6, alignment: true, contexts: true, inference });
    return { nbest, slots, unknown };
  },

  cipher({ text, spaces = true }) {
    const cipher = read(text, spaces);
    const symbols = cipher.sequences.flat();
    const pieces: CipherPiece[] = [];
    const marked = cipher.render(
      cipher.sequences,
      (symbol, at) => `\u0000${at}:${symbol !== symbols[at] ? 1 : 0}\u0000`,
    );
    marked.split("\u0000").forEach((part, i) => {
      if (i % 2 === 0) {
        if (part !== "") pieces.push(part);
        return;
      }
      const [at, capital] = part.split(":").map(Number);
      pieces.push({ at, capital: capital === 1 });
    });
    return { kind: cipher.kind, spaces: cipher.spaces, symbols, pieces };
  },

  async decipher({ model, text, oneToOne, contexts, known, begin }, { progress, stopped }) {
    const language = models.get(model);
    if (!(language instanceof LanguageModel)) throw new InputError("this model knows no language");
    const cipher = read(text, language.options.spaces);
    const found = await new Decipherer(language, { oneToOne, contexts }).solve(cipher.sequences, {
      known,
      begin,
      shouldStop: stopped,
      expecter: (cipherModel, sequences) => new UnhurriedExpecter(cipherModel, sequences),
      onSearch: (tried, score, best, key) => {
        progress({ stage: "search", tried, score, best, key: keyOf(key()) });
      },
      onPass: ({ pass, logLikelihood, contextLength, readings }) => {
        progress({ stage: "pass", pass, logLikelihood, contextLength, key: [...readings()] });
      },
    });
    return {
      key: found.mapping.map(({ cipher: x, plain, probability, others, count }) => [
        x,
        { plain, probability, others: others.slice(0, 3), count },
      ]),
      warnings: warnings(found, cipher),
      stopped: found.stopped,
    };
  },

  async evaluate({ model, url, text, file, format, choice }, { progress, stopped }) {
    const content = text ?? new TextDecoder().decode(await fetched(url as string, "test data", () => undefined));
    const questions = questionsOf(content, format, model, file);
    if (questions.length === 0) {
      throw new InputError(format === "pairs" ? "holds no pairs" : "holds no sequences with known labels", {
        file,
        hint: format === "pairs" ? "a pair is an input, a tab and an output" : "a label stands in the last column",
      });
    }
    const judged: Judged[] = [];
    let paused = performance.now();
    for (const ask of questions) {
      if (stopped()) break;
      judged.push(ask(choice));
      if (performance.now() - paused < 40) continue;
      progress(judged.length / questions.length);
      await new Promise((resolve) => setTimeout(resolve, 0));
      paused = performance.now();
    }
    return { judged, stopped: judged.length < questions.length };
  },
};

/** Counts as usual, but lets each pass be seen before the next. */
class UnhurriedExpecter extends LocalExpecter {
  private shown = 0;

  override async expect(logEmission: Float64Array, shouldStop?: () => boolean): Promise<Expectations | undefined> {
    while (performance.now() < this.shown && !shouldStop?.()) await new Promise((resolve) => setTimeout(resolve, 20));
    this.shown = performance.now() + passTime;
    return super.expect(logEmission, shouldStop);
  }
}

function describe(id: string, model: Model): LoadedModel {
  const common = { id, columns: 1, readsText: false, spaces: false };
  if (model instanceof Tagger) {
    const { mode, contexts, order } = model.options;
    const { columns } = (model.note.input ?? {}) as { columns?: unknown };
    return {
      ...common,
      kind: "tagger",
      choice: { inference: mode, contexts, order },
      columns: typeof columns === "number" ? columns : 1,
      readsText: model.source.kind !== "given",
      symbols: [...model.labels.all()],
    };
  }
  if (model instanceof Transducer) {
    const { contexts, order, strategy } = model.options;
    const choice = { inference: strategy === "rcms" ? "rcms" : "beam", contexts, order } as const;
    return { ...common, kind: "transducer", choice, symbols: [...model.outputSymbols.all()] };
  }
  const { options, symbols } = model as LanguageModel;
  const { order, spaces, level } = options;
  if (level !== "char") {
    throw new InputError("this language model is of words; the page reads ciphers of letters", {
      hint: "word ciphers are solved by `stargram decipher`",
    });
  }
  return {
    ...common,
    kind: "language",
    choice: { inference: "rcms", contexts: 60, order },
    spaces,
    symbols: [...symbols.all()],
  };
}

function tagger(id: string): Tagger {
  const model = models.get(id);
  if (!(model instanceof Tagger)) throw new InputError("this model is no tagger");
  return model;
}

function transducer(id: string): Transducer {
  const model = models.get(id);
  if (!(model instanceof Transducer)) throw new InputError("this model is no transducer");
  return model;
}

function inferenceOf({ inference, contexts, order }: Choice): Inference {
  return order === undefined ? { mode: inference, contexts } : { mode: inference, contexts, order };
}

/** A cipher text; its spaces mean nothing to a language model without any. */
function read(text: string, spaces: boolean) {
  return readCipher(text, "char", spaces ? {} : { spaces: "unknown" });
}

/** A searched key says nothing of its doubts. */
function keyOf(key: ReadonlyMap<string, string>): Key {
  return [...key].map(([cipher, plain]): [string, Reading] => [cipher, { plain, probability: 0.5 }]);
}

/** Each input of a test as a function that has the model answer it. */
function questionsOf(
  content: string,
  format: TestFormat,
  model: string,
  file?: string,
): ((choice?: Choice) => Judged)[] {
  if (format === "digits") {
    return (JSON.parse(content) as { truth: string; digits: string[] }[]).map(({ truth, digits }) => (choice) => {
      const attributes = digits.map((digit) => pixelAttributes(pixelsOf(digit)));
      return { ...judgeLabels(model, { attributes }, [...truth], "", choice), digits };
    });
  }
  if (format === "sequences") {
    // As on the command line: a position without one true label is not counted, nor is a sequence without any other.
    const labelled = sequencesOf(content, tagger(model), file).filter(({ labels = [] }) =>
      labels.some((label) => typeof label === "string"),
    );
    return labelled.map((sequence) => (choice) => {
      const truth = (sequence.labels ?? []).map((label) => (typeof label === "string" ? label : unknownLabel));
      const words = sequence.columns?.map((row) => row[0]) ?? [sequence.id ?? `sequence at line ${sequence.line}`];
      return judgeLabels(model, sequence, truth, " ", choice, words.join(" "));
    });
  }
  const answers = new Map<string, { input: readonly string[]; outputs: Set<string> }>();
  const { read, written } = kindsOf(layoutOf(transducer(model)));
  const lines = content.split(/\r?\n/);
  const layout = detectLayout(lines, layoutOf(transducer(model)));
  lines.forEach((line, i) => {
    const pair = parsePair(line, layout, false, { file, line: i + 1 });
    if (!pair) return;
    const key = joinSymbols(pair.input, read);
    const known = answers.get(key) ?? { input: pair.input, outputs: new Set<string>() };
    answers.set(key, { ...known, outputs: known.outputs.add(joinSymbols(pair.output, written)) });
  });
  return [...answers].map(([text, { input, outputs }]) => (choice) => {
    const inference = choice && { mode: choice.inference, contexts: choice.contexts };
    const { output, probability } = transducer(model).predict(input, { inference });
    const answer = joinSymbols(output, written);
    return {
      input: text,
      output: answer,
      truth: [...outputs].join(" or "),
      confidence: probability,
      correct: outputs.has(answer),
    };
  });
}

function judgeLabels(
  model: string,
  sequence: TaggingSequence,
  truth: string[],
  between: string,
  choice?: Choice,
  input = "",
): Judged {
  const { labels, probability } = tagger(model).predict(sequence, { inference: choice && inferenceOf(choice) });
  return {
    input,
    output: labels.join(between),
    truth: truth.join(between),
    confidence: probability,
    correct: labels.every((label, i) => truth[i] === unknownLabel || label === truth[i]),
  };
}

/** Labelled sequences in the format that the model's training data had, or else the one that the text shows. */
function sequencesOf(content: string, { note }: Tagger, file?: string): TaggingSequence[] {
  const lines = content.replace(/^\ufeff/, "").split(/\r?\n/);
  const input = (note.input ?? {}) as { format?: unknown; pixels?: unknown; labelSets?: unknown };
  const format = taggingFormats.find((known) => known === input.format) ?? detectFormat(lines, file);
  const options = { labelled: true, labelSets: input.labelSets === true, file };
  const parser = {
    columns: columnsParser,
    crfsuite: crfsuiteParser,
    jsonl: jsonlParser,
    letters: (common: typeof options) =>
      lettersParser({ ...common, pixels: pixelChoices.find((choice) => choice === input.pixels) }),
  }[format](options);
  return [...lines.map((line, i) => parser.line(line, i + 1)), parser.end()].filter(
    (sequence) => sequence !== undefined,
  );
}

/** A file of the site, with the share that has come so far reported. */
async function fetched(url: string, name: string, progress: (share: number) => void): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new InputError("could not be fetched", { file: name, hint: "are you still online?", cause });
  }
  if (!response.ok || !response.body) {
    throw new InputError(`could not be fetched (the server says ${response.status})`, { file: name });
  }
  const total = Number(response.headers.get("Content-Length") ?? 0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    chunks.push(part.value);
    length += part.value.length;
    if (total > 0) progress(length / total);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Model files may be packed with gzip; some hosts unpack them on the way. */
async function unpacked(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (cause) {
    throw new InputError("the gzip file is damaged", { file: name, hint: "fetch it again", cause });
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof InputError) return { message: error.message, hint: error.hint, mine: false };
  return { message: error instanceof Error ? error.message : String(error), mine: true };
}

const post = (message: FromWorker): void => postMessage(message);

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if ("stop" in data) {
    stopped.add(data.stop);
    return;
  }
  const { call, name, params } = data;
  const work = {
    progress: (progress: unknown) => post({ call, progress }),
    stopped: () => stopped.has(call),
  };
  try {
    const handle = handlers[name] as (params: unknown, work: unknown) => unknown;
    post({ call, result: await handle(params, work) });
  } catch (error) {
    post({ call, failure: failureOf(error) });
  } finally {
    stopped.delete(call);
  }
});
