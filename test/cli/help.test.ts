// Help: it fits a screen, shows all when asked to, and the first example of a command works as it is printed.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { helpTexts } from "../../scripts/docs/commands.mjs";
import { reflowed } from "../../src/cli/help.js";
import { columns, Folder, tokensOnly } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

/** The help of a command on a terminal of 100 columns. */
async function shortHelp(words: string): Promise<string> {
  folder.environment.COLUMNS = "100";
  return (await folder.run([...words.split(" ").filter(Boolean), "--help"])).out;
}

describe("help", () => {
  let all: Map<string, string>;
  beforeAll(async () => {
    all = await helpTexts();
  }, 60_000);

  test("of every command fits a screen of 50 lines and 100 columns, but for examples", async () => {
    const short = await Promise.all([...all.keys()].map(async (words) => [words, await shortHelp(words)] as const));
    for (const [words, help] of short) {
      const lines = help.trimEnd().split("\n");
      expect(lines.length, words).toBeLessThanOrEqual(50);
      for (const line of lines.filter((one) => !/^ +\S* ?stargram |^ *npx /.test(one))) {
        expect([...line].length, `${words}: ${line}`).toBeLessThanOrEqual(100);
      }
    }
  }, 120_000);

  test("shows common options, and with --help-all every option", async () => {
    const short = await shortHelp("train tag");
    expect(short).toContain("\nAll options and notes: stargram train tag --help-all\n");
    expect(short).not.toContain("--encoder-width");
    expect(all.get("train tag")).toContain("--encoder-width");
    expect(all.get("train tag")).toContain("\nMore options:\n");
    for (const flag of short.match(/--[a-z][\w-]+/g) ?? []) expect(all.get("train tag")).toContain(flag);
  });

  test("wraps notes with their indent", () => {
    const notes = "one two three four\n  --a  five six seven\n       eight\nnine";
    expect(reflowed(notes, 14)).toBe("one two three\nfour\n  --a  five\n       six\n       seven\n       eight\nnine");
    expect(reflowed(notes, 80)).toBe("one two three four\n  --a  five six seven eight\nnine");
  });
});

describe("the first example of", () => {
  const pairs = Array.from({ length: 60 }, (_, i) => `${"abcdef"[i % 6]}${"xyz"[i % 3]}${"uvw"[(i % 7) % 3]}`);
  const text = "the old dog saw the red cat and the cat saw the big dog\n".repeat(40);

  beforeAll(async () => {
    delete folder.environment.COLUMNS;
    folder.write("train.txt", columns(120));
    folder.write("data.txt", columns(60));
    folder.write("test.txt", columns(40, 3));
    folder.write("held-out.txt", columns(900, 4));
    folder.write("sample.txt", columns(40, 5));
    folder.write("new.txt", tokensOnly(columns(20, 6)));
    folder.write("words.tsv", `${pairs.map((word) => `${word}\t${[...word.toUpperCase()].join(" ")}`).join("\n")}\n`);
    folder.write("word-list.txt", `${pairs.map((word) => `${word}a`).join("\n")}\n`);
    folder.write("words.txt", text);
    folder.write("segments.txt", text);
    folder.write("pairs.txt", `${pairs.map((word) => `${word}\t${[...word.toUpperCase()].join(" ")}`).join("\n")}\n`);
    for (const name of ["news.txt", "book.txt", "letter.txt"]) folder.write(name, text);
    folder.write("cryptogram.txt", "gsv low wlt hzd gsv ivw xzg zmw gsv yrt wlt\n");
    folder.write("cipher.txt", "gsv low wlt hzd gsv ivw xzg zmw gsv yrt wlt\n");
    const train = ["train", "tag", "train.txt", "--passes", "1", "--l2", "0.1", "--quiet", "--out"];
    for (const model of ["model.sg", "old.sg", "new.sg"]) await folder.run([...train, model]);
  }, 60_000);

  test.each([
    "train tag",
    "train segment",
    "train transduce",
    "predict",
    "evaluate",
    "calibrate",
    "compare",
    "cluster",
    "align",
    "decipher",
    "encipher",
    "identify",
    "inspect",
    "data list",
    "cross-validate tag",
  ])(
    "%s works as printed",
    async (words) => {
      const help = (await folder.run([...words.split(" "), "--help"])).out;
      const [, example] = /\nExamples:\n {2}(.*)\n/.exec(help) ?? [];
      expect(example).toMatch(/^stargram /);
      const given = example
        .replace(/ > \S+$/, "")
        .split(" ")
        .slice(1);
      const { code, error } = await folder.run(given);
      expect(error).not.toMatch(/add --help/);
      // A promise of 99 % is too much for so little data: that is an answer, too.
      expect(words === "calibrate" ? [0, 1] : [0], error).toContain(code);
    },
    60_000,
  );
});
