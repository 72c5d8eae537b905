// The page: asks the worker, shows what it answers. Nothing that takes long runs here.

import type { FromWorker, ToWorker } from "./worker.js";

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const field = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const input = field("text") as HTMLInputElement;
const ask = (message: ToWorker): void => worker.postMessage(message);

worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
  if (data.kind === "progress") field("state").textContent = `learning… ${Math.round(100 * data.share)} %`;
  if (data.kind === "ready") {
    field("state").textContent = "ready";
    ask({ kind: "tag", tokens: input.value.split(" ") });
  }
  if (data.kind === "tagged") {
    field("tags").textContent = `${data.labels.join(" ")} (${(100 * data.probability).toFixed(1)} %)`;
  }
};

input.addEventListener("input", () => ask({ kind: "tag", tokens: input.value.split(" ") }));
ask({ kind: "learn" });
