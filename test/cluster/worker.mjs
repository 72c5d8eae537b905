// A worker with the kinds of kinds.mjs: node worker.mjs URL [LOCK SECONDS] [STORE] [VERSION]
import { clusterVersion } from "../../dist/cli/queue/queue.js";
import { QueueWorker } from "../../dist/cluster/worker.js";

const [url, lock = "30", store = "", version = clusterVersion()] = process.argv.slice(2);
const worker = await QueueWorker.start({
  ...{ url, version, jobs: 1, memory: 2 ** 29, lock: Number(lock), store: store || undefined },
  kinds: new URL("./kinds.mjs", import.meta.url).href,
  onEvent: (text) => console.log(text),
});
process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
console.log("ready");
