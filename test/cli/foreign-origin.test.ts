// Pages from elsewhere in the user's browser, with web security on as every user has it: none of them reads an item or writes an
// answer, whatever origin it has, and though it knows the secret.

import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { executable, launch } from "../../scripts/browser.mjs";
import { LoopbackServer, headers as ownHeaders } from "../../src/cli/loopback.js";
import { startReviewServer } from "../../src/cli/review/server.js";
import { ReviewSession } from "../../src/cli/review/session.js";
import { Folder } from "./helpers.js";
import { attack } from "./hostile.mjs";
import { wordsFile } from "./review-helpers.js";

const blank = "<!doctype html><title>elsewhere</title><body>";

describe.skipIf(executable === undefined)("a page from elsewhere", () => {
  const folder = new Folder();
  let browser: Browser;
  let page: Page;
  let session: ReviewSession;
  let review: LoopbackServer;
  let explore: LoopbackServer;
  let elsewhere: Server;
  let port: number;
  let before: string;

  beforeAll(async () => {
    browser = await launch();
    session = await ReviewSession.open(folder.file(folder.write("left.tsv", wordsFile(3))));
    before = readFileSync(folder.file("left.tsv"), "utf8");
    const text = { file: "left.tsv", next: "", again: "" };
    review = await startReviewServer({ session, port: 0, page: blank, text, onAction: () => undefined });
    // As the explorer's: a model and a page, to be got.
    explore = await LoopbackServer.start(0, (path, _request, response) => {
      response.writeHead(200, {
        ...ownHeaders,
        "Content-Type": path === "" ? "text/html" : "application/octet-stream",
      });
      response.end("a model of the user's own");
    });
    elsewhere = createServer((request, response) => {
      // `/open` may be read by anybody: what shows that reading works where it is allowed.
      const open = request.url === "/open" ? { "Access-Control-Allow-Origin": "*" } : {};
      response.writeHead(200, { "Content-Type": "text/html", ...open }).end(blank);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    port = (elsewhere.address() as AddressInfo).port;
    writeFileSync(folder.file("page.html"), blank);
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(async () => {
    await page.close();
  });
  afterAll(async () => {
    await browser?.close();
    await review.close();
    await explore.close();
    await session.close();
    elsewhere.close();
    elsewhere.closeAllConnections();
    folder.remove();
  });

  async function expectNothing(from: Page | Frame = page): Promise<void> {
    for (const address of [review.address, review.address.replace("127.0.0.1", "localhost"), explore.address]) {
      expect(await attack(from, address)).toEqual([]);
    }
    expect([session.answered, session.skipped]).toEqual([0, 0]);
    expect(folder.has("left.tsv.journal")).toBe(false);
    expect(readFileSync(folder.file("left.tsv"), "utf8")).toBe(before);
  }

  test("is held to the rules of the web by this browser", async () => {
    await page.goto(`http://evil.localhost:${port}/`);
    const fetched = (path: string) =>
      page.evaluate(
        (url) =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        `http://127.0.0.1:${port}/${path}`,
      );
    expect([await fetched("open"), await fetched("closed")]).toEqual([true, false]);
  });

  test.each(["127.0.0.1", "localhost", "evil.localhost"])("at %s gets nothing", async (host) => {
    await page.goto(`http://${host}:${port}/`);
    await expectNothing();
  });

  test("that is a file of this machine gets nothing", async () => {
    await page.goto(pathToFileURL(folder.file("page.html")).href);
    await expectNothing();
  });

  test("that has no origin gets nothing", async () => {
    await page.goto(`http://evil.localhost:${port}/`);
    await page.setContent(`<iframe sandbox="allow-scripts allow-forms allow-popups" srcdoc="${blank}"></iframe>`);
    const [, frame] = page.frames();
    expect(await frame.evaluate("self.origin")).toBe("null");
    await expectNothing(frame);
  });

  test("whose name is made to lead to the server gets nothing", async () => {
    // The page came from its own server; then its name is given the address of ours.
    for (const { address } of [review, explore]) {
      const { port: own, pathname } = new URL(address);
      const rebound = `http://evil.localhost:${own}`;
      await page.route(`${rebound}/start`, (route) => route.fulfill({ contentType: "text/html", body: blank }));
      await page.goto(`${rebound}/start`);
      // To the browser the page is at home there, so it reads: that it is refused.
      for (const found of await attack(page, rebound + pathname))
        expect(found).toMatch(/answers only to its own address/);
      const refused = await page.evaluate(
        (url) => fetch(url).then((answer) => answer.status),
        `${rebound + pathname}item`,
      );
      expect(refused).toBe(403);
    }
    expect([session.answered, session.skipped]).toEqual([0, 0]);
    expect(readFileSync(folder.file("left.tsv"), "utf8")).toBe(before);
  });
});
