// What fuzzing has found, tried again; and a few cases of every target, so that the targets themselves stay sound.

import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diceOf } from "../fuzz/mutate.mjs";
import { sampleModels } from "../fuzz/samples.mjs";
import { targetsOf } from "../fuzz/targets.mjs";

const folder = new URL("../fuzz/cases/", import.meta.url);
let targets: ReturnType<typeof targetsOf> = [];

beforeAll(async () => {
  targets = targetsOf(await sampleModels());
  for (const target of targets) await target.prepare?.();
});
afterAll(async () => {
  for (const target of targets) await target.close?.();
});

describe("a case that was found once", () => {
  test.each(readdirSync(folder))("%s", async (file) => {
    const target = targets.find(({ name }) => name.replaceAll(" ", "-") === file.split("--")[0]);
    expect(target).toBeDefined();
    const bytes = Uint8Array.from(gunzipSync(readFileSync(new URL(file, folder))));
    // What a target draws beside the bytes, such as options, is drawn in several ways.
    for (let seed = 1; seed <= 5; seed++) await target?.check(bytes, diceOf(seed, 0));
  });
});

test("some cases of every target", async () => {
  const ran: string[] = [];
  for (const { name, make, check, batch } of targets) {
    const cases = batch > 1000 ? 100 : 20;
    for (let number = 0; number < cases; number++) {
      const dice = diceOf(2015, number);
      await check(make(dice), dice);
    }
    ran.push(name);
  }
  expect(ran.length).toBeGreaterThanOrEqual(19);
});
