// `stargram predict`: labels with probabilities for a stream of sequences, in constant memory.

import type { Command } from "commander";
import { loadModel } from "../../model/disk.js";
import type { PredictOptions, TaggerPrediction } from "../../tasks/tagger.js";
import { Transducer } from "../../tasks/transducer.js";
import { type ModelInput, readForModel, taggerOf } from "../input.js";
import {
  addInferenceOptions,
  addReadOptions,
  examples,
  type InferenceFlags,
  inferenceFrom,
  type ReadFlags,
  refuseFlags,
  whole,
} from "../options.js";
import { probabilityText, say, write, writeJson } from "../output.js";

interface PredictFlags extends ReadFlags, InferenceFlags {
  nbest?: number;
  marginals?: boolean;
  known?: boolean;
  align?: boolean;
  json?: boolean;
}

const notes = `
With a transducer: a line holds an input; input TAB output TAB probability come out, the probability being summed over
alignments; --nbest N gives N lines for each input, --align two columns more: \`p|h|o|n|e\` and \`F|_|OW|N|_\`.
With a tagger: the columns of the input, then the label and its probability at that position; a blank line ends a sequence.
  Input in columns may carry labels as one column more than the model was trained on; they are passed through.
  --nbest N      before each output a line \`# rank probability\`, the probability being that of the whole output
  --marginals    every label with its probability, \`LABEL/probability\`, the most probable first
  --json         JSON Lines: one object for each sequence with labels, confidences (of each label at its position),
                 probability (of all labels together), nbest and marginals if asked for, and given (labels that the
                 input carries)
  Input is read as the model's training data was; --format says otherwise. FILE may be packed with gzip.`;

export function register(program: Command): void {
  const command = program
    .command("predict")
    .summary("label new sequences, with probabilities")
    .description("Label the sequences of FILE, or of standard input (`-`, the default), as they come.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("[file]", "data to label", "-")
    .option("--nbest <n>", "give the n most probable outputs of each sequence", whole(1))
    .option("--marginals", "give the probability of every label at every position")
    .option("--align", "transducers: give the alignment of each output")
    .option("--known", "take the labels of the input as known and fill in those that are `_`")
    .option("--json", "print JSON Lines, an object for each sequence");
  addInferenceOptions(addReadOptions(command))
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram predict model.sg new.txt", "label a file"],
        ["zcat big.gz | stargram predict model.sg | head", "label a stream; nothing is kept in memory"],
        ["stargram predict model.sg new.txt --nbest 3", "the three most probable outputs of each sequence"],
        ["stargram predict model.sg new.txt --json --marginals", "everything, for programs"],
      ),
    )
    .action(predict);
}

async function predict(path: string, file: string, flags: PredictFlags): Promise<void> {
  const model = await loadModel(path);
  if (file === "-" && process.stdin.isTTY) say("reading from the terminal; end with Ctrl-D");
  if (model instanceof Transducer) {
    refuseFlags(flags, ["marginals", "known", "format", "pixels", "folds"], "taggers", path);
    const { predictOutputs } = await import("../transduction.js");
    return predictOutputs(model, file, flags);
  }
  refuseFlags(flags, ["align"], "transducers", path);
  const tagger = taggerOf(model, path);
  const options: PredictOptions = {
    nbest: flags.nbest,
    confidences: true,
    // The probabilities of labels of further outputs are found among all.
    marginals: flags.marginals || (flags.nbest !== undefined && !flags.json),
    inference: inferenceFrom(flags),
  };
  const labels = flags.known ? "needed" : "ignored";
  const inputs = readForModel(file, tagger, { ...flags, labels, unknown: flags.known ? "refuse" : "chunks" });
  for await (const input of inputs) {
    const { sequence } = input;
    const prediction = tagger.predict(sequence, flags.known ? { ...options, known: sequence.labels } : options);
    if (flags.json) await writeJson(jsonOf(input, prediction));
    else await write(textOf(input, prediction, flags));
  }
}

function jsonOf({ sequence, ignored }: ModelInput, prediction: TaggerPrediction): Record<string, unknown> {
  const { labels, probability, confidences, nbest, marginals } = prediction;
  const { id, fold, columns } = sequence;
  // The column of a letter is its picture, which says little in JSON.
  const input = columns && fold === undefined ? tokensOf(columns) : {};
  return { id, ...input, given: ignored, labels, probability, confidences, nbest, marginals };
}

function tokensOf(columns: readonly (readonly string[])[]): Record<string, unknown> {
  return columns.every((row) => row.length === 1) ? { tokens: columns.map((row) => row[0]) } : { columns };
}

function textOf({ shown }: ModelInput, prediction: TaggerPrediction, flags: PredictFlags): string {
  const { labels, confidences = [], marginals, nbest } = prediction;
  const all = marginals && flags.marginals ? marginals.map(marginalText) : undefined;
  const lines = (output: readonly string[], probabilities: readonly number[]): string =>
    output
      .map((label, i) => [...shown[i], label, probabilityText(probabilities[i]), ...(all?.[i] ?? [])].join("\t"))
      .join("\n");
  if (!nbest || !marginals) return `${lines(labels, confidences)}\n\n`;
  return nbest
    .map((output, rank) => {
      const probabilities = output.labels.map((label, i) => marginals[i][label]);
      return `# ${rank + 1} ${probabilityText(output.probability)}\n${lines(output.labels, probabilities)}\n\n`;
    })
    .join("");
}

function marginalText(marginals: Readonly<Record<string, number>>): string[] {
  return Object.entries(marginals)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([label, probability]) => `${label}/${probabilityText(probability)}`);
}
