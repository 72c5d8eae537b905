// Reference pages: which file an entry of package.json leads to, and that a name stands on one page, to which the other links.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { exportsOf } from "../../scripts/docs/declarations.mjs";
import { packageEntries, resolved } from "../../scripts/docs/entries.mjs";
import { referencePages } from "../../scripts/docs/reference.mjs";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

describe("entries", () => {
  it.each([
    ["./a.js", ["types"], "./a.js"],
    [{ types: "./a.d.ts", default: "./a.js" }, ["types", "node"], "./a.d.ts"],
    [{ types: "./a.d.ts", default: "./a.js" }, ["node"], "./a.js"],
    [
      { browser: { types: "./b.d.ts", default: "./b.js" }, default: { types: "./a.d.ts", default: "./a.js" } },
      ["types", "browser"],
      "./b.d.ts",
    ],
    [{ browser: { types: "./b.d.ts" }, default: { types: "./a.d.ts" } }, ["types", "node"], "./a.d.ts"],
  ])("%j under %j", (target, conditions, file) => {
    expect(resolved(target as never, conditions)).toBe(file);
  });

  it("are those of package.json, each with names", () => {
    const entries = packageEntries();
    expect(entries[0].name).toBe("stargram");
    for (const { exported } of entries) expect(exported.length).toBeGreaterThan(0);
  });
});

it("names of a second page link to the first, and those of a small entry are listed", async () => {
  /** An entry that exports what a module of the build declares. */
  const entry = (name: string, path: string, names: string[]) => ({
    name,
    exported: names.map((one) => ({ name: one, file: join(dist, `${path}.d.ts`) })),
    browser: new Set(names),
    module: join(dist, `${path}.js`),
  });
  const main = entry("stargram", "engine/trellis", ["Trellis"]);
  const engine = entry("stargram/engine", "engine/lattice", ["Lattice", "trellisLattice"]);
  const small = entry("stargram/small", "engine/trellis", ["Trellis"]);
  const pages = await referencePages([main, engine, small]);
  expect([...pages.keys()]).toEqual(["api.md", "engine.md"]);
  const [api, reference] = [...pages.values()];
  expect(api).toMatch(/^### Trellis$/m);
  expect(api).not.toMatch(/^### Lattice$/m);
  expect(api).toContain('## stargram/small\n\nWhat `import … from "stargram/small"` offers.\n\n[Trellis](#trellis)\n');
  expect(reference).toMatch(/^### Lattice$/m);
  expect(reference).toContain("[Trellis](api.md#trellis)");
});

it("an entry that exports everything of another file exports its names", () => {
  const all = exportsOf(join(dist, "index.d.ts")).map(({ name }) => name);
  for (const { name } of exportsOf(join(dist, "browser.d.ts"))) expect(all).toContain(name);
});
