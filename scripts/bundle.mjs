// Bundles the command as people run it: dist/cli/start.js and what it imports become dist/cli/stargram.cjs and a few files
// beside it. CommonJS, since Node starts that fastest. The licences of the packages within go to stargram-licences.txt.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** @param {string} dist where the parts are, and where the bundle goes */
export async function bundleCommand(dist) {
  const bundle = await rolldown({
    cwd: dist,
    input: { stargram: join(dist, "cli", "start.js") },
    platform: "node",
    // All commands stay as they are, and are loaded when one is asked for that is not in the bundle.
    external: /\/main\.js$/,
  });
  const { output } = await bundle.write({
    dir: join(dist, "cli"),
    format: "cjs",
    minify: true, // less to parse; who wants to see the place of a fault gets the parts
    entryFileNames: "[name].cjs",
    chunkFileNames: "stargram-[name].cjs",
  });
  await bundle.close();
  const folders = new Set();
  for (const chunk of output) {
    if (chunk.type !== "chunk") continue;
    for (const id of chunk.moduleIds) {
      const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/")) ?? [];
      if (folder) folders.add(folder);
    }
  }
  const licences = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (!file) throw new Error(`the package ${name} comes without a licence to pass on`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  writeFileSync(
    join(dist, "cli", "stargram-licences.txt"),
    `The files stargram*.cjs hold parts of these packages.\n\n${licences.join(`\n${"-".repeat(80)}\n\n`)}`,
  );
}
