// The entry points of the package, as package.json lists them, with the names that each offers.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build.mjs";
import { packageExports } from "../exports.mjs";
import { exportsOf } from "./declarations.mjs";

/** @typedef {import("./declarations.mjs").Exported} Exported */
/** @typedef {{ name: string, exported: Exported[], browser: Set<string>, module: string }} Entry `browser`: names that are there in a browser, too */
/** @typedef {import("../exports.mjs").Target} Target */

/** @returns {Entry[]} */
export function packageEntries() {
  const { name: packageName } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const exports = packageExports();
  const paths = Object.keys(exports).filter((path) => typeof exports[path] === "object");
  return paths.map((path) => {
    const inBrowser = path === "." && exports["./browser"] ? exports["./browser"] : exports[path];
    return {
      name: path.replace(".", packageName),
      exported: exportsOf(join(root, resolved(exports[path], ["types", "node"]))),
      browser: new Set(exportsOf(join(root, resolved(inBrowser, ["types", "browser"]))).map(({ name }) => name)),
      module: join(root, resolved(exports[path], ["node"])),
    };
  });
}

/**
 * The file that an entry leads to under some conditions: the first that holds, as Node takes it.
 * @param {Target} target
 * @param {readonly string[]} conditions
 * @returns {string}
 */
export function resolved(target, conditions) {
  if (typeof target === "string") return target;
  const condition = Object.keys(target).find((key) => [...conditions, "import", "default"].includes(key));
  if (condition === undefined) throw new Error(`package.json: no entry for ${conditions.join(", ")}`);
  return resolved(target[condition], conditions);
}

/**
 * The pages of the tasks, in the order in which docs/README.md lists them. That of `tag` is docs/tagging.md, with the title
 * `# Tagging: from data to trusted labels`.
 */
export function taskPages() {
  const docs = join(root, "docs");
  const contents = readFileSync(join(docs, "README.md"), "utf8");
  const folders = readdirSync(join(root, "src", "tasks"), { withFileTypes: true }).filter((one) => one.isDirectory());
  const pages = folders.map(({ name: task }) => {
    const name = new RegExp(`^${task.replace(/e$/, "")}.?ing\\.md$`);
    const file = readdirSync(docs).find((one) => name.test(one));
    if (!file) throw new Error(`there is no page in docs/ for the task ${task}`);
    const [, title, about] = /^# (\w+): (.*)$/m.exec(readFileSync(join(docs, file), "utf8")) ?? [];
    if (!title) throw new Error(`docs/${file} has no title such as "# Tagging: from data to trusted labels"`);
    return { task, file, title, about };
  });
  return pages.sort((a, b) => contents.indexOf(`](${a.file})`) - contents.indexOf(`](${b.file})`));
}
