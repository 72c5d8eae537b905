// Who can reach the review page: this machine, by its own name, with the secret, and nobody else; and nothing but the page,
// the items and the answers.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LoopbackServer } from "../../src/cli/loopback.js";
import { startReviewServer } from "../../src/cli/review/server.js";
import { ReviewSession } from "../../src/cli/review/session.js";
import { Folder } from "./helpers.js";
import { wordsFile } from "./review-helpers.js";

const page = readFileSync(new URL("../../dist/review.html", import.meta.url), "utf8");
const folder = new Folder();
let session: ReviewSession;
let server: LoopbackServer;
let port: number;
let secret: string;

beforeAll(async () => {
  folder.write("secret.txt", "not for others");
  session = await ReviewSession.open(folder.file(folder.write("left.tsv", wordsFile(3))));
  server = await startReviewServer({
    session,
    port: 0,
    text: { file: `<i>"left"</i>.tsv`, next: "next command", again: "same command" },
    page,
    onAction: () => undefined,
  });
  const address = new URL(server.address);
  expect(address.hostname).toBe("127.0.0.1");
  port = Number(address.port);
  secret = address.pathname.split("/")[1];
});
afterAll(async () => {
  await server.close();
  await session.close();
  folder.remove();
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The path goes out as it is, dots and all. */
function ask(
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function act(action: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const body = typeof action === "string" ? action : JSON.stringify(action);
  const all = { "Content-Type": "application/json", ...headers };
  return ask(`/${secret}/answer`, { method: "POST", headers: all, body });
}

const answer = { action: "answer", index: 0, text: "x", again: false };

test("the page comes with a policy that lets in nothing from elsewhere, and shows names as text", async () => {
  const { status, headers, body } = await ask(`/${secret}/`);
  expect(status).toBe(200);
  const policy = headers["content-security-policy"] as string;
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toMatch(/frame-ancestors 'none'/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] as string;
  expect(body.match(/<(?:script|style)[^>]*>/g)).toEqual([
    `<style nonce="${nonce}">`,
    `<style nonce="${nonce}">`,
    `<script type="module" nonce="${nonce}">`,
  ]);
  expect((await ask(`/${secret}/`)).body).not.toContain(nonce);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect(body).not.toContain("<i>");
  expect(body).toContain("continue with same command");
  expect(body).not.toMatch(/\{\{\w+\}\}/);
  expect(body).not.toMatch(/\b(?:src|href)="(?!data:)/);
});

test("the secret is long, and another one each time", async () => {
  expect(Buffer.from(secret, "base64url").length).toBeGreaterThanOrEqual(16);
  const text = { file: "", next: "", again: "" };
  const other = await startReviewServer({ session, port: 0, text, page, onAction: () => undefined });
  expect(other.address).not.toContain(secret);
  await other.close();
});

describe("refused", () => {
  test.each(["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT", "192.0.2.1:PORT"])(
    "the host %j",
    async (host) => {
      const Host = host.replace("PORT", String(port));
      expect((await ask(`/${secret}/`, { headers: { Host } })).status).toBe(403);
      expect((await act(answer, { Host })).status).toBe(403);
    },
  );

  test.each(["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:PORT"])(
    "the origin %s",
    async (origin) => {
      expect((await act(answer, { Origin: origin.replace("PORT", String(port)) })).status).toBe(403);
    },
  );

  test("a missing or wrong secret, which is not given away", async () => {
    const wrong = secret.replace(/^./, (letter) => (letter === "A" ? "B" : "A"));
    const paths = ["/", "", "/item", "/answer", `/${wrong}/`, `/${wrong}/item`, `/${secret.slice(1)}/`, `/${secret}x/`];
    for (const path of [...paths, `/?${secret}`, `//${secret}/`, "/favicon.ico", "/open/", `/open/${secret}`, "*"]) {
      for (const method of ["GET", "POST"]) {
        const { status, body, headers } = await ask(path, { method });
        expect([path, method, status]).toEqual([path, method, 403]);
        expect(body + JSON.stringify(headers)).not.toContain(secret);
        expect(body).not.toContain("word");
      }
    }
  });

  test("paths to files", async () => {
    const { path } = folder;
    for (const file of ["../secret.txt", "secret.txt", "left.tsv", "%2e%2e/secret.txt", "..%2fsecret.txt", path]) {
      for (const start of [`/${secret}/`, "/", `/${secret}/../`, `/${secret}/item/`, `/${secret}/item?file=`]) {
        const { status, body } = await ask(start + file);
        expect([403, 404]).toContain(status);
        expect(body).not.toContain("not for others");
        expect(body).not.toContain("candidate");
      }
    }
    expect([403, 404]).toContain((await ask("/../../../../../../etc/passwd")).status);
    expect([403, 404]).toContain((await ask("file:///etc/passwd")).status);
  });

  test("other methods", async () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"]) {
      for (const path of ["", "item", "answer"]) expect((await ask(`/${secret}/${path}`, { method })).status).toBe(405);
    }
    expect((await ask(`/${secret}/`, { method: "POST" })).status).toBe(405);
    expect((await ask(`/${secret}/answer`)).status).toBe(405);
  });

  test("what is no action, and an item that is not there", async () => {
    const before = readFileSync(folder.file("left.tsv"), "utf8");
    for (const body of ["", "{", "null", "[]", { action: "delete" }, { ...answer, file: "secret.txt" }]) {
      expect((await act(body)).status).toBe(400);
    }
    for (const index of [-1, 0.5, "0", null]) expect((await act({ ...answer, index })).status).toBe(400);
    for (const index of [3, 2 ** 40]) {
      for (const action of [answer, { action: "skip", again: false }, { action: "draft", text: "x" }]) {
        expect((await act({ ...action, index })).status).toBe(404);
      }
    }
    expect((await act(answer, { "Content-Type": "text/plain" })).status).toBe(415);
    expect(folder.has("left.tsv.journal")).toBe(false);
    expect(readFileSync(folder.file("left.tsv"), "utf8")).toBe(before);
  });

  test("a body or a header that is too long", async () => {
    // The server may hang up before all is sent.
    const long = (text: string) =>
      act({ ...answer, text }).then(
        ({ status }) => status,
        () => 413,
      );
    expect(await long("x".repeat(100_000))).toBe(413);
    expect(await long("x".repeat(20_000_000))).toBe(413);
    expect((await ask(`/${secret}/`, { headers: { "X-Long": "x".repeat(40_000) } })).status).toBe(431);
    expect(folder.has("left.tsv.journal")).toBe(false);
  });
});

test("the address for the browser leads to the page once", async () => {
  const { pathname } = new URL(server.addressOnce);
  expect(pathname).not.toContain(secret);
  expect((await ask(pathname, { headers: { Host: "evil.example" } })).status).toBe(403);
  const { status, headers } = await ask(pathname);
  expect([status, headers.location]).toEqual([303, `/${secret}/`]);
  expect((await ask(pathname)).status).toBe(403);
});

test("no other address of this machine is listened on", async () => {
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ address, family }) => address !== "127.0.0.1" && !(family === "IPv6" && address.startsWith("fe80")));
  const reached = (host: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host, port, timeout: 500 }); // ms
      const end = (yes: boolean) => {
        socket.destroy();
        resolve(yes);
      };
      socket
        .on("connect", () => end(true))
        .on("error", () => end(false))
        .on("timeout", () => end(false));
    });
  expect(await reached("127.0.0.1")).toBe(true);
  for (const { address } of others) expect([address, await reached(address)]).toEqual([address, false]);
});

test("localhost will do, and what is asked properly is answered", async () => {
  const headers = { Host: `localhost:${port}`, Origin: `http://localhost:${port}` };
  const first = await ask(`/${secret}/item`, { headers });
  expect(JSON.parse(first.body)).toMatchObject({ total: 3, answered: 0, item: { index: 0, text: "word 0" } });
  expect(first.body).not.toContain("source");
  const next = await act(answer, headers);
  expect(next.status).toBe(200);
  expect(JSON.parse(next.body)).toMatchObject({ answered: 1, canUndo: true, item: { index: 1 } });
});

test("a page that is out of date is told so, and what another decided stays", async () => {
  const view = async () => JSON.parse((await ask(`/${secret}/item`)).body) as { revision: number };
  const { revision } = await view();
  expect((await act({ ...answer, index: 1, text: "mine", revision })).status).toBe(200);
  const late = [
    { ...answer, index: 1, text: "theirs", revision },
    { action: "skip", index: 1, again: false, revision },
    { action: "draft", index: 2, text: "theirs", revision },
    { action: "undo", revision },
    { ...answer, index: 1, text: "theirs" }, // without a revision, at an item that is answered
    { action: "skip", index: 1, again: false },
  ];
  for (const action of late) {
    const { status, body } = await act(action);
    expect([status, body]).toEqual([409, expect.stringMatching(/another window/)]);
  }
  await session.fold();
  const rows = readFileSync(folder.file("left.tsv"), "utf8");
  expect(rows).toContain("\tmine\t");
  expect(rows).not.toContain("theirs");
  expect((await act({ action: "undo", revision: (await view()).revision })).status).toBe(200);
});

test("connections that ask for nothing do not keep others out, nor do they cost the page its own", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const item = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path: `/${secret}/item`, agent }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      sent.on("error", reject);
      sent.end();
    });
  expect(await item()).toBe(200);
  const own = Object.values(agent.freeSockets).flat()[0];
  const idle: Socket[] = [];
  try {
    for (let i = 0; i < 200; i++) {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      idle.push(socket);
      await once(socket, "connect");
      if (i % 2) socket.write("GET / HTTP/1.1\r\n"); // and no more
    }
    expect((await ask(`/${secret}/item`)).status).toBe(200);
    expect(await item()).toBe(200);
    expect(Object.values(agent.freeSockets).flat()[0]).toBe(own);
  } finally {
    for (const socket of idle) socket.destroy();
    agent.destroy();
  }
});

test("a port that is taken is refused", async () => {
  const options = { session, text: { file: "", next: "", again: "" }, page, onAction: () => undefined };
  await expect(startReviewServer({ ...options, port })).rejects.toThrow(`port ${port} is in use`);
});
