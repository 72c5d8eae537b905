// Every example runs, without a complaint, and what it prints is what it claims to show.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../examples/", import.meta.url));
const names = readdirSync(folder).filter((name) => /\.(mjs|sh)$/.test(name));

/** What is to be seen in the output of each. */
const shows: Record<string, (out: string) => void> = {
  "tagger.mjs"(out) {
    expect(out).toMatch(/^The +at +[\d.]+\nmayor +nn +[\d.]+\nsaid +vbd /m);
    expect(Number(/([\d.]+) % of 2263 words right/.exec(out)?.[1])).toBeGreaterThan(85);
    expect(out).toMatch(/it answers the same/);
  },
  "own-features.mjs"(out) {
    expect(out).toMatch(/^the old cat sleeps under my tree \(/m);
    expect(out).toMatch(/^loaded: big cat likes small dog \(/m);
  },
  "how-sure.mjs"(out) {
    const [, everything] = /everything: ([\d.]+) %/.exec(out) ?? [];
    const [, all, answered, right] = /of (\d+) fresh runs (\d+) answered, ([\d.]+) % of them right/.exec(out) ?? [];
    expect(Number(everything)).toBeLessThan(80);
    expect(Number(right)).toBeGreaterThanOrEqual(95);
    expect(Number(answered)).toBeGreaterThan(0.2 * Number(all));
  },
  "partial-labels.mjs"(out) {
    const [, known, all] = /^(\d+) of (\d+) labels/m.exec(out) ?? [];
    expect(Number(known)).toBeLessThan(0.2 * Number(all));
    expect(Number(/([\d.]+) % right/.exec(out)?.[1])).toBeGreaterThan(95);
    expect(out).toMatch(/^free: {2}det noun verb .*\ngiven: \S+ verb /m);
  },
  "transliteration.mjs"(out) {
    expect(Number(/^(\d+) of 100 /.exec(out)?.[1])).toBeGreaterThan(90);
    expect(out).toMatch(/^μπαλου → balou /m);
    expect(out).toMatch(/^λαμπα → lamba /m);
    expect(out).toMatch(/ψ:ps ι:i θ:th /);
  },
  "cryptogram.mjs"(out) {
    expect(out).toMatch(/^Meet me by the old bridge when the church bell strikes nine\. /m);
    expect(out.split("\n")[0]).not.toContain("the");
  },
  "crfsuite.mjs"(out) {
    expect(out).toContain("carries=umbrella, cloud, season:autumn; values 1, 0.9, 1\n");
    expect(out).toMatch(/^rain \([\d.]+\), sun \([\d.]+\)$/m);
  },
  "commands.sh"(out) {
    expect(out).toMatch(/^chunks +3 +F1 100\.00 %/m);
    expect(out).toContain("\ngood enough\n# 1 ");
    expect(out).toMatch(/^old\tO\tO\t1$/m);
    expect(out).toMatch(/^3 fish: I-NP \(/m);
  },
  "stream.sh"(out) {
    expect(out).toMatch(/^the\tDT\t\S+\nold\tJJ\t\S+\nfox\tNN\t\S+\nsleeps\tVB\t\S+\n\n2000\n$/);
  },
};

describe("examples", () => {
  it("are all here and in their list", () => {
    expect(names.sort()).toEqual(Object.keys(shows).sort());
    const list = readFileSync(`${folder}README.md`, "utf8");
    for (const name of names) expect(list).toContain(`](${name})`);
  });

  it.each(names)("%s", async (name) => {
    const program = name.endsWith(".sh") ? "sh" : process.execPath;
    const { stdout, stderr } = await promisify(execFile)(program, [`${folder}${name}`]);
    expect(stderr).toBe("");
    shows[name](stdout);
  });
});
