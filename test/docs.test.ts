// The documentation holds: links and anchors of every Markdown file lead somewhere, every command shown has the flags that
// it is shown with, the pages made from help and types are up to date, and tables of results are those that were written.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { commandsPage, flagsOf, helpTexts } from "../scripts/docs/commands.mjs";
import { anchorsOf } from "../scripts/docs/headings.mjs";
import { referencePages } from "../scripts/docs/reference.mjs";
import { optionTypes } from "../scripts/option-types.mjs";
import { sizes } from "../scripts/sizes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = markdownIn(root);

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist.*|\..*)$/.test(entry.name) ? [] : markdownIn(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

const named = pages.map((page) => [relative(root, page), page]);

/** A page's text with fenced code taken out, and the code. */
function partsOf(page: string): { prose: string; fenced: string[] } {
  const fenced: string[] = [];
  const prose = readFileSync(page, "utf8").replace(/^```[^\n]*\n([\s\S]*?)^```/gm, (_, code: string) => {
    fenced.push(code);
    return "";
  });
  return { prose, fenced };
}

const anchorCache = new Map<string, Set<string>>();

function anchorsIn(page: string): Set<string> {
  const known = anchorCache.get(page);
  if (known) return known;
  const headings = [...partsOf(page).prose.matchAll(/^#{1,6} +(.+?) *$/gm)].map((match) => match[1]);
  const anchors = new Set(anchorsOf(headings));
  anchorCache.set(page, anchors);
  return anchors;
}

/** Why a link of a page leads nowhere, or undefined if it is good. */
function fault(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path, anchor] = target.split("#");
  const file = path === "" ? page : resolve(dirname(page), decodeURIComponent(path));
  if (!existsSync(file)) return `${target}: no such file`;
  if (relative(root, file).startsWith("..")) return `${target}: outside the project`;
  if (anchor !== undefined && file.endsWith(".md") && !anchorsIn(file).has(anchor)) return `${target}: no such heading`;
  return undefined;
}

describe("links", () => {
  it("GitHub's anchors", () => {
    const headings = ["How sure is sure?", "`stargram predict`", "Two  words", "a_b-c: d", "Path", "path", "1 × 2 ⋆"];
    expect(anchorsOf(headings)).toEqual([
      "how-sure-is-sure",
      "stargram-predict",
      "two--words",
      "a_b-c-d",
      "path",
      "path-1",
      "1--2-",
    ]);
  });

  it.each(named)("%s", (_, page) => {
    const prose = partsOf(page).prose.replace(/`[^`\n]*`/g, "``");
    const targets = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?:src|href)="([^"]+)"/g)].map(
      (m) => m[1] ?? m[2],
    );
    expect(targets.map((target) => fault(page, target)).filter(Boolean)).toEqual([]);
  });

  it.each(named.filter(([name]) => name !== "CHANGELOG.md"))("%s names files and folders that are there", (_, page) => {
    const inline = [...partsOf(page).prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]);
    const paths = inline.filter((text) => /^(apps|bench|demo|examples|scripts|src|test)\/[\w./-]*$/.test(text));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("lead to every page of docs/ from its contents, and there from the README", () => {
    const contents = readFileSync(join(root, "docs/README.md"), "utf8");
    for (const name of readdirSync(join(root, "docs")).filter((file) => /\.md$/.test(file) && file !== "README.md")) {
      expect(contents).toContain(`](${name})`);
    }
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain("](docs/README.md)");
  });
});

/** The words of a command line up to a pipe, a redirection or a comment, without quotes. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/"[^"]*"|'[^']*'|[|<>;&#]|[^\s"'|<>;&]+/g)) {
    if (/^[|<>;&#]/.test(word)) break;
    words.push(word.replace(/^["']|["']$/g, ""));
  }
  return words;
}

/** The command lines that a page shows: lines of fenced code with `stargram`, and inline code that begins with it. */
function commandLines(page: string): string[] {
  const { prose, fenced } = partsOf(page);
  const indented = [...prose.matchAll(/^ {4}(.*)$/gm)].map((match) => match[1]);
  const lines = [...fenced.flatMap((code) => code.replaceAll("\\\n", " ").split("\n")), ...indented];
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map((match) => match[1].replaceAll("\n", " "));
  const form = /(?:^|[|;&]\s*|\$ |npx (?:--no-install )?|[A-Z_]+=\S* |host )stargram ((?:[a-z-]|\s-).*)$/;
  return [...lines.map((line) => line.trim()), ...inline].flatMap((line) => form.exec(line)?.[1] ?? []);
}

describe("commands", () => {
  let helps: Map<string, string>;
  beforeAll(async () => {
    helps = await helpTexts();
  });

  /** What is wrong with a command line, or undefined. */
  function wrong(line: string): string | undefined {
    const words = wordsOf(line);
    let command = "";
    while (words.length > 0 && helps.has(`${command} ${words[0]}`.trim()))
      command = `${command} ${words.shift()}`.trim();
    const parts = [...helps.keys()].some((other) => other !== command && other.startsWith(command));
    const named = words[0] !== undefined && !/^(-|help$|COMMAND$|…)/.test(words[0]);
    if (parts && named) return `${line}: no such command`;
    const flags = flagsOf(helps.get(command) ?? "");
    const unknown = words.filter((word) => /^--?[a-z]/i.test(word) && !flags.has(word.replace(/=.*/, "")));
    return unknown.length > 0 ? `${line}: ${unknown.join(" ")}` : undefined;
  }

  it("are told right from wrong", () => {
    expect(wrong("train tag train.txt --out model.sg | head")).toBeUndefined();
    expect(wrong('inspect pos.sg --explain "the --odd dog" # --odd')).toBeUndefined();
    expect(wrong("train tag train.txt --put model.sg")).toMatch(/--put/);
    expect(wrong("train tug")).toMatch(/no such command/);
    expect(wrong("trane tag")).toMatch(/no such command/);
    expect(wrong("predict model.sg --passes 3")).toMatch(/--passes/);
  });

  it.each(named)("%s", (_, page) => {
    expect(commandLines(page).flatMap((line) => wrong(line) ?? [])).toEqual([]);
  });

  it("are found on the pages", () => {
    expect(commandLines(join(root, "docs/tagging.md")).length).toBeGreaterThan(5);
    expect(commandLines(join(root, "README.md")).length).toBeGreaterThan(5);
  });

  it("docs/commands.md is up to date (node scripts/docs.mjs)", () => {
    expect(readFileSync(join(root, "docs/commands.md"), "utf8")).toBe(commandsPage(helps));
  });
});

it("the program of docs/method.md prints what the page says", async () => {
  const page = readFileSync(join(root, "docs/method.md"), "utf8");
  const [, program] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const [, printed] = /It prints:\n\n```text\n([\s\S]*?)```/.exec(page) ?? [];
  const values = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, values, { cwd: root });
  expect(stdout).toBe(printed);
});

it("the code of docs/building-a-task.md is that of the toy task", () => {
  const toy = join(root, "test/toy");
  const sources = readdirSync(toy).map((name) => readFileSync(join(toy, name), "utf8"));
  const page = readFileSync(join(root, "docs/building-a-task.md"), "utf8");
  const code = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1]);
  expect(code.length).toBeGreaterThan(8);
  expect(code.filter((part) => !sources.some((source) => source.includes(part)))).toEqual([]);
});

it("the sizes in docs/inside.md are right within a fifth (node scripts/sizes.mjs)", async () => {
  const page = readFileSync(join(root, "docs/inside.md"), "utf8");
  for (const { entry, first } of await sizes()) {
    const stated = Number(new RegExp(`^\\| ${entry} \\| (\\d+) kB \\|`, "m").exec(page)?.[1]) * 1000;
    expect(Math.abs(first / stated - 1), `${entry}: ${first} bytes`).toBeLessThan(0.2);
  }
});

it("the types of options are those of their declarations (node scripts/option-types.mjs)", async () => {
  const made = await optionTypes();
  expect(made.length).toBeGreaterThan(2);
  for (const { file, text } of made) expect(readFileSync(file, "utf8")).toBe(text);
});

it("the reference pages are up to date (node scripts/docs.mjs)", async () => {
  const made = await referencePages();
  expect([...made.keys()]).toContain("api.md");
  for (const [name, text] of made) expect(readFileSync(join(root, "docs", name), "utf8")).toBe(text);
});

describe("figures", () => {
  const experiments = join(root, "experiments");
  const tables = readdirSync(experiments, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  it.each(tables.map(({ name }) => name))("of %s are in the page of experiments as they were written", (name) => {
    const lines = new Set(readFileSync(join(experiments, "README.md"), "utf8").split("\n"));
    const rows = readFileSync(join(experiments, name, "table.md"), "utf8")
      .trim()
      .split("\n");
    expect(rows.filter((row) => !lines.has(row))).toEqual([]);
  });
});
