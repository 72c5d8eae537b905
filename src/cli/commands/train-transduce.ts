// `stargram train transduce`: learns a transducer from pairs that nobody has aligned.

import { type Command, InvalidArgumentError, Option } from "commander";
import * as v from "valibot";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { kindsOf, layoutOf, type PairLayout, pairFormats, symbolKinds } from "../../formats/pair-lines.js";
import { readPairs } from "../../formats/read.js";
import { trainingLimits } from "../../learn/limits.js";
import { withCurrentNames, withOldNames } from "../../learn/old-names.js";
import { readModelBytes } from "../../model/file.js";
import { MOST_WORDS, strategies, type TransducerOptions, transducerDefaults } from "../../tasks/transduce/options.js";
import { type TrainTransducerOptions, Transducer } from "../../tasks/transduce/transducer.js";
import { InputError } from "../../util/errors.js";
import { duration, percent, plural } from "../../util/text.js";
import { decodeModel } from "../../workflows/model.js";
import { addFormerName, examples, groupOf, needed, real, repeated, whole } from "../options.js";
import { say, writeJson } from "../output.js";
import { pairOf, readAnswers } from "../review-items.js";
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

const d = transducerDefaults;
const limits = trainingLimits;

const notes = `
PAIRS holds an input and an output a line; several files are read one after the other, gzip is unpacked. Formats:
  tsv        input TAB output; --columns 2,3 takes other columns
  cmudict    WORD  P R O N, with variants WORD(2) and comments, as in the CMU pronouncing dictionary
Each side is cut at spaces (tokens) or into characters (chars); if it is not said, a side that has spaces on most lines is
made of tokens.
Pairs with the same input are several right answers for it. No alignment is needed: it is learned.
What is not given is chosen by the data: --max-emit so that 999 of 1,000 pairs can be aligned, --min-count, --l2 and
--held-out by the number of pairs; with 1,000 inputs or more --l2 is chosen on held-out pairs. Held-out pairs choose the
best pass and calibrate the probabilities; with --words they also choose the weight of the model of words, where none is
given. Give --words without a number last, or the word that follows is taken for its number.

First Ctrl-C: the model so far and a checkpoint are saved (before the first pass, while --l2 is being chosen or alignments are
imputed for --strategy forced, there is nothing to save). Second: ends at once, files stay as they were.`;

/** The options that say how pairs are read. */
export function addPairOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "format of the pairs").choices(pairFormats))
    .addOption(new Option("--input <kind>", "symbols of the input side").choices(symbolKinds))
    .addOption(new Option("--output <kind>", "symbols of the output side").choices(symbolKinds))
    .option("--columns <list>", "tsv: the columns of input and output (default 1,2)", columnPair)
    .option("--reverse", "learn to write the inputs from the outputs")
    .option("--no-stress", "cmudict: drop the stress of vowels");
}

/** The options that say how to learn. */
export function addTransducerOptions(command: Command): Command {
  command
    .addOption(
      new Option("--strategy <name>", `how contexts are chosen while learning (default ${d.strategy})`).choices(
        strategies,
      ),
    )
    .option("--max-emit <n>", "most output symbols for one input symbol", whole(1))
    .option("--order <n>", `how many moves back a decision looks (default ${d.order})`, whole(0))
    .option("--contexts <n>", `contexts to keep at each slot (default ${d.contexts})`, whole(0))
    .option("--window <n>", `input symbols to look at on either side (default ${d.window})`, whole(0))
    .option("--min-count <n>", "leave out features seen fewer times", whole(1))
    .option(
      "--joint-grams <n>",
      "graphones that a joint n-gram model looks back (default 6 from 1,000 inputs on; 0: none)",
      whole(0),
    )
    .addOption(
      new Option("--words [x]", "let a model of the outputs' words help to choose; with a number, with that weight")
        .preset("chosen")
        .argParser(wordsFlag),
    )
    .option("--passes <n>", `passes over the pairs at most (default ${d.passes})`, whole(1))
    .option("--rate <x>", `step size (default ${d.rate})`, real(0, { above: true, most: limits.rate }))
    .option("--l2 <x>", "strength of L2 regularisation", real(0, { most: limits.l2 }))
    .option("--held-out <share>", "share of the inputs held out", real(0, { beyond: 1 }))
    .option("--patience <n>", `passes without improvement before stopping (default ${d.patience})`, whole(0))
    .option("--seed <n>", `seed of everything random (default ${d.seed})`, whole(Number.MIN_SAFE_INTEGER));
  addFormerName(command, "--epochs <n>", "passes");
  return addThreadOptions(command);
}

export function register(program: Command): void {
  const command = groupOf(program, "train", "learn a model from data")
    .command("transduce")
    .summary("learn a transducer")
    .description("Learn to write outputs for inputs of other lengths from pairs, without alignments.")
    .argument("[pairs...]", "pairs: files, or `-` for standard input; may be left out with --from and --add")
    .option("--out <model>", "the file to write the model to");
  addTransducerOptions(addPairOptions(command))
    .option("--from <model>", "go on with this model: its symbols, features and weights")
    .option("--add <answers>", "learn from the answers in a review file too; may be repeated", repeated)
    .option("--resume", "go on with a training that was stopped; options not given are those it had")
    .option("--quiet", "no progress and no summary")
    .option("--json", "print a summary as one JSON object on standard output")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram train transduce words.tsv --out g2p.sg", "spelling to pronunciation, good defaults"],
        ["stargram train transduce cmudict.dict --no-stress --out g2p.sg", "from a CMU dictionary"],
        ["stargram train transduce words.tsv --reverse --out p2g.sg", "pronunciation to spelling"],
        ["stargram train transduce words.tsv --out g2p.sg --resume", "go on after Ctrl-C or a power cut"],
        [
          "stargram train transduce --from g2p.sg --add left.tsv --out new.sg",
          "learn from the answers of a review alone",
        ],
        ["stargram train transduce words.tsv --add left.tsv --out new.sg", "train anew with the answers"],
        ["stargram train transduce names.tsv --input chars --output chars --out names.sg", "a name in another script"],
      ),
    )
    .action(trainTransduce);
}

/** Nothing, for a weight that held-out pairs choose, or the weight. */
function wordsFlag(text: string): number | "chosen" {
  if (text === "chosen") return text;
  if (!/^[-+.\d]/.test(text)) {
    throw new InvalidArgumentError("It takes a number or nothing: to have its weight chosen, give it after the files.");
  }
  return real(0, { most: MOST_WORDS })(text);
}

function columnPair(text: string): [number, number] {
  const match = /^([1-9]\d{0,5}),([1-9]\d{0,5})$/.exec(text);
  if (!match) throw new InvalidArgumentError("Two columns such as 2,3 are needed.");
  return [Number(match[1]), Number(match[2])];
}

const optionNames = [
  "strategy",
  "maxEmit",
  "order",
  "contexts",
  "window",
  "minCount",
  "words",
  "jointGrams",
  "passes",
  "rate",
  "l2",
  "heldOut",
  "patience",
  "seed",
] as const;
const layoutNames = ["format", "input", "output", "columns", "reverse", "stress"] as const;

/** The options given on a command line, by name. */
function given(command: Command, names: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    if (command.getOptionValueSource(name) === "cli") found[name] = command.getOptionValue(name);
  }
  return found;
}

/** Everything that decides which model comes out, apart from the data: kept in the checkpoint. */
const settingsSchema = v.object({
  task: v.literal("transducer"),
  /** Options of the transducer that were given. */
  options: v.pipe(v.record(v.string(), v.union([v.number(), v.string()])), v.transform(withCurrentNames)),
  /** How pairs are read, as far as it was given. */
  layout: v.record(v.string(), v.unknown()),
  deterministic: v.optional(v.boolean()),
  /** SHA-256 of the model that training began with. */
  from: v.optional(v.string()),
});
type Settings = v.InferOutput<typeof settingsSchema>;

interface Training extends Pick<TrainingFlags, "from" | "add" | "quiet"> {
  unfinished?: Unfinished;
  /** Told of each pair. */
  onPair?(pair: SymbolPair): void;
  /** In place of what the command line says. */
  instead?: Pick<TrainTransducerOptions, "jointGrams" | "words">;
}

/** Trains on the pairs of files as the command line says. */
export async function trainOnFiles(
  files: readonly string[],
  command: Command,
  { quiet, from: path, add = [], unfinished = {}, onPair, instead }: Training,
): Promise<Transducer> {
  const fromBytes = path === undefined ? undefined : await readModelBytes(path);
  const from = fromBytes && transducerIn(fromBytes, path);
  const chosen = chosenSettings(command, fromBytes);
  const settings = resumedSettings(chosen, unfinished) ?? chosen;
  const run = new TrainingRun(unfinished, "pairs", quiet);
  const input: Partial<PairLayout> = { ...(from ? layoutOf(from) : {}), ...settings.layout };
  async function* pairs(): AsyncGenerator<SymbolPair> {
    for await (const pair of readAll(files, add, input)) {
      run.read([pair.input, pair.output]);
      onPair?.(pair);
      yield pair;
    }
    run.allRead(settings.options.l2 === undefined && !from);
  }
  try {
    const transducer = await Transducer.train(pairs(), {
      ...settings.options,
      ...instead,
      from,
      checkpoint: unfinished.saved?.checkpoint,
      note: { input },
      ...crewOf({ ...command.opts<ThreadFlags>(), deterministic: settings.deterministic }, quiet),
      ...run.hooks(settings),
    });
    run.checkLearned(transducer.summary);
    if (!transducer.weights.every(Number.isFinite)) {
      throw new InputError("the weights grew without bound", { hint: "try a smaller --rate or a larger --l2" });
    }
    return transducer;
  } finally {
    run.end();
  }
}

/** The pairs of all files and answers; the layout of the first is put into `input` and holds for all. */
async function* readAll(
  files: readonly string[],
  answers: readonly string[],
  input: Partial<PairLayout>,
): AsyncGenerator<SymbolPair> {
  for (const file of files) {
    yield* readPairs(file, { ...input, onLayout: (layout) => Object.assign(input, layout) });
  }
  for (const file of answers) {
    const { written } = kindsOf(input as PairLayout);
    for (const item of await readAnswers(file)) yield pairOf(item, file, written);
  }
}

function transducerIn(bytes: Uint8Array, path: string | undefined): Transducer {
  const model = decodeModel(bytes, path);
  if (!(model instanceof Transducer)) throw new InputError("this model is no transducer", { file: path });
  return model;
}

/** What was given on the command line. */
function chosenSettings(command: Command, from: Uint8Array | undefined): Settings {
  return {
    task: "transducer",
    options: given(command, optionNames) as Settings["options"],
    layout: given(command, layoutNames),
    deterministic: command.opts<ThreadFlags>().deterministic,
    from: from && modelFingerprint(from),
  };
}

/** The settings of the training to be resumed, if there is one; what is given anew must be the same. */
function resumedSettings(chosen: Settings, { saved, path }: Unfinished): Settings | undefined {
  if (!saved) return undefined;
  const parsed = v.safeParse(settingsSchema, saved.settings);
  if (!parsed.success) {
    throw new InputError("the checkpoint holds settings that are not those of a transducer", { file: path });
  }
  const named = ({ options, layout, deterministic, from }: Settings) => ({
    ...options,
    ...layout,
    deterministic,
    from,
  });
  checkResumed(named(chosen), named(parsed.output), path);
  return parsed.output;
}

async function trainTransduce(files: string[], flags: TrainingFlags, command: Command): Promise<void> {
  needed(flags.out, "--out MODEL");
  const started = performance.now();
  const unfinished = await beginTraining("transducer", files, flags);
  const { from, add, quiet } = flags;
  const transducer = await trainOnFiles(files, command, { from, add, quiet, unfinished });
  await finishTraining("transducer", transducer, files, flags, unfinished, () =>
    report(transducer, flags, (performance.now() - started) / 1000),
  );
}

async function report(transducer: Transducer, flags: TrainingFlags, seconds: number): Promise<void> {
  const { summary, weights, options } = transducer;
  const best = summary.history.find((pass) => pass.pass === summary.bestPass);
  if (flags.json) {
    await writeJson({
      model: flags.out,
      kind: "transducer",
      inputSymbols: transducer.inputSymbols.size,
      outputSymbols: transducer.outputSymbols.size,
      weights: weights.length,
      pairs: summary.pairs,
      inputs: summary.inputs,
      alignedTrainingPairs: summary.alignedPairs,
      passes: summary.history.length,
      bestPass: summary.bestPass,
      temperature: summary.temperature,
      stopped: summary.stopped,
      heldOut: best?.heldOut,
      seconds,
      history: withOldNames(summary.history),
      options: withOldNames(options),
    });
  }
  if (flags.quiet) return;
  const passes = summary.history.length;
  const chosen = best ? `pass ${best.pass} of ${passes}` : "part of a pass";
  const judged = best?.heldOut ? `, held out ${percent(best.heldOut.exact)} of outputs right` : "";
  say(
    `${flags.out}: ${plural(weights.length, "weight")} from ${plural(summary.pairs, "pair")}; ${chosen}${judged}; ${duration(seconds)}`,
  );
  const left = summary.pairs - summary.alignedPairs;
  if (left > 0) say(`${plural(left, "pair")} had no alignment ${whyUnaligned(options)}`);
}

/** RCMS covers every alignment there can be; other strategies keep some contexts alone, with the alignments in them. */
function whyUnaligned({ strategy, maxEmit }: TransducerOptions): string {
  const short = `with at most ${plural(maxEmit, "output symbol")} for an input symbol`;
  return strategy === "rcms"
    ? `${short}; see --max-emit`
    : `in the contexts that --strategy ${strategy} keeps (rcms covers every alignment), or none ${short}; see --strategy and --max-emit`;
}
