// Ciphers of letters in any language: plain text from some files, ciphers of 100 letters made from another, accents left out.

import { write, writeJson } from "#stargram/cli/output.js";
import { type Encoding, readTextLines } from "#stargram/formats/text.js";
import { percent, table } from "#stargram/util/text.js";
import {
  type CipherSetting,
  calibrationError,
  languages,
  noBins,
  type Solved,
  solveAll,
  wordsIn,
} from "../letter-ciphers/cryptograms.js";
import { cpuSeconds, markdownTable, ResultsFile, type Run, spread, writeText } from "../runs.js";

export const kinds: Record<string, CipherSetting> = {
  spaced: { letters: 100, ciphers: 20, spaces: true },
  unspaced: { letters: 100, ciphers: 20, spaces: false },
};

/** A cipher is solved with so many letters right. */
const SOLVED = 0.95;

interface LanguageRun extends Run {
  /** Letters of plain text. */
  letters: number;
  learnSeconds: number;
  ciphers: Record<string, Solved[]>;
  /** Calibration error of the symbols of all keys. */
  error: number;
}

export async function cipherLanguages(flags: {
  out: string;
  name: string;
  plain: string[];
  text: string;
  encoding?: Encoding;
  json?: boolean;
}): Promise<void> {
  const { name, out } = flags;
  const file = await ResultsFile.open<LanguageRun>(out, "cipher-languages", { [name]: kinds }, { keepsOthers: true });
  const runs = await file.complete(
    [name],
    () => 1,
    (_, seed) => runOnce(flags, seed),
    (run) =>
      rowsOf(run)
        .map((row) => row.join("  "))
        .join("\n"),
  );
  const rows = [...runs].sort((a, b) => (a.setting < b.setting ? -1 : 1)).flatMap(rowsOf);
  await writeText(out, "table.md", markdownTable([heads, ...rows]));
  if (flags.json) await writeJson(runs);
  else await write(table([heads, ...rows], [0, 1]));
}

async function runOnce(
  flags: { name: string; plain: string[]; text: string; encoding?: Encoding },
  seed: number,
): Promise<LanguageRun> {
  const before = process.cpuUsage();
  const lines: string[] = [];
  for (const path of flags.plain) for (const line of await readTextLines(path, flags.encoding)) lines.push(line);
  const languageFor = languages(lines);
  languageFor(false);
  const learnSeconds = cpuSeconds(before);
  const words = wordsIn((await readTextLines(flags.text, flags.encoding)).join("\n"));
  const bins = noBins();
  const ciphers: Record<string, Solved[]> = {};
  for (const [kind, setting] of Object.entries(kinds)) {
    ciphers[kind] = await solveAll(setting, { words, languageFor }, seed, bins);
  }
  const letters = lines.reduce((sum, line) => sum + wordsIn(line).join("").length, 0);
  return { setting: flags.name, seed, letters, learnSeconds, ciphers, error: calibrationError(bins) };
}

const heads = [
  "language",
  "ciphers",
  "letters of plain text",
  "letters right",
  "95 % right",
  "calibration error",
  "CPU s, median",
];

function rowsOf({ setting, letters, ciphers, error }: LanguageRun): string[][] {
  return Object.entries(ciphers).map(([kind, all]) => [
    setting,
    kind,
    letters.toLocaleString("en"),
    percent(all.reduce((sum, { right }) => sum + right, 0) / all.length),
    `${all.filter(({ right }) => right >= SOLVED).length} of ${all.length}`,
    percent(error),
    spread(all.map(({ seconds }) => seconds)).median.toFixed(2),
  ]);
}
