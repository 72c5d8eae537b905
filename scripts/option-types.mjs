// Writes the TypeScript interfaces of options from their declarations (src/util/options.ts), so that an editor shows meaning,
// range and default of each. test/docs.test.ts says when they are out of date.
//   node scripts/option-types.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Each interface: the module of its declarations, their name, and what it is called. */
const interfaces = [
  {
    folder: "learn",
    declared: "trainingOptions",
    name: "TrainingOptions",
    about: "What can be chosen of every training.",
  },
  { folder: "tasks/tag", declared: "taggerOptions", name: "TaggerOptions", about: "What can be chosen of a tagger." },
  {
    folder: "tasks/transduce",
    declared: "transducerOptions",
    name: "TransducerOptions",
    about: "What can be chosen of a transducer.",
  },
];

/** @returns {Promise<{ file: string, text: string }[]>} the files as they should be */
export async function optionTypes() {
  const { factsOf, usualOf, wantedText } = await import(address("dist/util/options.js"));
  return Promise.all(
    interfaces.map(async ({ folder, declared, name, about }) => {
      const module = await import(address(`dist/${folder}/options.js`));
      const fields = Object.entries(module[declared]).map(([field, option]) => {
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
      const text =
        "// Made by scripts/option-types.mjs from the declarations in options.ts. Do not edit.\n\n" +
        `/** ${about} */\nexport interface ${name} {\n${fields.join("")}}\n`;
      return { file: join(root, "src", folder, "option-types.ts"), text };
    }),
  );
}

/** @param {{ type: string, choices?: readonly string[], preset?: string }} facts */
function typeOf({ type, choices = [], preset }) {
  const own = {
    whole: "number",
    real: "number",
    flag: "boolean",
    list: "readonly number[]",
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
    let before = "";
    try {
      before = readFileSync(file, "utf8");
    } catch {
      // Not there yet.
    }
    if (before !== text) writeFileSync(file, text);
  }
}
