// README.md from results.json: targets and results, then every part with its tables, plots and conditions.
import { writeFileSync } from "node:fs";

/** @typedef {{ date: string, commit: string, node: string, processor: string, cores: number, load: string, seconds: number }} Conditions */
/** @typedef {Omit<import("./harness.mjs").PartResult, "plots"> & { plots: string[], conditions: Conditions }} Measured */

const introduction = `# Benchmarks

    npm run bench                     # all parts except the long ones
    npm run bench -- kernels letters  # these parts
    npm run bench -- --list           # all parts by name

This command writes this page; the numbers behind it are in [results.json](results.json). The alternatives take turns in one
process, round by round, after a warm-up, and ratios are computed within a round. Unless a heading says otherwise, times are
processor time of one thread, which other programs on the machine affect less than wall-clock time, and figures are medians with
quartiles in brackets. Everything is seeded. Data sets come from \`stargram data\` (\`STARGRAM_MIRROR\` names a folder to use instead
of the network); a part whose data is missing says so. Other programs are measured in the same run: the npm package \`crfsuite\` is
installed on demand, outside this project's dependencies, and programs on the PATH are used if they are there.
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
    title: "## Targets and results",
    head: ["", "target", "measured", "met", "part"],
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
