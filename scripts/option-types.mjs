// Writes the TypeScript interfaces of options from their declarations (src/util/options.ts), so that an editor shows meaning,
// range and default of each. test/docs.test.ts says when they are out of date.
//   node scripts/option-types.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The files as they should be. Every `option-types.ts` is one: it names its interface and says what it is about, and the
 * `options.ts` beside it has the declarations, `taggerOptions` for the interface `TaggerOptions`.
 * @returns {Promise<{ file: string, text: string }[]>}
 */
export async function optionTypes() {
  const src = join(root, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\boption-types\.ts$/.test(file),
  );
  const options = await import(address("dist/util/options.js"));
  return Promise.all(
    files.sort().map(async (file) => {
      const [, about, name] =
        /^\/\*\* (.*) \*\/\nexport interface (\w+) \{/m.exec(readFileSync(join(src, file), "utf8")) ?? [];
      if (name === undefined)
        throw new Error(`src/${file} should hold an interface, with a line that says what it is about`);
      const module = await import(address(`dist/${dirname(file)}/options.js`));
      const declared = module[name[0].toLowerCase() + name.slice(1)];
      return { file: join(src, file), text: interfaceText(name, about, declared, options) };
    }),
  );
}

/**
 * @param {string} name
 * @param {string} about
 * @param {Record<string, any>} declared
 * @param {Pick<typeof import("../src/util/options.js"), "factsOf" | "usualOf" | "wantedText">} options
 */
function interfaceText(name, about, declared, { factsOf, usualOf, wantedText }) {
  const fields = Object.entries(declared).map(([field, option]) => {
    const facts = factsOf(option);
    const usual = usualOf(option);
    const range = facts.type === "choice" || facts.type === "flag" ? "" : `: ${wantedText(facts)}`;
    const lines = [
      `${facts.description[0].toUpperCase()}${facts.description.slice(1)}${range}.`,
      ...(facts.otherwise === undefined ? [] : [`If not given: ${facts.otherwise}.`]),
      ...(usual === undefined ? [] : [`@default ${JSON.stringify(usual)}`]),
    ];
    return `  /**\n${lines.map((line) => `   * ${line}\n`).join("")}   */\n  ${field}: ${typeOf(facts)};\n`;
  });
  return (
    "// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.\n\n" +
    `/** ${about} */\nexport interface ${name} {\n${fields.join("")}}\n`
  );
}

/** @param {{ type: string, choices?: readonly string[], preset?: string }} facts */
function typeOf({ type, choices = [], preset }) {
  const own = {
    whole: "number",
    range: "number | { least: number; most: number }",
    real: "number",
    flag: "boolean",
    list: "readonly number[]",
    files: "readonly { name: string; text: string; file?: string }[]",
    choice: choices.map((one) => JSON.stringify(one)).join(" | "),
  }[type];
  return `${own ?? "string"}${preset === undefined ? "" : ` | ${JSON.stringify(preset)}`}`;
}

/** @param {string} path */
function address(path) {
  return pathToFileURL(join(root, path)).href;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of await optionTypes()) {
    if (readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  }
}
