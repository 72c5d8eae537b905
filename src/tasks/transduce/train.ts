// Training of a transducer: symbols and rows from the pairs, passes over them, and what held-out inputs decide after the last.

import { Alphabet } from "../../engine/alphabet.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import type { Part } from "../../learn/held-out.js";
import { trainingOptions } from "../../learn/options.js";
import { hookNames, hooksOf, type Trained, type TrainingHooks } from "../../learn/training.js";
import { InputError } from "../../util/errors.js";
import { declaredOf } from "../../util/options.js";
import { type View, viewsOf } from "./classes.js";
import { END, START } from "./emits.js";
import { TransducerEngine, type TransducerShape } from "./engine.js";
import { partOf, readJudges } from "./judges.js";
import { TransducerLearner } from "./learner.js";
import type { MemberParts } from "./member.js";
import {
  chooseOptions,
  crosses,
  type GivenTransducerOptions,
  hasEdges,
  inferenceOf,
  keptOptions,
  MOST_WORDS,
  readTransducerOptions,
  shapeOf,
  type TransducerOptions,
  transducerDefaults,
  transducerOptions,
  triesWords,
} from "./options.js";
import { appended, checkPair, type PairCorpus, PairCorpusBuilder, reversedCorpus, togetherOf } from "./pairs.js";
import { type Powers, plainPowers } from "./powers.js";
import { imputeMoves, makeRows, penaltyFor } from "./preparation.js";
import { type Runs, runAll, titled } from "./runs.js";
import { type CutCorpus, cut, cutCorpus, wholeKinds } from "./symbols.js";
import { SPACE, type TrainTransducerOptions, Transducer, type TransducerSummary } from "./transducer.js";
import { chooseKinds } from "./trials.js";
import { chooseTemperature, type Tuned, tuneChoosers, wordCountsOf } from "./tuning.js";
import type { WordCounts } from "./word-model.js";

/** Learns from pairs. Pairs with the same input are several right answers for it. */
export async function trainTransducer(
  pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  given: TrainTransducerOptions,
): Promise<Transducer> {
  const hooks = readHooks(given);
  const inputSymbols = new Alphabet(given.from?.inputSymbols.all());
  const outputSymbols = new Alphabet(given.from?.outputSymbols.all());
  const marks = new Alphabet(given.from?.marks.all());
  const builder = new PairCorpusBuilder(inputSymbols, outputSymbols, marks, !given.from);
  const corpus = await readCorpus(pairs, builder, given.from);
  const data = { corpus, inputSymbols, outputSymbols, marks };
  if (given.from) {
    const { options } = given.from;
    const judges = given.dev && (await readJudges(given.dev, data, options, options.edgeEmit > 0));
    return new TransducerTraining(data, judges, given, hooks).run();
  }
  const before = declaredOf(transducerOptions, given.checkpoint?.chosen ?? {}) as GivenTransducerOptions;
  const chosen = { ...given, ...before };
  const kinds = await chooseKinds(data, plainOptions(chosen), given.seed ?? transducerDefaults.seed, hooks.shouldStop);
  const edges = hasEdges(corpus, plainOptions(chosen));
  const parts = cutCorpus(data, kinds ?? wholeKinds, edges);
  const judges = given.dev && (await readJudges(given.dev, parts, kinds ?? wholeKinds, edges));
  const separator = parts.outputSymbols.indexOf(SPACE);
  const words = triesWords(parts.corpus, separator, plainOptions(chosen)) ? "chosen" : chosen.words;
  return new TransducerTraining(parts, judges, { ...chosen, ...kinds, words }, hooks, !kinds).run();
}

/** A training whose pairs are read. */
class TransducerTraining {
  private readonly from: Transducer | undefined;
  /** As given, by default, or by the pairs; the penalty may still be chosen. */
  private readonly chosen: TransducerOptions;
  private readonly shape: TransducerShape;
  private readonly views: readonly View[];
  /** If a model of words is to help. */
  private readonly words: { separator: number; isOpen: boolean } | undefined;
  private readonly wordCounts: WordCounts | undefined;
  private readonly remembered: PairCorpus;
  /** Passes that `onPass` was told of. */
  private passes: number;

  private readonly corpus: PairCorpus;
  private readonly inputSymbols: Alphabet;
  private readonly outputSymbols: Alphabet;

  constructor(
    private readonly data: CutCorpus,
    /** Pairs to choose by, if they are the user's. */
    private readonly judges: PairCorpus | undefined,
    private readonly given: TrainTransducerOptions,
    private readonly hooks: TrainingHooks,
    /** Whether it was stopped before its first pass: then there is nothing to go on from. */
    private isHasty = false,
  ) {
    const { corpus, inputSymbols, outputSymbols } = data;
    this.corpus = corpus;
    this.inputSymbols = inputSymbols;
    this.outputSymbols = outputSymbols;
    const plain = plainOptions(given);
    this.from = given.from;
    this.chosen = this.from ? keptOptions(this.from.options, plain) : chooseOptions(data, plain, judges?.inputCount);
    this.shape = shapeOf(inputSymbols, outputSymbols, this.chosen);
    this.views = this.from?.rows.views ?? viewsOf(corpus, inputSymbols);
    if (this.chosen.words > 0) {
      this.words = { separator: separatorOf(outputSymbols), isOpen: given.words === "chosen" };
      this.wordCounts = this.from?.words?.counts ?? wordCountsOf(corpus, this.words.separator);
    }
    const before = this.from?.remembered;
    this.remembered = before ? togetherOf([before, corpus]) : corpus;
    this.passes = given.checkpoint?.history.length ?? 0;
  }

  async run(): Promise<Transducer> {
    const { from, given, chosen, part } = this;
    const first = await this.learnerOf(0);
    const isOpen = given.l2 === undefined && !from;
    const l2 = given.checkpoint?.l2 ?? (isOpen ? await penaltyFor(first.learner, chosen, this.stops, part) : chosen.l2);
    const options = { ...chosen, l2 };
    // One that goes on keeps the joint model it had: a few more pairs would make a worse one.
    const untuned: Tuned = {
      joints: from?.members.map(({ joint }) => joint) ?? [],
      powers: from?.powers ?? plainPowers(options.words),
    };
    const begun: Maker = (trained, tally) =>
      this.made(options, [{ ...first, trained, temperature: 1 }], untuned, tally);
    const members = [await this.trained(first, options, this.passHooks(begun))];
    const [{ trained }] = members;
    await this.afterPass(trained, begun);
    if (this.isHasty) return begun(trained);
    for (let n = 1; n < options.ensemble && !members[n - 1].trained.stopped; n++) {
      const hooks = titled(this.hooks, `member ${n + 1} of ${options.ensemble}`);
      members.push(await this.trained(await this.learnerOf(n), options, hooks));
    }
    const last = members[members.length - 1];
    if (last.trained.stopped) return begun({ ...trained, stopped: true });
    const tuned = await this.tuned(members, options);
    if (!tuned && this.tunes(options)) return begun({ ...trained, stopped: true });
    return this.made(options, members, tuned ?? untuned, first.learner.tally);
  }

  /** What to learn from and what to judge by, if pairs to choose by were given. */
  private get part(): Part | undefined {
    return this.judges && partOf(this.corpus, this.judges);
  }

  private readonly stops = (): boolean => {
    this.isHasty ||= this.hooks.shouldStop?.() ?? false;
    return this.isHasty;
  };

  /** What comes before the first pass of a member: rows, and imputed alignments if the strategy needs them. */
  private async learnerOf(n: number): Promise<BegunMember> {
    const { shape, views, from, judges } = this;
    const isBackward = n % 2 === 1;
    const turned = (corpus: PairCorpus): PairCorpus => (isBackward ? reversedCorpus(corpus) : corpus);
    const options = { ...this.chosen, seed: this.chosen.seed + (n >> 1) };
    const corpus = turned(this.corpus);
    const before = from?.members[n];
    const { rows, moves } = before ? { rows: before.rows, moves: undefined } : makeRows(corpus, shape, options, views);
    const imputed = options.strategy === "forced" ? await imputeMoves(corpus, shape, options, this.stops) : moves;
    const engine = new TransducerEngine(rows, shape, inferenceOf(options));
    const all = judges ? appended(corpus, turned(judges)) : corpus;
    const learner = new TransducerLearner(all, engine, options.strategy, imputed);
    return { isBackward, seed: options.seed, start: before?.weights, learner };
  }

  /** Runs the trainings of a member. */
  private async trained(begun: BegunMember, options: TransducerOptions, hooks: TrainingHooks): Promise<EndedMember> {
    const { from, given, part } = this;
    const { learner, seed, start } = begun;
    const training = { ...declaredOf(trainingOptions, options), seed };
    const { trained, judged } = await runAll(learner, training, hooks, {
      crosses: !from && !part && crosses(learner.corpus, given),
      seed: options.seed,
      refit: options.refit && !from,
      part,
      start,
      checkpoint: hooks.onCheckpoint && given.checkpoint,
    });
    const isOver = !this.isHasty && !trained.stopped;
    return { ...begun, trained, judged, temperature: isOver ? chooseTemperature(learner, judged) : 1 };
  }

  /** Whether held-out inputs are to say how models choose together. */
  private tunes(options: TransducerOptions): boolean {
    const isJudged = this.part !== undefined || options.heldOut > 0;
    const several = options.jointGrams > 0 || options.ensemble > 1 || this.words !== undefined;
    return !this.from && several && isJudged;
  }

  /** How models choose together; undefined if nothing says so, or if it was stopped. */
  private async tuned(members: readonly EndedMember[], options: TransducerOptions): Promise<Tuned | undefined> {
    if (!this.tunes(options) || members[0].judged?.length === 0) return undefined;
    const judged = members.map(({ learner, isBackward, judged = [], temperature }) => ({
      engine: learner.engine,
      isBackward,
      corpus: learner.corpus,
      runs: judged.map((run) => ({
        ...run,
        weights: learner.engine.arrays.placed(atTemperature(run.weights, temperature)),
      })),
    }));
    return tuneChoosers(judged, options, this.words, !this.part, this.hooks.shouldStop);
  }

  /** A transducer with the weights of a training of each member. */
  private made(
    options: TransducerOptions,
    members: readonly EndedMember[],
    { joints, powers }: Tuned,
    tally: Int32Array = members[0].learner.tally,
  ): Transducer {
    const { inputSymbols, outputSymbols, words, wordCounts } = this;
    const wordWeight = words?.isOpen ? weightOf(powers) : options.words;
    const [{ trained, temperature }] = members;
    const [first, ...others] = members.map(
      (member, m): MemberParts => ({
        backward: member.isBackward,
        rows: member.learner.engine.rows,
        weights: atTemperature(member.trained.weights, member.temperature),
        joint: joints[m],
      }),
    );
    return new Transducer({
      inputSymbols,
      outputSymbols,
      marks: this.data.marks,
      ...first,
      others,
      options: { ...options, words: wordWeight, ensemble: members.length },
      summary: summaryOf(this.corpus, trained, temperature, tally),
      note: this.given.note ?? {},
      remembered: options.lookup ? this.remembered : undefined,
      wordCounts: wordWeight > 0 ? wordCounts : undefined,
      powers,
    });
  }

  private passHooks(make: Maker): TrainingHooks {
    return {
      ...this.hooks,
      onCheckpoint: async (checkpoint) => {
        // A training stopped before its first pass has nothing to go on from: an undisturbed one might have chosen another
        // penalty, or imputed other alignments.
        if (this.isHasty) return;
        // The next pass may have begun, so the learner may have counted further.
        const { best, bestPass, history, tally } = checkpoint;
        await this.afterPass({ weights: best, bestPass, history, stopped: false }, make, tally);
        const { input, output } = this.chosen;
        await this.hooks.onCheckpoint?.({ ...checkpoint, chosen: { input, output } });
      },
    };
  }

  private async afterPass(soFar: Trained, make: Maker, tally?: Int32Array): Promise<void> {
    if (soFar.history.length === this.passes) return;
    this.passes = soFar.history.length;
    await this.given.onPass?.(make(soFar, tally), this.passes);
  }
}

/** A member before its first pass. */
interface BegunMember {
  isBackward: boolean;
  seed: number;
  /** Weights to begin with. */
  start: Float64Array | undefined;
  learner: TransducerLearner;
}

/** A member after the last, or so far. */
interface EndedMember extends BegunMember {
  trained: Trained;
  judged?: Runs["judged"];
  temperature: number;
}

type Maker = (trained: Trained, tally?: Int32Array) => Transducer;

/** What is saved is single precision; rounding here makes a saved and loaded transducer answer as this one. */
function atTemperature(weights: Float64Array, temperature: number): Float64Array {
  return weights.map((weight) => Math.fround(weight / temperature));
}

async function readCorpus(
  pairs: Iterable<SymbolPair> | AsyncIterable<SymbolPair>,
  builder: PairCorpusBuilder,
  from: Transducer | undefined,
): Promise<PairCorpus> {
  const kinds = from?.options ?? wholeKinds;
  for await (const pair of pairs) {
    checkPair(pair);
    const cutInput = cut(pair.input, kinds.input);
    const input = from && from.options.edgeEmit > 0 ? [START, ...cutInput, END] : cutInput;
    const symbols = { input, output: cut(pair.output, kinds.output), attributes: pair.attributes };
    if (from) checkKnown(from, { ...pair, ...symbols });
    builder.add(symbols);
  }
  if (builder.inputCount === 0) throw new InputError("there are no pairs to learn from");
  return builder.build();
}

/** The symbol between words. */
function separatorOf(outputSymbols: Alphabet): number {
  const separator = outputSymbols.indexOf(SPACE);
  if (separator >= 0) return separator;
  throw new InputError(
    "option `words` is for outputs in characters, spaces between words among them; there are no spaces",
    {
      hint: "if outputs were read as tokens, read them as characters: option `output`",
    },
  );
}

/** The weight of a model of words beside a probability with the power 1. */
function weightOf({ own, words }: Powers): number {
  return words > 0 ? Math.min(MOST_WORDS, words / own) : 0;
}

function summaryOf(corpus: PairCorpus, trained: Trained, temperature: number, tally: Int32Array): TransducerSummary {
  let pairs = 0;
  for (const count of corpus.answerCount) pairs += count;
  return {
    pairs,
    inputs: corpus.inputCount,
    alignedPairs: tally.subarray(0, corpus.inputCount).reduce((sum, count) => sum + count, 0),
    history: trained.history,
    bestPass: trained.bestPass,
    temperature,
    stopped: trained.stopped,
  };
}

const otherNames = ["from", "dev", "checkpoint", "onPass", "note"] as const;

/** Refuses options by name before any pair is read; those that depend on the pairs are chosen after. */
function readHooks(given: TrainTransducerOptions): TrainingHooks {
  readTransducerOptions(given, { others: [...hookNames, ...otherNames] });
  return hooksOf(given);
}

/** Options without what goes beside them. */
function plainOptions(given: TrainTransducerOptions): GivenTransducerOptions {
  const beside: readonly string[] = [...hookNames, ...otherNames];
  return Object.fromEntries(Object.entries(given).filter(([name]) => !beside.includes(name)));
}

/** Refuses a pair with symbols that a transducer has no features for. */
function checkKnown(from: Transducer, pair: SymbolPair): void {
  const isNew = (known: Alphabet) => (symbol: string) => known.indexOf(symbol) < 0;
  const found = pair.input.find(isNew(from.inputSymbols)) ?? pair.output.find(isNew(from.outputSymbols));
  if (found === undefined) return;
  throw new InputError(`the model does not know the symbol ${JSON.stringify(found)}`, {
    ...pair,
    hint: "train anew on all pairs to learn new symbols",
  });
}
