// The models that a worker holds, and what the page is told of one. What any model can do goes through its task; a view that
// is made for one kind of model asks for that kind.

import {
  decodeModel,
  InputError,
  type LanguageModel,
  type Model,
  type Segmenter,
  type Tagger,
  type Transducer,
} from "../../../src/browser.js";
import { inputNoteOf } from "../../../src/tasks/tag/inputs.js";
import type { LearningTask, Predictor } from "../../../src/tasks/task.js";
import { aKind, tasks } from "../../../src/tasks/task.js";
import { predictorOf, taskOf } from "../../../src/workflows/model.js";
import type { ModelKind } from "../catalogue.js";
import type { Choice, Inference, LoadedModel } from "../protocol.js";

/** The kinds of models that views are made for. */
interface Kinds {
  tagger: Tagger;
  transducer: Transducer;
  segmenter: Segmenter;
  language: LanguageModel;
}

const models = new Map<string, Model>();

/** Takes up a model under an id of the page. */
export function addModel(id: string, bytes: Uint8Array, file: string): LoadedModel {
  const model = decodeModel(bytes, file);
  const task = taskOf(model);
  task.checkUsable?.(model, file);
  const shown = task.explorable?.(model);
  if (!shown || !isShown(model.kind)) throw new InputError(`the page cannot show ${aKind(task)}`, { file });
  const own = describers[model.kind](model as never);
  (models.get(id) as Partial<Predictor> | undefined)?.dispose?.();
  models.set(id, model);
  return { id, kind: model.kind, columns: 1, spaces: false, ...shown, ...own };
}

function isShown(kind: string): kind is ModelKind {
  return Object.hasOwn(describers, kind);
}

type Described = Pick<LoadedModel, "choice" | "symbols"> & Partial<LoadedModel>;

/** What only models of one kind have. */
const describers: { [K in ModelKind]: (model: Kinds[K]) => Described } = {
  tagger(tagger) {
    const { mode, contexts, order } = tagger.options;
    const { columns = 1, format, pixels = "16x8" } = inputNoteOf(tagger);
    return {
      choice: { inference: mode, contexts: mostOf(contexts), order },
      columns,
      symbols: [...tagger.labels.all()],
      ...(format === "letters" && { pixels }),
    };
  },
  transducer({ options: { contexts, order, strategy }, outputSymbols }) {
    const inference = strategy === "rcms" ? "rcms" : "beam";
    return { choice: { inference, contexts: mostOf(contexts), order }, symbols: [...outputSymbols.all()] };
  },
  segmenter({ options: { mode, contexts, order }, labels }) {
    return { choice: { inference: mode, contexts: mostOf(contexts), order }, symbols: [...labels] };
  },
  language({ options: { order, spaces }, symbols }) {
    return { choice: { inference: "rcms", contexts: 60, order }, spaces, symbols: [...symbols.all()] };
  },
};

/** A slider has one number: of a range, the most. */
function mostOf(contexts: number | { most: number }): number {
  return typeof contexts === "number" ? contexts : contexts.most;
}

/** A model of the kind that a view is made for. */
export function modelOf<K extends ModelKind>(id: string, kind: K): Kinds[K] {
  const model = models.get(id);
  if (model?.kind === kind) return model as Kinds[K];
  const wanted = tasks().find((task) => task.kind === kind);
  throw new InputError(`this model is not ${wanted ? aKind(wanted) : kind}`);
}

/** A model that answers, with its task. */
export function answering(id: string): { model: Predictor; task: LearningTask } {
  const model = models.get(id);
  if (!model) throw new InputError("this model is not loaded");
  return predictorOf(model, "evaluate");
}

/** The choice of contexts as a tagger takes it. */
export function inferenceOf({ inference: mode, contexts: least, most, order }: Choice): Inference {
  const contexts = most === undefined ? least : { least, most };
  return order === undefined ? { mode, contexts } : { mode, contexts, order };
}
