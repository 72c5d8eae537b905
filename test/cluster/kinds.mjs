// Kinds of jobs for tests: all that `stargram worker` knows, and some that misbehave. Each run is noted in the file that
// STARGRAM_TEST_LOG names.
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { kinds as real } from "../../dist/cli/queue/kinds.js";
import { InputError } from "../../dist/util/errors.js";

const note = (/** @type {string} */ text) => {
  if (process.env.STARGRAM_TEST_LOG) appendFileSync(process.env.STARGRAM_TEST_LOG, `${text}\n`);
};
const die = () => process.kill(process.pid, "SIGKILL");
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** @type {import("../../dist/cluster/job.js").JobKind<any>[]} */
const own = [
  {
    // Twice as many bytes as it was given, after some time.
    name: "double",
    async run({ ms = 0 }, blobs) {
      const given = blobs.bytes("input");
      note(`double ${new TextDecoder().decode(given.slice())}`);
      await pause(ms);
      return bytes(new TextDecoder().decode(given.slice()).repeat(2));
    },
  },
  {
    name: "misbehave",
    async run({ how }) {
      note(`misbehave ${how}`);
      if (how === "die") die();
      if (how === "throw") throw new Error("something broke");
      if (how === "refuse") throw new InputError("this is wrong", { file: "x.txt", line: 3, hint: "mend it" });
      if (how === "hang") for (;;) Math.random();
      await pause(60_000);
      return bytes("");
    },
  },
];

export const kinds = [
  ...own,
  ...real.map((kind) => ({
    ...kind,
    /** @param {any} parameters @param {import("../../dist/cluster/job.js").JobBlobs} blobs */
    run(parameters, blobs) {
      note(kind.name);
      // A shard that kills whoever takes it.
      const poison = process.env.STARGRAM_TEST_POISON;
      if (poison && kind.name === "predict") {
        const text = new TextDecoder().decode(blobs.bytes("lines").slice());
        if (text.includes(poison)) die();
      }
      return kind.run(parameters, blobs);
    },
  })),
];
