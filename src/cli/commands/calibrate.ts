// `stargram calibrate`: measures on held-out data how sure is sure enough for a promised precision, and keeps the threshold,
// its evidence and a calibration map in the model.

import type { Command } from "commander";
import type { CalibrationMap, Guarantee } from "../../confidence/calibration.js";
import type { chooseMap } from "../../confidence/calibration-map.js";
import type { NoThreshold } from "../../confidence/threshold.js";
import { type LearningTask, learningTasks } from "../../tasks/task.js";
import { counted, percent, plural, table } from "../../util/text.js";
import { type CalibrateOptions, calibrateOn, calibrateOptions } from "../../workflows/calibrate.js";
import { loadModel, saveModel } from "../../workflows/disk.js";
import { judge } from "../../workflows/judge.js";
import { predictorOf } from "../../workflows/model.js";
import { addDeclared, addUnion, givenFor, givenOf } from "../declared.js";
import { inputsOf } from "../model-data.js";
import { examples, needed } from "../options.js";
import { CheckFailed, say, write, writeJson } from "../output.js";

const rereading = ({ predicting }: LearningTask) => [predicting.rereading];

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
    .argument("<held-out...>", "labelled data that the model has not seen: files, or `-` for standard input");
  addUnion(addDeclared(command, calibrateOptions), learningTasks().flatMap(rereading))
    .option("--json", "print one JSON object")
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

async function calibrate(path: string, files: string[], flags: { json?: boolean }, command: Command): Promise<void> {
  const given = givenOf(command, calibrateOptions) as unknown as CalibrateOptions;
  needed(given.precision, "--precision SHARE");
  const { model, task } = predictorOf(await loadModel(path), "calibrate", path);
  const asked = givenFor(command, task, learningTasks(), rereading, path);
  const judged = await judge(task, model, inputsOf(task, model, files, "judged", asked));
  if (judged.partial > 0) {
    const left = plural(judged.partial, task.learning.example);
    say(`${left} with unknown labels left out: whether they are right is not known`);
  }
  const found = calibrateOn(model, judged, given);
  const { precision, confidence = 0.95 } = given;
  if (!found.promised) {
    if (flags.json) await writeJson({ model: path, promised: false, precision, confidence, ...found.why });
    throw new CheckFailed(whyText(found.why, precision, confidence));
  }
  await saveModel(model, path);
  const { guarantee, chosen, examples: count } = found;
  if (flags.json) await writeJson({ model: path, promised: true, ...guarantee, examples: count, ...chosen });
  else await write(foundText(guarantee, chosen, count));
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

function whyText(why: NoThreshold, precision: number, confidence: number): string {
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
  if (possible !== undefined) lines.push(`with this data, the highest precision you can promise is ${possible}`);
  return lines.join("\n  ");
}

/** 0.99 as 99 %, without zeros at the end. */
function share(value: number): string {
  return `${Number((100 * value).toPrecision(12))} %`;
}
