// The models on offer and which worker has which. A model is fetched when a view first needs it, once for each worker.

import type { Explorable } from "../../src/tasks/task.js";
import type { BuiltInModel, ModelKind, ModelView, TestFormat } from "./catalogue.js";
import { type Engine, EngineError, patient, quick } from "./engine.js";
import type { LoadedModel } from "./protocol.js";

export interface OfferedModel {
  id: string;
  name: string;
  /** The view that shows it; none for one that only Trust can use. */
  view: ModelView | undefined;
  about: string;
  /** Comes with the page, which has inputs to suggest and words for what it does. */
  builtIn: boolean;
  url?: string;
  /** Of a file that was opened here. */
  bytes?: ArrayBuffer;
  /** URLs. */
  examples?: string;
  test?: { url: string; format: TestFormat };
}

/** An entry of given.json, where `stargram explore` lists the models it was given. */
export interface GivenModel extends Explorable {
  id: string;
  name: string;
  kind: ModelKind;
  file: string;
}

const inEngine = new WeakMap<Engine, Map<string, LoadedModel>>();
const underWay = new WeakMap<Engine, Map<string, Promise<LoadedModel>>>();

export function loaded(engine: Engine, id: string): LoadedModel | undefined {
  return inEngine.get(engine)?.get(id);
}

export function whenLoaded(
  engine: Engine,
  offered: OfferedModel,
  onProgress: (share: number) => void,
): Promise<LoadedModel> {
  const there = loaded(engine, offered.id);
  if (there) return Promise.resolve(there);
  const running = underWay.get(engine) ?? new Map<string, Promise<LoadedModel>>();
  underWay.set(engine, running);
  const known = running.get(offered.id);
  if (known) return known;
  const { id, name, url, bytes } = offered;
  const promise = engine
    .call("load", { id, name, url, bytes }, { onProgress })
    .then((model) => {
      const models = inEngine.get(engine) ?? new Map<string, LoadedModel>();
      inEngine.set(engine, models.set(id, model));
      return model;
    })
    .finally(() => running.delete(id));
  running.set(id, promise);
  return promise;
}

/** The models that come with the page and those that it was started with. */
export async function offeredModels(): Promise<OfferedModel[]> {
  const [builtIn, given] = await Promise.all([
    fetchJson<BuiltInModel[]>("models/index.json"),
    fetchJson<GivenModel[]>("models/given.json"),
  ]);
  return [
    ...given.map(({ id, name, file, ...model }): OfferedModel => {
      return {
        id,
        name,
        view: viewOf(model),
        about: "Given to `stargram explore`.",
        builtIn: false,
        url: urlOf(`models/${file}`),
      };
    }),
    ...builtIn.map(
      ({ id, name, view, about, file, examples, test }): OfferedModel => ({
        id,
        name,
        view,
        about,
        builtIn: true,
        url: urlOf(`models/${file}`),
        examples: examples && urlOf(`models/${examples}`),
        test: test && { url: urlOf(`models/${test.file}`), format: test.format },
      }),
    ),
  ];
}

/** Opens a file as a model. What is none is refused with words. */
export async function openFile(file: File): Promise<OfferedModel> {
  return openBytes(`file:${file.name}`, file.name, await file.arrayBuffer(), "Opened from a file.");
}

/** The same with the bytes of a model. */
export async function openBytes(id: string, name: string, bytes: ArrayBuffer, about: string): Promise<OfferedModel> {
  // What is broken is refused by the worker, and an open model of that name stays.
  const found = await quick.call("load", { id, name, bytes });
  inEngine.get(patient)?.delete(id); // another one of that name may have been open
  inEngine.set(quick, (inEngine.get(quick) ?? new Map()).set(id, found));
  return { id, name, view: viewOf(found), about, builtIn: false, bytes };
}

function viewOf({ kind, readsText, readsDrawings }: Explorable & { kind: ModelKind }): OfferedModel["view"] {
  if (readsDrawings) return "read";
  if (kind === "transducer") return "pronounce";
  if (kind === "language") return "decipher";
  if (kind === "segmenter") return readsText ? "segment" : undefined;
  return readsText ? "tag" : undefined;
}

/** Workers have another base than the page. */
function urlOf(path: string): string {
  return new URL(path, document.baseURI).href;
}

export async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) {
    throw new EngineError({
      message: `${path} could not be loaded (server status ${response.status})`,
      mine: false,
    });
  }
  return (await response.json()) as T;
}
