// The reference pages, from the declarations of the build: docs/api.md holds what users import, docs/engine.md what
// `stargram/engine` adds, if package.json has that entry. A name stands on one page, and the other links there.
import { pathToFileURL } from "node:url";
import { declarationOf, namesIn, openingOf, pathOf, sourceOf, startOf, textOf } from "./declarations.mjs";
import { packageEntries, taskPages } from "./entries.mjs";
import { anchorsOf } from "./headings.mjs";

/** @typedef {import("./entries.mjs").Entry} Entry */
/** @typedef {import("./declarations.mjs").Exported & { browser: boolean }} Named `browser`: it is there in a browser, too */
/** @typedef {{ title: string, about: string, files: readonly string[] }} Group names by the file that declares them, a prefix of its path in src/ */
/** @typedef {{ title: string, about: string, names: Named[], listed?: string[] }} Section `listed`: names that stand elsewhere */
/** @typedef {{ file: string, title: string, about: string, sections: Section[] }} Page */

/** @type {Group[]} */
const groups = [
  ...taskPages().map(({ task, file, title, about }) => ({
    title,
    about: `[${about[0].toUpperCase()}${about.slice(1)}](${file}).`,
    files: [`tasks/${task}/`],
  })),
  {
    title: "Tasks",
    about: "What all tasks have in common.",
    files: ["tasks/"],
  },
  {
    title: "Workflows",
    about: "Everything you can do with a model of any task: load, evaluate, calibrate, answer, compare, save.",
    files: ["workflows/"],
  },
  {
    title: "Data",
    about: "Files and streams in the [formats](formats.md) that the commands read, and data sets by name.",
    files: ["formats/", "datasets/"],
  },
  {
    title: "Model files",
    about: "Models as files and as bytes; [the layout](formats.md#the-model-file).",
    files: ["model/"],
  },
  {
    title: "Confidence",
    about: "How far answers can be trusted. [How sure is sure?](how-sure-is-sure.md) explains what is promised.",
    files: ["confidence/"],
  },
  {
    title: "Measures",
    about: "Accuracy, F1, error rates, precision and recall, calibration, plots.",
    files: ["metrics/"],
  },
  {
    title: "Training",
    about: "What all training runs share, and the loop itself for your own learners.",
    files: ["learn/"],
  },
  {
    title: "The engine",
    about:
      "For models of your own: slots, rows, context sets, and what is read off a trellis. [Inside](inside.md) explains " +
      "the parts.",
    files: ["engine/"],
  },
  {
    title: "Errors and options",
    about: "User errors are an `InputError`: what, where, what to do.",
    files: ["util/"],
  },
];

/**
 * The reference pages by file name.
 * @param {readonly Entry[]} entries the main one first
 * @returns {Promise<Map<string, string>>}
 */
export async function referencePages(entries = packageEntries()) {
  const pages = layOut(entries);
  /** @type {Record<string, unknown>} */
  const values = {};
  for (const { module } of entries) Object.assign(values, await import(pathToFileURL(module).href));
  const places = placesOf(pages);
  return new Map(pages.map((page) => [page.file, pageText(page, values, places)]));
}

/**
 * Which names stand where.
 * @param {readonly Entry[]} entries
 * @returns {Page[]}
 */
function layOut(entries) {
  const [main, ...others] = entries;
  const engine = others.find(({ name }) => name === `${main.name}/engine`);
  const hasNodeOnly = main.exported.some(({ name }) => !main.browser.has(name));
  const inBrowsers = others.some(({ name }) => name === `${main.name}/browser`)
    ? `\`${main.name}/browser\` has the same names, except those marked *Node only*. `
    : hasNodeOnly
      ? "Browsers have all of them except those marked *Node only*. "
      : "";
  /** @type {Set<string>} */
  const placed = new Set();
  const api = {
    file: "api.md",
    title: "API",
    about:
      `Everything that \`import … from "${main.name}"\` exports, with types. ${inBrowsers}` +
      "Options are passed as one object; options that are not given have the default shown, and unknown names are refused.",
    sections: [
      ...sectionsOf(main, placed),
      ...others
        .filter((entry) => entry !== engine && entry.name !== `${main.name}/browser`)
        .map((entry) => entrySection(entry, placed)),
    ],
  };
  addMentioned(api, placed);
  if (!engine) return [api];
  const page = {
    file: "engine.md",
    title: "Engine reference",
    about:
      `What \`import … from "${engine.name}"\` offers to those who build a task of their own, with types. ` +
      "[Inside](inside.md) explains the parts.",
    sections: sectionsOf(engine, placed),
  };
  addMentioned(page, placed);
  return [api, page];
}

/**
 * The groups of an entry's names that stand nowhere yet; takes note of them.
 * @param {Entry} entry
 * @param {Set<string>} placed
 * @returns {Section[]}
 */
function sectionsOf({ exported, browser }, placed) {
  const fresh = exported.filter(({ name }) => !placed.has(name)).map((one) => named(one, browser));
  for (const { name } of fresh) placed.add(name);
  return groups
    .map((group) => ({
      title: group.title,
      about: group.about,
      names: fresh.filter(({ file }) => groupOf(file) === group).sort((a, b) => rank(a, group) - rank(b, group)),
    }))
    .filter(({ names }) => names.length > 0);
}

/**
 * A small entry, such as one that loads one kind of model: its own names, and those that stand with others.
 * @param {Entry} entry
 * @param {Set<string>} placed
 * @returns {Section}
 */
function entrySection({ name, exported, browser }, placed) {
  const names = exported.filter((one) => !placed.has(one.name)).map((one) => named(one, browser));
  const listed = exported.filter((one) => placed.has(one.name)).map((one) => one.name);
  for (const one of names) placed.add(one.name);
  return { title: name, about: `What \`import … from "${name}"\` offers.`, names, listed };
}

/**
 * @param {import("./declarations.mjs").Exported} exported
 * @param {Set<string>} browser
 */
function named(exported, browser) {
  return { ...exported, browser: browser.has(exported.name) };
}

/** @param {string} file */
function groupOf(file) {
  const path = pathOf(file);
  const group = groups.find(({ files }) => files.some((prefix) => path.startsWith(prefix)));
  if (!group) throw new Error(`scripts/docs/reference.mjs: no group holds ${path}`);
  return group;
}

/**
 * Where a name stands in its group: classes first, then by file and by line.
 * @param {Named} one
 * @param {Group} group
 */
function rank({ name, file }, { files }) {
  const lines = textOf(file).split("\n");
  const line = lines.findIndex((text) => startOf(name).test(text));
  const place = files.findIndex((prefix) => pathOf(file).startsWith(prefix));
  return (/\bclass\b/.test(lines[line]) ? 0 : 1e6) + place * 1e5 + line;
}

/**
 * Adds the types that a page's declarations mention, directly or by others, and that no entry exports.
 * @param {Page} page
 * @param {Set<string>} placed
 */
function addMentioned(page, placed) {
  const exported = page.sections.flatMap(({ names }) => names);
  /** @type {Named[]} */
  const found = [];
  for (const list of [exported, found]) {
    for (const { name, file } of list) {
      for (const word of namesIn(declarationOf(name, file).code)) {
        const source = placed.has(word) ? undefined : sourceOf(word, file);
        if (!source) continue;
        placed.add(word);
        found.push({ name: word, file: source, browser: true });
      }
    }
  }
  if (found.length === 0) return;
  page.sections.push({
    title: "Types that these mention",
    about: "They are not exported by name; they are listed here for reference.",
    names: found.sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

/** @param {Page} page */
function headingsOf({ title, sections }) {
  const inside = sections.flatMap((section) => [section.title, ...section.names.map(({ name }) => name)]);
  return [title, "Contents", ...inside];
}

/**
 * Page and anchor of each name, in the order of the pages.
 * @param {readonly Page[]} pages
 * @returns {Map<string, { file: string, anchor: string }>}
 */
function placesOf(pages) {
  const places = new Map();
  for (const page of pages) {
    const headings = headingsOf(page);
    const anchors = anchorsOf(headings);
    for (const { name } of page.sections.flatMap(({ names }) => names)) {
      places.set(name, { file: page.file, anchor: anchors[headings.lastIndexOf(name)] });
    }
  }
  return places;
}

/**
 * @param {Page} page
 * @param {Record<string, unknown>} values what the entries export
 * @param {Map<string, { file: string, anchor: string }>} places
 */
function pageText(page, values, places) {
  const headings = headingsOf(page);
  const anchors = anchorsOf(headings);
  /** @param {string} name */
  const link = (name) => {
    const { file, anchor } = places.get(name) ?? { file: "", anchor: "" };
    return `[${name}](${file === page.file ? "" : file}#${anchor})`;
  };
  const parts = page.sections.map(({ title, about, names, listed = [] }) => {
    const list = [...names.map(({ name }) => name), ...listed].map(link).join(" · ");
    const entries = names.map((one) => entryText(one, values, [...places.keys()], link));
    return [`## ${title}\n`, `${about}\n`, `${list}\n`, ...entries].join("\n");
  });
  const contents = page.sections.map(({ title }) => `- [${title}](#${anchors[headings.indexOf(title)]})`);
  return [
    `# ${page.title}\n`,
    "<!-- Made by scripts/docs.mjs from the types. Do not edit. -->\n",
    `${page.about}\n`,
    "## Contents\n",
    `${contents.join("\n")}\n`,
    ...parts,
  ].join("\n");
}

/**
 * @param {Named} one
 * @param {Record<string, unknown>} values
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

/** @param {unknown} value */
function literal(value) {
  const lines = Object.entries(/** @type {object} */ (value)).map(([key, one]) => `  ${key}: ${JSON.stringify(one)},`);
  return `{\n${lines.join("\n")}\n}`;
}
