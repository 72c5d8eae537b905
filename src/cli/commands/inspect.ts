// `stargram inspect`: what is in a model, what it learned for a label, and why a prediction came out as it did.

import { stat } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { TaggingSequence } from "../../formats/sequence.js";
import { withOldNames } from "../../learn/old-names.js";
import { LanguageModel } from "../../tasks/decipher/language.js";
import type { Contribution, Tagger } from "../../tasks/tag/tagger.js";
import { Transducer } from "../../tasks/transduce/transducer.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, plural, probabilityText, table } from "../../util/text.js";
import { loadModel } from "../../workflows/disk.js";
import { inputNoteOf, readForModel, taggerOf } from "../input.js";
import { addReadOptions, examples, type ReadFlags, refuseFlags, whole } from "../options.js";
import { write, writeJson } from "../output.js";
import { likelihoodText } from "../progress.js";
import { promiseLines } from "../promises.js";

interface InspectFlags extends ReadFlags {
  label?: string;
  top: number;
  explain?: string;
  explainFrom?: string;
  sequence: number;
  position?: number;
  json?: boolean;
}

const notes = `
Positions and sequences count from 1. Features are attributes, \`labels DT NN\` for the weight of a label after DT NN (\`⋆\` after
anything, \`^\` at the beginning), and \`attribute after LABEL\`. A weight above 0 speaks for the label, below 0 against it.`;

export function register(program: Command): void {
  const command = program
    .command("inspect")
    .summary("look into a model: contents, weights, reasons")
    .description("Show what a model holds, its strongest weights for a label, or the reasons for a prediction.")
    .argument("<model>", "a model made by `stargram train`")
    .option("--label <label>", "show the strongest weights for this label; with --explain, the reasons for it")
    .option("--top <n>", "how many weights to show", whole(1), 10)
    .addOption(
      new Option("--explain <text>", "explain the labels of these tokens; columns as word/POS").conflicts(
        "explainFrom",
      ),
    )
    .option("--explain-from <file>", "explain the labels of a sequence of this file (`-`: standard input)")
    .option("--sequence <n>", "which sequence of the file", whole(1), 1)
    .option("--position <n>", "explain this position alone", whole(1))
    .option("--json", "print one JSON object");
  addReadOptions(command)
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram inspect model.sg", "labels, sizes, options, how training went"],
        ["stargram inspect model.sg --explain-from test.txt --sequence 7", "why a sequence of a file got its labels"],
        ["stargram inspect letters.sg --explain-from letter.data.gz --folds 1 --position 2", "any format will do"],
        ["stargram inspect pos.sg --label NN --top 20", "what speaks for and against a label (here a part of speech)"],
        ['stargram inspect pos.sg --explain "the dog barks" --position 2', "why `dog` got its label"],
        ['stargram inspect chunks.sg --explain "the/DT dog/NN barks/VBZ"', "the same for two columns a token"],
      ),
    )
    .action(inspect);
}

async function inspect(path: string, flags: InspectFlags): Promise<void> {
  const model = await loadModel(path);
  if (model instanceof Transducer) {
    refuseFlags(flags, ["explain", "explainFrom", "label", "position"], "taggers", path);
    const { transducerContents, transducerContentsText } = await import("../transduction.js");
    const contents = transducerContents(model, path, (await stat(path)).size);
    return flags.json ? writeJson(withOldNames(contents)) : write(transducerContentsText(contents));
  }
  if (model instanceof LanguageModel) {
    refuseFlags(flags, ["explain", "explainFrom", "label", "position"], "taggers", path);
    const { languageContents, languageContentsText } = await import("../language.js");
    const contents = languageContents(model, path, (await stat(path)).size);
    return flags.json ? writeJson(withOldNames(contents)) : write(languageContentsText(contents));
  }
  const tagger = taggerOf(model, path);
  if (flags.explain !== undefined || flags.explainFrom !== undefined) return explain(tagger, flags);
  if (flags.position !== undefined) {
    throw new InputError("--position goes with --explain or --explain-from", {
      hint: 'such as --explain "the dog barks"',
    });
  }
  if (flags.label !== undefined) return strongest(tagger, flags.label, flags);
  const contents = contentsOf(tagger, path, (await stat(path)).size);
  if (flags.json) return writeJson(withOldNames(contents));
  await write(contentsText(contents, tagger));
}

function contentsOf(tagger: Tagger, path: string, bytes: number) {
  const { rows, options, source, summary, weights } = tagger;
  return {
    model: path,
    kind: "tagger",
    bytes,
    labels: tagger.labels.all(),
    attributes: tagger.attributeCount,
    labelNgrams: rows.labelTree.row.length,
    conjunctions: rows.conjoinedTree ? rows.conjoinedTree.row.filter((row) => row >= 0).length : 0,
    weights: weights.reduce((count, weight) => count + (weight !== 0 ? 1 : 0), 0),
    features: source.kind,
    template: source.kind === "template" ? source.text : undefined,
    input: inputNoteOf(tagger),
    options,
    summary,
    calibration: tagger.calibration,
  };
}

function contentsText(contents: ReturnType<typeof contentsOf>, tagger: Tagger): string {
  const { labels, options, summary, input } = contents;
  const features: Record<string, string> = {
    text: "made from text by the built-in set",
    chunking: "made from word and part of speech by the built-in set",
    given: "given with the data",
    template: "made by a template",
  };
  const read = [input.format, input.columns && plural(input.columns, "column"), input.pixels]
    .filter(Boolean)
    .join(", ");
  const lines = [
    ["model", `tagger, ${counted(contents.bytes)} bytes`],
    ["labels", `${counted(labels.length)}: ${labels.slice(0, 20).join(" ")}${labels.length > 20 ? " …" : ""}`],
    ["attributes", `${counted(contents.attributes)}, ${features[tagger.source.kind]}`],
    ["label n-grams", `${counted(contents.labelNgrams)}, order ${options.order}`],
  ];
  if (contents.conjunctions > 0) lines.push(["conjunctions", counted(contents.conjunctions)]);
  lines.push(["weights", `${counted(contents.weights)} that are not zero`]);
  lines.push(["inference", `${options.inference}, ${plural(options.contexts, "context")}, rows ${options.rows}`]);
  if (read) lines.push(["input", read]);
  const passes = summary.history.length;
  const trained = `${plural(summary.sequences, "sequence")}, ${plural(summary.positions, "token")}, seed ${options.seed}`;
  lines.push(["trained on", trained]);
  lines.push(["", `pass ${summary.bestPass} of ${passes}${summary.stopped ? "; stopped before its end" : ""}`]);
  lines.push(...promiseLines(contents.calibration));
  const parts = [table(lines, [0, 1])];
  if (passes > 0) {
    const held = summary.history.some((pass) => pass.heldOut);
    parts.push(
      table([
        ["pass", "log-likelihood", ...(held ? ["held out", "labels right", "sequences right"] : [])],
        ...summary.history.map(({ pass, trainLogLikelihood, heldOut }) => [
          `${pass}${pass === summary.bestPass ? " *" : ""}`,
          likelihoodText(trainLogLikelihood),
          ...(heldOut
            ? [likelihoodText(heldOut.logLikelihood), percent(heldOut.accuracy), percent(heldOut.exact)]
            : []),
        ]),
      ]),
    );
  }
  if (tagger.source.kind === "template") parts.push(`template\n${tagger.source.text.replace(/^/gm, "  ").trimEnd()}\n`);
  return parts.join("\n");
}

async function strongest(tagger: Tagger, label: string, flags: InspectFlags): Promise<void> {
  const weights = tagger.strongest(label, flags.top);
  if (flags.json) return writeJson({ label, weights });
  await write(weightsText(weights));
}

function weightsText(weights: readonly Contribution[]): string {
  return table(
    weights.map(({ feature, weight }) => [`${weight >= 0 ? "+" : ""}${weight.toFixed(4)}`, feature]),
    [1],
  );
}

async function explain(tagger: Tagger, flags: InspectFlags): Promise<void> {
  const sequence = flags.explain === undefined ? await sequenceFrom(tagger, flags) : sequenceOf(flags.explain, tagger);
  const { labels, confidences = [], probability } = tagger.predict(sequence, { confidences: true });
  if (flags.position !== undefined && flags.position > labels.length) {
    throw new InputError(`the sequence has ${labels.length} positions, there is no position ${flags.position}`);
  }
  const positions = flags.position === undefined ? labels.map((_, i) => i) : [flags.position - 1];
  const explained = positions.map((i) => {
    const { label, contributions } = tagger.explain(sequence, i, flags.label);
    return {
      position: i + 1,
      token: sequence.columns && sequence.fold === undefined ? sequence.columns[i].join(" ") : undefined,
      predicted: labels[i],
      confidence: confidences[i],
      label,
      score: contributions.reduce((sum, { weight }) => sum + weight, 0),
      contributions: contributions.slice(0, flags.top),
      more: Math.max(0, contributions.length - flags.top),
    };
  });
  if (flags.json) return writeJson({ labels, probability, positions: explained });
  const parts = explained.map(({ position, token, predicted, confidence, label, score, contributions, more }) => {
    const head = `${position}${token === undefined ? "" : ` ${token}`}: ${predicted} (${probabilityText(confidence)})`;
    const about = label === predicted ? "" : `; for ${label}`;
    const rest = more > 0 ? `  … and ${plural(more, "weaker reason")}\n` : "";
    const reasons = weightsText(contributions).replace(/^(?=.)/gm, "  ");
    return `${head}${about}; score ${score.toFixed(4)}\n${reasons}${rest}`;
  });
  await write(parts.join("\n"));
}

/** Tokens between spaces; with several columns, those of a token are joined by `/`. */
function sequenceOf(text: string, tagger: Tagger): TaggingSequence {
  if (tagger.source.kind === "given") {
    throw new InputError("the model was trained on attributes, which cannot be written as text", {
      hint: "give a file: --explain-from FILE",
    });
  }
  const tokens = text.split(/\s+/).filter((token) => token !== "");
  if (tokens.length === 0) throw new InputError("there is no token to explain");
  const width = inputNoteOf(tagger).columns ?? 1;
  const columns = tokens.map((token) => {
    if (width === 1) return [token];
    const parts = token.split("/");
    if (parts.length < width) {
      throw new InputError(`\`${token}\` should have ${width} columns joined by \`/\``, {
        hint: "such as the/DT dog/NN",
      });
    }
    // A word may hold a slash: what is left over belongs to the first column.
    return [parts.slice(0, parts.length - width + 1).join("/"), ...parts.slice(parts.length - width + 1)];
  });
  return { columns };
}

async function sequenceFrom(tagger: Tagger, flags: InspectFlags): Promise<TaggingSequence> {
  const file = flags.explainFrom as string;
  let count = 0;
  for await (const { sequence } of readForModel(file, tagger, { ...flags, labels: "ignored", unknown: "allow" })) {
    if (++count === flags.sequence) return sequence;
  }
  throw new InputError(`there are ${plural(count, "sequence")}, no sequence ${flags.sequence}`, { file });
}
