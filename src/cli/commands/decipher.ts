// `stargram decipher`: finds the key of a cipher text with nothing but plain text of the same language, and says which
// symbols to trust.

import { type Command, Option } from "commander";
import { LONGEST_CIPHER } from "../../formats/limits.js";
import { type Encoding, encodings, formatKeyJson, keyFile, readText } from "../../formats/text.js";
import { writeFileSafely } from "../../model/file.js";
import {
  type CipherKind,
  type CipherText,
  levelsOf,
  readCipher,
  type Spaces,
  spacesChoices,
} from "../../tasks/decipher/cipher-text.js";
import { Decipherer } from "../../tasks/decipher/decipherer.js";
import type { Decipherment } from "../../tasks/decipher/decipherment.js";
import { LanguageModel, languageOptions } from "../../tasks/decipher/language.js";
import { deciphererOptions, type GivenDeciphererOptions } from "../../tasks/decipher/options.js";
import { decipherShift } from "../../tasks/decipher/shifted.js";
import { shiftMeanings } from "../../tasks/decipher/shifts.js";
import { compareWithSolution, type Solution } from "../../tasks/decipher/solution.js";
import { isConvincing, isProbablyWrong, warnings } from "../../tasks/decipher/warnings.js";
import { InputError } from "../../util/errors.js";
import { factsOf, type Range } from "../../util/options.js";
import { counted } from "../../util/text.js";
import { saveModel } from "../../workflows/disk.js";
import { decipherHelp } from "../deciphering/help.js";
import { checkInputs, cipherPath, knownPart, readSolution } from "../deciphering/inputs.js";
import { fitting, foldFor, languageNotes, loadLanguage, plainLines } from "../deciphering/language.js";
import { DecipherProgress, printDecipherment, report } from "../deciphering/printing.js";
import { otherOrder, type ReadingUsed, readIn, readingNotes } from "../deciphering/reading.js";
import { solve } from "../deciphering/solving.js";
import { addDeclared, givenOf } from "../declared.js";
import { explain } from "../help.js";
import { threadCount, whole } from "../options.js";
import { flagOf, withFlags, writeJson } from "../output.js";
import { checkOutput, checkPlace } from "../place.js";
import { addQueueOptions, type QueueFlags } from "../queue/flags.js";

type Level = "word" | "char";

/** Options of the search that are flags as they are; `order` is of the language, `spaces` of the text. */
const { order: _order, spaces: _spaces, ...solverDeclared } = deciphererOptions;

/** Options of the language that are flags as they are. */
const { level: _level, order: __order, fold, ...languageDeclared } = languageOptions;

export function register(program: Command): void {
  const command = program
    .command("decipher")
    .summary("find the key of a cipher")
    .description("Find the substitution behind a cipher text, using only plain text of the same language.")
    .usage("<cipher> --plain <text...> [options]")
    .argument("[cipher]", "cipher text: a file, or `-` for standard input")
    .option("--plain <text...>", "plain text of the language: files")
    .addOption(
      new Option(
        "--encoding <name>",
        "encoding of all text; latin1 applies only to text that is not UTF-8 (default utf-8)",
      ).choices(encodings),
    )
    .option("--language <model>", "a saved language model, instead of --plain")
    .option("--save-language <model>", "save the language model for later use")
    .addOption(new Option("--level <level>", "unit of encipherment (default: detected)").choices(["word", "char"]))
    .addOption(
      new Option("--symbols <kind>", "letters: kind of cipher symbols (default: detected)").choices([
        "letters",
        "characters",
        "numbers",
      ]),
    )
    .addOption(new Option("--spaces <which>", "letters: role of spaces (default: detected)").choices(spacesChoices))
    .addOption(
      new Option(
        "--kind <which>",
        "letters: a substitution, or a shift: Caesar, Atbash, affine, Vigenère, Beaufort (default: detected)",
      ).choices(["substitution", "shift"]),
    )
    .option(
      "--reading <order>",
      "letters: the order to read in, such as columns or 9:step-1-2/lines (default: as written, unless another reads better)",
    )
    .option("--key <list>", "known part of the key, such as 13=I,5=am")
    .option("--key-file <file>", "the same as JSON")
    .option("--at <place=text...>", "known words at a position, such as 3:2=am or 120=butter")
    .option(
      "--order <n>",
      "how many symbols back the language model looks (default 2 for words, 4 for letters; at most 10)",
      whole(0),
    );
  addDeclared(command, solverDeclared);
  addDeclared(command, languageDeclared)
    .addOption(foldFlag())
    .option("--threads <n>", "number of threads, if there is enough work; the result is the same", threadCount, 1);
  addQueueOptions(command)
    .option("--solution <file>", "the true key (JSON) or plain text, to report how much is right")
    .option("--save-key <file>", "write the key as JSON")
    .option("--force", "overwrite the files of --save-key and --save-language, whatever they are")
    .option("--no-marks", "do not mark uncertain letters")
    .option("--quiet", "no progress")
    .option("--json", "print one JSON object")
    .action(decipher);
  explain(command, {
    common: {
      Language: ["plain", "language", "save-language"],
      Cipher: ["level", "spaces", "one-to-one", "kind", "reading", "alphabet"],
      "What you know": ["key", "key-file", "at"],
      Output: ["save-key", "solution", "no-marks", "json", "quiet"],
    },
    notes: decipherHelp,
    examples: [
      ["stargram decipher cryptogram.txt --plain book.txt", "a letter cipher with spaces"],
      ["stargram decipher zodiac.txt --plain book1.txt book2.txt", "a homophonic cipher"],
      ["stargram decipher cipher.txt --plain sentences.txt --level word --threads 2", "words for words"],
      ["stargram decipher numbers.txt --plain book.txt --nulls --nomenclator 200", "signs for nothing and for words"],
      ["stargram decipher cipher.txt --plain book.txt --key x=e,q=t", "with a known part of the key"],
      ["stargram decipher --plain book1.txt book2.txt -- cipher.txt", "the cipher last: -- ends the list of books"],
    ],
  });
}

/** As it is declared, but for the default, which the cipher text decides. */
function foldFlag(): Option {
  const { description, choices = [] } = factsOf(fold);
  return new Option("--fold <which>", `${description} (default: base, unless the cipher text has accents)`).choices(
    choices,
  );
}

interface DecipherFlags extends QueueFlags {
  plain?: string[];
  encoding?: Encoding;
  language?: string;
  saveLanguage?: string;
  level?: Level;
  symbols?: CipherKind;
  kind?: "substitution" | "shift";
  oneToOne?: boolean;
  nulls?: boolean;
  nomenclator?: number;
  spaces?: Spaces;
  reading?: string;
  key?: string;
  keyFile?: string;
  at?: string[];
  order?: number;
  fold?: string;
  alphabet?: string;
  discount?: number;
  languageSmoothing?: number;
  vocabulary?: number;
  moves?: number;
  restarts?: number;
  contexts?: number | Range;
  mode?: string;
  inference?: string;
  threads: number;
  marks: boolean;
  solution?: string;
  saveKey?: string;
  force?: boolean;
  quiet?: boolean;
  json?: boolean;
}

async function decipher(given: string | undefined, flags: DecipherFlags, command: Command): Promise<void> {
  const started = performance.now();
  const path = cipherPath(given, flags);
  await checkFiles(path, flags);
  const text = await readText(path, flags.encoding, LONGEST_CIPHER);
  const loaded = flags.language === undefined ? undefined : await loadLanguage(flags.language);
  const said = flags.level ?? loaded?.options.level;
  const levels = said ? [said] : levelsOf(text);
  if (levels.length === 1) refuseUseless(flags, levels[0]);
  const lines = loaded ? [] : await plainLines(flags.plain ?? [], flags.encoding);
  const solved = await firstConvincing(levels, (level) =>
    attempt({ path, text, level, loaded, lines }, flags, command),
  );
  const { cipher, language, decipherer, found, solution, reading } = solved;
  const seconds = (performance.now() - started) / 1000;
  const right = solution && compareWithSolution(found, cipher, solution);
  if (flags.saveKey !== undefined && found.mapping.length === 0) {
    throw new InputError("there is no symbol key to save: the cipher has a key word", {
      hint: "leave --save-key out, or give --kind substitution",
    });
  }
  if (flags.saveKey !== undefined) {
    const key = Object.fromEntries(found.mapping.map(({ cipher: x, plain }) => [x, plain]));
    const bytes = new TextEncoder().encode(formatKeyJson(key));
    await writeFileSafely(flags.saveKey, bytes, { kind: keyFile, force: flags.force });
  }
  const about = {
    notes: [
      ...levelNotes(levels, cipher),
      ...shiftNotes(found, flags.kind !== undefined),
      ...(isProbablyWrong(found, cipher) ? ["it may be another kind of cipher: try `stargram identify`"] : []),
      ...readingNotes(reading),
      ...languageNotes(language),
    ],
    doubts: warnings(found, cipher).map(withFlags),
    right,
    seconds,
  };
  if (flags.json)
    await writeJson(report(found, cipher, decipherer, { ...about, spaces: flags.spaces, reading: reading?.name }));
  else await printDecipherment(found, cipher, { ...flags, ...about });
}

/** Refuses files that cannot be read or written, before anything is done. */
async function checkFiles(path: string, flags: DecipherFlags): Promise<void> {
  if (flags.plain !== undefined && flags.language !== undefined) {
    throw new InputError("give --plain or --language, not both");
  }
  if (flags.plain === undefined && flags.language === undefined) {
    throw new InputError("give --plain FILE... or --language MODEL");
  }
  const inputs = [path, ...(flags.plain ?? []), flags.language, flags.keyFile, flags.solution].filter(
    (file) => file !== undefined,
  );
  await checkInputs(path, inputs, flags.plain ?? []);
  if (flags.saveLanguage !== undefined) await checkOutput(flags.saveLanguage, inputs, flags.force);
  if (flags.saveKey !== undefined) await checkPlace(flags.saveKey, inputs, keyFile, flags.force);
}

/** A cipher text taken for letters or words, and solved. */
interface Attempt {
  cipher: CipherText;
  /** The order in which it was read, if not as written. */
  reading?: ReadingUsed;
  language: LanguageModel;
  decipherer: Decipherer;
  found: Decipherment;
  solution?: Solution;
}

/** The first level whose solution nothing speaks against, or the last. */
async function firstConvincing(levels: readonly Level[], solved: (level: Level) => Promise<Attempt>): Promise<Attempt> {
  for (const level of levels.slice(0, -1)) {
    const one = await solved(level);
    if (one.found.stopped || isConvincing(one.found, one.cipher)) return one;
  }
  return solved(levels[levels.length - 1]);
}

async function attempt(
  input: { path: string; text: string; level: Level; loaded?: LanguageModel; lines: readonly string[] },
  flags: DecipherFlags,
  command: Command,
): Promise<Attempt> {
  const { path, text, level, loaded, lines } = input;
  const letters = level === "char" ? { kind: flags.symbols, spaces: flags.spaces } : {};
  const written = readCipher(text, level, letters);
  const cipher = flags.reading === undefined ? written : readIn(flags.reading, written);
  if (cipher.sequences.every((sequence) => sequence.length === 0)) {
    throw new InputError("the cipher text is empty", { file: path });
  }
  const known = await knownPart(flags, cipher);
  const isSpaced = cipher.spaces || flags.spaces === "enciphered";
  const language = loaded
    ? fitting(loaded, level, isSpaced, flags.language)
    : LanguageModel.fromText(lines, {
        fold: foldFor(cipher, known),
        ...languageGiven(flags, command),
        level,
        spaces: isSpaced,
      });
  if (flags.saveLanguage !== undefined) await saveModel(language, flags.saveLanguage, { force: flags.force });
  const solution =
    flags.solution === undefined ? undefined : await readSolution(flags.solution, cipher, flags.encoding);
  const decipherer = new Decipherer(language, solverOptions(flags, command, cipher, language));
  const isLoose = Object.keys(known).length === 0;
  const shift = mayBeShift(flags, isLoose) ? decipherShift(cipher, language, flags.kind === "shift") : undefined;
  if (shift) return { cipher, language, decipherer, solution, found: shift };
  if (flags.kind === "shift") throw new InputError("--kind shift needs a cipher of letters", { file: path });
  const found = await solve(decipherer, cipher, known, flags);
  const asGiven = { cipher, language, decipherer, solution, found };
  if (flags.reading !== undefined) return { ...asGiven, reading: { name: flags.reading } };
  const mayBeElse = level === "char" && !isSpaced && isLoose && !hasSigns(flags);
  if (!mayBeElse || found.stopped || flags.restarts === 0 || isConvincing(found, cipher)) return asGiven;
  return (await otherReading(asGiven, flags)) ?? asGiven;
}

/** Whether the text may be one that counts in the alphabet: nothing is said that speaks against it. */
function mayBeShift(flags: DecipherFlags, isLoose: boolean): boolean {
  if (flags.kind === "shift") return true;
  const isSearch =
    flags.restarts !== 0 && flags.oneToOne !== false && flags.spaces !== "enciphered" && !hasSigns(flags);
  return flags.kind === undefined && flags.reading === undefined && isLoose && isSearch;
}

/** Whether signs may stand for more than letters. */
function hasSigns({ nulls, nomenclator = 0 }: DecipherFlags): boolean {
  return nulls === true || nomenclator > 0;
}

/** What a text that counts in the alphabet is. */
function shiftNotes({ shift }: Decipherment, isTold: boolean): string[] {
  if (!shift) return [];
  const key = shift.key === "" ? "" : `; key: ${shift.key}`;
  return [`${shiftMeanings[shift.kind]}${key}${isTold ? "" : " (--kind substitution if it is not)"}`];
}

/** The same cipher in another order, if one stands out and more of it can then be expected to be right. */
async function otherReading(asGiven: Attempt, flags: DecipherFlags): Promise<Attempt | undefined> {
  const { cipher, language, decipherer } = asGiven;
  const { seed, oneToOne } = decipherer.options;
  const progress = new DecipherProgress(process.stderr.isTTY === true && !flags.quiet);
  const other = await otherOrder(cipher, language, {
    seed,
    oneToOne,
    onTrial: (share) => progress.order(share),
  });
  progress.end();
  if (!other) return undefined;
  const { key: candidate, ...reordered } = other;
  const found = await solve(decipherer, other.cipher, {}, flags, candidate);
  if ((found.expectedAccuracy ?? 0) <= (asGiven.found.expectedAccuracy ?? 0)) return undefined;
  const solution =
    flags.solution === undefined ? undefined : await readSolution(flags.solution, other.cipher, flags.encoding);
  return { ...asGiven, ...reordered, found, solution };
}

/** What was taken for what, where there was a choice. */
function levelNotes(levels: readonly Level[], cipher: CipherText): string[] {
  if (levels.length === 1) return [];
  const kinds = counted(new Set(cipher.sequences.flat()).size);
  const [taken, other] = cipher.kind === "words" ? ["words", "char"] : ["letters", "word"];
  return [`the ${kinds} different numbers are read as ${taken} (--level ${other} if they are not)`];
}

function languageGiven(flags: DecipherFlags, command: Command): Record<string, unknown> {
  const given = givenOf(command, { ...languageDeclared, fold });
  const order = flags.order === undefined ? {} : { order: flags.order };
  return { ...given, ...order };
}

/** What the user said of the search. */
function solverOptions(
  flags: DecipherFlags,
  command: Command,
  cipher: CipherText,
  language: LanguageModel,
): GivenDeciphererOptions {
  const options: GivenDeciphererOptions =
    flags.language !== undefined && flags.order !== undefined ? { order: flags.order } : {};
  if (language.options.level === "char" && language.options.spaces) {
    options.spaces = cipher.spaces ? "known" : "enciphered";
  }
  return { ...options, ...givenOf(command, solverDeclared) };
}

/** Refuses flags that would change nothing. */
function refuseUseless(flags: DecipherFlags, level: "word" | "char"): void {
  const refuse = (names: readonly (keyof DecipherFlags)[], reason: string): void => {
    for (const name of names) {
      if (flags[name] !== undefined) throw new InputError(`${flagOf(name)} ${reason}`, { hint: "leave it out" });
    }
  };
  if (flags.language !== undefined) {
    refuse(
      ["discount", "languageSmoothing", "vocabulary", "fold", "alphabet"],
      "cannot be used with --language, which is a finished language model",
    );
  }
  if (level === "char") refuse(["vocabulary"], "needs a cipher of words; this is one of letters");
  else
    refuse(
      ["symbols", "spaces", "kind", "nulls", "nomenclator", "reading", "moves", "fold", "alphabet"],
      "needs a cipher of letters; this is one of words",
    );
  if (flags.restarts === 0) refuse(["moves"], "cannot be used with --restarts 0, which makes no searches");
  if ((flags.mode ?? flags.inference) === "exact")
    refuse(["contexts"], "needs --mode rcms or beam: exact inference keeps all contexts");
}
