// `stargram predict`: labels with probabilities for a stream of sequences, in constant memory.

import { type Command, InvalidArgumentError, Option } from "commander";
import { guaranteeFor } from "../../confidence/calibration.js";
import type { LineSource } from "../../formats/lines.js";
import {
  type ContextMass,
  type PredictOptions,
  Tagger,
  type TaggerAnswer,
  type TaggerPrediction,
} from "../../tasks/tag/tagger.js";
import { Transducer } from "../../tasks/transduce/transducer.js";
import { MOST_OUTPUTS } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import { counted, probabilityText } from "../../util/text.js";
import { loadModel } from "../../workflows/disk.js";
import type { Model } from "../../workflows/model.js";
import { type ModelInput, readForModel, taggerOf } from "../input.js";
import {
  addReadOptions,
  examples,
  type InferenceFlags,
  inferenceFrom,
  inferenceOption,
  type ReadFlags,
  real,
  refuseFlags,
  threadCount,
  whole,
} from "../options.js";
import { say, write, writeJson } from "../output.js";
import { ReviewDesk } from "../review-desk.js";
import { sequenceItem } from "../review-items.js";

export interface PredictFlags extends ReadFlags, Omit<InferenceFlags, "contexts"> {
  contexts?: ContextsFlag;
  precision?: number;
  review?: string;
  nbest?: number;
  marginals?: boolean;
  known?: boolean;
  align?: boolean;
  json?: boolean;
  threads: number;
}

/** `--contexts` shows contexts, `--contexts n` keeps n of them; both may be given. */
interface ContextsFlag {
  show?: boolean;
  keep?: number;
}

const notes = `
With a transducer: a line holds an input; input TAB output TAB probability come out, the probability being summed over
alignments; --nbest N gives N lines for each input, --align two columns more: \`p|h|o|n|e\` and \`F|_|OW|N|_\` (several
symbols for one are joined by \`:\`, none is \`_\`; symbols with these signs are written with \`\\|\`, \`\\:\`, \`\\\\\`, and \`_\`
as \`\\_\`). --contexts adds a line for each slot, \`# position.written MOVES/probability …\`, \`→\` being the move to the next
input symbol.
With a tagger: the columns of the input, then the label and its probability at that position; a blank line ends a sequence.
  Input in columns may carry labels as one column more than the model was trained on; they are passed through.
  --nbest N      before each output a line \`# rank probability\`, the probability being that of the whole output, and a
                 blank line after it
  --marginals    after the probability every label, \`LABEL/probability\`, the most probable first; with --nbest they stand
                 once, after the outputs, below a line \`# marginals\`
  --known        the label given, \`_\` where it is open, stands before the label found; probabilities hold given these
  --json         JSON Lines: one object for each sequence with labels, confidences (of each label at its position),
                 probability (of all labels together), nbest and marginals if asked for, and given (the labels of a
                 label column, or those taken as known; null where open)
  --contexts     without a number: after each sequence a line for each position, \`# position CONTEXT/probability …\`: what
                 the model kept in mind there, the labels just before; ⋆ is everything else. --json: contexts
                 [{suffix, probability}] for each position, with an empty suffix for ⋆. Give it last, or the word that
                 follows is taken for its number
  --contexts N   search with N contexts instead of the model's number; nothing else is printed. Give both to have both:
                 --contexts 5 --contexts
With --precision: the promise of \`stargram calibrate\` is kept. Sequences are preceded by \`# answered P calibrated Q\` or
\`# left P calibrated Q\`, P and Q being the probability of all labels as the model has it and after its calibration map;
what is left has \`_\` for labels. Inputs of a transducer have two columns more, the calibrated probability and \`answered\`
or \`left\`, and no output if left. --json: answered, calibratedProbability, and candidates where it is left.
  Input is read as the model's training data was; --format says otherwise. FILE may be packed with gzip.`;

export function register(program: Command): void {
  const command = program
    .command("predict")
    .summary("label new sequences, with probabilities")
    .description("Label the sequences of FILE, or of standard input (`-`, the default), as they come.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("[file]", "data to label", "-")
    .option(
      "--nbest <n>",
      `give the n most probable outputs of each sequence, ${counted(MOST_OUTPUTS)} at most`,
      whole(1, MOST_OUTPUTS),
    )
    .option("--marginals", "give the probability of every label at every position")
    .option("--align", "transducers: give the alignment of each output")
    .option("--precision <share>", "answer only what keeps this precision, as calibrated", real(0, { beyond: 1 }))
    .option("--review <file>", "with --precision: collect what is left to a person in a new file")
    .option("--known", "take the labels of the input as known and fill in those that are `_`")
    .option("--json", "print JSON Lines, an object for each sequence")
    .option("--threads <n>", "threads to predict with; the output is the same", threadCount, 1);
  addReadOptions(command)
    .addOption(
      new Option("--contexts [n]", "show the contexts kept at each position; with a number, keep so many")
        .preset("show")
        .argParser(contextsFlag),
    )
    .addOption(inferenceOption())
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram predict model.sg new.txt", "label a file"],
        ["zcat big.gz | stargram predict model.sg | head", "label a stream; nothing is kept in memory"],
        ["stargram predict model.sg big.txt.gz --threads 4", "label a large file faster"],
        ["stargram predict model.sg new.txt --nbest 3", "the three most probable outputs of each sequence"],
        ["stargram predict model.sg new.txt --json --marginals", "everything, for programs"],
        ["stargram predict model.sg partly.txt --known", "fill in the labels that are `_`"],
        ["stargram predict model.sg new.txt --contexts 5 --contexts", "keep five contexts, and show them"],
        [
          "stargram predict model.sg new.txt --precision 0.99 --review left.tsv",
          "answer what is sure, collect the rest",
        ],
      ),
    )
    .action(predict);
}

function contextsFlag(text: string, before: ContextsFlag = {}): ContextsFlag {
  if (text === "show") return { ...before, show: true };
  if (!/^[-+]?\d/.test(text)) {
    throw new InvalidArgumentError("It takes a number or nothing: to show contexts, give it after the files.");
  }
  return { ...before, keep: whole(0)(text) };
}

async function predict(path: string, file: string, flags: PredictFlags): Promise<void> {
  const model = await loadModel(path);
  checkPrecision(model, path, flags);
  if (model instanceof Transducer) {
    refuseFlags(flags, ["marginals", "known", "format", "pixels", "folds"], "taggers", path);
  } else refuseFlags(flags, ["align"], "transducers", path);
  if (flags.threads > 1 && flags.review !== undefined) {
    throw new InputError("--review is written by one thread", { hint: "leave out --threads or --review" });
  }
  if (file === "-" && process.stdin.isTTY) say("reading from the terminal; end with Ctrl-D");
  const desk = await ReviewDesk.open(flags.review);
  if (flags.threads > 1) {
    const { predictOnThreads } = await import("../predict-threads.js");
    await predictOnThreads(model, path, file, flags, desk);
  } else await predictInputs(model, path, file, flags, desk);
  await desk.end(flags.precision);
}

/** What a source stands for that is not a file itself. */
export interface SourcePart {
  /** The name of the file that it is a part of. */
  file: string;
  /** Whether it may hold nothing. */
  mayBeEmpty: boolean;
}

/** Predicts for all inputs of a source, and prints. */
export async function predictInputs(
  model: Model,
  path: string,
  source: LineSource,
  flags: PredictFlags,
  desk: ReviewDesk,
  part?: SourcePart,
): Promise<void> {
  const chosen = { contexts: flags.contexts?.keep, inference: flags.inference };
  if (model instanceof Transducer) {
    const { predictOutputs } = await import("../transduction.js");
    return predictOutputs(model, source, { ...flags, ...chosen, showContexts: flags.contexts?.show }, desk, part);
  }
  const tagger = taggerOf(model, path);
  const options: PredictOptions = {
    nbest: flags.nbest,
    confidences: true,
    // The probabilities of labels of further outputs are found among all.
    marginals: flags.marginals || (flags.nbest !== undefined && !flags.json),
    contexts: flags.contexts?.show,
    inference: inferenceFrom(chosen),
  };
  const labels = flags.known ? "needed" : "ignored";
  const inputs = readForModel(source, tagger, {
    ...flags,
    labels,
    unknown: flags.known ? "refuse" : "chunks",
    ...part,
  });
  for await (const input of inputs) {
    const { sequence } = input;
    if (flags.precision !== undefined) {
      const { inference: _, known: __, ...asked } = options;
      const answer = tagger.answer(sequence, { ...asked, precision: flags.precision });
      const candidates = answer.answered ? [] : answer.candidates;
      await desk.count(answer.answered, (number) => sequenceItem(tagger, sequence, candidates, number));
      if (flags.json) await writeJson(answerJson(input, answer));
      else await write(answerText(input, answer, flags));
      continue;
    }
    const prediction = tagger.predict(sequence, flags.known ? { ...options, known: sequence.labels } : options);
    if (flags.json) await writeJson(jsonOf(input, prediction));
    else await write(textOf(input, prediction, flags));
  }
}

/** Refuses a precision that was not calibrated, and what would make its promise void. */
function checkPrecision(model: Model, path: string, flags: PredictFlags): void {
  if (flags.precision === undefined) {
    if (flags.review === undefined) return;
    throw new InputError("--review collects what --precision leaves to a person", { hint: "add --precision 0.99" });
  }
  for (const name of ["contexts", "inference", "known"] as const) {
    if (flags[name] === undefined || (name === "contexts" && flags.contexts?.keep === undefined)) continue;
    throw new InputError(`the promised precision holds for the model as it was calibrated, not with --${name}`, {
      hint: `leave out --${name} or --precision`,
    });
  }
  const calibration = model instanceof Tagger || model instanceof Transducer ? model.calibration : undefined;
  guaranteeFor(calibration, flags.precision, path);
}

function answerJson(input: ModelInput, answer: TaggerAnswer): Record<string, unknown> {
  if (answer.answered) return { ...jsonOf(input, answer), answered: true };
  const { labels: _, ...rest } = jsonOf(input, answer.prediction);
  return { ...rest, answered: false, candidates: answer.candidates };
}

function answerText(input: ModelInput, answer: TaggerAnswer, flags: PredictFlags): string {
  const prediction = answer.answered ? answer : answer.prediction;
  const { probability, calibratedProbability = probability, labels } = prediction;
  const head = `# ${answer.answered ? "answered" : "left"} ${probabilityText(probability)} calibrated ${probabilityText(calibratedProbability)}\n`;
  const shown = answer.answered ? prediction : { ...prediction, labels: labels.map(() => "_"), nbest: undefined };
  return head + textOf(input, shown, flags);
}

function jsonOf({ sequence, given }: ModelInput, prediction: TaggerPrediction): Record<string, unknown> {
  const { labels, probability, confidences, nbest, marginals, contexts } = prediction;
  const { calibratedProbability, calibratedConfidences } = prediction;
  const { id, fold, columns } = sequence;
  // The column of a letter is its picture, which says little in JSON.
  const input = columns && fold === undefined ? tokensOf(columns) : {};
  return {
    id,
    ...input,
    given,
    labels,
    probability,
    calibratedProbability,
    confidences,
    calibratedConfidences,
    nbest,
    marginals,
    contexts,
  };
}

function tokensOf(columns: readonly (readonly string[])[]): Record<string, unknown> {
  return columns.every((row) => row.length === 1) ? { tokens: columns.map((row) => row[0]) } : { columns };
}

function textOf({ shown }: ModelInput, prediction: TaggerPrediction, flags: PredictFlags): string {
  const { labels, confidences = [], marginals, nbest } = prediction;
  const contexts = (prediction.contexts ?? []).map(contextLine).join("");
  const all = marginals && flags.marginals ? marginals.map(marginalText) : undefined;
  const lines = (further: (i: number) => readonly string[]): string =>
    shown.map((columns, i) => `${[...columns, ...further(i)].join("\t")}\n`).join("");
  const labelled = (i: number): string[] => [labels[i], probabilityText(confidences[i])];
  if (!nbest || !marginals) return `${lines((i) => [...labelled(i), ...(all?.[i] ?? [])])}${contexts}\n`;
  const blocks = nbest.map((output, rank) => {
    const labelledHere = (i: number) => [output.labels[i], probabilityText(marginals[i][output.labels[i]])];
    return `# ${rank + 1} ${probabilityText(output.probability)}\n${lines(labelledHere)}`;
  });
  // Marginals belong to the sequence, not to one of its outputs.
  if (all) blocks.push(`# marginals\n${lines((i) => all[i])}`);
  return `${blocks.join("\n")}${contexts}\n`;
}

/** `# 2 DT/0.98 NN DT/0.01 ⋆/0.01` */
function contextLine(contexts: readonly ContextMass[], i: number): string {
  const masses = contexts.map(
    ({ suffix, probability }) => `${suffix.join(" ") || "⋆"}/${probabilityText(probability)}`,
  );
  return `# ${[i + 1, ...masses].join("\t")}\n`;
}

function marginalText(marginals: Readonly<Record<string, number>>): string[] {
  return Object.entries(marginals)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([label, probability]) => `${label}/${probabilityText(probability)}`);
}
