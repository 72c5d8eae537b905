// Where the time goes: each task's commands under Node's sampling profiler, samples summed by what the code belongs to; and
// how far the inference loop is from the bound given by its multiply-adds and exponentials at the cost of tight loops.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useBackend } from "#stargram/engine/choice.js";
import { encipher } from "#stargram/tasks/decipher/encipher.js";
import { TaggerLearner } from "#stargram/tasks/tag/learner.js";
import { taggerRows } from "#stargram/tasks/tag/rows.js";
import { kernelFlags, kernelFolder } from "../../scripts/build-kernel.mjs";
import { brown, columnText, madeUp, madeUpWeights, novels, pronunciations } from "../data.mjs";
import { backends } from "../engines.mjs";
import { inTurns, number, root, runNode, say, spread } from "../harness.mjs";
import { kindOf, kinds } from "../kinds.mjs";

// Not by a literal: the types of its compiler would come along, and with them other globals.
const compiler = "assemblyscript/asc";

/** All commands from the files of dist/: `predict` is bundled for a fast start, which mixes what the kinds tell apart. */
const unbundled = join(root, "dist", "cli", "main.js");

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame
 * @typedef {{ nodes: { id: number, callFrame: CallFrame }[], samples: number[], timeDeltas: number[] }} Profile
 */

/** The names of the compiled kernel's functions by number, which the compiler tells in its text form. */
async function kernelNames() {
  const asc = await import(compiler);
  let text = "";
  await asc.main(
    ["index.ts", ...kernelFlags, "--baseDir", kernelFolder, "--outFile", "kernel.wasm", "--textFile", "kernel.wat"],
    {
      writeFile(/** @type {string} */ name, /** @type {string | Uint8Array} */ content) {
        if (name.endsWith(".wat")) text = String(content);
      },
    },
  );
  // Imported functions are numbered first, then those that are defined; exports only name them again.
  return [...text.matchAll(/\(import .*\(func \$(\S+)|^ \(func \$(\S+)/gm)].map(([, imported, own]) => imported ?? own);
}

/**
 * Shares of the time by kind, and the functions that take most.
 * @param {Profile} profile
 * @param {readonly string[]} kernelFunctions
 */
function summary({ nodes, samples, timeDeltas }, kernelFunctions) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** @type {Map<string, number>} */
  const byKind = new Map();
  /** @type {Map<string, number>} */
  const byFunction = new Map();
  let total = 0;
  samples.forEach((id, i) => {
    const frame = /** @type {CallFrame} */ (frames.get(id));
    const { functionName, url } = frame;
    if (functionName === "(idle)") return;
    const kind = kindOf(frame);
    const file = url.replace(/^.*\//, "");
    const inKernel = kernelFunctions[Number(/^wasm-function\[(\d+)\]$/.exec(functionName)?.[1] ?? -1)];
    const name = inKernel
      ? `${inKernel.replace(/^.*\//, "")} (kernel)`
      : url && !url.startsWith("wasm:")
        ? `${functionName || "(top level)"} (${file})`
        : functionName;
    total += timeDeltas[i];
    byKind.set(kind, (byKind.get(kind) ?? 0) + timeDeltas[i]);
    byFunction.set(name, (byFunction.get(name) ?? 0) + timeDeltas[i]);
  });
  const top = [...byFunction].sort((a, b) => b[1] - a[1]).slice(0, 8);
  return {
    shares: Object.fromEntries(kinds.map((kind) => [kind, (byKind.get(kind) ?? 0) / total])),
    top: top.map(([name, time]) => ({ name, share: time / total })),
    seconds: total / 1e6,
  };
}

/**
 * Runs a command under the profiler.
 * @param {string[]} words
 * @param {readonly string[]} kernelFunctions
 */
async function profiled(words, kernelFunctions) {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  await runNode(["--cpu-prof", "--cpu-prof-dir", folder, "--cpu-prof-interval", "500", unbundled, ...words]);
  // Threads write profiles of their own; the longest is that of the thread that worked.
  const profiles = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
  rmSync(folder, { recursive: true });
  return summary(profiles.sort((a, b) => b.samples.length - a.samples.length)[0], kernelFunctions);
}

/** A loop of multiply-adds and nothing else: to[i] += factor * from[i]. */
const tightLoop = `
export function multiplyAdd(to: usize, from: usize, factor: f64, count: i32): void {
  const f = f64x2.splat(factor);
  for (let i = 0; i < count; i += 4) {
    const t = to + ((<usize>i) << 3);
    const s = from + ((<usize>i) << 3);
    v128.store(t, f64x2.add(v128.load(t), f64x2.mul(v128.load(s), f)));
    v128.store(t, f64x2.add(v128.load(t, 16), f64x2.mul(v128.load(s, 16), f)), 16);
  }
}`;

/** Compiles the loop; its memory has one page. */
async function compileTightLoop() {
  const asc = await import(compiler);
  /** @type {Uint8Array | undefined} */
  let bytes;
  await asc.main(
    [
      "loop.ts",
      "-O3",
      "--runtime",
      "stub",
      "--noAssert",
      "--enable",
      "simd",
      "--initialMemory",
      "1",
      "--outFile",
      "loop.wasm",
    ],
    {
      readFile: (/** @type {string} */ name) => (name === "loop.ts" ? tightLoop : null),
      writeFile(/** @type {string} */ name, /** @type {Uint8Array} */ content) {
        if (name.endsWith(".wasm")) bytes = content;
      },
      listFiles: () => [],
    },
  );
  /** @type {any} */
  const { WebAssembly } = globalThis;
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

/** Nanoseconds of one multiply-add and of one exponential, in loops over 256 numbers. */
async function unitCosts() {
  const COUNT = 256;
  const TIMES = 20_000;
  const loop = await compileTightLoop();
  const { arrays, program } = backends.wasm;
  const from = arrays.float64(COUNT).fill(-1.5);
  const to = arrays.float64(COUNT);
  const times = await inTurns(
    {
      multiplyAdd: () => {
        for (let i = 0; i < TIMES; i++) loop.multiplyAdd(16_384, 32_768, 0.5, COUNT);
      },
      exponential: () => {
        for (let i = 0; i < TIMES; i++) program.code.expAll(to.byteOffset, from.byteOffset, COUNT, 0);
      },
    },
    { rounds: 7, least: 0.1 },
  );
  const nanoseconds = (/** @type {import("../harness.mjs").Times[]} */ own) =>
    spread(own.map(({ cpu }) => (1e9 * cpu) / (COUNT * TIMES))).median;
  return { multiplyAdd: nanoseconds(times.multiplyAdd), exponential: nanoseconds(times.exponential) };
}

/**
 * What a position takes, and what its multiply-adds and exponentials would take in tight loops.
 * @param {{ order: number, contexts: number, rows: "longest" | "all" }} options
 * @param {{ multiplyAdd: number, exponential: number }} cost
 */
async function bound({ order, contexts, rows: kind }, cost) {
  const shape = { labels: 26, sequences: 200, length: 10, attributes: 13 };
  const { corpus, sizes } = madeUp(shape);
  const rows = taggerRows(corpus, sizes, { order, minCount: 1 });
  const learner = new TaggerLearner(corpus, rows, { mode: "rcms", recombine: true, order, contexts, rows: kind });
  const { engine } = learner;
  const weights = backends.wasm.arrays.placed(madeUpWeights(rows.table.symbols.length));
  const frozen = engine.freeze(weights);
  const { start } = rows.table;
  let features = 0;
  let arcs = 0;
  for (let s = 0; s < shape.sequences; s++) {
    const trellis = engine.forward(learner.corpus, s, weights);
    arcs += trellis.arcStart[trellis.contextCount];
  }
  for (const id of corpus.attributes.ids) {
    const row = rows.attributeRow?.[id] ?? id;
    if (row >= 0) features += start[row + 1] - start[row];
  }
  const positions = shape.sequences * shape.length;
  const { predict } = await inTurns(
    {
      predict: () => {
        for (let s = 0; s < shape.sequences; s++) engine.bestOutput(learner.corpus, s, frozen);
      },
    },
    { rounds: 7 },
  );
  const measured = spread(predict.map(({ cpu }) => (1e9 * cpu) / positions)).median;
  // One addition for each entry of a feature's row; for each arc the product of forward mass, emission and rows' factor.
  const multiplyAdds = (features + 2 * arcs) / positions;
  const exponentials = shape.labels;
  const least = multiplyAdds * cost.multiplyAdd + exponentials * cost.exponential;
  return { multiplyAdds, exponentials, least, measured };
}

/**
 * Writes what the commands read into a folder; gives the commands by name, in the order they need.
 * @param {string} folder
 * @returns {Record<string, string[]>}
 */
function commandsIn(folder) {
  const file = (/** @type {string} */ name) => join(folder, name);
  const sentences = brown();
  writeFileSync(file("tagged.txt"), columnText(sentences.slice(0, 1500), true));
  writeFileSync(file("plain.txt"), columnText(sentences.slice(1500), false));
  const pairs = pronunciations(6000);
  const line = (/** @type {typeof pairs[0]} */ { input, output }) => `${input.join("")}\t${output.join(" ")}\n`;
  writeFileSync(file("pairs.tsv"), pairs.slice(0, 3000).map(line).join(""));
  writeFileSync(file("words.txt"), pairs.map(({ input }) => `${input.join("")}\n`).join(""));
  writeFileSync(file("novel.txt"), novels("austen-persuasion"));
  const secret = encipher(novels("chesterton-thursday").replace(/\s+/g, " ").slice(50_000, 50_600), { seed: 1 });
  writeFileSync(file("cipher.txt"), secret.text);

  const tagging = ["--order", "2", "--contexts", "20", "--l2", "0.1", "--held-out", "0", "--passes", "3", "--quiet"];
  return {
    "train tag": ["train", "tag", file("tagged.txt"), ...tagging, "--out", file("tagger.sg")],
    "predict, tagger": ["predict", file("tagger.sg"), file("plain.txt")],
    "train transduce": [
      ...["train", "transduce", file("pairs.tsv"), "--passes", "2", "--l2", "4", "--quiet"],
      ...["--out", file("transducer.sg")],
    ],
    "predict, transducer": ["predict", file("transducer.sg"), file("words.txt")],
    decipher: ["decipher", file("cipher.txt"), "--plain", file("novel.txt"), "--one-to-one"],
  };
}

/** The profile of each command. */
async function profilesOfAll() {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  /** @type {Record<string, Awaited<ReturnType<typeof profiled>>>} */
  const profiles = {};
  const commands = commandsIn(folder);
  const names = await kernelNames();
  for (const [name, words] of Object.entries(commands)) {
    say(`  ${name}`);
    profiles[name] = await profiled(words, names);
  }
  rmSync(folder, { recursive: true });
  return profiles;
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/**
 * @param {Awaited<ReturnType<typeof profilesOfAll>>} profiles
 * @returns {import("../harness.mjs").Table[]}
 */
function profileTables(profiles) {
  return [
    {
      title: "Share of the time",
      head: ["command", "clock, s", ...kinds],
      rows: Object.entries(profiles).map(([name, { shares, seconds }]) => [
        `\`${name}\``,
        number(seconds),
        ...kinds.map((kind) => percent(shares[kind])),
      ]),
    },
    {
      title: "Functions that take the most time",
      head: ["command", "first", "second", "third"],
      rows: Object.entries(profiles).map(([name, { top }]) => [
        `\`${name}\``,
        ...top.slice(0, 3).map((one) => `${one.name} ${percent(one.share)}`),
      ]),
    },
  ];
}

/**
 * @param {Record<string, Awaited<ReturnType<typeof bound>>>} bounds
 * @returns {import("../harness.mjs").Table}
 */
function boundTable(bounds) {
  return {
    title: "Prediction (slot scores, best output) compared with the bound, per position",
    head: ["", "multiply-adds", "exponentials", "bound, ns", "measured, ns", "times the bound"],
    rows: Object.entries(bounds).map(([name, one]) => [
      name,
      number(one.multiplyAdds),
      number(one.exponentials),
      number(one.least),
      number(one.measured),
      number(one.measured / one.least),
    ]),
  };
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const profiles = await profilesOfAll();
  say("  bound");
  useBackend(backends.wasm);
  const cost = await unitCosts();
  const bounds = {
    "26 labels, order 3, B = 10, longest rows": await bound({ order: 3, contexts: 10, rows: "longest" }, cost),
    "26 labels, order 5, B = 20, all rows": await bound({ order: 5, contexts: 20, rows: "all" }, cost),
  };
  return {
    title: "Where the time goes",
    about:
      "Each command ran under Node's profiler from start to end, with one thread, from the files that the bundled command is made of. " +
      "Looking up attributes and symbols counts as features. The bound is the time that the arithmetic alone would take: one multiply-add for each " +
      "entry of a feature's row, two for the mass of each arc, and one exponential for each label of a position. In loops that do nothing else, " +
      `these take ${number(cost.multiplyAdd)} ns and ${number(cost.exponential)} ns in WebAssembly with SIMD.`,
    tables: [...profileTables(profiles), boundTable(bounds)],
    figures: { profiles, cost, bounds },
  };
}
