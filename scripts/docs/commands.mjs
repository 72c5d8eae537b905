// docs/commands.md: the help of the command and its subcommands.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../build.mjs";
import { slug } from "./headings.mjs";

const program = join(root, "dist", "cli", "main.js");

/**
 * The whole help of each command by its words, `train tag`, with that of the program itself under "".
 * @returns {Promise<Map<string, string>>}
 */
export async function helpTexts() {
  const texts = new Map([["", await helpOf("")]]);
  /** @param {string} words */
  const visit = async (words) => {
    const found = subcommandsOf(texts.get(words) ?? "").map((name) => `${words} ${name}`.trim());
    const helps = await Promise.all(found.map(helpOf));
    for (const [i, command] of found.entries()) {
      texts.set(command, helps[i]);
      await visit(command);
    }
  };
  await visit("");
  return texts;
}

/** @param {string} words */
async function helpOf(words) {
  const values = [program, ...words.split(" ").filter(Boolean)];
  // Commander wraps at the width of a terminal, and at 80 where there is none.
  const environment = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, COLUMNS: undefined };
  /** @param {string} flag */
  const help = async (flag) =>
    (await promisify(execFile)(process.execPath, [...values, flag], { env: environment })).stdout;
  const short = await help("--help");
  return short.includes("--help-all") && words !== "" ? help("--help-all") : short;
}

/** @param {string} help */
function subcommandsOf(help) {
  const list = /^Commands:\n((?: .*\n)+)/m.exec(help)?.[1] ?? "";
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map((match) => match[1]).filter((name) => name !== "help");
}

/**
 * The flags that a help text lists: `--out`, `-h`.
 * @param {string} help
 */
export function flagsOf(help) {
  return new Set(
    [...help.matchAll(/^ {2}(-\w), (--[\w-]+)|^ {2}(--[\w-]+)/gm)].flatMap((m) => m.slice(1)).filter(Boolean),
  );
}

/** @param {Map<string, string>} helps */
export function commandsPage(helps) {
  const named = [...helps].map(([words, help]) => ({ title: `stargram ${words}`.trim(), help }));
  const parts = named.map(({ title, help }) => `## ${title}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`);
  return [
    "# Commands\n",
    "<!-- Made by scripts/docs.mjs from the commands' own help. Do not edit. -->\n",
    "What `stargram COMMAND --help-all` prints, for every command; `--help` shows the common options. In a clone of the repository the command is `npx stargram`.\n",
    `${named.map(({ title }) => `- [${title}](#${slug(title)})`).join("\n")}\n`,
    ...parts,
  ].join("\n");
}
