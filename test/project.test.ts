// The files around the program: workflows are valid, and versions agree.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validateWorkflow } from "@action-validator/core";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const workflows = readdirSync(join(root, ".github", "workflows"));

it.each(workflows)("%s is a valid workflow", (file) => {
  expect(validateWorkflow(textOf(`.github/workflows/${file}`)).errors).toEqual([]);
});

it("a workflow that is not valid is found", () => {
  expect(validateWorkflow("on: push\njobs:\n  one:\n    steps: [{ uses: 3 }]\n").errors).not.toEqual([]);
});

it("the version to cite is that of the package, and has its section in the changelog or is to come", () => {
  const { version } = JSON.parse(textOf("package.json"));
  expect(textOf("CITATION.cff")).toContain(`\nversion: ${version}\n`);
  expect(textOf("CHANGELOG.md")).toMatch(/^## \[Unreleased\]/m);
});
