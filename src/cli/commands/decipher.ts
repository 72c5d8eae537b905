// `stargram decipher`: finds the key of a cipher text with nothing but plain text of the same language, and says which
// symbols to trust.

import { realpath } from "node:fs/promises";
import { type Command, Option } from "commander";
import { LONGEST_CIPHER } from "../../formats/limits.js";
import {
  type Encoding,
  encodings,
  formatKeyJson,
  keyFile,
  parseKeyJson,
  parseKeyList,
  readText,
  readTextLines,
} from "../../formats/text.js";
import { BLOCK, type Expecter } from "../../learn/em.js";
import { writeFileSafely } from "../../model/file.js";
import {
  type CipherKind,
  type CipherText,
  levelOf,
  readCipher,
  type Spaces,
  spacesChoices,
} from "../../tasks/decipher/cipher-text.js";
import { Decipherer } from "../../tasks/decipher/decipherer.js";
import type { Decipherment } from "../../tasks/decipher/decipherment.js";
import { type Key, knownKey } from "../../tasks/decipher/known-key.js";
import { type GivenLanguageOptions, LanguageModel, languageDefaults } from "../../tasks/decipher/language.js";
import { deciphererDefaults, type GivenDeciphererOptions } from "../../tasks/decipher/options.js";
import {
  compareWithSolution,
  type Rightness,
  type Solution,
  solutionOfKey,
  solutionOfText,
} from "../../tasks/decipher/solution.js";
import { DOUBTFUL, warnings } from "../../tasks/decipher/warnings.js";
import { InputError } from "../../util/errors.js";
import { loadModel, saveModel } from "../../workflows/disk.js";
import { DecipherProgress, printDecipherment } from "../decipherment.js";
import { Interrupt } from "../interrupt.js";
import { examples, real, threadCount, whole } from "../options.js";
import { flagOf, withFlags, writeJson } from "../output.js";
import { checkOutput, checkPlace } from "../place.js";

const d = deciphererDefaults;
const l = languageDefaults;
const modes = ["rcms", "beam", "exact"];

const notes = `
The plain text teaches how the language goes; it need not hold the message. The more the better: some books for letters,
thousands of sentences of the same kind for words.
  --level char   letters are enciphered: cryptograms (letters with spaces), or numbers (27 40 7 or 27,40,7) or any
                 characters without spaces, one or several for each letter
  --level word   words are enciphered; sentences stand on lines, symbols between spaces
Without --level it is char, unless the cipher is numbers and there are more than 120 different ones.
  --spaces known       spaces part words (usual for letters)
  --spaces unknown     spaces mean nothing (usual for all else, and for letters in groups of equal length: XKJDW QPLRA)
  --spaces enciphered  a cipher symbol stands for the space

Letters: keys are searched by annealing, from one beginning after the other, until the best end has come up three times;
a model of words from the same plain text decides between the best. Words: EM begins from nothing, and each of
--restarts then shakes its key and lets it settle again. The key
printed is the likeliest as a whole. A symbol's probability is its share among keys drawn in proportion to their likelihood;
with --restarts 0 or --no-refine it holds only if the rest of the key is right. What is less probable than ${DOUBTFUL} is [in brackets],
on a terminal underlined, and has a ? in the table (--no-marks: the text alone). When the text is too short for its
number of symbols or reads unlike the language, or the key is probably wrong, that is said. Ctrl-C ends the work with
the best key so far.

Parts of the key that are known (--key, --key-file) and words known at a place (--at) narrow the search:
  --at 3:2=am          word 2 of line 3 is \`am\`
  --at 120=butter      letters 120 to 125, counted without spaces, spell \`butter\``;

export function register(program: Command): void {
  program
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
    .addOption(new Option("--level <level>", "what is enciphered").choices(["word", "char"]))
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
      "--one-to-one",
      "no two cipher symbols stand for the same plain symbol (default: found out for letters, off for words)",
    )
    .option("--no-one-to-one", "several cipher symbols may stand for one plain symbol")
    .option("--key <list>", "what is known of the key, such as 13=I,5=am")
    .option("--key-file <file>", "the same as JSON")
    .option("--at <place=text...>", "words known at a place, such as 3:2=am or 120=butter")
    .option(
      "--order <n>",
      "symbols back that the language model looks (default 2 for words, 4 for letters; at most 10)",
      whole(0),
    )
    .option("--contexts <n>", `contexts to keep at each place (default ${d.contexts})`, whole(0))
    .addOption(new Option("--mode <mode>", `how contexts are chosen (default ${d.mode})`).choices(modes))
    .addOption(new Option("--inference <mode>").choices(modes).hideHelp())
    .option(
      "--restarts <n>",
      "beginnings to try (default: for letters until the best key recurs, 2 for words)",
      whole(0),
    )
    .option(
      "--moves <n>",
      "changes of the key that a search tries (default: few at first, more as long as searches disagree)",
      whole(1),
    )
    .option("--passes <n>", `EM passes at most (default ${d.passes})`, whole(1))
    .option("--tolerance <x>", `end when a pass gains less than this a symbol (default ${d.tolerance})`, real(0))
    .option("--smoothing <x>", `added to counts of substitutions (default ${d.smoothing})`, real(0, { above: true }))
    .option(
      "--discount <x>",
      `taken from counts of n-grams (default ${l.discount})`,
      real(0, { above: true, beyond: 1 }),
    )
    .option(
      "--language-smoothing <x>",
      `added to counts of single plain symbols (default ${l.smoothing})`,
      real(0, { above: true }),
    )
    .option("--no-refine", "leave the key as EM gives it, not refined symbol by symbol")
    .option("--vocabulary <n>", "words: keep only the commonest plain words", whole(1))
    .option("--seed <n>", `for everything random (default ${d.seed})`, whole(Number.MIN_SAFE_INTEGER))
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
        ["stargram decipher cryptogram.txt --plain book.txt --one-to-one", "a letter cipher with spaces"],
        ["stargram decipher zodiac.txt --plain book1.txt book2.txt", "a homophonic cipher"],
        ["stargram decipher cipher.txt --plain sentences.txt --level word --threads 2", "words for words"],
        ["stargram decipher cipher.txt --plain book.txt --key x=e,q=t", "with a part of the key"],
        ["stargram decipher --plain book1.txt book2.txt -- cipher.txt", "the cipher last: -- ends the list of books"],
      ),
    )
    .action(decipher);
}

interface DecipherFlags {
  plain?: string[];
  encoding?: Encoding;
  language?: string;
  saveLanguage?: string;
  level?: "word" | "char";
  symbols?: CipherKind;
  spaces?: Spaces;
  oneToOne?: boolean;
  key?: string;
  keyFile?: string;
  at?: string[];
  order?: number;
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

const solverNames = [
  "contexts",
  "mode",
  "inference",
  "restarts",
  "moves",
  "passes",
  "tolerance",
  "smoothing",
  "seed",
  "oneToOne",
  "refine",
] as const;

async function decipher(given: string | undefined, flags: DecipherFlags, command: Command): Promise<void> {
  const started = performance.now();
  const path = cipherPath(given, flags);
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
  const text = await readText(path, flags.encoding, LONGEST_CIPHER);
  const loaded = flags.language === undefined ? undefined : await loadLanguage(flags.language);
  const level = flags.level ?? loaded?.options.level ?? levelOf(text);
  refuseUseless(flags, level);
  const cipher = readCipher(text, level, { kind: flags.symbols, spaces: flags.spaces });
  if (cipher.sequences.every((sequence) => sequence.length === 0)) {
    throw new InputError("the cipher text is empty", { file: path });
  }
  const isSpaced = cipher.spaces || flags.spaces === "enciphered";
  const language = loaded ? fitting(loaded, level, isSpaced, flags) : await makeLanguage(flags, level, isSpaced);
  if (flags.saveLanguage !== undefined) await saveModel(language, flags.saveLanguage, { force: flags.force });
  const options = solverOptions(flags, command, cipher, language);
  const known = await knownPart(flags, cipher);
  const solution =
    flags.solution === undefined ? undefined : await readSolution(flags.solution, cipher, flags.encoding);
  const decipherer = new Decipherer(language, options);
  const found = await solve(decipherer, cipher, known, flags);
  const seconds = (performance.now() - started) / 1000;
  const right = solution && compareWithSolution(found, cipher, solution);
  if (flags.saveKey !== undefined) {
    const key = Object.fromEntries(found.mapping.map(({ cipher: x, plain }) => [x, plain]));
    const bytes = new TextEncoder().encode(formatKeyJson(key));
    await writeFileSafely(flags.saveKey, bytes, { kind: keyFile, force: flags.force });
  }
  const doubts = warnings(found, cipher).map(withFlags);
  if (flags.json) await writeJson(report(found, cipher, decipherer, { doubts, right, seconds, spaces: flags.spaces }));
  else await printDecipherment(found, cipher, { ...flags, doubts, right, seconds });
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
  for (const name of solverNames) {
    if (command.getOptionValueSource(name) === "cli") Object.assign(options, { [name]: command.getOptionValue(name) });
  }
  return options;
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

/** What `--json` prints. */
function report(
  found: Decipherment,
  cipher: CipherText,
  { options, language }: Decipherer,
  outcome: { doubts: string[]; right?: Rightness; seconds: number; spaces?: Spaces },
) {
  return {
    text: cipher.render(found.plain),
    mapping: found.mapping,
    logLikelihood: found.logLikelihood,
    contextLength: found.contextLength,
    expectedAccuracy: found.expectedAccuracy,
    likeness: found.likeness,
    unicityDistance: Number.isFinite(found.unicity) ? found.unicity : undefined,
    warnings: outcome.doubts,
    ...outcome.right,
    level: language.options.level,
    symbols: cipher.kind,
    spaces: cipher.spaces ? "known" : (outcome.spaces ?? "unknown"),
    restarts: found.restarts,
    stopped: found.stopped,
    seconds: outcome.seconds,
    options,
    language: language.options,
  };
}

/** The cipher text that was named; a list of plain texts may have taken it along. */
function cipherPath(given: string | undefined, flags: DecipherFlags): string {
  if (given !== undefined) return given;
  const list = flags.plain && flags.plain.length > 1 ? "--plain" : flags.at && flags.at.length > 1 ? "--at" : undefined;
  throw new InputError("the cipher text is missing", {
    hint: list
      ? `${list} takes all that follows it: name the cipher text first, or write -- before it`
      : "name a file, or - for standard input",
  });
}

/** Refuses standard input named twice, and the cipher text as its own plain text. */
async function checkInputs(cipher: string, inputs: readonly string[], plain: readonly string[]): Promise<void> {
  if (inputs.filter((file) => file === "-").length > 1) {
    throw new InputError("standard input can be read only once, and `-` stands for it in several places", {
      hint: "give all but one of them as files",
    });
  }
  const real = (file: string): Promise<string> => realpath(file).catch(() => file);
  for (const file of plain) {
    if (file === "-" || (await real(file)) !== (await real(cipher))) continue;
    throw new InputError("this is the cipher text, and it is given as plain text too", {
      file,
      hint: "give other text of the same language, which is not enciphered",
    });
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
      ["discount", "languageSmoothing", "vocabulary"],
      "is for making a language model, and --language gives one that is made",
    );
  }
  if (level === "char") refuse(["vocabulary"], "is for words, and letters are enciphered here");
  else refuse(["symbols", "spaces", "moves"], "is for letters, and words are enciphered here");
  if (flags.restarts === 0) refuse(["moves"], "is for searches, and --restarts 0 makes none");
  if ((flags.mode ?? flags.inference) === "exact")
    refuse(["contexts"], "is for rcms and beam: exact inference keeps all contexts");
}

async function loadLanguage(path: string): Promise<LanguageModel> {
  const hint = "language models are what `stargram decipher … --save-language MODEL` writes; books are for --plain";
  const model = await loadModel(path).catch((error) => {
    if (!(error instanceof InputError && error.reason.startsWith("not a Stargram model"))) throw error;
    throw new InputError(error.reason, { file: path, hint, cause: error });
  });
  if (model.kind !== "language") throw new InputError("this model is not a language model", { file: path, hint });
  return model as LanguageModel;
}

/** A language model from a file as the cipher text needs it. */
function fitting(loaded: LanguageModel, level: "word" | "char", spaces: boolean, flags: DecipherFlags): LanguageModel {
  if (loaded.options.level !== level) {
    throw new InputError(`the language model is of the level ${loaded.options.level}, not ${level}`, {
      file: flags.language,
    });
  }
  if (level === "word") return loaded;
  const language = loaded.withSpaces(spaces);
  if (language) return language;
  // Files of before 0.2 know the one or the other.
  if (spaces) return loaded;
  throw new InputError("the language model has spaces between words, and those of the cipher text are not known", {
    file: flags.language,
    hint: "give plain text (--plain), or a model made for cipher text without spaces; --spaces known or enciphered if they are",
  });
}

async function makeLanguage(flags: DecipherFlags, level: "word" | "char", spaces: boolean): Promise<LanguageModel> {
  const lines: string[] = [];
  for (const file of flags.plain ?? []) for (const line of await readTextLines(file, flags.encoding)) lines.push(line);
  const options: GivenLanguageOptions = { level, spaces };
  for (const name of ["order", "discount", "vocabulary"] as const) {
    if (flags[name] !== undefined) options[name] = flags[name];
  }
  if (flags.languageSmoothing !== undefined) options.smoothing = flags.languageSmoothing;
  return LanguageModel.fromText(lines, options);
}

/** The known part of the key, from everything the user gave. */
async function knownPart(flags: DecipherFlags, cipher: CipherText): Promise<Key> {
  const keys: Key[] = [];
  if (flags.keyFile !== undefined) {
    const key = parseKeyJson(await readText(flags.keyFile, undefined, LONGEST_CIPHER), flags.keyFile);
    if (!key) throw new InputError('not a key: a JSON object such as {"13": "I"} is needed', { file: flags.keyFile });
    keys.push(key);
  }
  if (flags.key !== undefined) keys.push(parseKeyList(flags.key));
  return knownKey(cipher, keys, flags.at);
}

/** A key as JSON, or the plain text, symbol for symbol. */
async function readSolution(path: string, cipher: CipherText, encoding?: Encoding): Promise<Solution> {
  const content = await readText(path, encoding, LONGEST_CIPHER);
  const key = parseKeyJson(content, path);
  return key ? solutionOfKey(key, cipher) : solutionOfText(content, cipher, path);
}
