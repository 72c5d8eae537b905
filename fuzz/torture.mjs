// `npm run torture`: kills commands with -9 while they write, stops them with signals, fills the disk. Afterwards every file is
// the old one or the new one, whole; what was unfinished is resumed and ends bit for bit as if nothing had happened.
//   npm run torture                              60 kills, 15 signals, and a full disk where that can be made (root, Linux)
//   npm run torture -- --kills 500 --signals 50  more of them
//   npm run torture -- --resumes 100             a training of each kind, killed and resumed so often
//   npm run torture -- --seed 7                  other moments
// A kill is aimed: it comes when a temporary file appears beside the file that is to be written, or a random moment later.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ReviewSession } from "#stargram/cli/review/session.js";
import { readReview, saveReview } from "#stargram/formats/review.js";
import { decodeCheckpoint } from "#stargram/model/checkpoint.js";
import { generator, uniform } from "#stargram/util/random.js";
import { loadModel } from "#stargram/workflows/disk.js";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "60" },
    signals: { type: "string", default: "15" },
    resumes: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  },
});
const random = generator(Number(flags.seed), 0);
const below = (/** @type {number} */ n) => Math.floor(uniform(random) * n);
const program = fileURLToPath(new URL("../dist/cli/stargram.cjs", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "stargram-torture-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** @type {string[]} */
const faults = [];
let kills = 0;
let landed = 0; // while a temporary file was there

/** @param {boolean} holds @param {string} promise */
function hold(holds, promise) {
  if (holds) return;
  faults.push(promise);
  process.stderr.write(`broken promise: ${promise}\n`);
}

/** @param {string} where @param {readonly string[]} words @param {string} [input] */
function start(where, words, input) {
  const child = spawn(process.execPath, [program, ...words], { cwd: where, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  child.stdin.on("error", () => undefined).end(input);
  /** @type {Promise<{ code: number | null, signal: string | null, said: string }>} */
  const end = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, said })));
  return { child, end };
}

/** @param {string} where @param {readonly string[]} words @param {string} [input] */
const run = (where, words, input) => start(where, words, input).end;

const later = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Starts a command and kills it at its n-th write, some ms after the temporary file has appeared; whether it was killed.
 * @param {string} where
 * @param {readonly string[]} words
 * @param {string} [input]
 */
async function killedAtWrite(where, words, input) {
  const nth = 1 + below(3);
  const delay = uniform(random) < 0.5 ? 0 : uniform(random) * 4; // ms
  let writes = 0;
  const { child, end } = start(where, words, input);
  const kill = () => {
    if (readdirSync(where).some((name) => name.endsWith(".tmp"))) landed++;
    child.kill("SIGKILL");
  };
  const seen = new Set(readdirSync(where));
  const watcher = watch(where, (_, name) => {
    if (!name?.endsWith(".tmp") || seen.has(name)) return;
    seen.add(name);
    if (++writes !== nth) return;
    if (delay === 0) kill();
    else setTimeout(kill, delay);
  });
  const { signal } = await end;
  watcher.close();
  if (signal === "SIGKILL") kills++;
  return signal === "SIGKILL";
}

const words = { DT: ["the", "a"], NN: ["dog", "cat", "can"], VB: ["barks", "saw", "can"] };
function sentences(/** @type {number} */ count) {
  let text = "";
  for (let s = 0; s < count; s++) {
    for (const [label, list] of Object.entries(words)) text += `${list[below(list.length)]} ${label}\n`;
    text += "\n";
  }
  return text;
}

mkdirSync(join(folder, "data"));
writeFileSync(join(folder, "data/train.txt"), sentences(60));
// In any order, so that the model is in doubt and leaves some to a person.
const anyWord = () => Object.values(words).flat()[below(8)];
const unsure = Array.from({ length: 3000 }, () => `${anyWord()}\n${anyWord()}\n${anyWord()}\n`);
writeFileSync(join(folder, "data/new.txt"), unsure.join("\n"));
const doubtful = unsure.slice(0, 60).map((text) => text.replace(/\n/g, () => ` ${Object.keys(words)[below(3)]}\n`));
writeFileSync(join(folder, "data/held-out.txt"), sentences(200) + doubtful.join("\n"));
writeFileSync(
  join(folder, "data/pairs.tsv"),
  Array.from({ length: 60 }, (_, i) => (i * 7919).toString(5))
    .map((word) => `${word}\t${[...word].join(" ")}\n`)
    .join(""),
);
writeFileSync(join(folder, "data/plain.txt"), "the dog barks at the cat and the cat sees the dog\n".repeat(40));

// A kill comes at one of the next three checkpoints: as many passes again leave enough of them for all.
const passes = (/** @type {number} */ least) => String(Math.max(least, 2 * Number(flags.resumes)));
const lengthOf = (/** @type {number} */ least) => ["--passes", passes(least), "--patience", passes(least)];
const trainings = {
  tag: ["train", "tag", "../data/train.txt", ...lengthOf(12), "--l2", "0.1", "--order", "3"],
  transduce: ["train", "transduce", "../data/pairs.tsv", ...lengthOf(8), "--l2", "0.1"],
};

/** Every file is whole: models load, checkpoints and review files are read. @param {string} where */
async function checkFiles(where) {
  for (const name of readdirSync(where)) {
    const path = join(where, name);
    try {
      if (/\.sg(?:\.partial)?$/.test(name)) await loadModel(path);
      else if (name.endsWith(".checkpoint")) decodeCheckpoint(Uint8Array.from(readFileSync(path)), path);
      else if (name.endsWith(".tsv")) await readReview(path);
      else if (name.endsWith(".json")) JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      hold(false, `${name} is whole: ${error}`);
    }
  }
}

let places = 0;
function newPlace() {
  const where = join(folder, `place-${places++}`);
  mkdirSync(where);
  return where;
}

/** What undisturbed trainings give. @type {Record<string, Buffer>} */
const whole = {};
for (const [task, line] of Object.entries(trainings)) {
  const { code, said } = await run(join(folder, "data"), [...line, "--out", `${task}.sg`, "--quiet"]);
  if (code !== 0) throw new Error(said);
  whole[task] = readFileSync(join(folder, `data/${task}.sg`));
}
const calibrated = await run(join(folder, "data"), ["calibrate", "tag.sg", "held-out.txt", "--precision", "0.9"]);
if (calibrated.code !== 0) throw new Error(calibrated.said);
const ready = readFileSync(join(folder, "data/tag.sg"));

/** A training killed again and again while it writes, and resumed until it ends. @param {"tag" | "transduce"} task @param {number} most */
async function tortureTraining(task, most) {
  const where = newPlace();
  const before = kills;
  writeFileSync(join(where, "m.sg"), ready); // an older model, which stays until there is a new one
  const line = [...trainings[task], "--out", "m.sg", "--quiet"];
  for (let n = 0; n < most; n++) {
    const resume = existsSync(join(where, "m.sg.checkpoint")) ? ["--resume"] : [];
    const wasKilled = await killedAtWrite(where, [...line, ...resume]);
    await checkFiles(where);
    const now = readFileSync(join(where, "m.sg"));
    if (!wasKilled) break;
    hold(
      now.equals(ready) || now.equals(whole[task]),
      `a killed training (${task}) leaves the old model or the new one`,
    );
  }
  const resume = existsSync(join(where, "m.sg.checkpoint")) ? ["--resume"] : [];
  const { code, said } = await run(where, [...line, ...resume]);
  hold(code === 0, `a killed training (${task}) is resumed: ${said}`);
  hold(readFileSync(join(where, "m.sg")).equals(whole[task]), `a killed and resumed training (${task}) ends bit-equal`);
  hold(!existsSync(join(where, "m.sg.checkpoint")), "a finished training leaves no checkpoint");
  if (Number(flags.resumes) > 0) process.stdout.write(`${task}: killed and resumed ${kills - before} times\n`);
  rmSync(where, { recursive: true });
}

/** Other commands that write, killed while they do. */
async function tortureWriters() {
  const where = newPlace();
  writeFileSync(join(where, "m.sg"), whole.tag);
  await killedAtWrite(where, ["calibrate", "m.sg", "../data/held-out.txt", "--precision", "0.9"]);
  const now = readFileSync(join(where, "m.sg"));
  hold(now.equals(whole.tag) || now.equals(ready), "a killed calibration leaves the model without it or with it");

  writeFileSync(join(where, "key.json"), '{\n "x": "y"\n}\n');
  await killedAtWrite(where, ["encipher", "../data/plain.txt", "--save-key", "key.json"]);

  await killedAtWrite(where, [
    "predict",
    "../data/tag.sg",
    "../data/new.txt",
    "--precision",
    "0.9",
    "--review",
    "left.tsv",
  ]);

  const left = join(where, "left.tsv");
  if (existsSync(left)) hold((await readReview(left)).length > 0, "a review file has items");
  await checkFiles(where);
  rmSync(where, { recursive: true });
}

/** A review killed while it takes answers: what it has confirmed is there when it is opened again. */
async function tortureReview() {
  const where = newPlace();
  const file = join(where, "left.tsv");
  const items = Array.from({ length: 200 }, (_, i) => ({
    ...{
      id: String(i),
      kind: /** @type {const} */ ("text"),
      input: `word ${i}`,
      answer: "",
      status: /** @type {const} */ (""),
    },
    ...{ candidates: [], source: '{"input": ["a"]}' },
  }));
  await saveReview(file, items);
  const { child, end } = start(where, ["review", "left.tsv", "--no-open"]);
  const address = await new Promise((resolve) => {
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      const found = /http:\S+/.exec(out)?.[0];
      if (found) resolve(found);
    });
    child.on("close", () => resolve(undefined));
  });
  let confirmed = 0;
  const answering = (async () => {
    for (let index = 0; index < items.length; index++) {
      const body = JSON.stringify({ action: "answer", index, text: `answer ${index}`, again: false });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${address}answer`, { method: "POST", headers, body }).catch(() => undefined);
      if (!answer?.ok) return;
      confirmed++;
    }
  })();
  await later(20 + below(400));
  if (child.kill("SIGKILL")) kills++;
  await Promise.all([answering, end]);
  if (existsSync(`${file}.journal`)) landed++;
  const session = await ReviewSession.open(file);
  hold(
    session.answered >= confirmed,
    `a killed review keeps the ${confirmed} answers that it has confirmed, not ${session.answered}`,
  );
  await session.close();
  const kept = await readReview(file);
  for (let i = 0; i < confirmed; i++)
    hold(kept[i].answer === `answer ${i}`, "a confirmed answer is the one that was given");
  rmSync(where, { recursive: true });
}

/** @param {"SIGINT" | "SIGTERM" | "SIGHUP"} signal @param {"tag" | "transduce"} task */
async function tortureSignal(signal, task) {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  const where = newPlace();
  writeFileSync(join(where, "m.sg"), ready);
  const line = [...trainings[task], "--out", "m.sg", "--quiet"];
  const { child, end } = start(where, line);
  await later(200 + below(1500));
  child.kill(signal);
  const { code, signal: by } = await end;
  const now = readFileSync(join(where, "m.sg"));
  if (code === 0) hold(now.equals(whole[task]), `a training that ended before ${signal} is complete`);
  else {
    // Before the program has begun to listen, the system ends it.
    hold(code === codes[signal] || by === signal, `exit code ${codes[signal]} after ${signal}, not ${code}`);
    hold(now.equals(ready), `${signal} leaves the old model`);
    await checkFiles(where);
    const resume = existsSync(join(where, "m.sg.checkpoint")) ? ["--resume"] : [];
    const again = await run(where, [...line, ...resume]);
    hold(
      again.code === 0 && readFileSync(join(where, "m.sg")).equals(whole[task]),
      `resumed after ${signal}, it ends bit-equal`,
    );
  }
  rmSync(where, { recursive: true });
}

/** A disk of a few kilobytes, on which nothing is lost. Where it cannot be made, that is said. */
async function tortureFullDisk() {
  const where = newPlace();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "none", where], { stdio: "ignore" });
  } catch {
    process.stdout.write("full disk: left out, it takes root and tmpfs\n");
    return;
  }
  try {
    writeFileSync(join(where, "m.sg"), whole.tag);
    writeFileSync(join(where, "key.json"), '{\n "x": "y"\n}\n');
    const key = readFileSync(join(where, "key.json"));
    const fill = () => {
      rmSync(join(where, "filler"), { force: true });
      try {
        writeFileSync(join(where, "filler"), Buffer.alloc(1 << 20));
      } catch {
        // that is the point
      }
    };
    /** @type {[string, string[]][]} */
    const lines = [
      ["a training", [...trainings.tag, "--out", "m.sg"]],
      ["a training to a new file", [...trainings.transduce, "--out", "new.sg"]],
      ["a calibration", ["calibrate", "m.sg", "../data/held-out.txt", "--precision", "0.9"]],
      ["a key", ["encipher", "../data/plain.txt", "--save-key", "key.json"]],
      ["a review file", ["predict", "../data/tag.sg", "../data/new.txt", "--precision", "0.9", "--review", "left.tsv"]],
      ["plots", ["evaluate", "../data/tag.sg", "../data/held-out.txt", "--plots", "plots"]],
    ];
    for (const [what, line] of lines) {
      fill();
      const { code, said } = await run(where, line);
      hold(
        code === 2 && /no space left|cannot be made/.test(said),
        `on a full disk, ${what} is refused (${code}: ${said})`,
      );
      hold(readFileSync(join(where, "m.sg")).equals(whole.tag), `on a full disk, ${what} leaves the old model`);
      hold(readFileSync(join(where, "key.json")).equals(key), `on a full disk, ${what} leaves the old key`);
      for (const name of ["new.sg", "left.tsv"])
        hold(!existsSync(join(where, name)), `on a full disk, ${what} leaves no ${name}`);
      hold(!readdirSync(where).some((name) => name.endsWith(".tmp")), `on a full disk, ${what} leaves nothing behind`);
    }
    process.stdout.write(`full disk: ${lines.length} commands\n`);
  } finally {
    execFileSync("umount", [where]);
  }
}

const wanted = Number(flags.kills);
while (kills < wanted) {
  await tortureTraining("tag", Math.min(8, wanted - kills));
  if (kills < wanted) await tortureTraining("transduce", Math.min(8, wanted - kills));
  if (kills < wanted) await tortureWriters();
  if (kills < wanted) await tortureReview();
  process.stderr.write(`${kills} kills, ${landed} with a file half written; ${faults.length} faults\n`);
}
for (let n = 0; n < Number(flags.signals); n++) {
  await tortureSignal(/** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])[n % 3], n % 2 ? "tag" : "transduce");
}
if (Number(flags.resumes) > 0) {
  for (const task of /** @type {const} */ (["tag", "transduce"])) await tortureTraining(task, Number(flags.resumes));
}
await tortureFullDisk();
process.stdout.write(
  `${kills} kills (${landed} with a file half written), ${flags.signals} signals: ${faults.length} faults\n`,
);
if (faults.length > 0) process.exitCode = 1;
