// `stargram serve` as programs use it: answers are those of `predict`, whatever the form; what is too much, too slow or wrong gets
// a status that says so and harms nobody else; a model that is replaced and a server that stops lose no request.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { columns, ended, Folder, tokensOnly, until } from "./helpers.js";

const folder = new Folder();
const sentences = tokensOnly(columns(60, 2));
const tokens = sentences
  .trim()
  .split("\n\n")
  .map((sentence) => sentence.split("\n"));
const pairs = ["kat\tC A T", "tak\tT A C", "takka\tT A CC A", "akta\tA C T A", "katta\tC A TT A", "tatta\tT A TT A"];

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Asking {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  agent?: Agent;
}

class Served {
  readonly end: ReturnType<typeof ended>;
  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.end = ended(child);
  }

  static async start(...words: string[]): Promise<Served> {
    const child = folder.start("serve", "--port", "0", ...words);
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout?.once("data", (text) => resolve(String(text)));
      child.once("close", () => reject(new Error("it did not start")));
    });
    return new Served(child, Number(new URL(address.trim()).port));
  }

  ask(path: string, { method = "GET", headers = {}, body, agent }: Asking = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ port: this.port, host: "127.0.0.1", path, method, headers, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => {
          text += piece;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on("error", reject);
      });
      sent.on("error", reject).end(body);
    });
  }

  post(body: string | Uint8Array, type = "application/json", path = "/predict", more: Asking = {}): Promise<Answer> {
    return this.ask(path, { method: "POST", body, ...more, headers: { "Content-Type": type, ...more.headers } });
  }

  predict(value: object, more: Asking = {}): Promise<Answer> {
    return this.post(JSON.stringify(value), "application/json", "/predict", more);
  }

  async metric(line: string): Promise<number> {
    const { body } = await this.ask("/metrics");
    const found = body.split("\n").find((one) => one.startsWith(`${line} `));
    return found === undefined ? 0 : Number(found.split(" ").at(-1));
  }

  /** A connection of one's own, for what a well-behaved client does not do. */
  socket(): Socket {
    return connect(this.port, "127.0.0.1").on("error", () => undefined);
  }
}

const running: Served[] = [];
async function serve(...words: string[]): Promise<Served> {
  const served = await Served.start(...words);
  running.push(served);
  return served;
}

beforeAll(async () => {
  folder.write("train.txt", columns(240));
  folder.write("other.txt", columns(60, 9));
  folder.write("new.txt", sentences);
  folder.write("new.jsonl", tokens.map((one) => `${JSON.stringify({ tokens: one })}\n`).join(""));
  folder.write("pairs.tsv", `${Array.from({ length: 8 }, () => pairs.join("\n")).join("\n")}\n`);
  const quick = ["--passes", "2", "--seed", "3", "--quiet"];
  const trainings = [
    ["train", "tag", "train.txt", "--out", "pos.sg", "--l2", "0.1", ...quick],
    ["train", "tag", "other.txt", "--out", "other.sg", "--l2", "0.1", ...quick],
    ["train", "transduce", "pairs.tsv", "--out", "spell.sg", ...quick],
  ];
  for (const words of trainings) expect(await folder.run(words)).toMatchObject({ code: 0 });
}, 60_000);
afterEach(async () => {
  for (const { child, end } of running.splice(0)) {
    child.kill("SIGKILL");
    await end;
  }
});
afterAll(() => folder.remove());

describe("answers", () => {
  test("are those of predict: text, JSON Lines, JSON, several models and threads", async () => {
    const served = await serve("pos.sg", "tak=spell.sg", "--threads", "2");
    const plain = async (...words: string[]) => (await folder.run(["predict", ...words])).out;
    const text = await served.post(sentences, "text/plain", "/predict?model=pos");
    expect(text).toMatchObject({ status: 200, body: await plain("pos.sg", "new.txt") });
    const nbest = await served.post(sentences, "text/plain", "/predict?model=pos&nbest=3&json");
    expect(nbest.body).toBe(await plain("pos.sg", "new.txt", "--nbest", "3", "--json"));
    const lines = await plain("pos.sg", "new.jsonl", "--format", "jsonl", "--json", "--marginals");
    const objects = tokens.map((one) => ({ tokens: one }));
    const body = objects.map((one) => `${JSON.stringify(one)}\n`).join("\n");
    const streamed = await served.post(body, "application/x-ndjson", "/predict?model=pos&marginals=true");
    expect(streamed).toMatchObject({ status: 200, body: lines });
    const json = await served.predict({ model: "pos", marginals: true, inputs: objects });
    const parsed = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(JSON.parse(json.body)).toMatchObject({ model: "pos", predictions: parsed });
    expect(json.headers["stargram-model"]).toMatch(/^pos@[0-9a-f]{16}$/);

    folder.write("words.txt", "kat\ntakka\nkxt\n");
    const written = (await plain("spell.sg", "words.txt", "--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const strings = await served.predict({ model: "tak", inputs: ["kat", "takka", "kxt"] });
    expect(JSON.parse(strings.body)).toMatchObject({
      predictions: written,
      notices: ['the symbol "x" was never seen in training'],
    });
    const document = await served.predict({ model: "tak", document: "kat\ntakka\nkxt\n" });
    expect(JSON.parse(document.body).predictions).toEqual(written);
  });

  test("come line by line while a stream is still being sent", async () => {
    const served = await serve("spell.sg");
    const socket = served.socket();
    let got = "";
    socket.setEncoding("utf8").on("data", (piece) => {
      got += piece;
    });
    const chunk = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    socket.write(
      "POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    for (let i = 0; i < 6; i++) {
      chunk(`${'"kat"\n'.repeat(64)}`);
      await pause(5);
    }
    await until(() => got.includes('"input":"kat"') || got.includes("kat"));
    expect(got).not.toContain("0\r\n\r\n");
    chunk('"takka"\n');
    chunk("");
    await until(() => got.endsWith("0\r\n\r\n"));
    expect(got.match(/"kat"/g)?.length).toBe(6 * 64);
    socket.destroy();
  });

  test("the models, the health, numbers and a description can be asked for", async () => {
    const served = await serve("pos.sg", "spell.sg");
    expect(JSON.parse((await served.ask("/models")).body).models).toMatchObject([
      { name: "pos", kind: "tagger" },
      { name: "spell", kind: "transducer" },
    ]);
    expect(await served.ask("/health")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    await served.predict({ model: "spell", inputs: ["kat", "tak"] });
    expect(await served.metric('stargram_predictions_total{model="spell"}')).toBe(2);
    expect(await served.metric('stargram_requests_total{path="/predict",code="200"}')).toBe(1);
    const { body } = await served.ask("/metrics");
    for (const line of body.trim().split("\n")) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [-+\d.e]+)$/);
    }
    const api = JSON.parse((await served.ask("/openapi.json")).body);
    expect(Object.keys(api.paths)).toEqual(["/predict", "/models", "/health", "/metrics", "/openapi.json"]);
    const references = JSON.stringify(api).match(/#\/components\/schemas\/\w+/g) ?? [];
    for (const one of references) expect(api.components.schemas).toHaveProperty(one.split("/").at(-1) as string);
    const query = api.paths["/predict"].post.parameters.map(({ name }: { name: string }) => name);
    expect(query).toEqual(expect.arrayContaining(["model", "nbest", "marginals", "align", "format", "precision"]));
  });
});

describe("what is refused", () => {
  test("wrong requests get 4xx with a reason, and where", async () => {
    const served = await serve("pos.sg", "spell.sg", "--max-body", "2kB");
    const cases: [Promise<Answer>, number, RegExp][] = [
      [served.post("{", "application/json"), 400, /not JSON/],
      [served.post(Uint8Array.of(0x22, 0xff, 0x22), "application/json"), 400, /not JSON/],
      [served.predict([]), 400, /must be an object/],
      [served.predict({ model: "pos" }), 400, /`inputs` or `document`/],
      [served.predict({ inputs: ["kat"] }), 400, /choose a model.*there are pos, spell/],
      [served.predict({ model: "spel", inputs: ["kat"] }), 404, /unknown model.*did you mean `spell`/],
      [served.predict({ model: "spell", inputs: ["kat", 7] }), 400, /inputs\[1\].*"input":1/],
      [served.predict({ model: "spell", inputs: ["kat", { input: "kat" }] }), 400, /inputs\[1\].*text, not objects/],
      [served.predict({ model: "spell", inputs: ["kat\ntak"] }), 400, /inputs\[0\].*expected one input, found 2/],
      [served.predict({ model: "pos", inputs: [{ tokns: ["a"] }] }), 400, /inputs\[0\]/],
      [served.predict({ model: "pos", inputs: [{ tokens: ["a"] }], nbst: 2 }), 400, /did you mean `nbest`/],
      [served.predict({ model: "pos", inputs: [{ tokens: ["a"] }], nbest: 0 }), 400, /`nbest` must be/],
      [served.predict({ model: "pos", inputs: [{ tokens: ["a"] }], precision: 0.9 }), 400, /calibrate/],
      [served.predict({ model: "pos", inputs: [], precision: 0.9, contexts: 5 }), 400, /as calibrated/],
      [served.post("kat", "text/plain", "/predict?model=spell&nbest=x"), 400, /`nbest` must be/],
      [served.post("kat", "text/plain", "/predict?model=spell&marginals"), 400, /unknown option `marginals`/],
      [served.post("a\n\nb c d\n", "text/plain", "/predict?model=pos"), 400, /"line":3/],
      [served.post(Uint8Array.of(0x61, 0xff), "text/plain", "/predict?model=pos"), 400, /not valid UTF-8/],
      [served.post(Uint8Array.of(0x1f, 0x8b, 8), "text/plain", "/predict?model=pos"), 415, /gzip/],
      [served.post("", "text/plain", "/predict?model=pos"), 400, /no /],
      [served.post('"kat"\n{\n', "application/x-ndjson", "/predict?model=spell"), 200, /line 2.*"line":2/],
      [served.post("kat", "text/csv", "/predict?model=spell"), 415, /Content-Type/],
      [served.post("x".repeat(3000), "text/plain", "/predict?model=spell"), 413, /2000 bytes/],
      [served.ask("/predict"), 405, /only POST/],
      [served.ask("/nowhere"), 404, /nothing here/],
      [served.ask("/health", { headers: { Host: "evil.example" } }), 403, /own address/],
      [served.ask("/models", { headers: { Origin: "https://evil.example" } }), 403, /evil.example may not/],
    ];
    for (const [asked, status, reason] of cases) {
      const answer = await asked;
      expect([answer.status, answer.body]).toEqual([status, expect.stringMatching(reason)]);
      expect(answer.body).not.toMatch(/fault/);
    }
    expect(await served.predict({ model: "spell", inputs: ["kat"] })).toMatchObject({ status: 200 });
  });

  test("an oversized body is cut off though its size is not announced", async () => {
    const served = await serve("spell.sg", "--max-body", "10kB");
    const chunked = { headers: { "Transfer-Encoding": "chunked" } };
    for (const type of ["text/plain", "application/json", "application/x-ndjson"]) {
      const answer = await served.post("x".repeat(300_000), type, "/predict", chunked);
      expect([answer.status, answer.body]).toEqual([413, expect.stringMatching(/10000 bytes/)]);
    }
  });

  test("who shows no token, where there is one; and an address for others without one", async () => {
    folder.environment.STARGRAM_TOKEN = "correct-horse";
    try {
      const served = await serve("spell.sg", "--origin", "https://good.example");
      const body = { inputs: ["kat"] };
      expect(await served.predict(body)).toMatchObject({ status: 401 });
      expect(await served.ask("/metrics")).toMatchObject({ status: 401 });
      expect(await served.ask("/health")).toMatchObject({ status: 200 });
      const wrong = await served.predict(body, { headers: { Authorization: "Bearer correct-hors" } });
      expect([wrong.status, wrong.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
      const headers = { Authorization: "Bearer correct-horse", Host: "models.example", Origin: "https://good.example" };
      const right = await served.predict(body, { headers });
      expect([right.status, right.headers["access-control-allow-origin"]]).toEqual([200, "https://good.example"]);
      const before = await served.ask("/predict", { method: "OPTIONS", headers: { Origin: "https://good.example" } });
      expect([before.status, before.headers["access-control-allow-headers"]]).toEqual([
        204,
        "Authorization, Content-Type",
      ]);
      folder.environment.STARGRAM_TOKEN = "short";
      expect(await folder.run(["serve", "spell.sg"])).toMatchObject({ code: 2 });
    } finally {
      delete folder.environment.STARGRAM_TOKEN;
    }
    const { code, error } = await folder.run(["serve", "spell.sg", "--host", "0.0.0.0"]);
    expect([code, error]).toEqual([2, expect.stringMatching(/a token is required/)]);
  });

  test("models that are none, and two of one name", async () => {
    folder.write("none.sg", "no model");
    copyFileSync(folder.file("spell.sg"), folder.file("spell.bin"));
    const cases: [string[], RegExp][] = [
      [["none.sg"], /none\.sg/],
      [["missing.sg"], /missing\.sg: there is no such file/],
      [["spell.sg", "spell.bin"], /two models are called spell/],
      [["spell.sg", "--max-body", "2XB"], /size such as/],
    ];
    for (const [words, reason] of cases) {
      const { code, error } = await folder.run(["serve", ...words, "--port", "0"]);
      expect([code, error]).toEqual([2, expect.stringMatching(reason)]);
    }
  });

  test("too many at a time, and what takes too long; the next one is answered", async () => {
    const served = await serve("pos.sg", "--max-requests", "2", "--time-limit", "1");
    const slow = () => served.post(sentences.repeat(2000), "text/plain", "/predict?contexts=200&nbest=900");
    const begun = [slow(), slow()];
    await until(async () => (await served.metric("stargram_requests_in_progress")) >= 3); // with the asking one
    const third = await served.predict({ inputs: [{ tokens: ["a"] }] });
    expect([third.status, third.headers["retry-after"]]).toEqual([503, "1"]);
    for (const answer of await Promise.all(begun)) {
      expect([answer.status, answer.body]).toEqual([503, expect.stringMatching(/took longer than 1 s/)]);
    }
    await until(async () => (await served.predict({ inputs: [{ tokens: ["a"] }] })).status === 200);
    expect(await served.metric("stargram_threads_replaced_total")).toBeGreaterThan(0);
  });
});

describe("clients that do harm", () => {
  test("slow ones get 408 or are left; idle connections and clients that go are no trouble", async () => {
    const served = await serve("spell.sg", "--time-limit", "0.5");
    const idle = Array.from({ length: 200 }, () => served.socket());
    const head = "POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n";
    const answers = ["application/json", "text/plain", "application/x-ndjson"].map((type) => {
      const slow = served.socket();
      slow.write(`${head}Content-Type: ${type}\r\n\r\n"kat"`);
      return new Promise<string>((resolve) => slow.once("data", (text) => resolve(String(text))));
    });
    const gone = served.socket();
    gone.write(`${head}Content-Type: application/json\r\n\r\n{"inputs`, () => gone.destroy());
    for (let i = 0; i < 20; i++) expect((await served.predict({ inputs: ["kat"] })).status).toBe(200);
    for (const answer of answers) expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    // One that sends a stream and reads nothing: what it is owed does not pile up.
    const deaf = served.socket().pause();
    deaf.write(
      "POST /predict?nbest=20 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const piece = '"takka"\n'.repeat(1000);
    const closed = new Promise((resolve) => deaf.once("close", resolve));
    const sending = setInterval(
      () => deaf.writableLength < 1e6 && deaf.write(`${piece.length.toString(16)}\r\n${piece}\r\n`),
      1,
    );
    await closed;
    clearInterval(sending);
    expect(await served.predict({ inputs: ["kat"] })).toMatchObject({ status: 200 });
    for (const one of idle) one.destroy();
  });
});

describe("nothing is lost", () => {
  test("while a model is replaced, each request is answered by the old one or the new one", async () => {
    copyFileSync(folder.file("pos.sg"), folder.file("live.sg"));
    const served = await serve("live.sg", "--threads", "2");
    const inputs = tokens.slice(0, 5).map((one) => ({ tokens: one }));
    const [before, after] = await Promise.all(
      ["pos.sg", "other.sg"].map(async (model) =>
        (await folder.run(["predict", model, "new.jsonl", "--format", "jsonl", "--json"])).out.split("\n").slice(0, 5),
      ),
    );
    expect(before).not.toEqual(after);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const seen = new Map<string, string>();
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const { status, body } = await served.predict({ inputs }, { agent });
        expect(status).toBe(200);
        seen.set(JSON.parse(body).version, body);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await until(() => seen.size === 1);
    // A file that is written in place, and is no model for a while.
    writeFileSync(folder.file("live.sg"), "not yet");
    await until(async () => (await served.metric('stargram_reloads_total{result="refused"}')) === 1);
    copyFileSync(folder.file("other.sg"), folder.file("next.sg"));
    renameSync(folder.file("next.sg"), folder.file("live.sg"));
    await until(() => seen.size === 2);
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
    const [first, second] = [...seen.values()].map((body) => JSON.parse(body).predictions);
    expect(first).toEqual(before.map((line) => JSON.parse(line)));
    expect(second).toEqual(after.map((line) => JSON.parse(line)));
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s: what was accepted is answered, then the server ends with 0",
    async (signal) => {
      const served = await serve("pos.sg");
      const body = sentences.repeat(40);
      const agent = new Agent({ keepAlive: true });
      await served.predict({ inputs: [] }, { agent }); // a connection that is kept
      const answers = Array.from({ length: 6 }, () => served.post(body, "text/plain", "/predict?contexts=40"));
      await until(async () => (await served.metric("stargram_requests_in_progress")) >= 7);
      served.child.kill(signal);
      await pause(50);
      const late = await served.predict({ inputs: [{ tokens: ["a"] }] }, { agent });
      expect([late.status, late.headers.connection]).toEqual([200, "close"]);
      await expect(served.ask("/health", { agent: new Agent() })).rejects.toThrow(/ECONNREFUSED/);
      for (const { status, body: out } of await Promise.all(answers)) {
        expect([status, out.split("\n").length]).toEqual([200, body.split("\n").length]);
      }
      expect(await served.end).toMatchObject({ code: 0 });
      agent.destroy();
    },
  );

  test("a request that outlasts the grace is left, and the exit code says so", async () => {
    const served = await serve("pos.sg", "--grace", "0.2");
    const slow = served.post(sentences.repeat(2000), "text/plain", "/predict?contexts=200&nbest=900");
    slow.catch(() => undefined);
    await until(async () => (await served.metric("stargram_requests_in_progress")) >= 2);
    served.child.kill("SIGTERM");
    expect(await served.end).toMatchObject({ code: 1, error: expect.stringMatching(/longer than 0\.2 s/) });
  });
});

describe("examples", () => {
  const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const commands: [string, string[]][] = [
    ["sh", [example("serve/ask.sh")]],
    ["python3", [example("serve/ask.py")]],
    [process.execPath, [example("serve/ask.mjs")]],
  ];
  test.each(commands)("%s %s", async (program, words) => {
    const needed = program === "sh" ? "curl" : program;
    if (spawnSync(needed, ["--version"]).error) return; // not on this machine
    const served = await serve("pos.sg");
    const ran = await ended(spawn(program, [...words, `http://127.0.0.1:${served.port}`]));
    expect(ran).toMatchObject({ code: 0, error: "" });
    expect(ran.out).toMatch(/the.*dog.*barks/s);
    expect(ran.out).toMatch(/DT/);
  });
});
