// Writes the pages that are made, not written: docs/commands.md from the help of the command and its subcommands, and
// docs/api.md from the declarations of the build, dist/index.d.ts and what it exports. test/docs.test.ts says when they
// are out of date.
//   node scripts/docs.mjs
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const program = join(dist, "cli", "main.js");

/** @typedef {{ name: string, file: string, browser: boolean }} Exported `file`: the .d.ts that declares it; `browser`: runs there too */
/** @typedef {{ comment: string, code: string }} Declaration */

/** Where each exported name stands in docs/api.md, by the file that declares it (a prefix of its path in src/). */
const groups = [
  {
    title: "Tagging",
    about: "A label for every position of a sequence. [Tagging](tagging.md) goes from data to trusted labels.",
    files: ["tasks/tag/", "formats/sequence"],
  },
  {
    title: "Transduction",
    about:
      "Outputs for inputs of other lengths, learned from pairs without alignments. [Transducing](transducing.md) goes " +
      "from pairs to trusted outputs.",
    files: ["tasks/transduce/"],
  },
  {
    title: "Decipherment",
    about:
      "The key of a substitution, learned from plain text of the language alone. [Deciphering](deciphering.md) goes " +
      "from a cipher to its text.",
    files: ["tasks/decipher/"],
  },
  {
    title: "Reading data",
    about: "Files and streams in the [formats](formats.md) that the commands read.",
    files: ["formats/", "datasets/"],
  },
  {
    title: "Model files",
    about: "Models as files and as bytes; [the layout](formats.md#the-model-file).",
    files: ["model/", "workflows/", "tasks/task"],
  },
  {
    title: "Confidence",
    about: "How far answers can be trusted. [How sure is sure?](how-sure-is-sure.md) explains what is promised.",
    files: ["confidence/", "metrics/"],
  },
  {
    title: "Errors",
    about: "What a user got wrong.",
    files: ["util/errors"],
  },
  {
    title: "Training",
    about: "What all trainings share, and the loop itself for learners of your own.",
    files: ["learn/"],
  },
  {
    title: "The engine",
    about:
      "For models of your own: slots, rows, context sets, and what is read off a trellis. [Inside](inside.md) explains " +
      "the parts.",
    files: ["engine/"],
  },
];

// ---------------------------------------------------------------------------------------------- commands

/**
 * The help of each command by its words, `train tag`, with that of the program itself under "".
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
  const values = [program, ...words.split(" ").filter(Boolean), "--help"];
  // Commander wraps at the width of a terminal, and at 80 where there is none.
  const environment = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, COLUMNS: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, values, { env: environment });
  return stdout;
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
    "What `stargram COMMAND --help` prints, for every command. In a clone of the repository the command is `npx stargram`.\n",
    `${named.map(({ title }) => `- [${title}](#${slug(title)})`).join("\n")}\n`,
    ...parts,
  ].join("\n");
}

// ---------------------------------------------------------------------------------------------- the API

export async function apiPage() {
  const browser = new Set(exportsOf(join(dist, "browser.d.ts")).map(({ name }) => name));
  const exported = exportsOf(join(dist, "index.d.ts")).map((one) => ({ ...one, browser: browser.has(one.name) }));
  const values = await import(pathToFileURL(join(dist, "index.js")).href);
  const sections = groups.map((group) => ({
    ...group,
    names: exported.filter(({ file }) => groupOf(file) === group).sort((a, b) => rank(a, group) - rank(b, group)),
  }));
  sections.push({
    title: "Types that these mention",
    about: "They have no name of their own in the package and stand here to be read.",
    files: [],
    names: mentionedBy(exported),
  });
  const order = sections.flatMap(({ names }) => names.map(({ name }) => name));
  const headings = ["API", "Contents"];
  for (const { title, names } of sections) headings.push(title, ...names.map(({ name }) => name));
  const anchors = anchorsOf(headings);
  const link = (/** @type {string} */ name) => `[${name}](#${anchors[headings.lastIndexOf(name)]})`;

  const parts = sections.map(({ title, about, names }) => {
    const list = names.map(({ name }) => link(name)).join(" · ");
    const entries = names.map((one) => entryText(one, values, order, link));
    return [`## ${title}\n`, `${about}\n`, `${list}\n`, ...entries].join("\n");
  });
  return [
    "# API\n",
    "<!-- Made by scripts/docs.mjs from the types. Do not edit. -->\n",
    'All that `import … from "stargram"` offers, as the compiler sees it. `stargram/browser` has the same names but those marked',
    "*Node only*. Options are one object each; what is not given has the default shown, and an unknown name is refused.\n",
    "## Contents\n",
    `${sections.map(({ title }) => `- [${title}](#${anchors[headings.indexOf(title)]})`).join("\n")}\n`,
    ...parts,
  ].join("\n");
}

/**
 * Where a name stands in its group: classes first, then by file in the group's order and by line.
 * @param {Exported} exported
 * @param {{ files: readonly string[] }} group
 */
function rank({ name, file }, { files }) {
  const lines = textOf(file).split("\n");
  const line = lines.findIndex((text) => startOf(name).test(text));
  const place = files.findIndex((prefix) => pathOf(file).startsWith(prefix));
  return (/\bclass\b/.test(lines[line]) ? 0 : 1e6) + place * 1e5 + line;
}

/**
 * The types that declarations mention, directly or by others, and that are not exported themselves.
 * @param {readonly Exported[]} exported
 */
function mentionedBy(exported) {
  const known = new Set(exported.map(({ name }) => name));
  /** @type {Exported[]} */
  const found = [];
  for (const list of [exported, found]) {
    for (const { name, file } of list) {
      for (const word of namesIn(declarationOf(name, file).code)) {
        const source = known.has(word) ? undefined : sourceOf(word, file);
        if (!source) continue;
        known.add(word);
        found.push({ name: word, file: source, browser: true });
      }
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The names of types in code, and of values whose types are meant; comments left out.
 * @param {string} code
 */
function namesIn(code) {
  return new Set(code.replace(/\/\*[\s\S]*?\*\//g, "").match(/\b[A-Z]\w*|(?<=typeof )\w+/g));
}

/**
 * The file that declares a name which a file uses, or undefined if it is none of ours.
 * @param {string} name
 * @param {string} file
 * @returns {string | undefined}
 */
function sourceOf(name, file) {
  const text = textOf(file);
  if (text.split("\n").some((line) => startOf(name).test(line))) return file;
  for (const [, list, from] of text.matchAll(/^import (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm)) {
    const names = list.split(",").map((one) => one.trim().replace(/^type /, ""));
    if (names.includes(name)) return declaringFile(name, join(dirname(file), from.replace(/\.js$/, ".d.ts")));
  }
  return undefined;
}

/**
 * @param {Exported} exported
 * @param {Record<string, unknown>} values what the built module exports
 * @param {readonly string[]} order all names
 * @param {(name: string) => string} link
 */
function entryText({ name, file, browser }, values, order, link) {
  const { comment, code } = declarationOf(name, file);
  const names = namesIn(code);
  const mentioned = order.filter((other) => other !== name && names.has(other));
  const parts = [`### ${name}\n`];
  const words = comment || (/^(abstract )?class/.test(code) ? openingOf(file) : "");
  const about = [browser ? "" : "*Node only.*", words].filter(Boolean).join(" ");
  if (about) parts.push(`${about}\n`);
  parts.push(`\`\`\`ts\n${code}\n\`\`\`\n`);
  if (/Defaults$/.test(name)) parts.push(`\`\`\`ts\n${literal(values[name])}\n\`\`\`\n`);
  if (mentioned.length > 0) parts.push(`See ${mentioned.map(link).join(", ")}.\n`);
  return parts.join("\n");
}

/**
 * The first paragraph of the comment that opens the source of a declaration file: what its class is.
 * @param {string} file
 */
function openingOf(file) {
  const source = readFileSync(join(root, "src", pathOf(file).replace(/\.d\.ts$/, ".ts")), "utf8");
  const opening = (/^(?:\/\/ \S.*\n)+/.exec(source)?.[0] ?? "").replace(/^\/\/ /gm, "");
  // A formula may follow: what leads up to it is left out.
  return opening
    .trim()
    .replace(/:$/, ".")
    .replace(/(?<=\.)\s[^.]*$/, "");
}

/** @param {unknown} value */
function literal(value) {
  const lines = Object.entries(/** @type {object} */ (value)).map(([key, one]) => `  ${key}: ${JSON.stringify(one)},`);
  return `{\n${lines.join("\n")}\n}`;
}

/** @type {Map<string, string>} */
const texts = new Map();

/** @param {string} file */
function textOf(file) {
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, text);
  return text;
}

/** @param {string} file */
function pathOf(file) {
  return relative(dist, file).split(sep).join("/");
}

/**
 * How the line begins that declares a name.
 * @param {string} name
 */
function startOf(name) {
  return new RegExp(`^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const) ${name}\\b`);
}

/** @param {string} file */
function groupOf(file) {
  const path = pathOf(file);
  const group = groups.find(({ files }) => files.some((prefix) => path.startsWith(prefix)));
  if (!group) throw new Error(`scripts/docs.mjs: no group of docs/api.md holds ${path}`);
  return group;
}

/**
 * The names a declaration file exports with the files that declare them, sorted by file as the statements stand.
 * @param {string} file
 * @returns {Exported[]}
 */
function exportsOf(file) {
  const text = textOf(file);
  /** @type {Exported[]} */
  const found = [];
  for (const [, list, from] of text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from "([^"]+)";/gm)) {
    const source = join(dirname(file), from.replace(/\.js$/, ".d.ts"));
    if (list === "*") found.push(...exportsOf(source));
    else {
      const names = list
        .slice(1, -1)
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""));
      found.push(...names.filter(Boolean).map((name) => ({ name, file: declaringFile(name, source), browser: false })));
    }
  }
  return found;
}

/**
 * Follows re-exports to the file that declares a name.
 * @param {string} name
 * @param {string} file
 * @returns {string}
 */
function declaringFile(name, file) {
  const text = textOf(file);
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm)) {
    const names = list.split(",").map((one) => one.trim().replace(/^type /, ""));
    if (names.includes(name)) return declaringFile(name, join(dirname(file), from.replace(/\.js$/, ".d.ts")));
  }
  return file;
}

/**
 * A declaration as the compiler wrote it, without what is private, indented by two spaces.
 * @param {string} name
 * @param {string} file
 * @returns {Declaration}
 */
function declarationOf(name, file) {
  const lines = textOf(file).split("\n");
  const start = startOf(name);
  const at = lines.findIndex((line) => start.test(line));
  if (at < 0) throw new Error(`scripts/docs.mjs: ${relative(root, file)} does not declare ${name}`);
  const code = [];
  for (let from = at; from >= 0 && from < lines.length; ) {
    const end = statementEnd(lines, from);
    code.push(...lines.slice(from, end));
    from = start.test(lines[end] ?? "") ? end : -1; // an overload
  }
  return {
    comment: commentText(commentBefore(lines, at)),
    code: withoutPrivate(code)
      .map((line) => line.replace(/^(?: {4})+/, (indent) => " ".repeat(indent.length / 2)))
      .join("\n")
      .replace(/^(?:export )?(?:declare )?/gm, ""),
  };
}

/**
 * One past the last line of the statement or member that begins at a line.
 * @param {readonly string[]} lines
 * @param {number} from
 */
function statementEnd(lines, from) {
  let depth = 0;
  for (let i = from; i < lines.length; i++) {
    const code = lines[i].replace(/\/\*.*?\*\//g, "").replace(/^\s*(\/\*\*|\*).*$/, "");
    for (const letter of code) {
      if ("{[(".includes(letter)) depth++;
      else if ("}])".includes(letter)) depth--;
    }
    if (depth === 0 && /[;}]\s*$/.test(code)) return i + 1;
  }
  return lines.length;
}

/**
 * The lines of the comment that ends just before a line; none if there is none.
 * @param {readonly string[]} lines
 * @param {number} at
 */
function commentBefore(lines, at) {
  if (!lines[at - 1]?.trimEnd().endsWith("*/")) return [];
  let from = at - 1;
  while (!lines[from].trimStart().startsWith("/**")) from--;
  return lines.slice(from, at);
}

/** @param {readonly string[]} lines */
function commentText(lines) {
  const bare = lines.map((line) =>
    line
      .trim()
      .replace(/^\/\*\*\s?/, "")
      .replace(/\s*\*\/$/, "")
      .replace(/^\*\s?/, ""),
  );
  return bare.join("\n").trim();
}

/** @param {readonly string[]} lines */
function withoutPrivate(lines) {
  /** @type {string[]} */
  const kept = [];
  for (let i = 0; i < lines.length; i++) {
    if (/^ {4}(?:private|protected) /.test(lines[i])) {
      kept.splice(kept.length - commentBefore(kept, kept.length).length);
      i = statementEnd(lines, i) - 1;
    } else kept.push(lines[i]);
  }
  return kept;
}

// ---------------------------------------------------------------------------------------------- headings

/**
 * The anchor of a heading as GitHub makes it: lower case, spaces to hyphens, no punctuation.
 * @param {string} heading
 */
export function slug(heading) {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * The anchors of headings in their order; one that is taken gets a number.
 * @param {readonly string[]} headings
 */
export function anchorsOf(headings) {
  const taken = new Map();
  return headings.map((heading) => {
    const base = slug(heading);
    const times = taken.get(base) ?? 0;
    taken.set(base, times + 1);
    return times === 0 ? base : `${base}-${times}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(program)) throw new Error("there is no build: run `npm run build` first");
  writeFileSync(join(root, "docs", "commands.md"), commandsPage(await helpTexts()));
  writeFileSync(join(root, "docs", "api.md"), await apiPage());
}
