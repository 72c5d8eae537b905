// `stargram decipher`: finds the key of a cipher text with nothing but plain text of the same language, and says which
// symbols to trust.

import { type Command, Option } from "commander";
import { LONGEST_CIPHER } from "../../formats/limits.js";
import { type Encoding, encodings, formatKeyJson, keyFile, readText } from "../../formats/text.js";
import { BLOCK, type Expecter } from "../../learn/em.js";
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
import type { Key } from "../../tasks/decipher/known-key.js";
import { LanguageModel, languageOptions } from "../../tasks/decipher/language.js";
import { deciphererOptions, type GivenDeciphererOptions } from "../../tasks/decipher/options.js";
import { compareWithSolution, type Solution } from "../../tasks/decipher/solution.js";
import { DOUBTFUL, isConvincing, warnings } from "../../tasks/decipher/warnings.js";
import { InputError } from "../../util/errors.js";
import { factsOf } from "../../util/options.js";
import { counted } from "../../util/text.js";
import { saveModel } from "../../workflows/disk.js";
import { checkInputs, cipherPath, knownPart, readSolution } from "../deciphering/inputs.js";
import { fitting, foldFor, languageNotes, loadLanguage, plainLines } from "../deciphering/language.js";
import { DecipherProgress, printDecipherment, report } from "../deciphering/printing.js";
import { otherOrder, type ReadingUsed, readIn, readingNotes } from "../deciphering/reading.js";
import { addDeclared, givenOf } from "../declared.js";
import { Interrupt } from "../interrupt.js";
import { examples, threadCount, whole } from "../options.js";
import { flagOf, withFlags, writeJson } from "../output.js";
import { checkOutput, checkPlace } from "../place.js";

type Level = "word" | "char";

/** Options of the search that are flags as they are; `order` is of the language, `spaces` of the text. */
const { order: _order, spaces: _spaces, ...solverDeclared } = deciphererOptions;

/** Options of the language that are flags as they are. */
const { level: _level, order: __order, fold, ...languageDeclared } = languageOptions;

const notes = `
The plain text teaches how the language goes; it need not hold the message. The more the better: some books for letters,
thousands of sentences of the same kind for words.
  --level char   letters are enciphered: cryptograms (letters with spaces), or numbers (27 40 7 or 27,40,7) or any
                 characters without spaces, one or several for each letter
  --level word   words are enciphered; sentences stand on lines, symbols between spaces
Without --level it is char, unless the cipher is numbers: more than 400 different ones stand for words; with more than 120,
both are tried, letters first, and which it was is said.
  --spaces known       spaces part words (usual for letters)
  --spaces unknown     spaces mean nothing (usual for all else, and for letters in groups of equal length: XKJDW QPLRA)
  --spaces enciphered  a cipher symbol stands for the space

Letters: keys are searched by annealing, from one beginning after the other, until the best end has come up three times;
a model of words from the same plain text decides between the best. Words: EM begins from nothing, and each of
--restarts then shakes its key and lets it settle again. The key printed is the likeliest as a whole. A symbol's probability
is its share among keys drawn in proportion to their likelihood; with --restarts 0 or --no-refine it holds only if the rest
of the key is right. What is less probable than ${DOUBTFUL} is [in brackets], on a terminal underlined, and has a ? in the
table (--no-marks: the text alone). When the text is too short for its
number of symbols or reads unlike the language, or the key is probably wrong, that is said. Ctrl-C ends the work with
the best key so far.

Letters that are rare in the plain text, such as those of a line in another script, are left out; --alphabet names the letters
that there are. Accents of the plain text are left out (ä as a), unless the cipher text has letters with accents; --fold says
otherwise. What became of letters is said.

A text without spaces that cannot be read as it is written may have been written in another order. Orders in which it repeats
itself more than by chance are then tried, and the one that was found is said. --reading gives one, and \`--reading lines\` none
but the usual:
  lines, lines-back, snake, columns, columns-back, columns-snake, diagonals, diagonals-snake, antidiagonals, spiral
  step-1-2               one line down and two columns to the right each time, around the edges
  columnar-3-1-2         written in lines under three columns, which were then taken in this order
  9:step-1-2/6:columns/lines   parts of 9 and 6 lines, and the rest;  back/snake   all of it backwards

Parts of the key that are known (--key, --key-file) and words known at a place (--at) narrow the search:
  --at 3:2=am          word 2 of line 3 is \`am\`
  --at 120=butter      letters 120 to 125, counted without spaces, spell \`butter\``;

export function register(program: Command): void {
  const command = program
    .command("decipher")
    .summary("find the key of a cipher")
    .description("Find the substitution behind a cipher text, from plain text of the same language alone.")
    .usage("<cipher> --plain <text...> [options]")
    .argument("[cipher]", "cipher text: a file, or `-` for standard input")
    .option("--plain <text...>", "plain text of the language: files")
    .addOption(
      new Option("--encoding <name>", "of all text; latin1: of what is not UTF-8 (default utf-8)").choices(encodings),
    )
    .option("--language <model>", "a language model saved before, instead of --plain")
    .option("--save-language <model>", "save the language model, to use it again")
    .addOption(new Option("--level <level>", "what is enciphered (default: found out)").choices(["word", "char"]))
    .addOption(
      new Option("--symbols <kind>", "letters: what a cipher symbol is (default: found out)").choices([
        "letters",
        "characters",
        "numbers",
      ]),
    )
    .addOption(
      new Option("--spaces <which>", "letters: spaces between words (default: found out)").choices(spacesChoices),
    )
    .option(
      "--reading <order>",
      "letters: the order to read in, such as columns or 9:step-1-2/lines (default: as written, unless another reads better)",
    )
    .option("--key <list>", "what is known of the key, such as 13=I,5=am")
    .option("--key-file <file>", "the same as JSON")
    .option("--at <place=text...>", "words known at a place, such as 3:2=am or 120=butter")
    .option(
      "--order <n>",
      "symbols back that the language model looks (default 2 for words, 4 for letters; at most 10)",
      whole(0),
    );
  addDeclared(command, solverDeclared);
  addDeclared(command, languageDeclared)
    .addOption(foldFlag())
    .option(
      "--threads <n>",
      "threads that count, where there is enough to count; the result is the same",
      threadCount,
      1,
    )
    .option("--solution <file>", "the true key (JSON) or plain text, to tell how much is right")
    .option("--save-key <file>", "write the key as JSON")
    .option("--force", "replace the files of --save-key and --save-language whatever they are")
    .option("--no-marks", "print the text without marks for what is in doubt")
    .option("--quiet", "no progress")
    .option("--json", "print one JSON object")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples(
        ["stargram decipher cryptogram.txt --plain book.txt", "a letter cipher with spaces"],
        ["stargram decipher zodiac.txt --plain book1.txt book2.txt", "a homophonic cipher"],
        ["stargram decipher cipher.txt --plain sentences.txt --level word --threads 2", "words for words"],
        ["stargram decipher cipher.txt --plain book.txt --key x=e,q=t", "with a part of the key"],
        ["stargram decipher --plain book1.txt book2.txt -- cipher.txt", "the cipher last: -- ends the list of books"],
      ),
    )
    .action(decipher);
}

/** As it is declared, but for the default, which the cipher text decides. */
function foldFlag(): Option {
  const { description, choices = [] } = factsOf(fold);
  return new Option("--fold <which>", `${description} (default: base, unless the cipher text has accents)`).choices(
    choices,
  );
}

interface DecipherFlags {
  plain?: string[];
  encoding?: Encoding;
  language?: string;
  saveLanguage?: string;
  level?: Level;
  symbols?: CipherKind;
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
  contexts?: number;
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
  if (flags.saveKey !== undefined) {
    const key = Object.fromEntries(found.mapping.map(({ cipher: x, plain }) => [x, plain]));
    const bytes = new TextEncoder().encode(formatKeyJson(key));
    await writeFileSafely(flags.saveKey, bytes, { kind: keyFile, force: flags.force });
  }
  const about = {
    notes: [...levelNotes(levels, cipher), ...readingNotes(reading), ...languageNotes(language)],
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
    throw new InputError("plain text is needed or a language model, not both", { hint: "leave one of them out" });
  }
  if (flags.plain === undefined && flags.language === undefined) {
    throw new InputError("plain text is needed, or a language model", {
      hint: "give --plain FILE... or --language MODEL",
    });
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
  const found = await solve(decipherer, cipher, known, flags);
  const asGiven = { cipher, language, decipherer, solution, found };
  if (flags.reading !== undefined) return { ...asGiven, reading: { name: flags.reading } };
  const mayBeElse = level === "char" && !isSpaced && Object.keys(known).length === 0;
  if (!mayBeElse || found.stopped || flags.restarts === 0 || isConvincing(found, cipher)) return asGiven;
  return (await otherReading(asGiven, flags)) ?? asGiven;
}

/** The same cipher in another order, if one stands out and more of it can then be expected to be right. */
async function otherReading(asGiven: Attempt, flags: DecipherFlags): Promise<Attempt | undefined> {
  const { cipher, language, decipherer } = asGiven;
  const other = await otherOrder(cipher, language, decipherer.options);
  if (!other) return undefined;
  const found = await solve(decipherer, other.cipher, {}, flags);
  if ((found.expectedAccuracy ?? 0) <= (asGiven.found.expectedAccuracy ?? 0)) return undefined;
  const solution =
    flags.solution === undefined ? undefined : await readSolution(flags.solution, other.cipher, flags.encoding);
  return { ...asGiven, ...other, found, solution };
}

/** What was taken for what, where there was a choice. */
function levelNotes(levels: readonly Level[], cipher: CipherText): string[] {
  if (levels.length === 1) return [];
  const kinds = counted(new Set(cipher.sequences.flat()).size);
  const [taken, other] = cipher.kind === "words" ? ["words", "char"] : ["letters", "word"];
  return [`the ${kinds} different numbers are taken for ${taken} (--level ${other} if they are not)`];
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

async function solve(
  decipherer: Decipherer,
  cipher: CipherText,
  known: Key,
  flags: DecipherFlags,
): Promise<Decipherment> {
  // A thread takes longer to start than to count a block or two.
  const threads = Math.min(flags.threads, Math.floor(cipher.sequences.length / (2 * BLOCK)));
  const threaded = threads > 1 ? (await import("../../learn/em-threads.js")).ThreadedExpecter : undefined;
  const interrupt = new Interrupt(flags.quiet === true);
  interrupt.trainingStarts();
  const progress = new DecipherProgress(process.stderr.isTTY === true && !flags.quiet);
  try {
    return await decipherer.solve(cipher.sequences, {
      known,
      shouldStop: () => interrupt.asked,
      onSearch: (restart, _score, best) => progress.search(restart, best),
      onPass: (pass) => progress.pass(pass.pass, pass.logLikelihood, pass.contextLength, pass.settled),
      expecter: threaded && ((model, sequences): Expecter => new threaded(model, sequences, threads)),
    });
  } finally {
    progress.end();
    interrupt.end();
  }
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
      "is for making a language model, and --language gives one that is made",
    );
  }
  if (level === "char") refuse(["vocabulary"], "is for words, and letters are enciphered here");
  else
    refuse(
      ["symbols", "spaces", "reading", "moves", "fold", "alphabet"],
      "is for letters, and words are enciphered here",
    );
  if (flags.restarts === 0) refuse(["moves"], "is for searches, and --restarts 0 makes none");
  if ((flags.mode ?? flags.inference) === "exact")
    refuse(["contexts"], "is for rcms and beam: exact inference keeps all contexts");
}
