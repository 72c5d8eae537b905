// Completion in a shell, as the shell does it, and flags of one letter.

import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { columns, Folder } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await folder.run(["--completion", "bash"]);
  const asked = `COMP_WORDS=(stargram ${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length}; _stargram`;
  const shell = spawnSync("bash", ["-c", `${out}\n${asked}; printf '%s\\n' "\${COMPREPLY[@]}"`], { encoding: "utf8" });
  expect(shell.stderr).toBe("");
  return shell.stdout.trim().split("\n");
}

describe.runIf(spawnSync("bash", ["--version"]).status === 0)("bash", () => {
  it("completes commands, those below them, and their flags", async () => {
    expect(await offered("pre")).toEqual(["predict"]);
    expect(await offered("train", "t")).toEqual(["tag", "transduce"]);
    expect(await offered("train", "tag", "--ord")).toEqual(["--order"]);
    expect(await offered("predict", "model.sg", "--show")).toEqual(["--show-contexts"]);
  });

  it("completes the names of files where a command takes them", async () => {
    expect(await offered("predict", "packag")).toEqual(["package.json", "package-lock.json"].sort());
  });
});

it("other shells have a script of their own, and those that are not known are named", async () => {
  expect((await folder.run(["--completion", "zsh"])).out).toMatch(/^autoload -U \+X bashcompinit/);
  const fish = (await folder.run(["--completion", "fish"])).out;
  expect(fish).toContain("-n '__fish_seen_subcommand_from train; and __fish_seen_subcommand_from tag' -l order");
  expect(await folder.run(["--completion", "tcsh"])).toMatchObject({ code: 2, out: "" });
});

it("-o, -q and -j are --out, --quiet and --json", async () => {
  folder.write("train.txt", columns(30));
  const made = await folder.run(["train", "tag", "train.txt", "-o", "a.sg", "-q", "-j", "--passes", "1", "--l2", "1"]);
  expect(made.code).toBe(0);
  expect(JSON.parse(made.out)).toMatchObject({ model: "a.sg" });
  expect(folder.has("a.sg")).toBe(true);
});
