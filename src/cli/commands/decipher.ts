// `stargram decipher`: finds the key of a cipher text with nothing but plain text of the same language, and says which
// symbols to trust.

import { styleText } from "node:util";
import { type Command, Option } from "commander";
import { InputError } from "../../core/errors.js";
import { parseKeyJson, parseKeyList, readText, readTextLines } from "../../data/text.js";
import type { Expecter } from "../../learn/em.js";
import { loadModel, saveModel } from "../../model/disk.js";
import { writeFileSafely } from "../../model/file.js";
import { type CipherKind, type CipherText, kindOf, readCipher } from "../../tasks/cipher-text.js";
import { Decipherer, type DeciphererOptions, type Decipherment, deciphererDefaults } from "../../tasks/decipherer.js";
import { LanguageModel, type LanguageOptions, languageDefaults, SPACE, wordsOf } from "../../tasks/language.js";
import { Interrupt } from "../interrupt.js";
import { examples, real, whole } from "../options.js";
import { counted, duration, percent, plural, say, table, write, writeJson } from "../output.js";
import { checkOutput, checkPlace } from "../place.js";

const d = deciphererDefaults;
const l = languageDefaults;

const notes = `
The plain text teaches how the language goes; it need not hold the message. The more the better: some books for letters,
thousands of sentences of the same kind for words.
  --level char   letters are enciphered: cryptograms (letters with spaces), or numbers or any characters without spaces,
                 one or several for each letter
  --level word   words are enciphered; sentences stand on lines, symbols between spaces
Without --level it is char, unless the cipher is numbers and there are more than 120 different ones.

With few plain symbols, keys are first searched by annealing, from many beginnings (--restarts), and EM goes on from the
best; the best is told by its likelihood alone. With many, EM begins from nothing, and in the end each symbol gets the
reading that fits best with all others (--no-refine: not). A symbol's probability is that of its reading if the rest of the
key is right. Ctrl-C ends the work with the best key so far.

Parts of the key that are known (--key, --key-file) and words known at a place (--at) narrow the search:
  --at 3:2=am          word 2 of line 3 is \`am\`
  --at 120=butter      letters 120 to 125, counted without spaces, spell \`butter\``;

export function register(program: Command): void {
  program
    .command("decipher")
    .summary("find the key of a cipher")
    .description("Find the substitution behind a cipher text, from plain text of the same language alone.")
    .argument("<cipher>", "cipher text: a file, or `-` for standard input")
    .option("--plain <text...>", "plain text of the language: files")
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
    .option("--one-to-one", "no two cipher symbols stand for the same plain symbol")
    .option("--key <list>", "what is known of the key, such as 13=I,5=am")
    .option("--key-file <file>", "the same as JSON")
    .option("--at <place=text...>", "words known at a place, such as 3:2=am or 120=butter")
    .option("--order <n>", "symbols back that the language model looks (default 2 for words, 4 for letters)", whole(0))
    .option("--contexts <n>", `contexts to keep at each place (default ${d.contexts})`, whole(0))
    .addOption(
      new Option("--inference <mode>", `how contexts are chosen (default ${d.inference})`).choices([
        "rcms",
        "beam",
        "exact",
      ]),
    )
    .option("--restarts <n>", "beginnings to try (default at most 60 for letters, 1 for words)", whole(0))
    .option("--moves <n>", `changes of the key that a search tries (default ${counted(d.moves)})`, whole(1))
    .option("--passes <n>", `EM passes at most (default ${d.passes})`, whole(1))
    .option("--tolerance <x>", `end when a pass gains less than this a symbol (default ${d.tolerance})`, real(0))
    .option("--smoothing <x>", `added to counts of substitutions (default ${d.smoothing})`, real(0, { above: true }))
    .option(
      "--discount <x>",
      `taken from counts of n-grams (default ${l.discount})`,
      real(0, { above: true, beyond: 1 }),
    )
    .option("--no-refine", "leave the key as EM gives it, not refined symbol by symbol")
    .option("--vocabulary <n>", "words: keep only the commonest plain words", whole(1))
    .option("--seed <n>", `for everything random (default ${d.seed})`, whole(Number.MIN_SAFE_INTEGER))
    .option("--threads <n>", "threads that count; the result is the same", whole(1), 1)
    .option("--solution <file>", "the true key (JSON) or plain text, to tell how much is right")
    .option("--save-key <file>", "write the key as JSON")
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
      ),
    )
    .action(decipher);
}

interface DecipherFlags {
  plain?: string[];
  language?: string;
  saveLanguage?: string;
  level?: "word" | "char";
  symbols?: CipherKind;
  oneToOne?: boolean;
  key?: string;
  keyFile?: string;
  at?: string[];
  order?: number;
  discount?: number;
  vocabulary?: number;
  threads: number;
  solution?: string;
  saveKey?: string;
  quiet?: boolean;
  json?: boolean;
}

const solverNames = [
  "contexts",
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

async function decipher(path: string, flags: DecipherFlags, command: Command): Promise<void> {
  const started = performance.now();
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
  if (flags.saveLanguage !== undefined) await checkOutput(flags.saveLanguage, inputs);
  if (flags.saveKey !== undefined) await checkPlace(flags.saveKey, inputs);
  const text = await readText(path);
  const loaded = flags.language === undefined ? undefined : await loadLanguage(flags.language);
  const level = flags.level ?? loaded?.options.level ?? levelOf(text);
  const cipher = readCipher(text, level, flags.symbols);
  if (cipher.sequences.every((sequence) => sequence.length === 0)) {
    throw new InputError("the cipher text is empty", { file: path });
  }
  const language = loaded ?? (await makeLanguage(flags, level, cipher.spaces));
  if (language.options.level !== level) {
    throw new InputError(`the language model is of the level ${language.options.level}, not ${level}`, {
      file: flags.language,
    });
  }
  if (flags.saveLanguage !== undefined) await saveModel(language, flags.saveLanguage);
  const options: Partial<DeciphererOptions> = loaded && flags.order !== undefined ? { order: flags.order } : {};
  for (const name of solverNames) {
    if (command.getOptionValueSource(name) === "cli") Object.assign(options, { [name]: command.getOptionValue(name) });
  }
  const known = await knownKey(flags, cipher);
  const solution = flags.solution === undefined ? undefined : await readSolution(flags.solution, cipher);
  const decipherer = new Decipherer(language, options);
  const threads = flags.threads > 1 ? (await import("../../learn/em-threads.js")).ThreadedExpecter : undefined;
  const interrupt = new Interrupt(flags.quiet === true);
  interrupt.trainingStarts();
  const progress = new DecipherProgress(process.stderr.isTTY === true && !flags.quiet);
  let found: Decipherment;
  try {
    found = await decipherer.solve(cipher.sequences, {
      known,
      shouldStop: () => interrupt.asked,
      onSearch: (restart, _score, best) => progress.search(restart, best),
      onPass: (pass) => progress.pass(pass.pass, pass.logLikelihood, pass.contextLength, pass.settled),
      expecter: threads && ((model, sequences): Expecter => new threads(model, sequences, flags.threads)),
    });
  } finally {
    progress.end();
    interrupt.end();
  }
  const seconds = (performance.now() - started) / 1000;
  const right = solution && judge(found, cipher, solution);
  if (flags.saveKey !== undefined) {
    const key = Object.fromEntries(found.mapping.map(({ cipher: x, plain }) => [x, plain]));
    await writeFileSafely(flags.saveKey, new TextEncoder().encode(`${JSON.stringify(key, undefined, 1)}\n`));
  }
  if (flags.json) {
    await writeJson({
      text: cipher.render(found.plain),
      mapping: found.mapping,
      logLikelihood: found.logLikelihood,
      contextLength: found.contextLength,
      ...right,
      level,
      symbols: cipher.kind,
      restarts: found.restarts,
      stopped: found.stopped,
      seconds,
      options: decipherer.options,
      language: language.options,
    });
    return;
  }
  await write(`${marked(cipher, found)}\n\n${keyTable(found)}`);
  if (flags.quiet) return;
  const passes = found.logLikelihood.length;
  const share = right
    ? `; right: ${percent(right.mappingAccuracy)} of symbols, ${percent(right.tokenAccuracy)} of the text`
    : "";
  say(
    `${plural(found.mapping.filter((m) => m.cipher !== SPACE).length, "cipher symbol")}, ${plural(found.restarts, "beginning")}, ${passes === 1 ? "1 pass" : `${passes} passes`}${share}; ${duration(seconds)}`,
  );
}

/** Words if the cipher is numbers and there are too many for letters, even with homophones. */
function levelOf(text: string): "word" | "char" {
  return kindOf(text) === "numbers" && new Set(wordsOf(text)).size > 120 ? "word" : "char";
}

async function loadLanguage(path: string): Promise<LanguageModel> {
  const model = await loadModel(path);
  if (!(model instanceof LanguageModel)) throw new InputError("this model is no language model", { file: path });
  return model;
}

async function makeLanguage(flags: DecipherFlags, level: "word" | "char", spaces: boolean): Promise<LanguageModel> {
  const lines: string[] = [];
  for (const file of flags.plain ?? []) for (const line of await readTextLines(file)) lines.push(line);
  const options: Partial<LanguageOptions> = { level, spaces };
  for (const name of ["order", "discount", "vocabulary"] as const) {
    if (flags[name] !== undefined) options[name] = flags[name];
  }
  return LanguageModel.fromText(lines, options);
}

/** The known part of the key, from everything the user gave. */
async function knownKey(flags: DecipherFlags, cipher: CipherText): Promise<Record<string, string>> {
  const known: Record<string, string> = {};
  const add = (given: string, reading: string): void => {
    const [x, plain] = [given, reading].map((symbol) => folded(symbol, cipher));
    if (Object.hasOwn(known, x) && known[x] !== plain) {
      throw new InputError(`what is known gives \`${x}\` both \`${known[x]}\` and \`${plain}\``);
    }
    known[x] = plain;
  };
  if (flags.keyFile !== undefined) {
    const key = parseKeyJson(await readText(flags.keyFile), flags.keyFile);
    if (!key) throw new InputError('not a key: a JSON object such as {"13": "I"} is needed', { file: flags.keyFile });
    for (const [x, plain] of Object.entries(key)) add(x, plain);
  }
  if (flags.key !== undefined) for (const [x, plain] of Object.entries(parseKeyList(flags.key))) add(x, plain);
  for (const place of flags.at ?? []) for (const [x, plain] of crib(place, cipher)) add(x, plain);
  return known;
}

/** A symbol as the cipher has it: where cipher symbols are letters, capitals are the same letters. */
function folded(symbol: string, cipher: CipherText): string {
  return cipher.kind === "letters" ? symbol.toLowerCase() : symbol;
}

/** The substitutions that a text known at a place shows. */
function crib(place: string, cipher: CipherText): [string, string][] {
  const match = /^(?:(\d+):)?(\d+)=(.+)$/su.exec(place);
  const isWord = cipher.kind === "words";
  if (!match || (match[1] !== undefined) !== isWord) {
    throw new InputError(`\`${place}\` is no place with its text`, {
      hint: isWord ? "write line:word=text, such as 3:2=am" : "write letter=text, such as 120=butter",
    });
  }
  const symbols = isWord
    ? (cipher.sequences[Number(match[1]) - 1] ?? [])
    : cipher.sequences.flat().filter((symbol) => symbol !== SPACE);
  const plain = isWord ? wordsOf(match[3]) : [...match[3].toLowerCase()].filter((c) => !/\s/u.test(c));
  const from = Number(match[2]) - 1;
  if (from < 0 || from + plain.length > symbols.length) {
    throw new InputError(`there is no room for \`${match[3]}\` at \`${place}\``);
  }
  return plain.map((symbol, i) => [symbols[from + i], symbol]);
}

type Solution = { key: Record<string, string> } | { text: string[][] };

/** A key as JSON, or the plain text, symbol for symbol. */
async function readSolution(path: string, cipher: CipherText): Promise<Solution> {
  const content = await readText(path);
  const key = parseKeyJson(content, path);
  if (key) {
    return { key: Object.fromEntries(Object.entries(key).map((pair) => pair.map((symbol) => folded(symbol, cipher)))) };
  }
  const plain =
    cipher.kind === "words"
      ? content.split("\n").map(wordsOf)
      : readCipher(content, "char", "letters").sequences.map((s) =>
          s.filter((symbol) => cipher.spaces || symbol !== SPACE),
        );
  const wanted = cipher.sequences.flat().length;
  if (plain.flat().length !== wanted) {
    throw new InputError(`the solution has ${plain.flat().length} symbols and the cipher text ${wanted}`, {
      file: path,
    });
  }
  return { text: plain };
}

/** Shares of cipher symbols and of places that are right; spaces between words do not count. */
function judge(
  found: Decipherment,
  cipher: CipherText,
  solution: Solution,
): { mappingAccuracy: number; tokenAccuracy: number } {
  const symbols = cipher.sequences.flat();
  const read = found.plain.flat();
  const truth = "key" in solution ? symbols.map((x) => solution.key[x] ?? "") : solution.text.flat();
  const counts = new Map<string, Map<string, number>>(); // what each cipher symbol truly stands for, and how often
  let places = 0;
  let right = 0;
  symbols.forEach((x, i) => {
    if (x === SPACE) return;
    places++;
    if (read[i] === truth[i]) right++;
    const own = counts.get(x) ?? new Map<string, number>();
    own.set(truth[i], (own.get(truth[i]) ?? 0) + 1);
    counts.set(x, own);
  });
  let mapped = 0;
  for (const { cipher: x, plain } of found.mapping) {
    const own = counts.get(x);
    if (own && own.get(plain) === Math.max(...own.values())) mapped++;
  }
  return { mappingAccuracy: mapped / counts.size, tokenAccuracy: right / places };
}

const DOUBTFUL = 0.9;

/** The text, with doubtful symbols underlined on a terminal. */
function marked(cipher: CipherText, found: Decipherment): string {
  if (!process.stdout.isTTY) return cipher.render(found.plain);
  const doubtful = new Set(found.mapping.filter((m) => m.probability < DOUBTFUL).map((m) => m.cipher));
  const symbols = cipher.sequences.flat();
  return cipher.render(found.plain, (symbol, at) =>
    doubtful.has(symbols[at]) ? styleText("underline", symbol) : symbol,
  );
}

function keyTable(found: Decipherment): string {
  const shown = found.mapping.filter(({ cipher }) => cipher !== SPACE);
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
  return table([["cipher", "plain", "probability  ", "places", "or"], ...rows], [0, 1, 4]);
}

/** A line for each EM pass, and one that is written over while keys are searched. */
class DecipherProgress {
  constructor(private readonly on: boolean) {}

  private show(text: string): void {
    if (this.on) process.stderr.write(`\r\x1b[K${text}`);
  }

  search(restart: number, best: number): void {
    this.show(`search ${restart}: best log-likelihood ${best.toFixed(1)}`);
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
