// A training that is stopped, killed and resumed: it ends with the very model it would have given undisturbed.

import { mkdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, ended, Folder, until } from "./helpers.js";

const folder = new Folder();
const options = ["--passes", "25", "--patience", "25", "--order", "3", "--contexts", "30"];
const train = (out: string, ...more: string[]) => ["train", "tag", "train.txt", "--out", out, ...more];
const bytes = (name: string) => readFileSync(folder.file(name));

beforeAll(async () => {
  folder.write("train.txt", columns(120));
  folder.write("other.txt", columns(120, 9));
  expect((await folder.run(train("whole.sg", ...options))).code).toBe(0);
  expect((await folder.run(train("second.sg", ...options, "--seed", "2"))).code).toBe(0);
});
afterAll(() => folder.remove());

describe("resume", () => {
  test("after kill -9", async () => {
    const child = folder.start(...train("killed.sg", ...options));
    const end = ended(child);
    await until(() => folder.has("killed.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    expect(folder.has("killed.sg")).toBe(false);

    // Other options or data are refused, and leave everything as it was.
    const checkpoint = bytes("killed.sg.checkpoint");
    const order = await folder.run(train("killed.sg", "--resume", "--order", "2"));
    expect(order.code).toBe(2);
    expect(order.error).toMatch(/--order differs from the run to resume \(2 now, 3 then\)/);
    const data = await folder.run(["train", "tag", "other.txt", "--out", "killed.sg", "--resume"]);
    expect(data.code).toBe(2);
    expect(data.error).toMatch(/the sequences are not those of the run to resume/);
    folder.write("pairs.tsv", "ab\tA B\n");
    const task = await folder.run(["train", "transduce", "pairs.tsv", "--out", "killed.sg", "--resume"]);
    expect(task.code).toBe(2);
    expect(task.error).toMatch(/this is an unfinished run of a tagger, not of a transducer\n.*train tag/);
    expect(bytes("killed.sg.checkpoint")).toEqual(checkpoint);
    const loaded = await folder.run(["predict", "killed.sg.checkpoint", "train.txt"]);
    expect(loaded.error).toMatch(/checkpoint of an unfinished training/);

    expect((await folder.run(train("killed.sg", "--resume", "--order", "3"))).code).toBe(0);
    expect(bytes("killed.sg")).toEqual(bytes("whole.sg"));
    expect(folder.has("killed.sg.checkpoint")).toBe(false);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("after %s, which leaves a model that can be used beside the old one", async (signal, exitCode) => {
    const name = `${signal}.sg`;
    folder.write(name, bytes("whole.sg"));
    const child = folder.start(...train(name, ...options, "--seed", "2"));
    const end = ended(child);
    await until(() => folder.has(`${name}.checkpoint`));
    child.kill(signal);
    const { code, out, error } = await end;
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    expect(error).toContain(`the model so far is in ${name}.partial`);
    expect(error).toContain(`continue with: stargram train tag train.txt --out ${name} --resume\n`);
    expect(bytes(name)).toEqual(bytes("whole.sg"));
    const partial = await folder.run(["evaluate", `${name}.partial`, "train.txt", "--require", "tokenAccuracy=0.5"]);
    expect(partial.code).toBe(0);
    expect((await folder.run(train(name, "--resume"))).code).toBe(0);
    expect(bytes(name)).toEqual(bytes("second.sg"));
    expect(folder.has(`${name}.checkpoint`)).toBe(false);
    expect(folder.has(`${name}.partial`)).toBe(false);
  });

  test("is refused with another kernel, which would end with another model", async () => {
    folder.environment.STARGRAM_KERNEL = "js";
    const child = folder.start(...train("kernel.sg", ...options));
    const end = ended(child);
    await until(() => folder.has("kernel.sg.checkpoint"));
    child.kill("SIGKILL");
    await end;
    delete folder.environment.STARGRAM_KERNEL;
    const checkpoint = bytes("kernel.sg.checkpoint");
    const { code, error } = await folder.run(train("kernel.sg", "--resume"));
    expect([code, error]).toEqual([2, expect.stringMatching(/used the kernel `js`, not `wasm`/)]);
    expect(bytes("kernel.sg.checkpoint")).toEqual(checkpoint);
    expect(folder.has("kernel.sg")).toBe(false);
  });

  test("without anything to resume", async () => {
    const { code, error } = await folder.run(train("whole.sg", "--resume"));
    expect(code).toBe(2);
    expect(error).toMatch(/there is no unfinished run to resume/);
  });
});

test("a second Ctrl-C ends at once and leaves the old model", async () => {
  // One sequence so long that a step takes a while: the signals arrive within it.
  folder.write("long.txt", columns(6000).replaceAll("\n\n", "\n"));
  folder.write("old.sg", bytes("whole.sg"));
  const child = folder.start(
    "train",
    "tag",
    "long.txt",
    "--out",
    "old.sg",
    "--passes",
    "1000",
    "--patience",
    "1000",
    "--held-out",
    "0",
  );
  const end = ended(child);
  await until(() => folder.has("old.sg.checkpoint"));
  // Two signals become one if the process does not run in between, as on a busy machine: so they go on coming.
  const signals = setInterval(() => child.kill("SIGINT"), 3);
  const { code } = await end;
  clearInterval(signals);
  expect(code).toBe(130);
  expect(bytes("old.sg")).toEqual(bytes("whole.sg"));
});

test("a checkpoint that cannot be written is said, and the model is trained all the same", async () => {
  mkdirSync(folder.file("kept.sg.checkpoint"));
  const { code, error } = await folder.run(train("kept.sg", ...options));
  expect(code).toBe(0);
  expect(error.match(/kept\.sg\.checkpoint: .*; training continues, but cannot be resumed/g)).toHaveLength(1);
  expect(bytes("kept.sg")).toEqual(bytes("whole.sg"));

  // Stopped, it says nothing of going on: there is nothing to go on from.
  mkdirSync(folder.file("lost.sg.checkpoint"));
  const child = folder.start(...train("lost.sg", ...options));
  let said = "";
  child.stderr?.on("data", (text) => {
    said += text;
  });
  const end = ended(child);
  await until(() => said.includes("training continues"));
  child.kill("SIGINT");
  const stopped = await end;
  expect(stopped.code).toBe(130);
  expect(stopped.error).not.toContain("continue with");
});

test("--quiet says nothing, --json one object", async () => {
  const quiet = await folder.run(train("quiet.sg", "--passes", "1", "--quiet"));
  expect(quiet).toEqual({ code: 0, out: "", error: "" });
  const { out } = await folder.run(train("json.sg", "--passes", "2", "--quiet", "--json"));
  expect(JSON.parse(out)).toMatchObject({ model: "json.sg", kind: "tagger", labels: 4, sequences: 120, passes: 2 });
});

test("--epochs is taken for --passes, and JSON has the old names beside the new ones", async () => {
  const { out } = await folder.run(train("old-name.sg", "--epochs", "2", "--quiet", "--json"));
  expect(bytes("old-name.sg")).toEqual(bytes("json.sg"));
  const { history, options } = JSON.parse(out);
  expect(history[1]).toMatchObject({ pass: 2, epoch: 2 });
  expect(options).toMatchObject({ passes: 2, epochs: 2 });
  const inspected = JSON.parse((await folder.run(["inspect", "old-name.sg", "--json"])).out);
  expect(inspected.summary.bestEpoch).toBe(inspected.summary.bestPass);
  expect((await folder.run(["train", "tag", "--help"])).out).not.toContain("--epochs");
  const refused = await folder.run(train("none.sg", "--epochs", "0"));
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.error).toContain("'--epochs <n>' argument '0' is invalid");
});
