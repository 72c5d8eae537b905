// `stargram serve` under load on loopback: 10,000 requests at 64 connections, the same beside 1,000 idle ones, and while the model
// is replaced and the server is told to stop. A request is lost if its connection was taken and no right answer came.
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tagger } from "#stargram/tasks/tag/tagger.js";
import { saveModel } from "#stargram/workflows/disk.js";
import { brown } from "../data.mjs";
import { check, commandLine, number, say } from "../harness.mjs";

const REQUESTS = 10_000;
const CONNECTIONS = 64;
const IDLE = 1_000;

/** @param {string} model */
async function start(model) {
  const child = spawn(process.execPath, [commandLine, "serve", model, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {Promise<number>} */
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code ?? -1)));
  /** @type {string} */
  const address = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
  return { child, ended, port: Number(new URL(address).port) };
}

/** @typedef {{ status: number, body: string, version: string }} Answer */

/**
 * @param {number} port @param {Agent} agent @param {string} body @param {string} path
 * @returns {Promise<Answer>}
 */
function ask(port, agent, body, path = "/predict") {
  return new Promise((resolve, reject) => {
    const method = body === "" ? "GET" : "POST";
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      const version = String(response.headers["stargram-model"]);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, version }));
      response.on("error", reject);
    });
    sent.on("error", reject).end(body);
  });
}

/** @param {number} port @param {Agent} agent */
async function memory(port, agent) {
  const { body } = await ask(port, agent, "", "/metrics");
  return Number(/^process_resident_memory_bytes (.*)$/m.exec(body)?.[1]) / 2 ** 20;
}

/**
 * Requests one after another on each connection, until `next` has none. Errors are counted by their code.
 * @param {number} port
 * @param {readonly string[]} bodies
 * @param {{ next(): number | undefined, isRight(answer: Answer, body: number): boolean }} work
 */
async function load(port, bodies, { next, isRight }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  /** @type {number[]} */
  const times = [];
  /** @type {Record<string, number>} */
  const errors = {};
  const client = async () => {
    for (let i = next(); i !== undefined; i = next()) {
      const began = performance.now();
      try {
        const answer = await ask(port, agent, bodies[i % bodies.length]);
        if (!isRight(answer, i % bodies.length)) errors[answer.status] = (errors[answer.status] ?? 0) + 1;
        times.push(performance.now() - began);
      } catch (error) {
        const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error);
        errors[code] = (errors[code] ?? 0) + 1;
        if (code === "ECONNREFUSED") break; // the server has gone
      }
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  return { answered: times.length, errors, p50: at(0.5), p99: at(0.99), seconds: (performance.now() - began) / 1e3 };
}

/** Counts up to `most`. @param {number} most */
function upTo(most) {
  let i = 0;
  return () => (i < most ? i++ : undefined);
}

/**
 * Right answers by model: those that it gives alone.
 * @param {readonly string[]} bodies @param {number} port
 */
async function rightAnswers(bodies, port) {
  const agent = new Agent({ keepAlive: true });
  const answers = [];
  for (const body of bodies) answers.push(await ask(port, agent, body));
  agent.destroy();
  return answers;
}

/** Replaces the model and then stops the server, under load. @param {string} folder @param {readonly string[]} bodies */
async function replaceAndStop(folder, bodies) {
  const live = join(folder, "live.sg");
  /** @type {Map<string, string[]>} */
  const right = new Map();
  for (const name of ["second.sg", "first.sg"]) {
    copyFileSync(join(folder, name), live);
    const { child, ended, port } = await start(live);
    const answers = await rightAnswers(bodies, port);
    right.set(
      answers[0].version,
      answers.map(({ body }) => body),
    );
    child.kill("SIGTERM");
    await ended;
  }
  const { child, ended, port } = await start(live);
  const versions = new Set();
  let count = 0;
  const events = (async () => {
    for (let i = 0; i < 6; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1200));
      copyFileSync(join(folder, i % 2 === 0 ? "second.sg" : "first.sg"), join(folder, "next.sg"));
      renameSync(join(folder, "next.sg"), live);
    }
    await new Promise((resolve) => setTimeout(resolve, 1200));
    child.kill("SIGTERM");
  })();
  const found = await load(port, bodies, {
    next: () => count++,
    isRight({ status, body, version }, i) {
      versions.add(version);
      return status === 200 && right.get(version)?.[i] === body;
    },
  });
  await events;
  const { ECONNREFUSED: _, ...lost } = found.errors;
  return {
    ...found,
    lost: Object.values(lost).reduce((sum, one) => sum + one, 0),
    versions: versions.size,
    code: await ended,
  };
}

/** @returns {Promise<import("../harness.mjs").PartResult>} */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "stargram-bench-"));
  const sentences = brown();
  for (const [name, from] of /** @type {const} */ ([
    ["first.sg", 0],
    ["second.sg", 1000],
  ])) {
    say(`  training ${name}`);
    const options = { order: 2, l2: 0.1, passes: 1, heldOut: 0, seed: 1 };
    await saveModel(await Tagger.train(sentences.slice(from, from + 1000), options), join(folder, name));
  }
  const bodies = sentences.slice(2000, 2200).map(({ columns = [] }) => {
    return JSON.stringify({ inputs: [{ tokens: columns.map(([word]) => word) }] });
  });
  const { child, ended, port } = await start(join(folder, "first.sg"));
  const right = (await rightAnswers(bodies, port)).map(({ body }) => body);
  const isRight = (/** @type {Answer} */ { status, body }, /** @type {number} */ i) =>
    status === 200 && body === right[i];
  const agent = new Agent();
  say("  load");
  await load(port, bodies, { next: upTo(3000), isRight }); // warm
  const memories = [await memory(port, agent)];
  const plain = await load(port, bodies, { next: upTo(REQUESTS), isRight });
  memories.push(await memory(port, agent));
  const again = await load(port, bodies, { next: upTo(REQUESTS), isRight });
  memories.push(await memory(port, agent));
  const idle = Array.from({ length: IDLE }, () => connect(port, "127.0.0.1"));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const beside = await load(port, bodies, { next: upTo(REQUESTS), isRight });
  memories.push(await memory(port, agent));
  for (const socket of idle) socket.destroy();
  child.kill("SIGTERM");
  const code = await ended;
  say("  replacing the model, and stopping");
  const replaced = await replaceAndStop(folder, bodies);
  rmSync(folder, { recursive: true });
  const faults = [plain, again, beside].reduce(
    (sum, { errors }) => sum + Object.values(errors).reduce((a, b) => a + b, 0),
    0,
  );
  const row = (/** @type {string} */ name, /** @type {typeof plain} */ one) => [
    name,
    String(one.answered),
    number(one.answered / one.seconds),
    number(one.p50),
    number(one.p99),
  ];
  return {
    title: "Serving",
    about:
      `\`stargram serve\` on loopback with one prediction thread and ${CONNECTIONS} connections, each of which sends its next request when it has ` +
      "the answer to the last. A request is one sentence of the Brown corpus as JSON. Client and server share the machine. Times are milliseconds.",
    tables: [
      {
        title: "",
        head: ["", "requests", "per second", "p50", "p99"],
        rows: [
          row("first run", plain),
          row("second run", again),
          row(`with ${IDLE} idle connections`, beside),
          row("model replaced six times, then SIGTERM", replaced),
        ],
      },
    ],
    notes: [
      `Memory of the server before, and after each of the first three runs: ${memories.map((one) => number(one)).join(", ")} MB.`,
      `While the model was replaced six times and the server stopped under load: ${replaced.answered} requests answered, ${replaced.lost} lost, exit codes ${code} and ${replaced.code}.`,
    ],
    checks: [
      check("wrong or missing answers out of 30,000", "<=", 0, faults, ""),
      check("accepted requests lost while models are replaced and the server stops", "<=", 0, replaced.lost, ""),
      check("memory growth from the 13,000th to the 33,000th request", "<=", 20, memories[3] - memories[1], " MB"),
    ],
    figures: { plain, again, beside, replaced, memories },
  };
}
