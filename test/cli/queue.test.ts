// Commands with `--queue`, as a user runs them: what they print is what they print without, to the byte, whatever the number of
// workers and whatever happens to these.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hasRedis, linesOf, TestRedis, type TestWorker, Workers } from "../cluster/helpers.js";
import { columns, ended, Folder, tokensOnly, until } from "./helpers.js";

const folder = new Folder();
let redis: TestRedis;
const open: { end(): Promise<unknown> }[] = [];

async function workers(count: number, options: Parameters<typeof TestWorker.start>[1] = {}): Promise<Workers> {
  const started = await new Workers(redis.url, options).start(count);
  open.push(started);
  return started;
}

beforeAll(async () => {
  folder.write("train.txt", columns(240));
  folder.write("large.txt", tokensOnly(columns(4500, 2)));
  expect(
    await folder.run(["train", "tag", "train.txt", "--out", "pos.sg", "--passes", "2", "--l2", "0.1", "--quiet"]),
  ).toMatchObject({ code: 0 });
  if (hasRedis) redis = await TestRedis.start();
}, 240_000);
afterEach(async () => {
  for (const one of open.splice(0)) await one.end();
});
afterAll(async () => {
  await redis?.end();
  folder.remove();
});

describe.skipIf(!hasRedis)("predict", { timeout: 240_000 }, () => {
  test("prints the same bytes with one worker and with four, through the server and a folder", async () => {
    const alone = await folder.run(["predict", "pos.sg", "large.txt"]);
    for (const [count, more] of [
      [1, []],
      [4, []],
      [2, ["--store", folder.file("shared")]],
    ] as const) {
      const crew = await workers(count, more.length > 0 ? { store: folder.file("shared") } : {});
      const shared = await folder.run(["predict", "pos.sg", "large.txt", "--queue", redis.url, ...more]);
      expect(shared.error).toBe("");
      expect(shared.out === alone.out && shared.code === alone.code).toBe(true);
      await crew.end();
    }
    await workers(2);
    const json = ["--json", "--marginals", "--nbest", "2"];
    const one = await folder.run(["predict", "pos.sg", "-", ...json], columns(900, 5));
    const two = await folder.run(["predict", "pos.sg", "-", ...json, "--queue", redis.url], columns(900, 5));
    expect(two.out === one.out && two.error === one.error).toBe(true);
  });

  test("a line that cannot be read is refused as without a queue", async () => {
    await workers(1);
    folder.write("bad.txt", `${tokensOnly(columns(1500, 3))}a b c d\n\n`);
    const alone = await folder.run(["predict", "pos.sg", "bad.txt"]);
    const shared = await folder.run(["predict", "pos.sg", "bad.txt", "--queue", redis.url]);
    expect(shared.out === alone.out).toBe(true);
    const refusal = /^stargram: bad\.txt:8776: 1 column expected as on line \d+, found 4$/m;
    for (const { code, error } of [alone, shared]) expect([code, error]).toEqual([2, expect.stringMatching(refusal)]);
  });

  test("killed and run again, it goes on with what is done", async () => {
    const log = folder.file("log");
    const crew = await workers(1, { log });
    const words = ["predict", "pos.sg", "large.txt", "--nbest", "2"];
    const child = folder.start(...words, "--queue", redis.url);
    await until(() => linesOf(log).length >= 2);
    child.kill("SIGKILL");
    await ended(child);
    const shared = await folder.run([...words, "--queue", redis.url]);
    const alone = await folder.run(words);
    expect(shared.out === alone.out).toBe(true);
    const shards = linesOf(log).length;
    // Everything is forgotten when a run is over: this one does all of it.
    await folder.run([...words, "--queue", redis.url]);
    expect(linesOf(log).length).toBe(2 * shards);
    await crew.end();
  });

  test("a shard that kills its workers is set aside and named; the rest is printed; exit code 1", async () => {
    folder.write("poison.txt", `${tokensOnly(columns(1500, 6))}xyzzy\n\n${"the\ndog\n\n".repeat(2500)}`);
    await workers(2, { poison: "xyzzy", lock: 1 });
    const alone = (await folder.run(["predict", "pos.sg", "poison.txt"])).out.split("\n");
    const { code, out, error } = await folder.run(["predict", "pos.sg", "poison.txt", "--queue", redis.url]);
    expect(code).toBe(1);
    const [, from, to] = /1 shard failed and skipped \(lines (\d+) to (\d+)\); the rest is done/.exec(error) ?? [];
    expect(Number(to)).toBeGreaterThan(Number(from));
    const rest = [...alone.slice(0, Number(from) - 1), ...alone.slice(Number(to))];
    expect(out.trim() === rest.join("\n").trim()).toBe(true);
  });
});

describe.skipIf(!hasRedis)("evaluate", { timeout: 240_000 }, () => {
  test("gives the numbers of one process, to the last digit", async () => {
    const pairs = [
      "kat\tC A T",
      "tak\tT A C",
      "takka\tT A CC A",
      "akta\tA C T A",
      "katta\tC A TT A",
      "tatta\tT A TT A",
    ];
    folder.write("some.tsv", `${Array.from({ length: 8 }, () => pairs.join("\n")).join("\n")}\n`);
    folder.write("gold.txt", columns(1300, 8).replace(/^this DT$/m, "this XX"));
    folder.write("cut.txt", "the dog barks\na cat sees the dog\n".repeat(30));
    const quick = ["--passes", "1", "--l2", "0.1", "--quiet"];
    await folder.run(["train", "transduce", "some.tsv", "--out", "spell.sg", ...quick]);
    await folder.run(["train", "segment", "cut.txt", "--format", "words", "--out", "cut.sg", ...quick]);
    await workers(2);
    const without = (out: string) => out.replace(/"seconds":[\d.e-]+/g, "");
    for (const [model, data] of [
      ["pos.sg", "gold.txt"],
      ["spell.sg", "some.tsv"],
      ["cut.sg", "cut.txt"],
    ]) {
      const words = ["evaluate", model, data, "--json"];
      const alone = await folder.run(words);
      const shared = await folder.run([...words, "--queue", redis.url]);
      expect([shared.code, shared.error]).toEqual([0, ""]);
      expect(without(shared.out)).toBe(without(alone.out));
    }
  });
});

describe.skipIf(!hasRedis)("cross-validate", { timeout: 240_000 }, () => {
  test("gives the numbers of one process", async () => {
    const words = [
      "cross-validate",
      "tag",
      "train.txt",
      "--parts",
      "3",
      "--passes",
      "2",
      "--l2",
      "0.1",
      "--json",
      "--quiet",
    ];
    const alone = await folder.run(words);
    await workers(2);
    const shared = await folder.run([...words, "--queue", redis.url]);
    expect([shared.code, shared.error]).toEqual([0, ""]);
    const without = (out: string) => out.replace(/"seconds":[\d.e-]+/g, "");
    expect(without(shared.out)).toBe(without(alone.out));
  });
});

describe.skipIf(!hasRedis)("decipher", { timeout: 240_000 }, () => {
  test("EM by four workers gives the bits of one process", async () => {
    const sentences = (seed: number) =>
      tokensOnly(columns(600, seed))
        .trim()
        .split("\n\n")
        .map((one) => one.split("\n"));
    const key = new Map<string, string>();
    const sign = (word: string) => key.get(word) ?? (key.set(word, `s${key.size}`).get(word) as string);
    folder.write(
      "plain.txt",
      sentences(1)
        .map((one) => `${one.join(" ")}\n`)
        .join(""),
    );
    folder.write(
      "cipher.txt",
      sentences(2)
        .map((one) => `${one.map(sign).join(" ")}\n`)
        .join(""),
    );
    const words = ["decipher", "cipher.txt", "--plain", "plain.txt", "--level", "word", "--json"];
    const without = (out: string) => out.replace(/"seconds":[\d.e-]+/g, "");
    const alone = await folder.run(words);
    const log = folder.file("em-log");
    await workers(4, { log });
    const shared = await folder.run([...words, "--queue", redis.url]);
    expect([shared.code, shared.error]).toEqual([0, ""]);
    expect(without(shared.out)).toBe(without(alone.out));
    expect(linesOf(log).filter((line) => line === "em").length).toBeGreaterThan(6);
  });

  test("the search for the key of a letter cipher finds the same by workers", async () => {
    const plain = tokensOnly(columns(900, 7))
      .trim()
      .split("\n\n")
      .map((one) => one.replaceAll("\n", " "));
    // Nothing that can be read, so that no two searches end alike and all of them are made.
    const message = Array.from({ length: 150 }, (_, i) => String.fromCharCode(97 + ((i * i * 7 + 3 * i) % 23))).join(
      "",
    );
    folder.write("book.txt", `${plain.slice(20).join("\n")}\n`);
    folder.write("letters.txt", `${message}\n`);
    const words = [
      "decipher",
      "letters.txt",
      "--plain",
      "book.txt",
      "--kind",
      "substitution",
      "--restarts",
      "24",
      "--json",
    ];
    const without = (out: string) => out.replace(/"seconds":[\d.e-]+/g, "");
    const alone = await folder.run(words);
    const log = folder.file("walk-log");
    await workers(2, { log });
    const shared = await folder.run([...words, "--queue", redis.url]);
    expect([shared.code, shared.error]).toEqual([0, alone.error]);
    expect(without(shared.out)).toBe(without(alone.out));
    expect(linesOf(log).filter((line) => line === "walk").length).toBeGreaterThan(2);
  });
});

describe.skipIf(!hasRedis)("train", { timeout: 480_000 }, () => {
  const bytes = (name: string) => readFileSync(folder.file(name));
  const train = (out: string, ...more: string[]) => [
    "train",
    "tag",
    "train.txt",
    "--out",
    out,
    "--seed",
    "3",
    "--shards",
    "3",
    ...more,
  ];

  test("gives the same model with one worker and with four, as good as on one machine; stopped and resumed, too", async () => {
    const options = ["--l2", "0.1", "--passes", "6"];
    folder.write("test.txt", columns(150, 2));
    const accuracy = async (model: string): Promise<number> =>
      JSON.parse((await folder.run(["evaluate", model, "test.txt", "--json"])).out).tokenAccuracy;
    for (const count of [1, 4]) {
      const crew = await workers(count);
      const { code, error } = await folder.run(train(`by${count}.sg`, ...options, "--quiet", "--queue", redis.url));
      expect([code, error]).toEqual([0, ""]);
      await crew.end();
    }
    expect(bytes("by4.sg").equals(bytes("by1.sg"))).toBe(true);
    await folder.run(["train", "tag", "train.txt", "--out", "alone.sg", "--seed", "3", ...options, "--quiet"]);
    expect((await accuracy("by4.sg")) - (await accuracy("alone.sg"))).toBeGreaterThan(-0.02);
    // So few examples are one shard, unless another number is asked for: the command learns from it, and needs no worker.
    const few = ["train", "tag", "train.txt", "--out", "few.sg", "--seed", "3", ...options, "--quiet"];
    expect(await folder.run([...few, "--queue", redis.url])).toMatchObject({ code: 0, error: "" });
    expect(bytes("few.sg").equals(bytes("alone.sg"))).toBe(true);

    await workers(2);
    const child = folder.start(...train("stopped.sg", ...options, "--queue", redis.url));
    const end = ended(child);
    await until(() => folder.has("stopped.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    const without = await folder.run(train("stopped.sg", "--resume", "--quiet"));
    expect([without.code, without.error]).toEqual([2, expect.stringMatching(/shards|run to resume used a queue/)]);
    const resumed = await folder.run(train("stopped.sg", "--resume", "--quiet", "--queue", redis.url));
    expect([resumed.code, resumed.error]).toEqual([0, ""]);
    expect(bytes("stopped.sg").equals(bytes("by1.sg"))).toBe(true);
  });

  test("transducers and segmenters learn by a queue; encoders are refused", async () => {
    const crew = await workers(2);
    const pairs = [
      "kat\tC A T",
      "tak\tT A C",
      "takka\tT A CC A",
      "akta\tA C T A",
      "katta\tC A TT A",
      "tatta\tT A TT A",
    ];
    folder.write("pairs.tsv", `${Array.from({ length: 30 }, () => pairs.join("\n")).join("\n")}\n`);
    folder.write("words.txt", `${"the dog barks\na cat sees the dog\n".repeat(40)}`);
    const queue = ["--shards", "2", "--passes", "2", "--quiet", "--queue", redis.url];
    expect(await folder.run(["train", "transduce", "pairs.tsv", "--out", "t.sg", ...queue])).toMatchObject({
      code: 0,
      error: "",
    });
    expect((await folder.run(["predict", "t.sg"], "takka\n")).out).toMatch(/T A CC A/);
    // Members with a network learn where the command was given.
    const words = Array.from({ length: 64 }, (_, n) =>
      n
        .toString(4)
        .padStart(3, "0")
        .replace(/./g, (d) => "kati"[+d]),
    );
    folder.write("words.tsv", `${words.map((word) => `${word}\t${[...word.toUpperCase()].join(" ")}`).join("\n")}\n`);
    const both = await folder.run(["train", "transduce", "words.tsv", "--encoder", "auto", "--out", "b.sg", ...queue]);
    expect(both).toMatchObject({ code: 0, error: "" });
    expect((await folder.run(["inspect", "b.sg"])).out).toMatch(/convolutions/);
    expect(
      await folder.run(["train", "segment", "words.txt", "--format", "words", "--out", "s.sg", ...queue]),
    ).toMatchObject({ code: 0, error: "" });
    expect((await folder.run(["predict", "s.sg"], "acatseesthedog\n")).out).toMatch(/a cat sees the dog/);
    for (const data of [
      ["tag", "train.txt"],
      ["segment", "words.txt", "--format", "words"],
    ]) {
      const encoder = await folder.run(["train", ...data, "--out", "e.sg", "--encoder", "conv", ...queue]);
      expect([encoder.code, encoder.error]).toEqual([
        2,
        expect.stringMatching(/--queue: this training cannot be shared/),
      ]);
    }
    await crew.end();
  });
});

describe.skipIf(!hasRedis)("experiment", { timeout: 240_000 }, () => {
  test("runs by workers are those of one process", async () => {
    await workers(2);
    const words = ["experiment", "promise-simulations", "--only", "sequence 0.9", "--draws", "3", "--out"];
    const alone = await folder.run([...words, folder.file("alone")]);
    const shared = await folder.run([...words, folder.file("by-queue"), "--queue", redis.url]);
    expect([alone.code, shared.code]).toEqual([0, 0]);
    expect([shared.out, shared.error]).toEqual([alone.out, alone.error]);
    const results = (name: string) => readFileSync(folder.file(`${name}/results.json`), "utf8");
    expect(results("by-queue")).toBe(results("alone"));
  });
});

describe("what is said", () => {
  test("when the packages are missing, or the server", async () => {
    const hook =
      'export async function resolve(name, context, next) { if (name === "bullmq") throw new Error("gone"); return next(name, context); }';
    folder.write("hook.mjs", hook);
    folder.write(
      "register.mjs",
      `import { register } from "node:module"; register(${JSON.stringify(pathToFileURL(folder.file("hook.mjs")).href)});`,
    );
    folder.environment.NODE_OPTIONS = `--import ${pathToFileURL(folder.file("register.mjs")).href}`;
    try {
      for (const words of [["predict", "pos.sg", "large.txt"], ["worker"]]) {
        const { code, error } = await folder.run([...words, "--queue", "redis://127.0.0.1:1"]);
        expect([code, error]).toEqual([
          2,
          expect.stringMatching(/needs the packages bullmq and ioredis.*\n.*npm install/),
        ]);
      }
    } finally {
      delete folder.environment.NODE_OPTIONS;
    }
    const { code, error } = await folder.run(["worker", "--queue", "redis://127.0.0.1:1"]);
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/cannot use redis:\/\/127.0.0.1:1.*\n.*is a Redis server/),
    ]);
    expect(await folder.run(["worker"])).toMatchObject({ code: 2 });
  });
});

describe.skipIf(!hasRedis)("the worker", { timeout: 240_000 }, () => {
  test("does jobs, and ends with 0 on SIGTERM", async () => {
    const child = folder.start("worker", "--queue", redis.url, "--jobs", "2");
    const end = ended(child);
    const { code } = await folder.run(["predict", "pos.sg", "large.txt", "--nbest", "3", "--queue", redis.url]);
    expect(code).toBe(0);
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 0, error: expect.stringMatching(/predict: lines 1 to \d+, [\d.]+ s/) });
  });
});
