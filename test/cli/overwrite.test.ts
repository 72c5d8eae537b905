// Files of others are never written over, whatever a command is told to write, unless it is told to force it.

import { lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, Folder } from "./helpers.js";

const folder = new Folder();
const poem = "a poem that took a year\n";

beforeAll(async () => {
  folder.write("message.txt", "a message that nobody else may read\n");
  folder.write("train.txt", columns(40));
  expect((await train("model.sg")).code).toBe(0);
});
afterAll(() => folder.remove());

function train(out: string, ...more: string[]) {
  return folder.run(["train", "tag", "train.txt", "--passes", "2", "--quiet", "--out", out, ...more]);
}

const text = (name: string): string => readFileSync(folder.file(name), "utf8");

describe("a key", () => {
  test("replaces a key that was written before, and no other file unless forced", async () => {
    const words = ["encipher", "message.txt", "--save-key"];
    expect((await folder.run([...words, "key.json"])).code).toBe(0);
    const first = readFileSync(folder.file("key.json"), "utf8");
    expect((await folder.run([...words, "key.json", "--seed", "2"])).code).toBe(0);
    expect(readFileSync(folder.file("key.json"), "utf8")).not.toBe(first);

    folder.write("poem.txt", poem);
    const refused = await folder.run([...words, "poem.txt"]);
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.error).toMatch(/poem\.txt: a file exists here that is not a key/);
    expect(refused.error).toContain("--force");
    expect(readFileSync(folder.file("poem.txt"), "utf8")).toBe(poem);

    expect((await folder.run([...words, "poem.txt", "--force"])).code).toBe(0);
    expect(JSON.parse(readFileSync(folder.file("poem.txt"), "utf8"))).toEqual(JSON.parse(first));
  });

  test("of a decipherment is refused before the work", async () => {
    folder.write("poem.txt", poem);
    for (const flag of ["--save-key", "--save-language"]) {
      const { code, error } = await folder.run(["decipher", "message.txt", "--plain", "key.json", flag, "poem.txt"]);
      expect([code, error]).toEqual([2, expect.stringMatching(/poem\.txt: a file exists here/)]);
      expect(readFileSync(folder.file("poem.txt"), "utf8")).toBe(poem);
    }
  });

  test.skipIf(process.platform === "win32")(
    "goes where a symbolic link leads, also when nothing is there",
    async () => {
      symlinkSync("target.json", folder.file("link"));
      symlinkSync("none/target.json", folder.file("nowhere"));
      expect((await folder.run(["encipher", "message.txt", "--save-key", "link"])).code).toBe(0);
      expect(lstatSync(folder.file("link")).isSymbolicLink()).toBe(true);
      expect(folder.has("target.json")).toBe(true);
      const { code, error } = await folder.run(["encipher", "message.txt", "--save-key", "nowhere"]);
      expect([code, error]).toEqual([2, expect.stringMatching(/nowhere: its folder does not exist/)]);
      expect(lstatSync(folder.file("nowhere")).isSymbolicLink()).toBe(true);
    },
  );
});

describe("a training", () => {
  test("leaves a file that is in the place of its model or its checkpoint, unless forced", async () => {
    for (const [name, out] of [
      ["thesis.txt", "thesis.txt"],
      ["other.sg.checkpoint", "other.sg"],
    ]) {
      folder.write(name, poem);
      const { code, error } = await train(out);
      expect([code, error]).toEqual([2, expect.stringMatching(/a file exists here that is not/)]);
      expect(error).toContain("--force");
      expect(text(name)).toBe(poem);
      expect((await train(out, "--force")).code).toBe(0);
      expect(readFileSync(folder.file(out)).equals(readFileSync(folder.file("model.sg")))).toBe(true);
    }
    expect(folder.has("other.sg.checkpoint")).toBe(false);
  });

  test("leaves a model that is in the place of its checkpoint", async () => {
    folder.write("one.sg.checkpoint", readFileSync(folder.file("model.sg")));
    const { code, error } = await train("one.sg");
    expect([code, error]).toEqual([2, expect.stringMatching(/not a training checkpoint/)]);
    expect(readFileSync(folder.file("one.sg.checkpoint")).equals(readFileSync(folder.file("model.sg")))).toBe(true);
  });

  test.skipIf(process.platform === "win32")(
    "goes where a symbolic link leads, also when nothing is there",
    async () => {
      symlinkSync("real.sg", folder.file("latest.sg"));
      expect((await train("latest.sg")).code).toBe(0);
      expect(lstatSync(folder.file("latest.sg")).isSymbolicLink()).toBe(true);
      expect(folder.has("real.sg")).toBe(true);
    },
  );
});

describe("plots", () => {
  test.each([
    ["evaluate", ["model.sg", "train.txt"]],
    ["compare", ["model.sg", "model.sg", "train.txt"]],
  ])("of %s replace plots, and no other picture unless forced", async (command, words) => {
    const all = [command, ...words, "--plots", command];
    mkdirSync(folder.file(command));
    folder.write(`${command}/reliability.svg`, "<svg><title>mine</title></svg>");
    const refused = await folder.run(all);
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.error).toMatch(/reliability\.svg: a file exists here that is not a plot/);
    expect(text(`${command}/reliability.svg`)).toContain("mine");
    expect(folder.has(`${command}/histogram.svg`)).toBe(false);
    expect((await folder.run([...all, "--force"])).code).toBe(0);
    expect(text(`${command}/reliability.svg`)).not.toContain("mine");
    expect((await folder.run(all)).code).toBe(0);
  });
});
