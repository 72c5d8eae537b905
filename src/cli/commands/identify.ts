// `stargram identify`: what kind of cipher a text probably is, with the figures that tell; kinds that count in the alphabet are
// solved at once.

import { type Command, Option } from "commander";
import { LONGEST_CIPHER } from "../../formats/limits.js";
import { type Encoding, encodings, readText } from "../../formats/text.js";
import { readCipher } from "../../tasks/decipher/cipher-text.js";
import { type Identified, identify } from "../../tasks/decipher/identify.js";
import { LanguageModel } from "../../tasks/decipher/language.js";
import { shiftMeanings } from "../../tasks/decipher/shifts.js";
import { InputError } from "../../util/errors.js";
import { counted, table } from "../../util/text.js";
import { checkInputs, cipherPath } from "../deciphering/inputs.js";
import { fitting, foldFor, loadLanguage, plainLines } from "../deciphering/language.js";
import { examples } from "../options.js";
import { write, writeJson } from "../output.js";

interface IdentifyFlags {
  plain?: string[];
  encoding?: Encoding;
  language?: string;
  json?: boolean;
}

/** What each kind is, and what to do about it. */
const meanings: Record<Identified["kind"], string> = {
  plain: "plain text, not enciphered",
  ...shiftMeanings,
  substitution: "simple substitution: one sign for each letter; `stargram decipher` solves it",
  homophonic: "homophonic substitution: several signs for a letter; `stargram decipher` solves it if it is long enough",
  transposition: "transposition: the letters of the plain text in another order; `stargram decipher` tries some orders",
  digraphs: "a cipher of pairs of letters, such as Playfair; not solved here",
  polyalphabetic: "polyalphabetic or fractionating: a long or running key, Hill, Bifid or similar; not solved here",
};

export function register(program: Command): void {
  program
    .command("identify")
    .summary("identify the kind of a cipher")
    .description("Identify the kind of a letter cipher; solve Caesar, Atbash, affine, Vigenère and Beaufort ciphers.")
    .usage("<cipher> --plain <text...> [options]")
    .argument("[cipher]", "cipher text: a file, or `-` for standard input")
    .option("--plain <text...>", "plain text of the language: files")
    .addOption(
      new Option(
        "--encoding <name>",
        "encoding of all text; latin1 applies only to text that is not UTF-8 (default utf-8)",
      ).choices(encodings),
    )
    .option("--language <model>", "a saved language model of letters, instead of --plain")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        ["stargram identify cipher.txt --plain book.txt", "kind, figures, and the text if it is solved"],
        ["stargram identify cipher.txt --language english.sg --json", "the same for programs"],
      ),
    )
    .action(run);
}

async function run(given: string | undefined, flags: IdentifyFlags): Promise<void> {
  const path = cipherPath(given, flags);
  if ((flags.plain === undefined) === (flags.language === undefined)) {
    throw new InputError("give either --plain FILE... or --language MODEL");
  }
  const plain = flags.plain ?? [];
  await checkInputs(path, [path, ...plain, ...(flags.language === undefined ? [] : [flags.language])], plain);
  const cipher = readCipher(await readText(path, flags.encoding, LONGEST_CIPHER), "char");
  if (cipher.sequences.every((sequence) => sequence.length === 0)) {
    throw new InputError("the cipher text is empty", { file: path });
  }
  const language =
    flags.language === undefined
      ? LanguageModel.fromText(await plainLines(plain, flags.encoding), {
          level: "char",
          spaces: false,
          fold: foldFor(cipher, {}),
        })
      : fitting(await loadLanguage(flags.language), "char", false, flags.language);
  const found = identify(cipher, language);
  if (flags.json) {
    await writeJson({ ...found, meaning: meanings[found.kind] });
    return;
  }
  const text = found.text === undefined ? "" : `${cipher.render(shaped(cipher.sequences, found.text))}\n\n`;
  await write(`${text}${figures(found)}`);
}

/** Letters in the places of symbols; spaces stay. */
function shaped(sequences: readonly (readonly string[])[], text: string): string[][] {
  let at = 0;
  return sequences.map((sequence) => sequence.map((symbol) => (symbol === " " ? symbol : text[at++])));
}

function figures({ kind, key, places, symbols, letters, coincidence, order, bits }: Identified): string {
  const share = (value: number): string => `${(100 * value).toFixed(2)} %`;
  return table(
    [
      ["kind", meanings[kind]],
      ...(key ? [["key", key]] : []),
      ["symbols", `${counted(places)}, ${counted(symbols)} different; the language has ${counted(letters)} letters`],
      [
        "coincidence",
        `${share(coincidence.cipher)}; text of the language ${share(coincidence.language)}, random letters ${share(coincidence.even)}`,
      ],
      ...(order
        ? [
            [
              "order",
              `probably not as written: read as ${order.reading}, signs repeat ${order.repeats.toFixed(1)} standard deviations more than by chance, as written ${order.asWritten.toFixed(1)}; \`stargram decipher\` tries such orders`,
            ],
          ]
        : []),
      ...(bits
        ? [["letters as they are", `${bits.cipher.toFixed(2)} bits; text of the language ${bits.language.toFixed(2)}`]]
        : []),
    ],
    [0, 1],
  );
}
