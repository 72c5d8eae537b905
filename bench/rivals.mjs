// Other programs that are measured beside Stargram: the npm package `crfsuite`, fetched on demand into a cache folder outside
// this project, and programs on the PATH.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { number, say } from "./harness.mjs";

/** The same folder as that of data sets, which users can choose. */
const folder = join(process.env.STARGRAM_CACHE ?? join(homedir(), ".cache", "stargram"), "bench");
const version = "1.0.1";
/** Where the npm package crfsuite is once it is installed. */
export const crfsuiteFolder = join(folder, "node_modules", "crfsuite");

/**
 * @typedef {{
 *   Trainer: new (options?: { debug?: boolean }) => {
 *     append(items: readonly (readonly string[])[], labels: readonly string[]): void,
 *     set_params(options: Record<string, string>): void, train(file: string): number,
 *   },
 *   Tagger: new () => { open(file: string): boolean, tag(items: readonly (readonly string[])[]): string[] },
 * }} CrfSuite
 */

/**
 * The npm package crfsuite, or why it cannot be had. Its code is C and is compiled when it is installed.
 * @returns {{ crfsuite: CrfSuite, why?: undefined } | { crfsuite?: undefined, why: string }}
 */
export function npmCrfsuite() {
  const require = createRequire(join(folder, "package.json"));
  if (!existsSync(crfsuiteFolder)) {
    mkdirSync(folder, { recursive: true });
    say(`  installing crfsuite ${version} in ${folder}`);
    // Newer versions of npm run the install scripts only of packages that they are told to trust.
    const description = { private: true, dependencies: { crfsuite: version }, allowScripts: { crfsuite: true } };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
    const words = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
    /** @type {import("node:child_process").SpawnSyncOptions} */
    const options = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
    const npm = process.env.npm_execpath;
    if (npm) spawnSync(process.execPath, [npm, ...words], options);
    else spawnSync("npm", words, { ...options, shell: process.platform === "win32" });
  }
  try {
    return { crfsuite: require("crfsuite") };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { why: `the npm package crfsuite cannot be loaded: ${reason}` };
  }
}

/** Where a program is on the PATH, or undefined. @param {string} name */
export function onPath(name) {
  const endings = process.platform === "win32" ? [".exe", ".cmd"] : [""];
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    for (const ending of endings) {
      const file = join(place, name + ending);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

/**
 * Runs a program and gives the processor seconds it took, by the shell's count.
 * @param {string} program
 * @param {readonly string[]} words
 */
function secondsOf(program, words) {
  const shell = spawnSync("sh", ["-c", '"$0" "$@" >/dev/null 2>&1 || exit 1; times', program, ...words], {
    encoding: "utf8",
  });
  if (shell.status !== 0) throw new Error(`\`${program}\` failed`);
  // The second line is of the children: user and system time, as 0m1.234s.
  const times = [...(shell.stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

/**
 * Taggers on the PATH: the program that shows it is there, what data it reads, how it trains and tags.
 * @type {Record<string, { attributes: boolean, train(files: Files): string[], tagger: string, tag(files: Files, test: string): string[] }>}
 * @typedef {{ train: string, template: string, model: string }} Files
 */
const programs = {
  crfsuite: {
    attributes: true,
    train: ({ train, model }) => ["learn", "-m", model, train],
    tagger: "crfsuite",
    tag: ({ model }, test) => ["tag", "-m", model, test],
  },
  wapiti: {
    attributes: false,
    train: ({ train, template, model }) => ["train", "-p", template, train, model],
    tagger: "wapiti",
    tag: ({ model }, test) => ["label", "-m", model, test],
  },
  crf_learn: {
    attributes: false,
    train: ({ train, template, model }) => [template, train, model],
    tagger: "crf_test",
    tag: ({ model }, test) => ["-m", model, test],
  },
};

/**
 * Letters a second of the taggers on the PATH, on pictures of letters, and a sentence about those that are not there. They
 * read files; what reading one word takes is taken off.
 * @typedef {import("#stargram/formats/sequence.js").TaggingSequence} TaggingSequence
 * @param {readonly TaggingSequence[]} training
 * @param {readonly TaggingSequence[]} test
 */
export function taggersOnPath(training, test) {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const pixels = [...new Set(training.flatMap(({ attributes = [] }) => attributes.flat()))].sort();
  const fileOf = (
    /** @type {string} */ name,
    /** @type {readonly TaggingSequence[]} */ words,
    /** @type {boolean} */ named,
  ) => {
    const lineOf = (/** @type {readonly string[]} */ own, /** @type {unknown} */ label) =>
      named ? [label, ...own].join("\t") : [...pixels.map((pixel) => (own.includes(pixel) ? 1 : 0)), label].join("\t");
    const blocks = words.map(({ attributes = [], labels = [] }) =>
      attributes.map((own, i) => `${lineOf(own, labels[i])}\n`).join(""),
    );
    writeFileSync(join(folder, name), `${blocks.join("\n")}\n`);
    return join(folder, name);
  };
  const template = join(folder, "template");
  writeFileSync(template, `${pixels.map((_, i) => `U${i}:%x[0,${i}]\n`).join("")}B\n`);
  /** @type {Record<string, number>} */
  const rates = {};
  const notes = absent(Object.keys(programs));
  for (const [name, { attributes, train, tagger, tag }] of Object.entries(programs)) {
    if (!onPath(name)) continue;
    say(`  ${name}`);
    const files = { train: fileOf("train", training, attributes), template, model: join(folder, `${name}.model`) };
    try {
      secondsOf(name, train(files));
      const one = secondsOf(tagger, tag(files, fileOf("one", test.slice(0, 1), attributes)));
      const all = secondsOf(
        tagger,
        tag(files, fileOf("all", Array.from({ length: 20 }, () => test).flat(), attributes)),
      );
      rates[name] = (20 * test.reduce((sum, { labels = [] }) => sum + labels.length, 0)) / (all - one);
    } catch (error) {
      notes.push(`${error instanceof Error ? error.message : error}, so it was not measured.`);
    }
  }
  rmSync(folder, { recursive: true });
  return { rates, notes };
}

/**
 * Words a second of Phonetisaurus, if it is there.
 * @param {readonly { input: readonly string[], output: readonly string[] }[]} pairs
 * @param {readonly (readonly string[])[]} words
 */
export function phonetisaurus(pairs, words) {
  const notes = absent(["phonetisaurus-train", "phonetisaurus-apply"]);
  if (notes.length > 0) return notes;
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const file = (/** @type {string} */ name, /** @type {readonly string[]} */ lines) => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  };
  try {
    const lexicon = file(
      "lexicon",
      pairs.map(({ input, output }) => `${input.join("")}\t${output.join(" ")}`),
    );
    const trained = join(folder, "trained");
    secondsOf("phonetisaurus-train", ["--lexicon", lexicon, "--seq2_del", "--dir_prefix", trained]);
    const apply = (/** @type {string} */ list) =>
      secondsOf("phonetisaurus-apply", ["--model", join(trained, "model.fst"), "--word_list", list]);
    const written = words.map((word) => word.join(""));
    const seconds = apply(file("words", written)) - apply(file("one", written.slice(0, 1)));
    return [
      `Phonetisaurus, trained on the same pairs, applied to the same words: ${number(words.length / seconds)} words a second.`,
    ];
  } catch (error) {
    return [`${error instanceof Error ? error.message : error}, so it was not measured.`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A sentence that says which of the programs are absent. @param {readonly string[]} names */
export function absent(names) {
  const gone = names.filter((name) => !onPath(name));
  return gone.length === 0
    ? []
    : [`Not measured, because not on the PATH: ${gone.map((name) => `\`${name}\``).join(", ")}.`];
}
