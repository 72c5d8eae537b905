// What rolldown makes of the sources: the command in a few files that start fast, the demo and the experiments beside the
// library, and the review page in one file.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The command as people run it: dist/cli/start.js and what it imports become dist/cli/stargram.cjs and a few files beside it.
 * CommonJS, since Node starts that fastest. The licences of the packages within go to stargram-licences.txt.
 * @param {string} dist where the parts are, and where the bundle goes
 */
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

/**
 * demo/ and experiments/ file by file, to dist/demo and dist/experiments. They import the library as `#stargram/…`, which
 * package.json leads to dist/: they run there, in a clone as in the installed package.
 * @param {string} dist
 */
export async function compileBeside(dist) {
  const files = ["demo", "experiments"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const bundle = await rolldown({
    cwd: root,
    input: files.filter((file) => file.endsWith(".ts")),
    platform: "node",
    external: (id) => !/^[./]/.test(id),
  });
  await bundle.write({ dir: dist, format: "esm", preserveModules: true, preserveModulesRoot: root });
  await bundle.close();
}

/**
 * The review page, apps/review, as one file: dist/review.html. Its style and its program go into the page, with `{{nonce}}` for
 * what the server's security policy knows them by.
 * @param {string} dist
 */
export async function makeReviewPage(dist) {
  const folder = join(root, "apps", "review");
  const bundle = await rolldown({ input: join(folder, "client.ts"), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const style = (/** @type {string} */ name) =>
    `<style nonce="{{nonce}}">\n${readFileSync(join(folder, name), "utf8")}</style>`;
  const program = output[0].code.replaceAll("</", "<\\/");
  const inside = {
    '<link rel="stylesheet" href="style.css">': style("style.css"),
    '<link rel="stylesheet" href="tokens.css">': style("tokens.css"),
    '<script type="module" src="client.ts"></script>': `<script type="module" nonce="{{nonce}}">\n${program}</script>`,
  };
  let page = readFileSync(join(folder, "page.html"), "utf8");
  for (const [tag, content] of Object.entries(inside)) {
    if (!page.includes(tag)) throw new Error(`apps/review/page.html lacks ${tag}`);
    page = page.replace(tag, () => content);
  }
  writeFileSync(join(dist, "review.html"), page);
}
