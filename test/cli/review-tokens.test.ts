// Labelling tokens on the review page in a real browser: a sentence of 60 tokens and ten types of names, by keys alone and by
// mouse, at the width of a desk and of a phone.

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { executable, launch, watchFaults } from "../../scripts/browser.mjs";
import { formatReview, type ReviewItem, readReview } from "../../src/formats/review.js";
import { answerLabels } from "../../src/formats/review-item.js";
import { ended, Folder, type Ran, until } from "./helpers.js";
import { sentence } from "./review-helpers.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

describe.skipIf(executable === undefined)("tokens on the review page", () => {
  const folder = new Folder();
  let browser: Browser;
  let page: Page;
  let child: ChildProcess;
  let end: Promise<Ran>;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterEach(async () => {
    await page.context().close();
    child.kill("SIGKILL");
    await end;
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    folder.remove();
  });

  async function open(name: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    child = folder.start("review", name, "--no-open");
    let out = "";
    child.stdout?.on("data", (text) => {
      out += text;
    });
    end = ended(child);
    await until(() => out.includes("/\n") || child.exitCode !== null);
    page = await (await browser.newContext(options)).newPage();
    watchFaults(page, faults);
    await page.goto(/http:\S+/.exec(out)?.[0] ?? "");
    await page.locator("#sentence:visible").waitFor();
  }

  const write = (name: string, ...items: ReviewItem[]) => folder.write(name, formatReview(items));
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const chosen = () => page.textContent("#chosen");
  const spans = () =>
    page.locator(".span").evaluateAll((all) =>
      all.map((one) => {
        const words = [...one.querySelectorAll(".word")].map(({ textContent }) => textContent).join(" ");
        return `${words}: ${one.querySelector(".tag")?.textContent}`;
      }),
    );
  const token = (word: string) => page.locator(".token", { hasText: new RegExp(`^${word}`) }).first();
  const label = (name: string) => page.locator("#kinds").getByRole("button", { name, exact: true });
  const progress = (text: string) => page.locator("#progress", { hasText: text }).waitFor();

  /** What the answer in the file says: spans of its labels. */
  async function answered(name: string, at = 0): Promise<string[]> {
    child.kill("SIGINT");
    await end;
    const item = (await readReview(folder.file(name)))[at];
    expect(item.status).toBe("answered");
    const tokens = item.tokens?.tokens ?? [];
    const found: string[] = [];
    answerLabels(item.answer, tokens.length)?.forEach((label, i) => {
      if (label?.startsWith("B-")) found.push(`${tokens[i]}: ${label.slice(2)}`);
      else if (label?.startsWith("I-")) found.push(found.pop()?.replace(": ", ` ${tokens[i]}: `) ?? "");
    });
    return found;
  }

  const best = [
    ...["Rovers: sports team", "Lake City: geo-loc", "Harbour Ground: facility", "Ada Byron: person"],
    ...["Blue Kettle: musicartist", "Radio Nine: company", "Kestrel 9: product"],
  ];
  const corrected = [
    ...[
      "Rovers: sports team",
      "Sonmarg: geo-loc",
      "Lake City: sports team",
      "Harbour Ground: facility",
      "Ada Byron: person",
    ],
    ...["Blue Kettle: musicartist", "Radio Nine: company", "Kestrel 9: product", "Night Market: movie"],
  ];

  test("by keys alone: change a label, a whole span, mark a new one, undo, accept", async () => {
    await open(write("keys.tsv", sentence("1")));
    expect(await page.locator(".token").count()).toBe(60);
    expect(await spans()).toEqual(best);
    expect(await chosen()).toBe("Sonmarg"); // the least sure
    expect(await page.locator(".candidate .text").allTextContents()).toEqual([
      "the model’s best answer",
      "Sonmarg → geo-loc",
      "Lake City → sports team",
    ]);
    expect(await page.textContent("#doubtful")).toBe("3 doubtful");
    await press("g");
    await page.locator("#saved:not([aria-busy])", { hasText: "Draft saved" }).waitFor();
    await press("n");
    expect(await chosen()).toBe("Lake City"); // the span that the doubtful token is in
    await press("e", "n");
    expect(await chosen()).toBe("Night");
    await press("Shift+ArrowRight", "o");
    expect((await spans()).at(-1)).toBe("Night Market: other");
    await press("u");
    expect((await spans()).at(-1)).toBe("Kestrel 9: product");
    await press("m");
    expect(await spans()).toEqual(corrected);
    await press("Enter");
    await page.locator("#done:visible").waitFor();
    expect(await page.textContent("#command")).toBe("stargram train tag --from MODEL --add keys.tsv --out NEW-MODEL");
    expect(await page.textContent("#agreed")).toBe("The model’s best answer was taken in 0 of 1 (0 %)");
    await page.locator("#agreed").click();
    const rows = await page.locator("#by-label tr").allInnerTexts();
    expect(rows).toContain("geo-loc\t1\t0 of 1 (0 %)\t1");
    expect(rows).toContain("movie\t0\t\t1");
    expect(await answered("keys.tsv")).toEqual(corrected);
  });

  test("keys cut spans, find labels by typing, leave a label open, and go by lines", async () => {
    await open(write("more.tsv", sentence("1")));
    await press("Home", "ArrowRight", "ArrowRight", "ArrowRight");
    expect(await chosen()).toBe("Rovers");
    await press("Backspace");
    expect(await spans()).toEqual(best.slice(1));
    await press("n", "n");
    expect(await chosen()).toBe("Lake City");
    await press("Space");
    expect(await chosen()).toBe("Lake");
    await press("-"); // the rest of the span stays one
    expect((await spans())[0]).toBe("City: geo-loc");
    await press("Home", "/");
    await page.keyboard.type("tv");
    await press("Enter");
    await press("Shift+ArrowRight", "/");
    await page.keyboard.type("day of the week");
    await press("Enter");
    expect((await spans())[0]).toBe("On Saturday: day of the week");
    expect(await page.locator(".kind .name").allTextContents()).toContain("day of the week");
    await press("Home", "ArrowDown");
    const [from, to] = await Promise.all([token("On").boundingBox(), page.locator(".token:focus").boundingBox()]);
    expect(to?.y).toBeGreaterThan(from?.y ?? 0);
    await press("ArrowUp", "End");
    expect(await chosen()).toBe("film");
    await press("Enter");
    await page.locator("#done:visible").waitFor();
    child.kill("SIGINT");
    await end;
    const [item] = await readReview(folder.file("more.tsv"));
    const labels = answerLabels(item.answer, 60);
    expect(labels?.slice(0, 9)).toEqual([
      ...["B-day of the week", "I-day of the week", "O", "O", "O", "O", "O", null, "B-geo-loc"],
    ]);
  });

  test("by mouse: click, drag, buttons; a span across lines; again for the token alone", async () => {
    await open(write("mouse.tsv", sentence("1"), sentence("2", 0.7)));
    const drag = async (from: string, to: string) => {
      await token(from).hover();
      await page.mouse.down();
      await token(to).hover();
      await page.mouse.up();
    };
    await token("Sonmarg").click();
    await label("geo-loc 44 %").click();
    await token("City").click();
    expect(await chosen()).toBe("Lake City");
    await label("sports team").click();
    await drag("Market", "Night");
    expect(await chosen()).toBe("Night Market");
    await label("movie").click();
    expect(await spans()).toEqual(corrected);
    await drag("with", "told");
    await label("other").click();
    expect((await spans())[5]).toMatch(/^with Blue Kettle .* told: other$/);
    await page.locator("#undo").click();
    expect(await spans()).toEqual(corrected);
    await token("Ground").click();
    await token("Ground").click();
    expect(await chosen()).toBe("Ground");
    await label("nothing").click();
    expect(await spans()).toContain("Harbour: facility");
    await page.locator("#undo").click();
    await page.locator("#accept").click();
    await progress("1 of 2 done");
    await page.locator(".candidate").nth(1).click(); // takes it at once
    await page.locator("#done:visible").waitFor();
    expect(await page.textContent("#agreed")).toContain("0 of 2 (0 %), another candidate in 1");
    expect(await answered("mouse.tsv")).toEqual(corrected);
  });

  test("a candidate can be taken as a beginning; what was changed outlives a crash, and undo brings an answer back", async () => {
    await open(write("crash.tsv", sentence("1"), sentence("2", 0.7)));
    await press("Shift+Digit2");
    expect(await spans()).toContain("Sonmarg: geo-loc");
    await press("n", "e");
    expect(await spans()).toEqual(corrected.slice(0, -1));
    await page.locator("#saved:not([aria-busy])", { hasText: "Draft saved" }).waitFor();
    child.kill("SIGKILL");
    await end;
    await page.context().close();
    await open("crash.tsv");
    expect(await spans()).toEqual(corrected.slice(0, -1));
    await press("Enter");
    await progress("1 of 2 done");
    expect(await spans()).toEqual(best);
    await press("u");
    await progress("0 of 2 done");
    expect(await spans()).toEqual(corrected.slice(0, -1));
    await press("s");
    await page.locator("#skip").waitFor();
    await progress("1 of 2 done");
  });

  test("on a phone: tap and widen; nothing is wider than the page", async () => {
    await open(write("phone.tsv", sentence("1")), phone);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await token("Sonmarg").tap();
    await label("geo-loc 44 %").tap();
    await token("Lake").tap();
    await label("sports team").tap();
    await token("Night").tap();
    await page.locator("#wider-right").tap();
    expect(await chosen()).toBe("Night Market");
    await label("movie").tap();
    expect(await spans()).toEqual(corrected);
    await page.locator("#accept").tap();
    await page.locator("#done:visible").waitFor();
    expect(await answered("phone.tsv")).toEqual(corrected);
  });

  test("labels that mark no spans stand below their tokens", async () => {
    const item = sentence("1");
    const tokens = ["time", "flies", "fast"];
    const labels = ["NN", "VB", "a long label"];
    write("tags.tsv", {
      ...item,
      candidates: [{ text: "NN VB _", probability: 0.5 }],
      tokens: {
        tokens,
        labels,
        choices: [
          [["NN", 1]],
          [
            ["VB", 0.6],
            ["NN", 0.4],
          ],
          [["a long label", 1]],
        ],
      },
    });
    await open("tags.tsv");
    expect(await page.locator(".token .label").allTextContents()).toEqual(["NN", "VB", "?"]);
    await press("End", "a", "Enter");
    await page.locator("#done:visible").waitFor();
    child.kill("SIGINT");
    await end;
    expect((await readReview(folder.file("tags.tsv")))[0].answer).toBe("NN VB a\\ long\\ label");
  });

  test.each([
    ["desk, light", { colorScheme: "light" as const }],
    ["desk, dark", { colorScheme: "dark" as const }],
    ["phone, light", { ...phone, colorScheme: "light" as const }],
    ["phone, dark", { ...phone, colorScheme: "dark" as const }],
  ])("%s: axe finds nothing", async (name, options) => {
    await open(write(`${name}.tsv`, sentence("1"), sentence("2", 0.7)), options);
    const violations = async () => {
      const found = (await page.evaluate(`${axe}; axe.run().then((result) => result.violations)`)) as {
        id: string;
        nodes: { html: string }[];
      }[];
      return found.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .map(({ html }) => html)
            .slice(0, 3)
            .join(" ")}`,
      );
    };
    expect(await violations()).toEqual([]);
    await press("Enter");
    await progress("1 of 2 done");
    await page.locator("#agreed").click();
    expect(await violations()).toEqual([]);
    await press("1");
    await page.locator("#done:visible").waitFor();
    expect(await violations()).toEqual([]);
    if ("isMobile" in options) {
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    }
  });
});
