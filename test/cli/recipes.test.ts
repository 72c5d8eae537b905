// The recipes of examples/cluster: slices and pipes put together are the prediction of the whole, and the manifest is YAML of the
// shape that Kubernetes asks for.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columns, Folder, tokensOnly } from "./helpers.js";

const folder = new Folder();
const recipe = (name: string) => fileURLToPath(new URL(`../../examples/cluster/${name}`, import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli/stargram.cjs", import.meta.url));
const env = { ...process.env, STARGRAM: `${process.execPath} ${program}`, SLICE: recipe("slice.sh") };
let whole: string;

/** Runs a script of shell in the folder. */
function sh(name: string, words: readonly string[], more: Record<string, string> = {}): string {
  return execFileSync("sh", [recipe(name), ...words], { cwd: folder.path, env: { ...env, ...more }, encoding: "utf8" });
}

beforeAll(async () => {
  folder.write("train.txt", columns(120));
  folder.write("new.txt", tokensOnly(columns(101, 2)));
  await folder.run(["train", "tag", "train.txt", "--out", "m.sg", "--passes", "1", "--l2", "0.1", "--quiet"]);
  whole = (await folder.run(["predict", "m.sg", "new.txt"])).out;
}, 30_000);
afterAll(() => folder.remove());

describe("recipes", () => {
  test("the tasks of a Slurm array, in any order and some of them twice", () => {
    for (const task of [2, 0, 3, 1, 0]) {
      sh("slurm.sh", ["m.sg", "new.txt", "out"], { SLURM_ARRAY_TASK_ID: String(task), SLURM_ARRAY_TASK_COUNT: "4" });
    }
    const slices = readdirSync(folder.file("out")).sort();
    expect(slices).toEqual(["00000", "00001", "00002", "00003"]);
    expect(slices.map((name) => readFileSync(folder.file(`out/${name}`), "utf8")).join("")).toBe(whole);
  });

  const hasParallel = spawnSync("parallel", ["--version"]).error === undefined;
  test.skipIf(!hasParallel)("GNU parallel", () => {
    expect(sh("parallel.sh", ["m.sg", "new.txt"], { BLOCK: "500" })).toBe(whole);
  });

  const hasYaml = spawnSync("python3", ["-c", "import yaml"]).status === 0;
  test.skipIf(!hasYaml)("the manifest of Kubernetes", () => {
    const read = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";
    const [job, deployment] = JSON.parse(
      execFileSync("python3", ["-c", read, recipe("job.yaml")], { encoding: "utf8" }),
    );
    expect(job).toMatchObject({ apiVersion: "batch/v1", kind: "Job", spec: { completionMode: "Indexed" } });
    const { completions, template } = job.spec;
    expect(template.spec.containers[0].args[0]).toMatch(new RegExp(`"\\$JOB_COMPLETION_INDEX" ${completions}$`));
    const volumes = template.spec.volumes.map(({ name }: { name: string }) => name);
    for (const { name } of template.spec.containers[0].volumeMounts) expect(volumes).toContain(name);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
    const [command, ...words] = deployment.spec.template.spec.containers[0].command;
    expect([command, words[0]]).toEqual(["stargram", "worker"]);
  });
});
