// What the build's declarations (.d.ts) say of a name: the file that declares it, its comment, its code without what is private.
import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root } from "../build.mjs";

const dist = join(root, "dist");

/** @typedef {{ name: string, file: string }} Exported `file`: the .d.ts that declares it */
/** @typedef {{ comment: string, code: string }} Declaration */

/**
 * The names of types in code, and of values whose types are meant; comments left out.
 * @param {string} code
 */
export function namesIn(code) {
  return new Set(code.replace(/\/\*[\s\S]*?\*\//g, "").match(/\b[A-Z]\w*|(?<=typeof )\w+/g));
}

/**
 * The file that declares a name which a file uses, or undefined if it is none of ours.
 * @param {string} name
 * @param {string} file
 * @returns {string | undefined}
 */
export function sourceOf(name, file) {
  const text = textOf(file);
  if (text.split("\n").some((line) => startOf(name).test(line))) return file;
  for (const [, list, from] of text.matchAll(/^import (?:type )?\{([^}]*)\} from "(\.[^"]+)";/gm)) {
    const names = list.split(",").map((one) => one.trim().replace(/^type /, ""));
    if (names.includes(name)) return declaringFile(name, join(dirname(file), from.replace(/\.js$/, ".d.ts")));
  }
  return undefined;
}

/**
 * The first paragraph of the comment that opens the source of a declaration file: what its class is.
 * @param {string} file
 */
export function openingOf(file) {
  const source = readFileSync(join(root, "src", pathOf(file).replace(/\.d\.ts$/, ".ts")), "utf8");
  const opening = (/^(?:\/\/ \S.*\n)+/.exec(source)?.[0] ?? "").replace(/^\/\/ /gm, "");
  // A formula may follow: what leads up to it is left out.
  return opening
    .trim()
    .replace(/:$/, ".")
    .replace(/(?<=\.)\s[^.]*$/, "");
}

/** @type {Map<string, string>} */
const texts = new Map();

/** @param {string} file */
export function textOf(file) {
  const text = texts.get(file) ?? readFileSync(file, "utf8");
  texts.set(file, text);
  return text;
}

/** @param {string} file */
export function pathOf(file) {
  return relative(dist, file).split(sep).join("/");
}

/**
 * How the line begins that declares a name.
 * @param {string} name
 */
export function startOf(name) {
  return new RegExp(`^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const) ${name}\\b`);
}

/**
 * The names a declaration file exports with the files that declare them, sorted by file as the statements stand.
 * @param {string} file
 * @returns {Exported[]}
 */
export function exportsOf(file) {
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
      found.push(...names.filter(Boolean).map((name) => ({ name, file: declaringFile(name, source) })));
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
export function declarationOf(name, file) {
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
