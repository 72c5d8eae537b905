// A decipherment on the terminal: the text with its doubts, the key as a table, and progress.

import { styleText } from "node:util";
import type { CipherText, Spaces } from "../../tasks/decipher/cipher-text.js";
import type { Decipherer } from "../../tasks/decipher/decipherer.js";
import type { Decipherment } from "../../tasks/decipher/decipherment.js";
import { SPACE } from "../../tasks/decipher/language.js";
import type { Rightness } from "../../tasks/decipher/solution.js";
import { DOUBTFUL } from "../../tasks/decipher/warnings.js";
import { counted, duration, percent, plural, table } from "../../util/text.js";
import { say, write } from "../output.js";

/** What is said of a decipherment beside it. */
export interface Outcome {
  /** How the input was taken. */
  notes: string[];
  doubts: string[];
  right?: Rightness;
  seconds: number;
}

/** What `--json` prints. */
export function report(
  found: Decipherment,
  cipher: CipherText,
  { options, language }: Decipherer,
  outcome: Outcome & { spaces?: Spaces; reading?: string },
) {
  return {
    text: cipher.render(found.plain),
    mapping: found.mapping,
    slips: found.slips,
    logLikelihood: found.logLikelihood,
    contextLength: found.contextLength,
    expectedAccuracy: found.expectedAccuracy,
    likeness: found.likeness,
    unicityDistance: Number.isFinite(found.unicity) ? found.unicity : undefined,
    notes: outcome.notes,
    warnings: outcome.doubts,
    ...outcome.right,
    level: language.options.level,
    symbols: cipher.kind,
    spaces: cipher.spaces ? "known" : (outcome.spaces ?? "unknown"),
    reading: outcome.reading,
    shift: found.shift,
    oneToOne: found.oneToOne,
    restarts: found.restarts,
    recurrences: found.recurrences,
    stopped: found.stopped,
    seconds: outcome.seconds,
    options,
    language: language.options,
  };
}

export async function printDecipherment(
  found: Decipherment,
  cipher: CipherText,
  about: Outcome & { marks: boolean; quiet?: boolean },
): Promise<void> {
  await write(
    [about.marks ? marked(cipher, found) : cipher.render(found.plain), "", keyTable(found) + slipTable(found)].join(
      "\n",
    ),
  );
  for (const doubt of about.doubts) say(doubt);
  if (about.quiet) return;
  for (const note of about.notes) say(note);
  const { right } = about;
  const ofSymbols = right?.mappingAccuracy === undefined ? "" : `${percent(right.mappingAccuracy)} of symbols, `;
  const share = right ? `; right: ${ofSymbols}${percent(right.tokenAccuracy)} of the text` : "";
  if (found.shift) {
    say(
      `${plural(cipher.sequences.flat().filter((symbol) => symbol !== SPACE).length, "letter")}${share}; ${duration(about.seconds)}`,
    );
    return;
  }
  const passes = found.logLikelihood.length;
  const work = [
    plural(found.mapping.filter((m) => m.cipher !== SPACE).length, "cipher symbol"),
    ...(cipher.kind === "words" ? [] : [found.oneToOne ? "one for each letter" : "several for a letter"]),
    plural(found.restarts, "restart"),
    ...(passes === 0 ? [] : [passes === 1 ? "1 pass" : `${passes} passes`]),
  ];
  say(`${work.join(", ")}${share}; ${duration(about.seconds)}`);
}

/** The text, with doubtful symbols underlined on a terminal that can, else in brackets. */
function marked(cipher: CipherText, found: Decipherment): string {
  const underlines = process.stdout.isTTY && process.stdout.hasColors();
  const doubtful = new Set(found.mapping.filter((m) => m.probability < DOUBTFUL).map((m) => m.cipher));
  const symbols = cipher.sequences.flat();
  const text = cipher.render(found.plain, (symbol, at) => {
    if (!doubtful.has(symbols[at])) return symbol;
    return underlines ? styleText("underline", symbol) : `[${symbol}]`;
  });
  // Neighbours share brackets, unless the text has its own.
  return underlines || /[[\]]/.test(cipher.render(found.plain)) ? text : text.replaceAll("][", "");
}

function keyTable(found: Decipherment): string {
  const shown = found.mapping.filter(({ cipher }) => cipher !== SPACE);
  if (shown.length === 0) return "";
  const rows = shown.map(({ cipher, plain, probability, count, others }) => [
    cipher,
    plain,
    `${probability.toFixed(3)}${probability < DOUBTFUL ? " ?" : "  "}`,
    counted(count),
    others
      .slice(0, 3)
      .map((other) => `${other.plain} ${other.probability.toFixed(2)}`)
      .join(", "),
  ]);
  const heading = found.drawn ? "probability  " : "if the rest is right  ";
  return table([["cipher", "plain", heading, "places", "or"], ...rows], [0, 1, 4]);
}

/** Letters on either side of a slip that are shown. */
const AROUND = 8;

/** Probable slips of the writer, each with what stands around it; nothing if there are none. */
function slipTable({ slips, plain }: Decipherment): string {
  if (slips.length === 0) return "";
  const text = plain.flat();
  const rows = slips.map(({ at, read, meant, probability }) => [
    counted(at + 1),
    read,
    meant,
    probability.toFixed(3),
    `${text.slice(Math.max(0, at - AROUND), at).join("")}[${meant}]${text.slice(at + 1, at + 1 + AROUND).join("")}`,
  ]);
  return `\n${table([["place", "slip", "meant", "probability", "text"], ...rows], [1, 2, 4])}`;
}

/** A line for each EM pass, and one that is written over while keys are searched. */
export class DecipherProgress {
  private first: { share: number; at: number } | undefined;

  constructor(private readonly on: boolean) {}

  private show(text: string): void {
    if (this.on) process.stderr.write(`\r\x1b[K${text}`);
  }

  search(restart: number, best: number): void {
    this.show(`search ${restart}: best log-likelihood ${best.toFixed(1)}`);
  }

  order(share: number): void {
    this.show(`trying other orders: ${this.shareText(share)}`);
  }

  words(share: number, best: number): void {
    this.show(`improving the key by its words: ${this.shareText(share)}; best log-likelihood ${best.toFixed(1)}`);
  }

  private shareText(share: number): string {
    this.first ??= { share, at: performance.now() };
    const elapsed = (performance.now() - this.first.at) / 1000;
    const gained = share - this.first.share;
    const left = gained > 0 ? `, about ${duration((elapsed * (1 - share)) / gained)} left` : "";
    return `${Math.round(100 * share)} %${left}`;
  }

  pass(pass: number, logLikelihood: number, contextLength: number, settled: number): void {
    this.show(
      `pass ${pass}: log-likelihood ${logLikelihood.toFixed(1)}, ${contextLength.toFixed(2)} symbols remembered, ${percent(settled)} of the key settled\n`,
    );
  }

  end(): void {
    this.show("");
  }
}
