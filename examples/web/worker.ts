// The worker: learns a tagger from a few sentences and answers with it. A model that was trained before is fetched instead:
//   const tagger = decodeModel(new Uint8Array(await (await fetch("model.sg")).arrayBuffer())) as Tagger;

import { Tagger } from "stargram";

export type ToWorker = { kind: "learn" } | { kind: "tag"; tokens: string[] };
export type FromWorker =
  | { kind: "progress"; share: number }
  | { kind: "ready" }
  | { kind: "tagged"; labels: string[]; probability: number };

const answer = (message: FromWorker): void => postMessage(message);

const sentences = ["the dog barks", "a cat sleeps", "the cat sees a dog", "a dog sees the cat"].map((text) => {
  const tokens = text.split(" ");
  const labelOf = (token: string): string => (/^(the|a)$/.test(token) ? "DT" : /s$/.test(token) ? "VBZ" : "NN");
  return { columns: tokens.map((token) => [token]), labels: tokens.map(labelOf) };
});

let tagger: Tagger | undefined;

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "learn") {
    tagger = await Tagger.train(sentences, {
      passes: 20,
      onProgress: ({ pass, passes }) => answer({ kind: "progress", share: pass / passes }),
    });
    answer({ kind: "ready" });
  } else if (tagger) {
    const { labels, probability } = tagger.predict(data.tokens);
    answer({ kind: "tagged", labels, probability });
  }
});
