// Lines that `inspect` shows of every model that was trained.

import type { Calibration, Guarantee, PartGuarantee } from "../confidence/calibration.js";
import type { Chosen } from "../learn/choose.js";
import type { EncoderShape } from "../learn/encoder/shape.js";
import type { Pass } from "../learn/training.js";
import { counted, percent, plural, probabilityText, table } from "../util/text.js";

/** The promises of a calibrated model. */
export function promiseLines(calibration: Calibration | undefined): string[][] {
  const { guarantees = [], partGuarantees = [], coverages = [], recalls = [] } = calibration ?? {};
  const line = (of: string, guarantee: Guarantee | PartGuarantee, tested: number, noun: string): string[] => {
    const { precision, confidence, threshold, answered, wrong, crossValidated } = guarantee;
    return [
      crossValidated === undefined ? "promise" : "estimate, not a promise",
      `precision ${precision}${of} (confidence ${confidence}) ${cutOffText(guarantee, threshold)}: ` +
        `${percent(answered / Math.max(1, tested))} of ${counted(tested)} tested ${noun} answered, ${counted(wrong)} wrong` +
        (crossValidated === undefined ? "" : `; cross-validated on the training data in ${crossValidated} parts`),
    ];
  };
  return [
    ...guarantees.map((guarantee) => line("", guarantee, guarantee.tested, "examples")),
    ...partGuarantees.map((guarantee) =>
      line(` of ${guarantee.unit}s`, guarantee, guarantee.parts, `${guarantee.unit}s`),
    ),
    ...recalls.map(({ recall, confidence, threshold, spans, found }) => [
      "promise",
      `recall ${recall} (confidence ${confidence}) of spans from probability ${probabilityText(threshold)}: ` +
        `${counted(found)} of ${counted(spans)} tested spans found`,
    ]),
    ...coverages.map(({ unit, coverage, threshold, examples }) => {
      const of = unit === "sequence" ? "sets of outputs" : "sets of labels";
      return [
        "promise",
        `coverage ${coverage}: ${of} from probability ${probabilityText(threshold)}, by ${counted(examples)} examples`,
      ];
    }),
  ];
}

function cutOffText(guarantee: Guarantee | PartGuarantee, threshold: number): string {
  if (!("groups" in guarantee) || !guarantee.groups) return `from probability ${probabilityText(threshold)}`;
  const groups = guarantee.groups.map((one) => `${one.group} from probability ${probabilityText(one.threshold)}`);
  const open = (guarantee.open ?? []).map((name) => `${name} never`);
  return `for each on its own, ${[...groups, ...open].join(", ")}`;
}

/** What was chosen, and by what: for `inspect`. */
export function chosenLines(chosen: Chosen | undefined, examples: string): string[][] {
  if (!chosen || chosen.parts === 0) return [];
  const { l2, passes, temperature, select, parts, judges, heldOut, refit } = chosen;
  const how = parts > 1 ? `cross-validation, ${parts} parts` : `${counted(judges)} ${examples} held out`;
  const score = heldOut && { likelihood: heldOut.logLikelihood, accuracy: heldOut.accuracy, f1: heldOut.f1 }[select];
  const reached = select === "likelihood" ? likelihoodText(score) : percent(score ?? 0);
  const names = { likelihood: "log-likelihood", accuracy: "accuracy", f1: "F1" };
  return [
    ["chosen", `L2 ${l2}, ${passes} ${passes === 1 ? "pass" : "passes"}, temperature ${temperature.toFixed(3)}`],
    ["", `by ${names[select]} (${reached}), ${how}${refit ? "; then trained on everything" : ""}`],
  ];
}

interface Summary {
  history: readonly Pass[];
  bestPass: number;
  stopped: boolean;
}

/** How the weights that were kept did on what was held out, if anything was. */
export function heldOutOf({ history, bestPass }: Omit<Summary, "stopped">): Pass["heldOut"] {
  return history.find(({ pass }) => pass === bestPass)?.heldOut;
}

/** `pass 7 of 10` */
export function passLine({ history, bestPass, stopped }: Summary): string {
  return `pass ${bestPass} of ${history.length}${stopped ? "; stopped early" : ""}`;
}

/** How the passes went, the best one marked; `decisions` are labels or symbols. */
export function historyTable({ history, bestPass }: Summary, decisions: string, outputs: string): string {
  const held = history.some((pass) => pass.heldOut);
  return table([
    ["pass", "log-likelihood", ...(held ? ["held out", `${decisions} right`, `${outputs} right`] : [])],
    ...history.map(({ pass, trainLogLikelihood, heldOut }) => [
      `${pass}${pass === bestPass ? " *" : ""}`,
      likelihoodText(trainLogLikelihood),
      ...(heldOut ? [likelihoodText(heldOut.logLikelihood), percent(heldOut.accuracy), percent(heldOut.exact)] : []),
    ]),
  ]);
}

export function likelihoodText(logLikelihood: number | undefined): string {
  return logLikelihood?.toFixed(4) ?? "unknown";
}

/** How many weights are not zero. */
export function nonZero(weights: Float64Array): number {
  return weights.reduce((count, weight) => count + (weight !== 0 ? 1 : 0), 0);
}

/** `45: NN IN DT …` */
export function someOf(names: readonly string[], most = 20): string {
  return `${counted(names.length)}: ${names.slice(0, most).join(" ")}${names.length > most ? " …" : ""}`;
}

/** What a network is made of. */
export function encoderText({
  kind,
  width,
  layers,
  inputs,
  parameters,
}: EncoderShape & { parameters: number }): string {
  const count = kind === "dense" ? layers + 1 : layers;
  return `${kind}, ${plural(count, "layer")} of ${width}, ${plural(inputs, "input")}, ${counted(parameters)} parameters`;
}
