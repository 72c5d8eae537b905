// Training of a transducer: symbols and rows from the pairs, passes over them, and what held-out inputs decide after the last.

import { Alphabet } from "../../engine/alphabet.js";
import type { SymbolPair } from "../../formats/pair-lines.js";
import { encoderPasses, encoderShape } from "../../learn/encoder/options.js";
import type { Part } from "../../learn/held-out.js";
import { trainingOptions } from "../../learn/options.js";
import { hookNames, hooksOf, type Trained, type TrainingHooks } from "../../learn/training.js";
import { type KeptEncoder, parametersOf } from "../../model/encoder.js";
import { InputError } from "../../util/errors.js";
import { declaredOf } from "../../util/options.js";
import { type View, viewsOf } from "./classes.js";
import { readCorpus } from "./corpus.js";
import { encoderEnds, MoveEncoder } from "./encoder.js";
import { TransducerEngine, type TransducerShape } from "./engine.js";
import { checkExtent, extentOf, extentText } from "./extent.js";
import { partOf, readJudges } from "./judges.js";
import { isSameKind, kindsIn, type MemberKind, memberKinds, memberSets } from "./kinds.js";
import { Learners, TransducerLearner } from "./learner.js";
import type { MemberParts } from "./member.js";
import {
  chooseOptions,
  crosses,
  DIRECTIONS,
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
import { appended, type PairCorpus, PairCorpusBuilder, reversedCorpus, togetherOf } from "./pairs.js";
import { type Powers, plainPowers } from "./powers.js";
import { imputeMoves, penaltyFor, prepare } from "./preparation.js";
import { GO_ON_PASSES, mainLearner, partsOf, type RunSettings, type Runs, runAll, titled } from "./runs.js";
import { type CutCorpus, cutCorpus, wholeKinds } from "./symbols.js";
import { SPACE, type TrainTransducerOptions, Transducer, type TransducerSummary } from "./transducer.js";
import { chooseBreadth, chooseKinds } from "./trials.js";
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
  const all = { ...chosen, ...kinds, words };
  const isOpen = kinds !== undefined && words === "chosen";
  const seed = given.seed ?? transducerDefaults.seed;
  const breadth = isOpen ? await chooseBreadth(parts, plainOptions(all), seed, hooks.shouldStop) : {};
  return new TransducerTraining(parts, judges, { ...all, ...breadth }, hooks, !kinds).run();
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
    if (!from && !given.checkpoint) this.announce();
    const [kind] = this.kindsOf(chosen.encoder, 1);
    const first = await this.begun(kind);
    const isOpen = given.l2 === undefined && !from;
    const l2 = given.checkpoint?.l2 ?? (isOpen ? await penaltyFor(first.main, chosen, this.stops, part) : chosen.l2);
    const options = { ...chosen, l2 };
    // One that goes on keeps the joint model it had: a few more pairs would make a worse one.
    const untuned: Tuned = {
      joints: from?.members.map(({ joint }) => joint) ?? [],
      powers: from?.powers ?? plainPowers(options.words),
      kept: [...Array(options.ensemble).keys()],
    };
    const begun: Maker = (trained, tally) =>
      this.made(options, [{ ...first, learner: first.main, trained, temperature: 1 }], untuned, tally);
    const members = [await this.trained(first, options, this.passHooks(begun))];
    const [{ trained }] = members;
    await this.afterPass(trained, begun);
    if (this.isHasty) return begun(trained);
    const together = await this.together(members, options, options.encoder);
    if (!together) return begun({ ...trained, stopped: true });
    const { tuned = untuned, ...ended } = together;
    return this.made({ ...options, encoder: ended.encoder }, ended.members, tuned);
  }

  /** Says how long a training on many pairs will take, and refuses one that needs more memory than there is. */
  private announce(): void {
    const { chosen, corpus, shape, views, hooks } = this;
    const kinds = this.kindsOf(chosen.encoder, chosen.ensemble);
    const passes = kinds.map((kind) => this.passesOf(kind, chosen) + (chosen.refit ? GO_ON_PASSES : 0));
    const extent = extentOf(corpus, passes, (some, n) => {
      const own = turned(some, kinds[n]);
      const { rowsOf, moves } = prepare(own, shape, chosen, views, kinds[n].encoded);
      const encoder = kinds[n].encoded ? this.encoderOf(own, chosen, undefined) : undefined;
      const engine = new TransducerEngine(rowsOf(), shape, inferenceOf(chosen), encoder);
      return new TransducerLearner(own, engine, "rcms", moves);
    });
    if (!extent) return;
    if (hooks.memory !== undefined) checkExtent(corpus, extent, hooks.memory);
    hooks.onNotice?.(extentText(corpus, extent));
  }

  /**
   * All members of an ensemble, those that are there already among them, and how they choose together; undefined if it was stopped. If
   * one kind of them is clearly better, all are of that kind.
   */
  private async together(
    before: readonly EndedMember[],
    options: TransducerOptions,
    encoder: TransducerOptions["encoder"],
  ): Promise<{ members: EndedMember[]; encoder: TransducerOptions["encoder"]; tuned?: Tuned } | undefined> {
    const isOneKind = encoder !== options.encoder;
    const kinds = this.kindsOf(encoder, isOneKind ? (this.given.ensemble ?? DIRECTIONS) : options.ensemble);
    const members: EndedMember[] = [];
    for (const [n, kind] of kinds.entries()) {
      const hooks = titled(this.hooks, `member ${n + 1} of ${kinds.length}`);
      const known = before.find((member) => isSameKind(member.kind, kind));
      const member = known ?? (await this.trained(await this.begun(kind, n), options, hooks));
      if (member.trained.stopped) return undefined;
      members.push(member);
    }
    const sets = memberSets(kinds);
    const tuned = await this.tuned(members, options, sets);
    if (!tuned && this.tunes(options)) return undefined;
    if (!tuned || tuned.kept === sets[0]) return { members, encoder, tuned };
    return this.together(members, options, kinds[tuned.kept[0]].encoded ? "conv" : "none");
  }

  /** The kinds of so many members: those that there are, if a transducer learns on. */
  private kindsOf(encoder: TransducerOptions["encoder"], count: number): MemberKind[] {
    return this.from ? kindsIn(this.from.members) : memberKinds(encoder, count);
  }

  /** What to learn from and what to judge by, if pairs to choose by were given. */
  private get part(): Part | undefined {
    return this.judges && partOf(this.corpus, this.judges);
  }

  private readonly stops = (): boolean => {
    this.isHasty ||= this.hooks.shouldStop?.() ?? false;
    return this.isHasty;
  };

  /**
   * What comes before the first pass of a member: rows, and imputed alignments if the strategy needs them. One that goes on does so
   * from the `n`-th member there is.
   */
  private async begun(kind: MemberKind, n = 0): Promise<BegunMember> {
    const { shape, views, from, judges, part, given } = this;
    const options = { ...this.chosen, seed: this.chosen.seed + kind.turn };
    const corpus = turned(this.corpus, kind);
    const before = from?.members[n];
    const { rowsOf, moves } = before
      ? { rowsOf: () => before.rows, moves: undefined }
      : prepare(corpus, shape, options, views, kind.encoded);
    const imputed = options.strategy === "forced" ? await imputeMoves(corpus, shape, options, this.stops) : moves;
    const encoder = kind.encoded ? this.encoderOf(corpus, options, before?.encoder) : undefined;
    const engineOf = (inputs?: Int32Array): TransducerEngine =>
      new TransducerEngine(rowsOf(inputs), shape, inferenceOf(options), encoder);
    const all = judges ? appended(corpus, turned(judges, kind)) : corpus;
    const learners = new Learners(all, engineOf, options.strategy, imputed);
    // What is held out is the same for all members.
    const parts = part ? [part] : partsOf(learners, this.chosen, !from && crosses(corpus, given));
    const main = mainLearner(learners, parts);
    const refit = options.refit && !from && !part;
    return { kind, seed: options.seed, learners, parts, main, refit, start: before?.weights };
  }

  /** A network that is to learn, or to learn on. */
  private encoderOf(
    corpus: PairCorpus,
    options: TransducerOptions,
    before: KeptEncoder | undefined,
  ): ReturnType<typeof MoveEncoder.learning> {
    const { views, shape, data } = this;
    const seen = { boundary: shape.boundary, views, marks: data.marks.size };
    const { inputs, outputs } = encoderEnds(seen, shape.symbolCount);
    const own = before?.shape ?? encoderShape("conv", options, inputs, outputs);
    return MoveEncoder.learning(own, seen, corpus, options.dropout, before && parametersOf(before));
  }

  /** Passes of a member, before it goes on with everything. */
  private passesOf({ encoded }: MemberKind, { passes }: TransducerOptions): number {
    const { given, corpus, from } = this;
    return encoded && !from ? (given.passes ?? encoderPasses(corpus.inputCount, LEARNED)) : passes;
  }

  /** Runs the trainings of a member. */
  private async trained(begun: BegunMember, options: TransducerOptions, hooks: TrainingHooks): Promise<EndedMember> {
    const { given } = this;
    const { encoded } = begun.kind;
    const passes = this.passesOf(begun.kind, options);
    const training = { ...declaredOf(trainingOptions, options), passes, seed: begun.seed };
    const checkpoint = hooks.onCheckpoint && given.checkpoint;
    // The steps of a network follow one another: beside members that others learn, it learns here.
    const crew = encoded && options.encoder === "auto" ? undefined : hooks.crew;
    const runs = await runAll(training, { ...hooks, crew }, { ...begun, checkpoint });
    const isOver = !this.isHasty && !runs.trained.stopped;
    return { ...begun, ...runs, temperature: isOver ? chooseTemperature(runs.judged) : 1 };
  }

  /** Whether held-out inputs are to say how models choose together. */
  private tunes(options: TransducerOptions): boolean {
    const isJudged = this.part !== undefined || options.heldOut > 0;
    const several = options.jointGrams > 0 || options.ensemble > 1 || this.words !== undefined;
    return !this.from && several && isJudged;
  }

  /** How models choose together; undefined if nothing says so, or if it was stopped. */
  private async tuned(
    members: readonly EndedMember[],
    options: TransducerOptions,
    sets: readonly (readonly number[])[],
  ): Promise<Tuned | undefined> {
    if (!this.tunes(options) || members[0].judged?.length === 0) return undefined;
    const judged = members.map(({ kind, judged = [], temperature }) => ({
      isBackward: kind.backward,
      runs: judged.map((run) => ({
        ...run,
        weights: run.learner.engine.arrays.placed(atTemperature(run.weights, temperature)),
        network: run.network && { ...run.network, scale: Math.fround(1 / temperature) },
      })),
    }));
    return tuneChoosers(judged, options, this.words, !this.part, this.hooks.shouldStop, sets);
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
        backward: member.kind.backward,
        rows: member.learner.engine.rows,
        weights: atTemperature(member.trained.weights, member.temperature),
        encoder: keptEncoder(member),
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
        const { best, bestPass, history, tally, encoder } = checkpoint;
        const network = encoder?.parameters;
        await this.afterPass({ weights: best, network, bestPass, history, stopped: false }, make, tally);
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
interface BegunMember extends RunSettings {
  kind: MemberKind;
  seed: number;
}

/** A member after the last, or so far. */
interface EndedMember extends BegunMember {
  trained: Trained;
  /** Whose rows its weights are of. */
  learner: TransducerLearner;
  judged?: Runs["judged"];
  temperature: number;
}

/** The pairs as a member sees them. */
function turned(corpus: PairCorpus, { backward }: MemberKind): PairCorpus {
  return backward ? reversedCorpus(corpus) : corpus;
}

type Maker = (trained: Trained, tally?: Int32Array) => Transducer;

/** What is saved is single precision; rounding here makes a saved and loaded transducer answer as this one. */
function atTemperature(weights: Float64Array, temperature: number): Float64Array {
  return weights.map((weight) => Math.fround(weight / temperature));
}

function keptEncoder({ learner, trained, temperature }: EndedMember): KeptEncoder | undefined {
  const { encoder } = learner.engine;
  if (!encoder || !trained.network) return undefined;
  return { shape: encoder.network.shape, parameters: trained.network, scale: Math.fround(1 / temperature) };
}

/** Inputs that a network learns from in all its passes, about. */
const LEARNED = 36_000;

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
