// Threads, as a user sees them: training that gives the same bits for any number, training that does not and is as good,
// prediction whose output does not depend on them.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, ended, Folder, tokensOnly, until } from "./helpers.js";

const folder = new Folder();
const train = (out: string, ...more: string[]): string[] => [
  ...["train", "tag", "train.txt", "--out", out, "--passes", "4", "--l2", "0.1", "--seed", "3", ...more],
];
const bytes = (name: string): Buffer => readFileSync(folder.file(name));

beforeAll(async () => {
  folder.write("train.txt", columns(240));
  folder.write("test.txt", columns(150, 2));
  expect((await folder.run(train("one.sg", "--quiet"))).code).toBe(0);
});
afterAll(() => folder.remove());

describe("training", () => {
  test.each([
    ["", []],
    [" with parts of gradients rounded at random", ["--truncate", "0.05"]],
  ])("--deterministic gives the same model, bit for bit, with one, two and three threads,%s", async (_, more) => {
    for (const threads of ["1", "2", "3"]) {
      const { code, error } = await folder.run(
        train(`same${threads}.sg`, "--threads", threads, "--deterministic", "--quiet", ...more),
      );
      expect({ code, error }).toEqual({ code: 0, error: "" });
    }
    expect(bytes("same2.sg")).toEqual(bytes("same1.sg"));
    expect(bytes("same3.sg")).toEqual(bytes("same1.sg"));
  });

  test("threads that do not wait for each other learn as well", async () => {
    expect((await folder.run(train("two.sg", "--threads", "2", "--quiet"))).code).toBe(0);
    const accuracy = async (model: string): Promise<number> =>
      JSON.parse((await folder.run(["evaluate", model, "test.txt", "--json"])).out).tokenAccuracy;
    expect(Math.abs((await accuracy("two.sg")) - (await accuracy("one.sg")))).toBeLessThan(0.03);
  });

  test("stopped and resumed, it ends where it would have ended", async () => {
    const options = ["--threads", "2", "--deterministic", "--passes", "40", "--patience", "40"];
    expect((await folder.run(train("whole.sg", ...options, "--quiet"))).code).toBe(0);
    for (const name of ["stop1.sg", "stop2.sg", "stop3.sg"]) {
      const child = folder.start(...train(name, ...options));
      const end = ended(child);
      await until(() => folder.has(`${name}.checkpoint`));
      child.kill("SIGINT");
      expect([0, 130]).toContain((await end).code); // it may have ended before
      // Which way it was trained is known from the checkpoint; how many threads does not matter.
      if (folder.has(`${name}.checkpoint`)) {
        expect((await folder.run(train(name, "--passes", "40", "--resume", "--quiet"))).code).toBe(0);
      }
      expect(bytes(name)).toEqual(bytes("whole.sg"));
    }
  });

  test("--deterministic is refused where the kernel would give another model", async () => {
    folder.environment.STARGRAM_KERNEL = "js";
    try {
      for (const threads of ["1", "2"]) {
        const { code, error } = await folder.run(train("js.sg", "--deterministic", "--threads", threads, "--quiet"));
        expect([code, error]).toEqual([2, expect.stringMatching(/--deterministic needs the WebAssembly kernel/)]);
      }
      expect(folder.has("js.sg")).toBe(false);
    } finally {
      delete folder.environment.STARGRAM_KERNEL;
    }
  });

  test("pairs too", async () => {
    const pairs = Array.from({ length: 80 }, (_, i) => {
      const word = (i * 7919).toString(5);
      return `${word}\t${word.replaceAll("1", "aa").replaceAll("3", "")}\n`;
    }).join("");
    folder.write("pairs.tsv", pairs);
    for (const threads of ["1", "2"]) {
      const words = ["train", "transduce", "pairs.tsv", "--out", `p${threads}.sg`, "--passes", "3", "--l2", "1"];
      const { code, error } = await folder.run([...words, "--threads", threads, "--deterministic", "--quiet"]);
      expect({ code, error }).toEqual({ code: 0, error: "" });
    }
    expect(bytes("p2.sg")).toEqual(bytes("p1.sg"));
  });
});

test("threads that do not wait for each other are no more than there are cores", async () => {
  const cores = availableParallelism();
  const { code, error } = await folder.run(train("many.sg", "--threads", "64"));
  expect(code).toBe(0);
  if (cores < 64)
    expect(error).toMatch(new RegExp(`^stargram: 64 threads, but ${cores} cores: training runs on ${cores}\n`));
});

test("thousands of threads are refused", async () => {
  for (const command of [train("many.sg"), ["predict", "one.sg", "test.txt"], ["decipher", "test.txt"]]) {
    const { code, error } = await folder.run([...command, "--threads", "1000"]);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringMatching(/--threads.*at least 1 and at most 64/s) });
  }
});

describe("prediction", () => {
  test("prints the same with several threads", async () => {
    const text = tokensOnly(columns(800, 5));
    for (const more of [[], ["--json"], ["--nbest", "2"]]) {
      const one = await folder.run(["predict", "one.sg", "-", ...more], text);
      const three = await folder.run(["predict", "one.sg", "-", "--threads", "3", ...more], text);
      expect(three).toEqual(one);
    }
  });

  test("prints the same where there is so much in columns that threads begin by themselves", async () => {
    // Labels that the model does not know, blank lines of all kinds, documents, a long sequence, line ends of both kinds.
    const some = columns(3000, 7);
    const odd = `\n \t\n-DOCSTART- O\n\n${"dog NN\n".repeat(30_000)}\nthe ODD\n\t\n\n\n`;
    const text = `\n${some.repeat(5)}${odd}${some.replaceAll("\n", "\r\n").repeat(5)}dog NN`;
    expect(text.length).toBeGreaterThan(5 << 18);
    const predict = (data: string, ...more: string[]) => folder.run(["predict", "one.sg", "-", ...more], data);
    const one = await predict(text, "--threads", "1");
    expect(one).toMatchObject({ code: 0, error: "" });
    expect((await predict(text, "--threads", "3")).out === one.out).toBe(true);
    expect((await predict(text)).out === one.out).toBe(true);
    for (const bad of ["\n\none two three\n\ndog NN\n", `\n${"dog NN\n".repeat(100_001)}`]) {
      const refused = await predict(text + bad, "--threads", "1");
      expect(refused.code).toBe(2);
      const { code, error, out } = await predict(text + bad + some, "--threads", "2");
      expect({ code, error }).toEqual({ code: refused.code, error: refused.error });
      expect(out === refused.out).toBe(true);
    }
  }, 60_000);

  test("refuses bad input at its line, after what came before it", async () => {
    const text = `${tokensOnly(columns(900, 5))}one two three\n\n`;
    const one = await folder.run(["predict", "one.sg", "-"], text);
    const two = await folder.run(["predict", "one.sg", "-", "--threads", "2"], text);
    expect(two.code).toBe(2);
    const line = /standard input:(\d+):/;
    expect(two.error.match(line)?.[1]).toBe(one.error.match(line)?.[1]);
    expect(one.out.startsWith(two.out.slice(0, 1000))).toBe(true);
  });

  test.each(["", "\n\n"])("without anything to predict (%j), says what one thread says", async (text) => {
    folder.write("pairs.tsv", "ab\tA B\nba\tB A\n");
    expect((await folder.run(["train", "transduce", "pairs.tsv", "--out", "pairs.sg", "--quiet"])).code).toBe(0);
    for (const model of ["one.sg", "pairs.sg"]) {
      const one = await folder.run(["predict", model, "-"], text);
      expect(one).toMatchObject({ code: 2, out: "" });
      expect(await folder.run(["predict", model, "-", "--threads", "2"], text)).toEqual(one);
    }
  });

  test("passes over parts that hold comments alone", async () => {
    const words = "AB  A B\nBA  B A\nAAB  A A B\n";
    folder.write("words.dict", words);
    const train = ["train", "transduce", "words.dict", "--format", "cmudict", "--out", "words.sg", "--quiet"];
    expect((await folder.run(train)).code).toBe(0);
    const text = `${";;; nothing\n".repeat(1000)}${words}`;
    const one = await folder.run(["predict", "words.sg", "-"], text);
    expect(one).toMatchObject({ code: 0, error: "" });
    expect(await folder.run(["predict", "words.sg", "-", "--threads", "2"], text)).toEqual(one);
  });
});

describe("a thread that ends before its work is done", () => {
  // Loaded before the command: ends the first thread that is made.
  const killer = `process.once("worker", (worker) => setTimeout(() => worker.terminate(), 30))`;
  const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
  const preloaded = (...words: string[]) =>
    ended(
      spawn(process.execPath, ["--import", `data:text/javascript,${killer}`, program, ...words], { cwd: folder.path }),
    );

  test.each([
    ["training", train("none.sg", "--threads", "2", "--passes", "1000", "--patience", "1000")],
    ["deterministic training", train("none.sg", "--threads", "2", "--deterministic", "--passes", "1000")],
    ["prediction", ["predict", "one.sg", "many.txt", "--threads", "2"]],
    ["prediction by text", ["predict", "one.sg", "many.txt", "--threads", "2", "--json"]],
  ])("ends %s with a message, and does not keep it waiting", async (_, words) => {
    folder.write("many.txt", tokensOnly(columns(60_000, 4)));
    const { code, error } = await preloaded(...words);
    expect([code, error]).toEqual([2, expect.stringMatching(/a thread stopped before its work was done/)]);
    expect(folder.has("none.sg")).toBe(false);
  });
});
