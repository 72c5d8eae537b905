// Files of others are never written over, whatever a command is told to write, unless it is told to force it.

import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Folder } from "./helpers.js";

const folder = new Folder();
const poem = "a poem that took a year\n";

beforeAll(() => {
  folder.write("message.txt", "a message that nobody else may read\n");
});
afterAll(() => folder.remove());

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
    expect(refused.error).toMatch(/poem\.txt: there is a file already that is not a key/);
    expect(refused.error).toContain("--force");
    expect(readFileSync(folder.file("poem.txt"), "utf8")).toBe(poem);

    expect((await folder.run([...words, "poem.txt", "--force"])).code).toBe(0);
    expect(JSON.parse(readFileSync(folder.file("poem.txt"), "utf8"))).toEqual(JSON.parse(first));
  });

  test("of a decipherment is refused before the work", async () => {
    folder.write("poem.txt", poem);
    for (const flag of ["--save-key", "--save-language"]) {
      const { code, error } = await folder.run(["decipher", "message.txt", "--plain", "key.json", flag, "poem.txt"]);
      expect([code, error]).toEqual([2, expect.stringMatching(/poem\.txt: there is a file already/)]);
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
