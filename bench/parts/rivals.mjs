// Other taggers and Stargram on the same files with the same template, as whole commands: starting, reading, printing. What each
// takes is counted by GNU time, in turns.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileTemplate } from "#stargram/tasks/tag/template.js";
import { brown, columnText } from "../data.mjs";
import { commandLine, number, say, speedUp, spread, spreadText } from "../harness.mjs";
import { absent, crfsuiteFolder, npmCrfsuite, onPath } from "../rivals.mjs";

/** @typedef {import("#stargram/formats/sequence.js").TaggingSequence} TaggingSequence */
/** @typedef {{ cpu: number, clock: number, peak: number }} Usage seconds, and bytes */
/** @typedef {string[]} CommandLine the program, then its words */
/**
 * @typedef {{ name: string, does: string, train?: CommandLine, tag: CommandLine, input?: string }} Rival `input` is a file for standard
 * input
 */

const ROUNDS = 5;
const TRAINED_ON = 1000; // sentences

/** Words within two places, two pairs of words, affixes, two tests, label bigrams; Wapiti's. */
const wapitiTemplate = `${[-2, -1, 0, 1, 2].map((row, i) => `U0${i}:%x[${row},0]`).join("\n")}
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U07:%m[0,0,"^.?.?"]
U08:%m[0,0,"^.?.?.?"]
U09:%m[0,0,".?.?$"]
U10:%m[0,0,".?.?.?$"]
U11:%t[0,0,"^\\u"]
U12:%t[0,0,"\\d"]
B
`;
/** The part of it that CRF++ understands. */
const plainTemplate = wapitiTemplate.replaceAll(/^.*%[mt].*\n/gm, "");

/** Runs a command under GNU time. @param {CommandLine} words @param {string} [input] @returns {Usage} */
function usageOf(words, input) {
  const from = input === undefined ? undefined : openSync(input, "r");
  const { status, stderr } = spawnSync(/** @type {string} */ (onPath("time")), ["-f", "%U %S %e %M", ...words], {
    stdio: [from ?? "ignore", "ignore", "pipe"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (from !== undefined) closeSync(from);
  if (status !== 0) throw new Error(`\`${words.join(" ")}\` failed: ${stderr.slice(-400)}`);
  const [user, system, clock, peak] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { cpu: user + system, clock, peak: peak * 1024 };
}

/** The files that the programs read. @param {string} folder */
function makeFiles(folder) {
  const file = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const sentences = brown();
  const training = sentences.slice(0, TRAINED_ON);
  const test = sentences.slice(TRAINED_ON);
  const template = compileTemplate(wapitiTemplate);
  /** @param {readonly TaggingSequence[]} some */
  const attributes = (some) =>
    `${some
      .map(({ columns = [], labels = [] }) =>
        template
          .apply(columns)
          // A colon would stand before a value, and a backslash before a colon.
          .attributes.map(
            (names, i) => `${[labels[i], ...names].join("\t").replaceAll("\\", "/").replaceAll(":", "=")}\n`,
          )
          .join(""),
      )
      .join("\n")}\n`;
  return {
    tokens: test.reduce((sum, { columns = [] }) => sum + columns.length, 0),
    labels: new Set(training.flatMap(({ labels = [] }) => labels)).size,
    template: file("wapiti.pat", wapitiTemplate),
    plain: file("crfpp.tpl", plainTemplate),
    train: file("train.txt", columnText(training, true)),
    test: file("test.txt", columnText(test, false)),
    trainAttributes: file("train.crfsuite", attributes(training)),
    testAttributes: file("test.crfsuite", attributes(test)),
    model: (/** @type {string} */ name) => join(folder, `${name}.model`),
  };
}

/** @typedef {ReturnType<typeof makeFiles>} Files */

/** Stargram and those that are there. @param {Files} files @returns {{ rivals: Rival[], notes: string[] }} */
function present(files) {
  const { template, plain, train, test, trainAttributes, testAttributes, model } = files;
  /** @param {string} name @param {string} does @param {string[]} data @param {string} input @returns {Rival} */
  const stargram = (name, does, data, input) => ({
    name: `stargram, ${name}`,
    does,
    train: [
      ...[process.execPath, commandLine, "train", "tag", ...data, "--order", "2", "--contexts", "20", "--l2", "0.1"],
      ...["--passes", "3", "--seed", "1", "--quiet", "--force", "--out", model(name.replaceAll(" ", "-"))],
    ],
    tag: [process.execPath, commandLine, "predict", model(name.replaceAll(" ", "-")), "--threads", "1"],
    input,
  });
  const ours = "order 2, B = 20, probabilities";
  const rivals = [
    stargram("template", ours, [train, "--template", template], test),
    stargram("attributes", ours, [trainAttributes, "--format", "crfsuite"], testAttributes),
  ];
  const theirs = "order 1, labels alone";
  if (onPath("wapiti")) {
    const file = model("wapiti");
    /** @type {CommandLine} */
    const learn = ["wapiti", "train", "-p", template, "-i", "10", train, file];
    rivals.push({ name: "wapiti", does: theirs, train: learn, tag: ["wapiti", "label", "-m", file, test] });
  }
  if (onPath("crf_learn")) {
    const file = model("crfpp");
    rivals.push(stargram("template of CRF++", ours, [train, "--template", plain, "--no-classes"], test));
    const learn = /** @type {CommandLine} */ (["crf_learn", "-m", "10", plain, train, file]);
    rivals.push({
      name: "CRF++",
      does: `${theirs}, without affixes`,
      train: learn,
      tag: ["crf_test", "-m", file, test],
    });
  }
  if (onPath("crfsuite")) {
    const file = model("crfsuite");
    /** @type {CommandLine} */
    const learn = ["crfsuite", "learn", "-p", "max_iterations=10", "-m", file, trainAttributes];
    rivals.push({ name: "crfsuite", does: theirs, train: learn, tag: ["crfsuite", "tag", "-m", file, testAttributes] });
  }
  if (onPath("marmot")) rivals.push(marmot(files));
  return { rivals, notes: absent(["wapiti", "crf_learn", "crfsuite", "marmot"]) };
}

/** MarMoT, by a script `marmot` that is `exec java -cp marmot.jar "$@"`. @param {Files} files @returns {Rival} */
function marmot({ train, test, model }) {
  const file = model("marmot");
  return {
    name: "MarMoT",
    does: "order 1, labels alone, attributes of its own",
    train: [
      ...["marmot", "marmot.morph.cmd.Trainer", "-train-file", `form-index=0,tag-index=1,${train}`],
      ...["-tag-morph", "false", "-order", "1", "-model-file", file],
    ],
    tag: [
      ...["marmot", "marmot.morph.cmd.Annotator", "--model-file", file, "--test-file", `form-index=0,${test}`],
      ...["--pred-file", `${file}.out`],
    ],
  };
}

/** The npm package as a command, trained in this process; or why it cannot be had. @param {Files} files @returns {Rival | string} */
function packageRival({ trainAttributes, testAttributes, model }) {
  const { crfsuite, why } = npmCrfsuite();
  if (!crfsuite) return `${why}, so it was not measured.`;
  const trainer = new crfsuite.Trainer({ debug: false });
  for (const sequence of readFileSync(trainAttributes, "utf8").trimEnd().split("\n\n")) {
    const rows = sequence.split("\n").map((line) => line.split("\t"));
    trainer.append(
      rows.map((row) => row.slice(1)),
      rows.map(([label]) => label),
    );
  }
  trainer.set_params({ max_iterations: "10" });
  const file = model("npm-crfsuite");
  trainer.train(file);
  const script = fileURLToPath(new URL("../crfsuite-tag.cjs", import.meta.url));
  return {
    name: "crfsuite (npm), attributes",
    does: "order 1, labels alone",
    tag: [process.execPath, script, crfsuiteFolder, file, testAttributes],
  };
}

/** What each takes for tagging, round by round. @param {readonly Rival[]} rivals */
function inTurns(rivals) {
  /** @type {Usage[][]} */
  const found = rivals.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, { tag, input }] of rivals.entries()) {
      const usage = usageOf(tag, input);
      if (round > 0) found[i].push(usage); // the first fills the disk cache
    }
  }
  return found;
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  try {
    const files = makeFiles(folder);
    const { rivals, notes } = present(files);
    /** @type {(Usage | undefined)[]} */
    const trained = rivals.map(({ name, train }) => {
      say(`  training: ${name}`);
      return train && usageOf(train);
    });
    const ofNpm = packageRival(files);
    if (typeof ofNpm === "string") notes.push(ofNpm);
    else rivals.push(ofNpm);
    say("  tagging");
    const found = inTurns(rivals);
    const rows = rivals.map(({ name, does }, i) => [
      name,
      does,
      spreadText(spread(found[i].map(({ cpu }) => files.tokens / cpu))),
      spreadText(speedUp(found[i], found[0])),
      `${number(Math.max(...found[i].map(({ peak }) => peak)) / 2 ** 20)} MB`,
      trained[i] ? number(trained[i].cpu) : "",
    ]);
    return {
      title: "Whole commands of other taggers",
      about:
        `${number(files.tokens)} tokens of the Brown corpus, ${files.labels} labels, models trained on ${TRAINED_ON} sentences. All programs get the same ` +
        "files and the same template of 14 lines (words within two places, two pairs, affixes, tests, label bigrams), or the attributes " +
        "that it makes. One thread; processor time of whole commands, including startup. The others are trained for ten rounds, " +
        "which does not change how long tagging takes.",
      tables: [
        {
          title: "",
          head: ["command", "does", "tokens/s", "time relative to the first", "peak memory", "training, s"],
          rows,
        },
      ],
      notes,
      figures: Object.fromEntries(rivals.map(({ name }, i) => [name, { tagging: found[i], training: trained[i] }])),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
