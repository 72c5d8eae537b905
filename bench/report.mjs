// README.md from results.json: what was wanted and found, then every part with its tables, plots and conditions.
import { writeFileSync } from "node:fs";

/** @typedef {{ date: string, commit: string, node: string, processor: string, cores: number, load: string, seconds: number }} Conditions */
/** @typedef {Omit<import("./harness.mjs").PartResult, "plots"> & { plots: string[], conditions: Conditions }} Measured */

const introduction = `# Benchmarks

    npm run bench                     # all parts but the long ones
    npm run bench -- kernels letters  # these parts
    npm run bench -- --list           # what there is

This page is written by that command; [results.json](results.json) has the numbers behind it. Alternatives take turns in one
process, round by round, after a warm-up; ratios are taken within a round. Unless a heading says otherwise, times are
processor time of one thread, which other programs on the machine disturb less than time on the clock, and figures are
medians with quartiles in brackets. Everything is seeded. Data sets come from \`stargram data\` (\`STARGRAM_MIRROR\` names a folder
that stands in for the network); what is missing is said to be missing. Other programs are measured in the same run: the
npm package \`crfsuite\` is fetched on demand, outside this project's dependencies, and those on the PATH are used if they are there.
`;

/** @param {readonly string[]} cells */
const line = (cells) => `| ${cells.join(" | ")} |`;

/** @param {import("./harness.mjs").Table} table */
function tableText({ title, head, rows }) {
  return [
    ...(title ? [`${title}\n`] : []),
    line(head),
    line(head.map((_, i) => (i === 0 ? "---" : "--:"))),
    ...rows.map(line),
    "",
  ].join("\n");
}

/** @param {Conditions} conditions */
function conditionsText({ date, commit, node, processor, cores, load, seconds }) {
  return `*${date} UTC, commit ${commit}, Node ${node}, ${cores} cores of ${processor}, load ${load}, took ${seconds} s.*\n`;
}

/**
 * A part as text.
 * @param {string} name
 * @param {Measured} part
 */
export function textOf(name, part) {
  return [
    `## ${part.title} (\`${name}\`)\n`,
    `${part.about}\n`,
    ...part.tables.map(tableText),
    ...(part.notes ?? []).map((note) => `- ${note}`),
    ...(part.notes?.length ? [""] : []),
    ...part.plots.map((file) => `![${part.title}: ${file.replace(/\.svg$/, "").replace("-", " with ")}](${file})\n`),
    conditionsText(part.conditions),
  ].join("\n");
}

/** @param {Record<string, Measured>} results */
export function report(results) {
  const checks = Object.entries(results).flatMap(([name, part]) =>
    (part.checks ?? []).map((one) => ({ name, ...one })),
  );
  const summary = tableText({
    title: "## What is wanted, and what was found",
    head: ["", "wanted", "found", "met", "part"],
    rows: checks.map(({ name, what, wanted, found, met }) => [
      what,
      wanted,
      found,
      met === undefined ? "open" : met ? "yes" : "**no**",
      name,
    ]),
  });
  const parts = Object.entries(results).map(([name, part]) => textOf(name, part));
  writeFileSync(new URL("README.md", import.meta.url), [introduction, summary, ...parts].join("\n"));
}
