// What a request asks for: the options of `predict`, from the address of a request or from its JSON. They are declared as those
// of commands are, and the description of the server (openapi.ts) is made of the same declarations.

import type { LearningTask } from "../../tasks/task.js";
import { MOST_OUTPUTS } from "../../util/checks.js";
import { InputError, unknownName } from "../../util/errors.js";
import {
  checkOption,
  choice,
  type Declared,
  factsOf,
  flag,
  real,
  share,
  whole,
  wholeOrRange,
} from "../../util/options.js";
import { checkOnePromise, unitOption } from "../../workflows/calibrate.js";
import { inferenceFrom } from "../options.js";
import type { PredictAsked } from "../predicting.js";

/** Options that every task has. */
export const commonOptions = {
  nbest: whole("the n most probable outputs of each input", { least: 1, most: MOST_OUTPUTS }),
  contexts: wholeOrRange("contexts to keep at each position instead of the model's number", { least: 0, usual: 0 }),
  mode: choice("how contexts are chosen (default: the model's)", ["rcms", "beam", "exact"]),
  sure: real("with a range of contexts: do not search again if the output has at least this probability", {
    least: 0,
    most: 1,
  }),
  showContexts: flag("show the contexts kept at each position"),
  precision: share("answer only what keeps this precision, as calibrated"),
  coverage: share("sets of outputs that contain the right one with this probability, as calibrated"),
  recall: share("all spans needed to find this share of them, as calibrated"),
  ...unitOption,
};

/** All options of requests to a model of a task. Those that name files or models are for the command line. */
export function requestOptions({ predicting }: LearningTask): Declared {
  const own = Object.entries({ ...predicting.options, ...predicting.rereading });
  const usable = own.filter(([, option]) => !["model", "file", "files", "lines"].includes(factsOf(option).type));
  return { ...commonOptions, ...Object.fromEntries(usable) };
}

/** Whether a task reads JSON Lines. */
export function readsJsonLines({ predicting: { rereading } }: LearningTask): boolean {
  const { format } = rereading;
  return format !== undefined && factsOf(format).choices?.includes("jsonl") === true;
}

/** Options by name, as they were given and checked, for `predict`. */
export function askedFrom(task: LearningTask, given: Readonly<Record<string, unknown>>, json: boolean): PredictAsked {
  const declared = requestOptions(task);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(declared, name)) throw unknownName("option", name, Object.keys(declared));
    checkOption(declared[name], name, value);
  }
  const { nbest, contexts, mode, sure, showContexts, precision, coverage, recall, unit, ...own } = given as Partial<
    Record<string, never>
  >;
  const { predicting } = task;
  const some = (part: Declared) =>
    Object.fromEntries(Object.entries(own).filter(([name]) => Object.hasOwn(part, name)));
  const inference = inferenceFrom({ contexts, mode, sure });
  const asked: PredictAsked = {
    prediction: { ...some(predicting.options), nbest, json, contexts: showContexts, inference },
    rereading: some(predicting.rereading),
    ...{ precision, coverage, recall, unit },
  };
  checkPromise(asked);
  return asked;
}

/** Refuses what would make a promise void. */
function checkPromise({ prediction, precision, coverage, recall, unit }: PredictAsked): void {
  checkOnePromise({ precision, coverage, recall });
  if ((precision ?? coverage ?? recall) === undefined) {
    if (unit !== undefined) throw new InputError("option `unit` needs option `precision`");
    return;
  }
  if (prediction.inference !== undefined || prediction.known !== undefined) {
    throw new InputError("the promise holds only for the model as calibrated", {
      hint: "leave out options `contexts`, `mode`, `sure` and `known`",
    });
  }
}

/** Options from an address, where everything is text: `?nbest=3&marginals`. */
export function optionsFromQuery(task: LearningTask, query: URLSearchParams): Record<string, unknown> {
  const declared = requestOptions(task);
  const given: Record<string, unknown> = {};
  for (const [name, text] of query) {
    if (Object.hasOwn(given, name)) throw new InputError(`option \`${name}\` is given twice`);
    given[name] = Object.hasOwn(declared, name) ? parsed(factsOf(declared[name]).type, text) : text;
  }
  return given;
}

/** Text that is not what the option wants stays as it is, and is refused by name. */
function parsed(type: string, text: string): unknown {
  if (type === "flag") return text === "" || text === "true" || text === "1" ? true : text === "false" ? false : text;
  const isNumber = text.trim() !== "" && Number.isFinite(Number(text));
  if (type === "whole" || type === "real") return isNumber ? Number(text) : text;
  if (type !== "range" || isNumber) return type === "range" ? Number(text) : text;
  const [, least, most] = /^(\d+)\.\.(\d+)$/.exec(text) ?? [];
  return least === undefined ? text : { least: Number(least), most: Number(most) };
}
