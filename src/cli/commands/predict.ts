// `stargram predict`: outputs with probabilities for a stream of inputs, in constant memory.

import { type Command, InvalidArgumentError, Option } from "commander";
import {
  coverageFor,
  type Guarantee,
  guaranteeFor,
  type PartGuarantee,
  partGuaranteeFor,
  recallFor,
  type Unit,
} from "../../confidence/calibration.js";
import { type LearningTask, learningTasks, type Predictor } from "../../tasks/task.js";
import { MOST_OUTPUTS } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import type { Range } from "../../util/options.js";
import { counted } from "../../util/text.js";
import { checkOnePromise, unitOption } from "../../workflows/calibrate.js";
import { checkSets } from "../../workflows/coverage.js";
import { loadModel } from "../../workflows/disk.js";
import { checkSpans } from "../../workflows/found-spans.js";
import { predictorOf } from "../../workflows/model.js";
import { mostOf } from "../../workflows/monitor.js";
import { addDeclared, addUnion, givenFor } from "../declared.js";
import { explain } from "../help.js";
import { withModels } from "../model-data.js";
import {
  addModeOptions,
  type InferenceFlags,
  inferenceFrom,
  real,
  threadCount,
  whole,
  wholeOrRange,
} from "../options.js";
import { say } from "../output.js";
import { predictFile } from "../predict-bytes.js";
import type { PredictAsked } from "../predicting.js";
import { addQueueOptions, type QueueFlags } from "../queue/flags.js";
import { ReviewDesk } from "../review-desk.js";

interface PredictFlags extends Omit<InferenceFlags, "contexts">, QueueFlags {
  contexts?: ContextsFlag;
  showContexts?: boolean;
  precision?: number;
  coverage?: number;
  recall?: number;
  unit?: Unit;
  review?: string;
  check?: number;
  nbest?: number;
  json?: boolean;
  threads?: number;
}

/** `--contexts n` keeps n of them; without a number it shows them, as it did before there was `--show-contexts`. */
interface ContextsFlag {
  show?: boolean;
  keep?: number | Range;
}

const notes = `
  Input is read like the model's training data, unless flags say otherwise. FILE may be gzipped.
  --contexts N   search with N contexts instead of the model's number; 5..100: more than 5 only where uncertain
  --precision    the promise of \`stargram calibrate\` is kept. --json: answered, calibratedProbability, and candidates where
                 it is left
  --coverage     the promise of \`stargram calibrate --coverage\` is kept: sets of outputs, printed as with --nbest, of which one
                 is right; \`# or any other output\` where that may be one that is not listed. --json: set, other; with
                 --unit token: sets, the labels that each token may have
  --recall       the promise of \`stargram calibrate --recall\` is kept: one span per line, FROM TAB TO TAB words TAB label TAB
                 probability, a blank line after each input; spans may overlap. --json: spans`;

const asking = ({ predicting }: LearningTask) => [predicting.options];
const rereading = ({ predicting }: LearningTask) => [predicting.rereading];

export function register(program: Command): void {
  const command = program
    .command("predict")
    .summary("label or transcribe new data, with probabilities")
    .description("Predict the outputs of the inputs in FILE, or of standard input (`-`, the default), as a stream.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("[file]", "data to predict for", "-")
    .option(
      "--nbest <n>",
      `print the n most probable outputs of each input, at most ${counted(MOST_OUTPUTS)}`,
      whole(1, MOST_OUTPUTS),
    );
  addUnion(command, learningTasks().flatMap(asking))
    .option("--precision <share>", "answer only what keeps this precision, as calibrated", real(0, { beyond: 1 }))
    .option(
      "--coverage <share>",
      "print sets of outputs that contain the right one with this probability, as calibrated",
      real(0, { beyond: 1 }),
    )
    .option(
      "--recall <share>",
      "print all spans needed to find this share of them, as calibrated",
      real(0, { beyond: 1 }),
    )
    .option("--review <file>", "with --precision: write what is left to a person to a new file")
    .option(
      "--check <share>",
      "with --precision and --review: add this share of the answers to the file, to be checked",
      real(0, { beyond: 1 }),
    )
    .option("--json", "print JSON Lines, one object per input")
    .option(
      "--threads <n>",
      "number of threads; the output is the same (default: all cores for long data in columns, otherwise 1)",
      threadCount,
    );
  addQueueOptions(command);
  addDeclared(command, unitOption);
  addUnion(command, learningTasks().flatMap(rereading)).addOption(
    new Option("--contexts [n]", "contexts to keep at each position (default: the model's)")
      .preset("show")
      .argParser(contextsFlag),
  );
  addModeOptions(command.option("--show-contexts", "show the contexts kept at each position")).action(predict);
  explain(command, {
    common: {
      Output: ["nbest", "marginals", "labels-only", "spans", "offsets", "align", "json"],
      Input: ["format", "text", "known"],
      "Promised precision": ["precision", "unit", "review", "coverage", "recall"],
      Search: ["contexts", "show-contexts", "threads"],
    },
    notes:
      learningTasks()
        .map(({ predicting }) => predicting.notes)
        .join("") + notes,
    examples: [
      ["stargram predict model.sg new.txt", "predict for a file"],
      ["zcat big.gz | stargram predict model.sg | head", "predict for a stream; nothing is kept in memory"],
      ["stargram predict model.sg big.txt.gz --threads 4", "a large file, faster"],
      ["stargram predict model.sg new.txt --nbest 3", "the three most probable outputs of each input"],
      ...learningTasks().flatMap(({ predicting }) => predicting.examples),
      ["stargram predict model.sg new.txt --contexts 5 --show-contexts", "keep five contexts, and show them"],
      [
        "stargram predict model.sg new.txt --precision 0.99 --review left.tsv",
        "answer what is certain, collect the rest",
      ],
      ["stargram predict model.sg new.txt --coverage 0.95", "all plausible outputs"],
    ],
  });
}

function contextsFlag(text: string, before: ContextsFlag = {}): ContextsFlag {
  if (text === "show") return { ...before, show: true };
  if (!/^[-+]?\d/.test(text)) {
    throw new InvalidArgumentError("It takes a number, or a range such as 5..100; --show-contexts shows contexts.");
  }
  return { ...before, keep: wholeOrRange(0)(text) };
}

async function predict(path: string, file: string, flags: PredictFlags, command: Command): Promise<void> {
  const { model, task } = predictorOf(await loadModel(path), "predict", path);
  const given = await withModels(task.predicting.options, givenFor(command, task, learningTasks(), asking, path));
  const asked: PredictAsked = {
    prediction: {
      ...given,
      nbest: flags.nbest,
      json: flags.json,
      contexts: flags.showContexts ?? flags.contexts?.show,
      inference: inferenceFrom({ ...flags, contexts: flags.contexts?.keep }),
    },
    rereading: givenFor(command, task, learningTasks(), rereading, path),
    precision: flags.precision,
    coverage: flags.coverage,
    recall: flags.recall,
    unit: flags.unit,
  };
  checkPromise(task, model, path, flags, given);
  if (((flags.threads ?? 1) > 1 || flags.queue !== undefined) && flags.review !== undefined) {
    throw new InputError("--review works on one thread only", { hint: "leave out --threads and --queue, or --review" });
  }
  if (file === "-" && process.stdin.isTTY) say("reading from the terminal; end with Ctrl-D");
  const desk = await ReviewDesk.open(
    flags.review,
    isPromised(flags) ? model.calibration : undefined,
    checkingOf(model, flags),
  );
  if (flags.queue !== undefined) {
    const { predictOnQueue } = await import("../queue/predict.js");
    await predictOnQueue(task, model, path, file, asked, desk, flags);
  } else await predictFile(file, { task, model, path, asked, desk, threads: flags.threads });
  await desk.end(flags);
}

/** What is to be checked of what is answered. */
function checkingOf({ calibration }: Predictor, { check, precision, unit = "sequence" }: PredictFlags) {
  if (check === undefined || precision === undefined) return undefined;
  const most = unit === "sequence" ? 1 : mostOf(partGuaranteeFor(calibration, precision, unit));
  return { share: check, promise: { precision, unit, most } };
}

function isPromised({ precision, coverage, recall }: PredictFlags): boolean {
  return precision !== undefined || coverage !== undefined || recall !== undefined;
}

/** Refuses a precision or coverage that was not calibrated, and what would make its promise void. */
function checkPromise(task: LearningTask, model: Predictor, path: string, flags: PredictFlags, given: object): void {
  const { unit = "sequence", coverage, recall } = flags;
  checkOnePromise(flags);
  if (flags.check !== undefined && (flags.precision === undefined || flags.review === undefined)) {
    throw new InputError("--check needs --precision and --review", { hint: "give all three" });
  }
  if (recall !== undefined && flags.review !== undefined) {
    throw new InputError("--review needs --precision or --coverage", {
      hint: "leave out --review",
    });
  }
  if (!isPromised(flags)) {
    if (flags.unit !== undefined) {
      throw new InputError("--unit needs --precision", { hint: "add --precision 0.99" });
    }
    if (flags.review === undefined) return;
    throw new InputError("--review needs --precision", { hint: "add --precision 0.99" });
  }
  const mode = flags.mode ?? flags.inference;
  const changed = [
    ...(flags.contexts?.keep === undefined ? [] : ["contexts"]),
    ...(mode === undefined ? [] : ["mode"]),
    ...("known" in given ? ["known"] : []),
  ];
  for (const name of changed) {
    const promise = recall !== undefined ? "recall" : coverage === undefined ? "precision" : "coverage";
    throw new InputError(`the promised ${promise} holds for the model as it was calibrated, not with --${name}`, {
      hint: `leave out --${name} or --${promise}`,
    });
  }
  if (coverage !== undefined) checkSets(task, unit);
  if (recall !== undefined) checkSpans(task, model);
  try {
    if (recall !== undefined) recallFor(model.calibration, recall, path);
    else if (coverage !== undefined) coverageFor(model.calibration, coverage, unit, path);
    else sayEstimate(precisionFor(model, flags.precision as number, unit, path), path);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const sort = recall !== undefined ? `--recall ${recall}` : `--coverage ${coverage}`;
    const promise = flags.precision === undefined ? sort : `--precision ${flags.precision}`;
    const hint = `run: stargram calibrate ${path} HELD-OUT ${promise}${unit === "sequence" ? "" : ` --unit ${unit}`}`;
    throw new InputError(error.reason, { file: path, hint });
  }
}

function precisionFor(
  { calibration }: Predictor,
  precision: number,
  unit: Unit,
  path: string,
): Guarantee | PartGuarantee {
  return unit === "sequence"
    ? guaranteeFor(calibration, precision, path)
    : partGuaranteeFor(calibration, precision, unit, path);
}

/** What was found on the training data is no promise, and whoever uses it hears so. */
function sayEstimate({ precision, crossValidated }: Guarantee | PartGuarantee, path: string): void {
  if (crossValidated === undefined) return;
  say(
    `${path}: --precision ${precision} is an estimate from the training data, not a promise; calibrate on held-out data to promise it`,
  );
}
