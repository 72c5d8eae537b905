// Writes the pages that are made, not written: docs/commands.md from the help of the command and its subcommands, and the
// reference pages from the declarations of the build. test/docs.test.ts says when they are out of date.
//   node scripts/docs.mjs
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./build.mjs";
import { commandsPage, helpTexts } from "./docs/commands.mjs";
import { referencePages } from "./docs/reference.mjs";
import { fail } from "./needs.mjs";

/**
 * The pages by their names in docs/.
 * @returns {Promise<Map<string, string>>}
 */
export async function generatedPages() {
  return new Map([["commands.md", commandsPage(await helpTexts())], ...(await referencePages())]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(join(root, "dist", ".built"))) fail("there is no build yet: run `npm run build`");
  for (const [name, text] of await generatedPages()) writeFileSync(join(root, "docs", name), text);
}
