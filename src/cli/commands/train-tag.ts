// `stargram train tag`: learns a tagger.

import { type Command, Option } from "commander";
import * as v from "valibot";
import { type TaggingFormat, taggingFormats } from "../../formats/detect.js";
import { parseFolds, pixelChoices } from "../../formats/letters.js";
import { readTagging } from "../../formats/read.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { readWholeText } from "../../formats/text.js";
import { trainingLimits } from "../../learn/limits.js";
import { withCurrentNames, withOldNames } from "../../learn/old-names.js";
import { readModelBytes } from "../../model/file.js";
import { keptOptions, taggerDefaults, taggerOptionNames } from "../../tasks/tag/options.js";
import { Tagger } from "../../tasks/tag/tagger.js";
import { InputError } from "../../util/errors.js";
import { duration, percent, plural } from "../../util/text.js";
import { decodeModel } from "../../workflows/model.js";
import { type InputNote, inputNoteOf } from "../input.js";
import { addFormerName, addReadOptions, examples, groupOf, needed, real, repeated, whole } from "../options.js";
import { say, writeJson } from "../output.js";
import { readAnswers, sequenceOf } from "../review-items.js";
import { addThreadOptions, crewOf, type ThreadFlags } from "../threads.js";
import {
  beginTraining,
  checkResumed,
  finishTraining,
  modelFingerprint,
  type TrainingFlags,
  TrainingRun,
  type Unfinished,
} from "../training.js";

const d = taggerDefaults;
const limits = trainingLimits;

const notes = `
DATA holds labelled sequences; several files are read one after the other, gzip is unpacked. Formats, found out from the
first lines where they are certain:
  columns    a token a line, columns between spaces, the label last, a blank line between sequences
  crfsuite   CRFsuite's attributes: label TAB attribute[:value] TAB …
  jsonl      {"tokens": ["the", "dog"], "labels": ["DT", "NN"]} a line; or "columns", or "attributes"
  letters    the handwritten letters of \`stargram data get letters\`
A label \`_\` is unknown: the position is learned from as far as its neighbours tell.
Attributes of columns come from --template, or are built in (--features):
  text       the word, its lower case, affixes, shape and neighbours; n-grams of further columns (default)
  chunking   words and parts of speech in a window of five, as in CRFsuite's chunking example

First Ctrl-C: the model so far and a checkpoint are saved (before the first pass, while --l2 is being chosen, there is
nothing to save: exit code 1). Second: ends at once, files stay as they were.`;

export function register(program: Command): void {
  const group = groupOf(program, "train", "learn a model from data");
  group.addHelpText(
    "after",
    examples(["stargram train tag train.txt --out model.sg", "a tagger from tokens and labels in columns"]),
  );
  const command = group
    .command("tag")
    .summary("learn a tagger")
    .description("Learn to label the positions of sequences from labelled data.")
    .argument("[data...]", "labelled data: files, or `-` for standard input; may be left out with --from and --add")
    .option("--out <model>", "the file to write the model to");
  addReadOptions(command)
    .option("--label-sets", "columns and crfsuite: a label `A|B` means that A or B is right")
    .option("--template <file>", "make attributes of columns by a CRF++ or Wapiti template")
    .addOption(new Option("--features <set>", "built-in attributes of columns").choices(["text", "chunking"]))
    .option("--conjoin", "conjoin every attribute with the previous label too (there without its value)")
    .option("--min-count <n>", `leave out attributes seen fewer times (default ${d.minCount})`, whole(1))
    .option("--order <n>", `how many labels back a decision looks (default ${d.order})`, whole(0))
    .option("--contexts <n>", `contexts to keep at each position (default ${d.contexts})`, whole(0))
    .addOption(
      new Option("--rows <which>", `weights of a context: of its longest suffix or of all (default ${d.rows})`).choices(
        ["longest", "all"],
      ),
    )
    .addOption(
      new Option("--inference <mode>", `how contexts are chosen (default ${d.inference})`).choices([
        "rcms",
        "beam",
        "exact",
      ]),
    )
    .option("--no-recombine", "keep contexts apart that agree on the last labels, up to the order")
    .option("--passes <n>", `passes over the data at most (default ${d.passes})`, whole(1))
    .option("--rate <x>", `step size (default ${d.rate})`, real(0, { above: true, most: limits.rate }))
    .option(
      "--l2 <x>",
      "strength of L2 regularisation (default: chosen on held-out data)",
      real(0, { most: limits.l2 }),
    )
    .option("--l1 <x>", `strength of L1 regularisation (default ${d.l1})`, real(0, { most: limits.l1 }))
    .option(
      "--truncate <x>",
      "round parts of a gradient smaller than this to nothing or to this, at random: a smaller model",
      real(0, { most: 1 }),
    )
    .option("--no-average", "do not average the weights over each pass")
    .option(
      "--held-out <share>",
      `share held out to choose the best pass (default ${d.heldOut})`,
      real(0, { beyond: 1 }),
    )
    .option("--patience <n>", `passes without improvement before stopping (default ${d.patience})`, whole(0))
    .addOption(
      new Option("--select <measure>", `what the best pass is chosen by (default ${d.select})`).choices([
        "likelihood",
        "accuracy",
      ]),
    )
    .option("--seed <n>", `seed of everything random (default ${d.seed})`, whole(Number.MIN_SAFE_INTEGER))
    .option("--from <model>", "begin with the weights of this model")
    .option("--add <answers>", "learn from the answers in a review file too; may be repeated", repeated)
    .option("--resume", "go on with a training that was stopped; options not given are those it had")
    .option("--quiet", "no progress and no summary")
    .option("--json", "print a summary as one JSON object on standard output");
  addFormerName(command, "--epochs <n>", "passes");
  addThreadOptions(command)
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram train tag train.txt --out model.sg", "built-in attributes, good defaults"],
        ["stargram train tag train.txt --template chunk.tpl --order 3 --out model.sg", "a CRF++ template"],
        ["stargram train tag letter.data.gz --folds 0,2-9 --order 4 --contexts 40 --out letters.sg", "handwriting"],
        ["stargram train tag train.txt --out model.sg --resume", "go on after Ctrl-C or a power cut"],
        ["stargram train tag --from model.sg --add left.tsv --out new.sg", "learn from the answers of a review alone"],
        ["stargram train tag train.txt --add left.tsv --out new.sg", "train anew with the answers: slower and better"],
      ),
    )
    .action(trainTag);
}

interface TrainFlags extends ThreadFlags, TrainingFlags {
  template?: string;
}

/** Everything that decides which model comes out, apart from the data: kept in the checkpoint. */
const settingsSchema = v.object({
  task: v.literal("tagger"),
  options: v.pipe(v.record(v.string(), v.union([v.number(), v.string(), v.boolean()])), v.transform(withCurrentNames)),
  format: v.optional(v.picklist(taggingFormats)),
  pixels: v.optional(v.picklist(pixelChoices)),
  folds: v.optional(v.string()),
  labelSets: v.optional(v.boolean()),
  deterministic: v.optional(v.boolean()),
  features: v.optional(v.picklist(["text", "chunking"])),
  /** The text of the template. */
  template: v.optional(v.string()),
  /** SHA-256 of the model that training began with. */
  from: v.optional(v.string()),
});
type Settings = v.InferOutput<typeof settingsSchema>;

const readingNames = ["format", "pixels", "folds", "labelSets", "features", "deterministic"] as const;

async function trainTag(files: string[], flags: TrainFlags, command: Command): Promise<void> {
  needed(flags.out, "--out MODEL");
  const started = performance.now();
  const unfinished = await beginTraining("tagger", files, flags);
  const fromBytes = flags.from === undefined ? undefined : await readModelBytes(flags.from);
  const chosen = await chosenSettings(command, flags, fromBytes);
  const from = fromBytes && decodeModel(fromBytes, flags.from);
  if (from && !(from instanceof Tagger)) throw new InputError("this model is no tagger", { file: flags.from });
  const onlyAnswers = from !== undefined && files.length === 0;
  if (onlyAnswers) goOnWith(chosen, from);
  const settings = resumedSettings(chosen, unfinished) ?? chosen;
  const run = new TrainingRun(unfinished, "sequences", flags.quiet);
  const input: InputNote = onlyAnswers ? inputNoteOf(from) : {};
  async function* sequences(): AsyncGenerator<TaggingSequence> {
    for await (const sequence of readAll(files, flags.add ?? [], settings, input)) {
      run.read([sequence.columns, sequence.attributes, sequence.values, sequence.labels]);
      yield sequence;
    }
    run.allRead(settings.options.l2 === undefined && !onlyAnswers);
  }
  try {
    const tagger = await Tagger.train(sequences(), {
      ...settings.options,
      ...crewOf({ threads: flags.threads, deterministic: settings.deterministic }, flags.quiet),
      template: settings.template,
      templateFile: flags.template,
      features: settings.features,
      from,
      keep: onlyAnswers,
      checkpoint: unfinished.saved?.checkpoint,
      note: { input },
      ...run.hooks(settings),
    });
    run.checkLearned(tagger.summary);
    if (from && !flags.quiet && !tagger.attributes.all().some((name) => from.attributes.indexOf(name) >= 0)) {
      say(`no attribute of ${flags.from} is in the data: its weights were of no use`);
    }
    await finishTraining("tagger", tagger, files, flags, unfinished, () =>
      report(tagger, flags, (performance.now() - started) / 1000),
    );
  } finally {
    run.end();
  }
}

/** What the user chose, filled up with defaults. */
async function chosenSettings(command: Command, flags: TrainFlags, from: Uint8Array | undefined): Promise<Chosen> {
  const options: Record<string, number | string | boolean> = { ...taggerDefaults };
  const explicit: string[] = [];
  const settings: Settings = { task: "tagger", options };
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  for (const name of taggerOptionNames) {
    if (!isGiven(name)) continue;
    options[name] = command.getOptionValue(name);
    explicit.push(name);
  }
  for (const name of readingNames) {
    if (!isGiven(name)) continue;
    Object.assign(settings, { [name]: command.getOptionValue(name) });
    explicit.push(name);
  }
  if (flags.template !== undefined) {
    settings.template = await readWholeText(flags.template);
    explicit.push("template");
  }
  if (from) {
    settings.from = modelFingerprint(from);
    explicit.push("from");
  }
  return { ...settings, explicit };
}

interface Chosen extends Settings {
  /** Names of what was given on the command line. */
  explicit: readonly string[];
}

/** The settings of the training to be resumed, if there is one; what is given anew must be the same. */
function resumedSettings(chosen: Chosen, { saved, path }: Unfinished): Settings | undefined {
  if (!saved) return undefined;
  const parsed = v.safeParse(settingsSchema, saved.settings);
  if (!parsed.success) {
    throw new InputError("the checkpoint holds settings that are not those of a tagger", { file: path });
  }
  const all: Record<string, unknown> = { ...chosen, ...chosen.options };
  const given = Object.fromEntries(chosen.explicit.map((name) => [name, all[name]]));
  checkResumed(given, { ...parsed.output, ...parsed.output.options }, path);
  return parsed.output;
}

/** The sequences of all files; the format of the first and its number of columns hold for all. */
async function* readAll(
  files: readonly string[],
  answers: readonly string[],
  settings: Settings,
  input: InputNote,
): AsyncGenerator<TaggingSequence> {
  let format: TaggingFormat | undefined = settings.format;
  for (const file of files) {
    const { pixels, folds, labelSets } = settings;
    const stream = readTagging(file, {
      format,
      labelled: true,
      pixels,
      folds: folds === undefined ? undefined : parseFolds(folds),
      labelSets,
      onFormat: (found) => {
        format = found;
        Object.assign(input, { format, pixels, labelSets });
      },
    });
    for await (const sequence of stream) {
      if (sequence.columns && format !== "letters") checkWidth(sequence, input, files[0]);
      yield sequence;
    }
  }
  for (const file of answers) {
    for (const item of await readAnswers(file)) yield sequenceOf(item, file);
  }
}

/** Learning from answers alone goes on as the model was trained. */
function goOnWith(chosen: Chosen, from: Tagger): void {
  for (const [name, value] of Object.entries(keptOptions(from))) {
    if (!chosen.explicit.includes(name)) chosen.options[name] = value;
  }
  const { source } = from;
  if (source.kind === "template") chosen.template ??= source.text;
  else if (source.kind === "text" || source.kind === "chunking") chosen.features ??= source.kind;
}

function checkWidth(sequence: TaggingSequence, input: InputNote, first: string): void {
  const width = (sequence.columns as string[][])[0].length;
  input.columns ??= width;
  if (width === input.columns) return;
  throw new InputError(`${plural(width, "column")} and a label, where the data begins with ${input.columns}`, {
    file: sequence.file,
    line: sequence.line,
    hint: `all data must have the columns of ${first === "-" ? "the first sequence" : first}`,
  });
}

async function report(tagger: Tagger, flags: TrainFlags, seconds: number): Promise<void> {
  const { summary, labels, attributeCount: attributes, weights } = tagger;
  const nonZero = weights.reduce((count, weight) => count + (weight !== 0 ? 1 : 0), 0);
  const best = summary.history.find((pass) => pass.pass === summary.bestPass);
  if (flags.json) {
    await writeJson({
      model: flags.out,
      kind: "tagger",
      labels: labels.size,
      attributes,
      weights: nonZero,
      sequences: summary.sequences,
      tokens: summary.positions,
      passes: summary.history.length,
      bestPass: summary.bestPass,
      stopped: summary.stopped,
      heldOut: best?.heldOut,
      seconds,
      history: withOldNames(summary.history),
      options: withOldNames(tagger.options),
      source: tagger.source.kind,
    });
  }
  if (flags.quiet) return;
  const size = `${plural(labels.size, "label")}, ${plural(attributes, "attribute")}, ${plural(nonZero, "weight")}`;
  const passes = summary.history.length;
  const chosen = best ? `pass ${best.pass} of ${passes}` : "part of a pass";
  const judged = best?.heldOut ? `, held out ${percent(best.heldOut.accuracy)} of labels right` : "";
  say(`${flags.out}: ${size} from ${plural(summary.sequences, "sequence")}; ${chosen}${judged}; ${duration(seconds)}`);
}
