// `stargram calibrate`: measures on held-out data how sure is sure enough for a promised precision, and keeps the threshold,
// its evidence and a calibration map in the model.

import type { Command } from "commander";
import type { Calibration, CalibrationMap, Guarantee } from "../../confidence/calibration.js";
import { chooseMap } from "../../confidence/calibration-map.js";
import { findThreshold, type NoThreshold, whyNoThreshold } from "../../confidence/threshold.js";
import { Tagger } from "../../tasks/tag/tagger.js";
import { Transducer } from "../../tasks/transduce/transducer.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, plural, table } from "../../util/text.js";
import { loadModel, saveModel } from "../../workflows/disk.js";
import { judge } from "../judged.js";
import { addReadOptions, examples, needed, type ReadFlags, real, whole } from "../options.js";
import { CheckFailed, say, write, writeJson } from "../output.js";

interface CalibrateFlags extends ReadFlags {
  precision: number;
  confidence: number;
  seed: number;
  json?: boolean;
}

const notes = `
HELD-OUT is labelled data that the model was not trained on, drawn like the data it will be used on. The promise: of all
answers at or above the threshold, present and future, at least the given share is right; it is made with --confidence,
the probability over the draw of HELD-OUT that it is true. A random tenth of HELD-OUT places candidate thresholds, the
rest tests them from the surest down with exact binomial tests and stops at the first that fails (fixed-sequence testing).
What is found is written into MODEL: the threshold with its evidence, and a calibration map (temperature or isotonic,
whichever has the lower cross-validated log loss). If the promise cannot be made, nothing is changed and the exit code is 1.`;

export function register(program: Command): void {
  const command = program
    .command("calibrate")
    .summary("find how sure is sure enough")
    .description("Find the threshold above which MODEL keeps a promised precision, and store it in MODEL.")
    .argument("<model>", "a model made by `stargram train`")
    .argument("<held-out...>", "labelled data that the model has not seen: files, or `-` for standard input")
    .option("--precision <share>", "share of the answers that is to be right", openShare)
    .option("--confidence <share>", "probability that the promise is true", openShare, 0.95)
    .option("--seed <n>", "chooses the examples that place the thresholds", whole(0), 1)
    .option("--json", "print one JSON object");
  addReadOptions(command)
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram calibrate model.sg held-out.txt --precision 0.99", "promise that 99 % of the answers are right"],
        ["stargram predict model.sg new.txt --precision 0.99 --review left.tsv", "answer what is sure, leave the rest"],
      ),
    )
    .action(calibrate);
}

function openShare(text: string): number {
  return real(0, { above: true, beyond: 1 })(text);
}

async function calibrate(path: string, files: string[], flags: CalibrateFlags): Promise<void> {
  needed(flags.precision, "--precision SHARE");
  const model = await loadModel(path);
  if (!(model instanceof Tagger || model instanceof Transducer)) {
    throw new InputError("only taggers and transducers can be calibrated", { file: path });
  }
  const { precision, confidence, seed } = flags;
  const { answers, positions, partial } = await judge(model, path, files, flags);
  if (partial > 0)
    say(`${plural(partial, "sequence")} with unknown labels left out: whether they are right is not known`);
  const guarantee = findThreshold(answers, { precision, confidence, seed });
  if (!guarantee) {
    const why = whyNoThreshold(answers, { precision, confidence, seed });
    if (flags.json) await writeJson({ model: path, promised: false, precision, confidence, ...why });
    throw new CheckFailed(whyText(why, flags));
  }
  const chosen = chooseMap(answers, seed);
  const before = model.calibration?.guarantees.filter((old) => old.precision !== precision) ?? [];
  const calibration: Calibration = {
    guarantees: [...before, guarantee].sort((a, b) => a.precision - b.precision),
    map: chosen.map,
    positionMap: positions.length > 0 ? chooseMap(positions, seed).map : undefined,
    examples: answers.length,
  };
  model.calibration = calibration;
  await saveModel(model, path);
  if (flags.json) {
    await writeJson({ model: path, promised: true, ...guarantee, examples: answers.length, ...chosen });
  } else await write(foundText(guarantee, chosen, answers.length));
}

function foundText(guarantee: Guarantee, { map, logLoss }: ReturnType<typeof chooseMap>, examples: number): string {
  const { precision, confidence, threshold, tested, answered, wrong } = guarantee;
  return table(
    [
      ["promise", `${share(precision)} of the answers right, with ${share(confidence)} confidence`],
      ["answer", threshold > 0 ? `when the probability is at least ${threshold}` : "everything"],
      [
        "evidence",
        `${counted(answered)} of ${counted(tested)} tested examples answered (${percent(answered / tested)}), ${counted(wrong)} wrong; at least ${percent(guarantee.lowerBound)} right`,
      ],
      [
        "calibration",
        `${mapText(map)} from ${plural(examples, "example")}; log loss ${logLoss.model.toFixed(4)}, after the map ${logLoss[map.kind].toFixed(4)}`,
      ],
    ],
    [0, 1],
  );
}

function mapText(map: CalibrationMap): string {
  return map.kind === "temperature"
    ? `temperature ${map.temperature.toFixed(3)}`
    : `isotonic, ${plural(map.from.length, "knot")}`;
}

function whyText(why: NoThreshold, { precision, confidence }: CalibrateFlags): string {
  const { surest, examples, examplesNeeded, endedBy, possible } = why;
  const lines = [
    `a precision of ${share(precision)} cannot be promised with ${share(confidence)} confidence; the model is unchanged`,
  ];
  if (surest.answered > 0) {
    lines.push(
      `of the ${plural(surest.answered, "surest answer")} ${counted(surest.wrong)} ${surest.wrong === 1 ? "is" : "are"} wrong`,
    );
  }
  if (endedBy) {
    const { answered, wrong } = endedBy;
    lines.push(
      `that would do, but surer ones are tested first: of the ${plural(answered, "surest answer")} ${counted(wrong)} ${wrong === 1 ? "is" : "are"} wrong`,
      "if that is chance, more held-out examples will show it; if not, the model is too sure where it is wrong",
    );
  } else if (examplesNeeded !== undefined) {
    lines.push(
      `if that went on, it would take about ${counted(examplesNeeded)} held-out examples (here ${counted(examples)})`,
    );
  } else lines.push("more examples would not help: the model has to get better");
  if (possible !== undefined) lines.push(`these examples would do for --precision ${possible}`);
  return lines.join("\n  ");
}

/** 0.99 as 99 %, without zeros at the end. */
function share(value: number): string {
  return `${Number((100 * value).toPrecision(12))} %`;
}
