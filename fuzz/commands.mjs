// Command lines drawn from a seed: any command, with sound, damaged, foreign, missing or packed files, and sensible or absurd
// values of its flags. Whatever it is, the command answers (0), says that a check failed (1) or refuses (2), without a word of a
// fault of ours, and leaves the files it reads as they were.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { formatReview } from "#stargram/formats/review.js";
import { damaged, diceOf } from "./mutate.mjs";
import { sampleModels } from "./samples.mjs";

/** @typedef {import("./mutate.mjs").Dice} Dice */

const program = fileURLToPath(new URL("../dist/cli/stargram.cjs", import.meta.url));
/** ms */
const LONGEST = 120_000;

const sentences = "the x DT\ndog y NN\nbarks z VB\n\na x DT\ncat y NN\n\n";
const review = formatReview([
  {
    ...{ id: "1", kind: "text", input: "the dog", answer: "DT NN", status: "answered" },
    ...{ candidates: [{ text: "DT NN", probability: 0.5 }], source: '{"columns": [["the", "x"], ["dog", "y"]]}' },
  },
]);

/** Sound files by name. @returns {Promise<Record<string, Uint8Array>>} */
async function sources() {
  const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const models = await sampleModels();
  return {
    "train.txt": utf8(sentences.repeat(6)),
    "tokens.txt": utf8("the x\ndog y\n\na x\ncat y\n"),
    "pairs.tsv": utf8("ab\tA B\nba\tB A\naab\tA A B\nbb\tB B\n".repeat(3)),
    "words.txt": utf8("ab\nba\nzz\n"),
    "data.jsonl": utf8('{"tokens": ["the", "dog"], "labels": ["DT", "NN"]}\n'.repeat(4)),
    "data.crf": utf8("DT\tw=the\nNN\tw=dog\n\n".repeat(4)),
    "data.conllu": utf8(
      "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\tADP\t_\tA=B\t_\t_\t_\t_\n2\tle\t_\tDET\t_\tC=D\t_\t_\t_\t_\n\n".repeat(
        6,
      ),
    ),
    "names.txt": utf8("in O\nNew I-LOC\nYork I-LOC\n\nRome I-LOC\nAnna I-PER\nBob B-PER\n\n".repeat(6)),
    "text.txt": utf8("Anna saw Rome. New York!\n\nBob went.\n"),
    "lexicon.tsv": utf8("New York\tLOC\nRome\n"),
    "classes.tsv": utf8("in\t0110\nRome\t01110\n"),
    "vectors.txt": utf8("2 2\nin 1 0\nrome -1 2\n"),
    "template.txt": utf8('U0:%x[0,0]\nU1:%m[0,0,"^.?.?"]\nB\n'),
    "cipher.txt": utf8("Xli hsk fevow ex xli gex, erh xli gex wiiw xli hsk.\n"),
    "plain.txt": utf8("The dog barks at the cat, and the cat sees the dog.\n".repeat(20)),
    "key.json": utf8('{\n "x": "t",\n "l": "h"\n}\n'),
    "left.tsv": utf8(review),
    "tagger.sg": models.tagger,
    "spans.sg": models.spans,
    "transducer.sg": models.transducer,
    "language.sg": models.language,
    "run.checkpoint": models.checkpoint,
  };
}

const numbers = ["0", "1", "2", "3", "-1", "1e9", "0.5", "99999999999999999999", "NaN", "", "x", "1e-300"];
const few = ["1", "2"];

/**
 * A word is a file if it has a dot or a slash, `?` a number, `OUT` a new name. Flags are taken or not, in any order.
 * @type {{ words: string[], flags: string[][] }[]}
 */
const commands = [
  {
    words: ["train", "tag", "train.txt", "--out", "OUT", "--passes", "FEW", "--quiet"],
    flags: [
      ...[
        ["--template", "template.txt"],
        ["--features", "text"],
        ["--format", "columns"],
        ["--format", "crfsuite"],
      ],
      ...[
        ["--order", "?"],
        ["--contexts", "?"],
        ["--l2", "?"],
        ["--held-out", "?"],
        ["--seed", "?"],
        ["--rate", "?"],
      ],
      ...[
        ["--from", "tagger.sg"],
        ["--add", "left.tsv"],
        ["--resume"],
        ["--json"],
        ["--deterministic"],
        ["--label-sets"],
      ],
      ...[["--threads", "2"], ["--inference", "beam"], ["--force"], ["--folds", "0"]],
    ],
  },
  {
    words: ["train", "tag", "train.txt", "--out", "OUT", "--passes", "FEW", "--l2", "1", "--quiet"],
    flags: [
      ["--word-column", "?"],
      ["--label-column", "?"],
      ["--separator", "tab"],
      ["--column", "upos"],
      ["--dev", "train.txt"],
      ["--min-count", "?"],
      ["--format", "conllu"],
    ],
  },
  {
    words: ["train", "tag", "data.conllu", "--out", "OUT", "--passes", "FEW", "--l2", "1", "--quiet"],
    flags: [
      ["--column", "upos+feats"],
      ["--column", "feats"],
      ["--label-parts", "|"],
      ["--shortlist", "?"],
      ["--word-column", "1"],
      ["--dev", "data.conllu"],
    ],
  },
  {
    words: ["train", "tag", "names.txt", "--out", "OUT", "--passes", "FEW", "--l2", "1", "--quiet"],
    flags: [
      ...[["--scheme", "bioes"], ["--scheme", "data"], ["--constrained"], ["--shortlist", "?"], ["--label-parts", "-"]],
      ...[
        ["--lexicon", "lexicon.tsv"],
        ["--lexicon", "classes.tsv"],
        ["--vectors", "vectors.txt"],
        ["--vectors-words", "?"],
        ["--select", "f1"],
        ["--no-refit"],
      ],
    ],
  },
  {
    words: ["cross-validate", "tag", "names.txt", "--passes", "FEW", "--l2", "1"],
    flags: [["--parts", "?"], ["--json"]],
  },
  {
    words: ["cluster", "text.txt"],
    flags: [
      ["--classes", "?"],
      ["--min-count", "?"],
      ["--passes", "?"],
    ],
  },
  {
    words: ["predict", "spans.sg", "text.txt", "--text"],
    flags: [
      ["--json"],
      ["--spans"],
      ["--tokenizer", "spans.sg"],
      ["--labels-only"],
      ["--nbest", "?"],
      ["--threads", "2"],
    ],
  },
  {
    words: ["predict", "tagger.sg", "data.conllu", "--format", "conllu"],
    flags: [["--json"], ["--threads", "2"], ["--nbest", "?"], ["--known"], ["--marginals"], ["--labels-only"]],
  },
  {
    words: ["train", "transduce", "pairs.tsv", "--out", "OUT", "--passes", "FEW", "--quiet"],
    flags: [
      ...[
        ["--columns", "?"],
        ["--max-emit", "?"],
        ["--contexts", "?"],
        ["--input", "tokens"],
        ["--reverse"],
        ["--l2", "?"],
      ],
      ...[
        ["--strategy", "beam"],
        ["--from", "transducer.sg"],
        ["--words"],
        ["--json"],
        ["--add", "left.tsv"],
        ["--force"],
      ],
    ],
  },
  {
    words: ["predict", "tagger.sg", "tokens.txt"],
    flags: [
      ...[
        ["--nbest", "?"],
        ["--marginals"],
        ["--known"],
        ["--json"],
        ["--threads", "2"],
        ["--contexts"],
        ["--contexts", "?"],
      ],
      ...[["--format", "jsonl"], ["--precision", "0.9"], ["--review", "OUT"], ["--align"], ["--inference", "exact"]],
    ],
  },
  {
    words: ["predict", "transducer.sg", "words.txt"],
    flags: [["--nbest", "?"], ["--align"], ["--json"], ["--contexts"]],
  },
  {
    words: ["evaluate", "tagger.sg", "train.txt"],
    flags: [
      ["--json"],
      ["--plots", "OUT"],
      ["--require", "tokenAccuracy=0.5"],
      ["--allow-unknown"],
      ["--contexts", "?"],
    ],
  },
  { words: ["evaluate", "transducer.sg", "pairs.tsv"], flags: [["--json"], ["--require", "wordErrorRate=0.5"]] },
  {
    words: ["calibrate", "OWN.sg", "train.txt", "--precision", "0.5"],
    flags: [["--confidence", "?"], ["--json"], ["--seed", "?"]],
  },
  { words: ["compare", "tagger.sg", "tagger.sg", "train.txt"], flags: [["--json"], ["--plots", "OUT"]] },
  { words: ["inspect", "tagger.sg"], flags: [["--json"], ["--top", "?"]] },
  { words: ["inspect", "transducer.sg"], flags: [["--json"]] },
  { words: ["inspect", "language.sg"], flags: [["--json"]] },
  { words: ["align", "transducer.sg", "pairs.tsv"], flags: [["--json"]] },
  {
    words: [
      "decipher",
      "cipher.txt",
      "--plain",
      "plain.txt",
      "--restarts",
      "1",
      "--moves",
      "200",
      "--passes",
      "2",
      "--quiet",
    ],
    flags: [
      ...[
        ["--level", "word"],
        ["--symbols", "characters"],
        ["--spaces", "unknown"],
        ["--one-to-one"],
        ["--key", "x=t"],
      ],
      ...[
        ["--key-file", "key.json"],
        ["--at", "1=the"],
        ["--order", "?"],
        ["--contexts", "?"],
        ["--save-key", "OUT"],
      ],
      ...[
        ["--solution", "plain.txt"],
        ["--json"],
        ["--encoding", "latin1"],
        ["--save-language", "OUT"],
        ["--vocabulary", "?"],
      ],
    ],
  },
  {
    words: ["decipher", "cipher.txt", "--language", "language.sg", "--restarts", "0", "--passes", "2"],
    flags: [["--json"]],
  },
  {
    words: ["encipher", "plain.txt"],
    flags: [["--level", "word"], ["--homophones", "?"], ["--save-key", "OUT"], ["--seed", "?"], ["--json"]],
  },
];

/** The words of a command line, and the files it needs beside the sound ones. @param {Dice} dice @param {Record<string, Uint8Array>} sound */
function commandLine(dice, sound) {
  const { words, flags } = dice.of(commands);
  const all = [...words];
  for (let n = dice.below(4); n > 0; n--) all.push(...dice.of(flags));
  /** @type {Record<string, Uint8Array>} */
  const made = {};
  const names = Object.keys(sound);
  const line = all.map((word, i) => {
    if (word === "?") return dice.of(numbers);
    if (word === "FEW") return dice.of(few);
    if (word === "OUT") return dice.chance(0.9) ? `out-${i}` : dice.of([...names, "folder", "", "none/x", "/dev/null"]);
    if (word === "OWN.sg") {
      made["own.sg"] = sound[dice.of(["tagger.sg", "transducer.sg"])];
      return "own.sg";
    }
    if (!Object.hasOwn(sound, word) || dice.chance(0.5)) return word;
    const name = `made-${i}`;
    switch (dice.below(7)) {
      case 0:
        return dice.of(names);
      case 1:
        return dice.of(["none", "folder", "", "/dev/null", "-", "none/x"]);
      case 2:
        made[name] = gzipSync(sound[word]);
        return name;
      case 3:
        made[name] = new Uint8Array(0);
        return name;
      default:
        made[name] = damaged(sound[word], Object.values(sound), dice);
        return name;
    }
  });
  if (dice.chance(0.05)) line.splice(dice.below(line.length), 1);
  if (dice.chance(0.05)) line.push(dice.of(["--help", "--wrong", "--", "extra", "--no-such", "-x"]));
  return { line, made };
}

/** @param {string} folder @param {readonly string[]} line @param {Uint8Array} input */
function run(folder, line, input) {
  return /** @type {Promise<{ code: number | null, signal: string | null, out: string, error: string }>} */ (
    new Promise((resolve) => {
      const child = spawn(process.execPath, ["--max-old-space-size=2000", program, ...line], {
        cwd: folder,
        timeout: LONGEST,
        killSignal: "SIGKILL",
      });
      let out = "";
      let error = "";
      child.stdout.setEncoding("utf8").on("data", (text) => {
        if (out.length < 1e6) out += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text) => {
        if (error.length < 1e6) error += text;
      });
      child.stdin.on("error", () => undefined).end(input);
      child.on("close", (code, signal) => resolve({ code, signal, out, error }));
    })
  );
}

/** @param {string} folder @param {readonly string[]} names */
function hashOf(folder, names) {
  const hash = createHash("sha256");
  for (const name of names) hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

/**
 * @param {number} count
 * @param {number} seed
 * @param {(target: string, number: number, error: string, bytes?: Uint8Array) => void} keep
 * @returns {Promise<number>} faults
 */
export async function fuzzCommands(count, seed, keep) {
  const sound = await sources();
  let faults = 0;
  for (let number = 0; number < count; number++) {
    const dice = diceOf(seed, number);
    const folder = mkdtempSync(join(tmpdir(), "stargram-fuzz-"));
    mkdirSync(join(folder, "folder"));
    const { line, made } = commandLine(dice, sound);
    // What is to be written over with --force may be.
    const kept = Object.keys(sound).filter((name) => !line.includes("--force") || !line.includes(name));
    for (const [name, bytes] of Object.entries({ ...sound, ...made })) writeFileSync(join(folder, name), bytes);
    const before = hashOf(folder, kept);
    const input = dice.chance(0.5) ? sound[dice.of(Object.keys(sound))] : new Uint8Array(0);
    const { code, signal, error } = await run(folder, line, input);
    const strange =
      /internal error in Stargram|\n\s+at |node:internal|Unhandled|heap out of memory|DeprecationWarning/.exec(error);
    const fault =
      signal !== null
        ? `ended by ${signal}`
        : ![0, 1, 2].includes(code ?? -1)
          ? `exit code ${code}`
          : strange
            ? error.trim()
            : code !== 0 && error.trim() === ""
              ? "failed without a word"
              : hashOf(folder, kept) !== before && !isOwnOutput(line, kept)
                ? "a file that it read was changed"
                : readdirSync(folder).some((name) => name.endsWith(".tmp"))
                  ? "a temporary file was left"
                  : undefined;
    if (fault !== undefined) {
      faults++;
      const files = Object.entries(made).map(
        ([name, bytes]) => `${name} (base64): ${Buffer.from(bytes).toString("base64")}`,
      );
      keep(
        "command",
        number,
        [`${fault}`, `stargram ${line.map((word) => JSON.stringify(word)).join(" ")}`, error, ...files].join("\n"),
      );
    }
    rmSync(folder, { recursive: true, force: true });
    if ((number + 1) % 100 === 0) process.stderr.write(`${number + 1} commands, ${faults} faults\n`);
  }
  return faults;
}

/** Whether a line names a sound file of ours as its output: a model over a model, a key over a key. @param {readonly string[]} line @param {readonly string[]} names */
function isOwnOutput(line, names) {
  return line.some((word, i) => /^--(?:out|save-key|save-language)$/.test(line[i - 1] ?? "") && names.includes(word));
}
