// Data to learn from: what it is probably for, and some to try.

import type { LearnTask } from "../protocol.js";

/** What data is probably for: pairs have a tab on every line; labels stand in columns, with blank lines between sentences. */
export function taskFor(text: string): LearnTask {
  const lines = text.slice(0, 20_000).split(/\r?\n/).slice(0, 200);
  const filled = lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (filled.length === 0) return "tag";
  const hasGaps = lines.slice(0, lines.lastIndexOf(filled.at(-1) as string)).some((line) => line.trim() === "");
  const columns = filled.map((line) => line.split("\t").length);
  if (!hasGaps && columns.every((count) => count === 2 || count === 3)) return "transduce";
  const words = filled.map((line) => line.trim().split(/\s+/).length);
  const isRegular = words.every((count) => count === words[0]);
  return hasGaps && isRegular && words[0] > 1 ? "tag" : "segment";
}

const signs = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
] as const;

export function numeral(number: number): string {
  let left = number;
  let text = "";
  for (const [value, sign] of signs) {
    for (; left >= value; left -= value) text += sign;
  }
  return text;
}

/** Every third number up to 3,000, as pairs. */
export function numerals(): string {
  return Array.from({ length: 1000 }, (_, i) => `${3 * i + 1}\t${numeral(3 * i + 1)}\n`).join("");
}
