// The worker: holds models and computes with them, with the same core as the command line. What takes long lets messages
// through now and then, so that it can be stopped.

import { InputError } from "../../../src/browser.js";
import { kindsOf, layoutOf, splitSymbols } from "../../../src/formats/pair-lines.js";
import type { CallName, Failure, FromWorker, ToWorker } from "../protocol.js";
import { foldCase } from "../words.js";
import type { Handler } from "./calls.js";
import { cipher, decipher } from "./cipher.js";
import { evaluate } from "./evaluation.js";
import { fetched, unpacked } from "./fetched.js";
import { learn } from "./learn.js";
import { addModel, inferenceOf, modelOf } from "./models.js";

const stopped = new Set<number>();

const handlers: { [Name in CallName]: Handler<Name> } = {
  async load({ id, name, url, bytes }, { progress }) {
    const content = bytes ? new Uint8Array(bytes) : await fetched(url as string, name, progress);
    return addModel(id, await unpacked(content, name), name);
  },

  read({ model, attributes, choice, whole }) {
    const options = { nbest: 4, contexts: whole, marginals: whole, inference: inferenceOf(choice) };
    const {
      labels,
      probability,
      nbest = [],
      contexts = [],
      marginals = [],
      spent,
    } = modelOf(model, "tagger").predict({ attributes }, options);
    return { labels, probability, nbest, contexts, marginals, rounds: spent?.rounds ?? [] };
  },

  tag({ model, sentences, choice }) {
    const tagger = modelOf(model, "tagger");
    const inference = choice && inferenceOf(choice);
    const options = { nbest: 5, confidences: true, marginals: true, spans: tagger.marksSpans, inference };
    return sentences.map((columns) => {
      const found = tagger.predict({ columns }, options);
      const { labels, probability, nbest = [], confidences = [], marginals = [], spans = [] } = found;
      return { labels, probability, nbest, confidences, marginals, spans, calibrated: found.calibratedProbability };
    });
  },

  segment({ model, text, choice }) {
    const found = modelOf(model, "segmenter").predict(text, { nbest: 4, inference: choice && inferenceOf(choice) });
    const { segments, probability, nbest = [] } = found;
    return { segments, probability, nbest, calibrated: found.calibratedProbability };
  },

  explain({ model, columns, position, label }) {
    return modelOf(model, "tagger").explain({ columns }, position, label);
  },

  pronounce({ model, text, choice }) {
    const found = modelOf(model, "transducer");
    const input = foldCase(splitSymbols(text, kindsOf(layoutOf(found)).read), (symbol) => found.knows(symbol));
    const inference = choice && { mode: choice.inference, contexts: choice.contexts };
    const {
      nbest = [],
      slots = [],
      unknown,
    } = found.predict(input, { nbest: 6, alignment: true, contexts: true, inference });
    return { nbest, slots, unknown };
  },

  learn,
  cipher,
  decipher,
  evaluate,
};

function failureOf(error: unknown): Failure {
  if (error instanceof InputError) return { message: error.message, hint: error.hint, mine: false };
  return { message: error instanceof Error ? error.message : String(error), mine: true };
}

const post = (message: FromWorker): void => postMessage(message);

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if ("stop" in data) {
    stopped.add(data.stop);
    return;
  }
  const { call, name, params } = data;
  const work = {
    progress: (progress: unknown) => post({ call, progress }),
    stopped: () => stopped.has(call),
  };
  try {
    const handle = handlers[name] as (params: unknown, work: unknown) => unknown;
    post({ call, result: await handle(params, work) });
  } catch (error) {
    post({ call, failure: failureOf(error) });
  } finally {
    stopped.delete(call);
  }
});
