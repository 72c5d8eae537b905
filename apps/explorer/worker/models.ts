// The models that a worker holds, and what the page is told of one.

import { decodeModel, InputError, type Model, Tagger, Transducer } from "../../../src/browser.js";
import { LanguageModel } from "../../../src/tasks/decipher/language.js";
import type { Choice, Inference, LoadedModel } from "../protocol.js";

const models = new Map<string, Model>();

/** Takes up a model under an id of the page. */
export function addModel(id: string, bytes: Uint8Array, file: string): LoadedModel {
  const model = decodeModel(bytes, file);
  if (model instanceof Tagger && model.source.kind === "function") {
    throw new InputError("the model makes its attributes with a function of the program that trained it", {
      file,
      hint: "use it from that program",
    });
  }
  models.set(id, model);
  return describe(id, model);
}

function describe(id: string, model: Model): LoadedModel {
  const common = { id, columns: 1, readsText: false, spaces: false };
  if (model instanceof Tagger) {
    const { mode, contexts, order } = model.options;
    const { columns } = (model.note.input ?? {}) as { columns?: unknown };
    return {
      ...common,
      kind: "tagger",
      choice: { inference: mode, contexts, order },
      columns: typeof columns === "number" ? columns : 1,
      readsText: model.source.kind !== "given",
      symbols: [...model.labels.all()],
    };
  }
  if (model instanceof Transducer) {
    const { contexts, order, strategy } = model.options;
    const choice = { inference: strategy === "rcms" ? "rcms" : "beam", contexts, order } as const;
    return { ...common, kind: "transducer", choice, symbols: [...model.outputSymbols.all()] };
  }
  const { options, symbols } = model as LanguageModel;
  const { order, spaces, level } = options;
  if (level !== "char") {
    throw new InputError("this language model is of words; the page reads ciphers of letters", {
      hint: "word ciphers are solved by `stargram decipher`",
    });
  }
  return {
    ...common,
    kind: "language",
    choice: { inference: "rcms", contexts: 60, order },
    spaces,
    symbols: [...symbols.all()],
  };
}

export function tagger(id: string): Tagger {
  const model = models.get(id);
  if (!(model instanceof Tagger)) throw new InputError("this model is no tagger");
  return model;
}

export function transducer(id: string): Transducer {
  const model = models.get(id);
  if (!(model instanceof Transducer)) throw new InputError("this model is no transducer");
  return model;
}

export function language(id: string): LanguageModel {
  const model = models.get(id);
  if (!(model instanceof LanguageModel)) throw new InputError("this model knows no language");
  return model;
}

/** The choice of contexts as a tagger takes it. */
export function inferenceOf({ inference, contexts, order }: Choice): Inference {
  return order === undefined ? { mode: inference, contexts } : { mode: inference, contexts, order };
}
