// The review page in a real browser, driven by keys as a person would, against the command as it is built.

import type { ChildProcess } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { executable, launch, watchFaults } from "../../scripts/browser.mjs";
import { formatReview, type ReviewItem, readReview } from "../../src/formats/review.js";
import { ended, Folder, type Ran, until } from "./helpers.js";
import { words } from "./review-helpers.js";

interface Running {
  child: ChildProcess;
  address: string;
  end: Promise<Ran>;
}

describe.skipIf(executable === undefined)("the review page", () => {
  const folder = new Folder();
  const running: Running[] = [];
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launch();
  }, 60_000);
  afterEach(async () => {
    await page.context().close();
    for (const { child, end } of running.splice(0)) {
      child.kill("SIGKILL");
      await end;
    }
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    folder.remove();
  });

  async function start(name: string): Promise<Running> {
    const child = folder.start("review", name);
    let out = "";
    child.stdout?.on("data", (text) => {
      out += text;
    });
    const end = ended(child);
    await until(() => out.includes("/\n") || child.exitCode !== null);
    const one = { child, address: /http:\S+/.exec(out)?.[0] ?? "", end };
    running.push(one);
    return one;
  }

  async function open(name: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Running> {
    const one = await start(name);
    page = await (await browser.newContext(options)).newPage();
    watchFaults(page, faults);
    await page.goto(one.address);
    await page.locator("#question:visible, #done:visible").waitFor();
    return one;
  }

  /** Waits until the item is shown. */
  const shows = (text: string) => page.locator("#input", { hasText: new RegExp(`^${text}$`) }).waitFor();
  const progress = () => page.textContent("#progress");
  const rows = async (name: string) =>
    (await readReview(folder.file(name))).map(({ status, answer }) => `${status}:${answer}`);
  const write = (name: string, items: ReviewItem[]) => folder.write(name, formatReview(items));
  async function stop({ child, end }: Running): Promise<Ran> {
    child.kill("SIGINT");
    return end;
  }

  test("of two windows, the one that is out of date is told, and overwrites nothing", async () => {
    const one = await open(write("two.tsv", words(3)));
    await shows("word 0");
    const second = await page.context().newPage();
    watchFaults(second, faults);
    await second.goto(one.address);
    const shownThere = (text: string) => second.locator("#input", { hasText: new RegExp(`^${text}$`) }).waitFor();
    await shownThere("word 0");
    await page.keyboard.press("1");
    await shows("word 1");

    await second.keyboard.press("2"); // the same item, which is answered by now
    await second.locator("#trouble:visible", { hasText: "another window" }).waitFor();
    await second.click("#retry");
    await shownThere("word 1");
    await second.keyboard.press("Enter");
    await second.keyboard.type("typed here");
    await second.locator("#saved", { hasText: "Draft saved" }).waitFor();

    await page.keyboard.press("3");
    await page.locator("#trouble:visible", { hasText: "another window" }).waitFor();
    await page.click("#retry");
    await page.locator("#trouble").waitFor({ state: "hidden" });
    // The page is told first, and shows the item anew a moment later.
    await expect.poll(() => page.inputValue("#answer")).toBe("typed here");
    await second.keyboard.press("Enter");
    await shownThere("word 2");
    await stop(one);
    expect(await rows("two.tsv")).toEqual(["answered:a 0", "answered:typed here", ":"]);
  });

  test("keys choose, skip and undo; typing answers; the end says what to do next", async () => {
    const one = await open(write("keys.tsv", words(6)));
    await shows("word 0");
    expect(await page.locator(".candidate").allInnerTexts()).toEqual(["1\na 0\n50 %", "2\nb 0\n25 %", "3\nc 0\n17 %"]);
    await page.keyboard.press("2");
    await shows("word 1");
    await page.keyboard.press("s");
    await shows("word 2");
    await page.keyboard.press("ArrowRight");
    await shows("word 3");
    expect(await progress()).toMatch(/^3 of 6 done/);

    for (const [key, text] of [
      ["ArrowLeft", "word 2"],
      ["u", "word 1"],
      ["Control+z", "word 0"],
    ]) {
      await page.keyboard.press(key);
      await shows(text);
    }
    expect(await page.inputValue("#answer")).toBe("b 0"); // the answer taken back is at hand
    expect(await progress()).toMatch(/^0 of 6 done/);
    await page.keyboard.press("u");
    expect(await page.isDisabled("#undo")).toBe(true);

    await page.keyboard.press("Enter");
    await page.keyboard.type("s1u "); // keys that do something else while nothing is typed
    await page.keyboard.press("Enter");
    await shows("word 1");
    expect(await page.locator("#main:focus").count()).toBe(1);
    await page.keyboard.press("9"); // no such candidate
    await page.keyboard.press("x");
    expect(await page.textContent("#note")).toMatch(/Press Enter/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    expect(await page.textContent("#note")).toMatch(/Type an answer first/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("1");
    await shows("word 2");
    await page.keyboard.press("s");
    await shows("word 3");
    await page.locator(".candidate").nth(2).click();
    await shows("word 4");
    await page.locator("#skip").click();
    await shows("word 5");
    await page.keyboard.press("3");
    await page.locator("#done:visible").waitFor();
    expect(await page.textContent("#counts")).toBe("4 answered, 2 skipped.");
    expect(await page.textContent("#command")).toBe(
      "stargram train transduce --from MODEL --add keys.tsv --out NEW-MODEL",
    );
    await until(async () => (await rows("keys.tsv"))[5] === "answered:c 5"); // at the end the file is brought up to date by itself
    await until(() => !folder.has("keys.tsv.journal")); // removed after the file is written

    await page.keyboard.press("r");
    await shows("word 2");
    await page.keyboard.press("1");
    await shows("word 4");
    const { code, error } = await stop(one);
    expect(code).toBe(0);
    expect(error).toContain("keys.tsv: 5 answered, 1 skipped, 0 left");
    expect(await rows("keys.tsv")).toEqual([
      "answered:s1u",
      "answered:a 1",
      "answered:a 2",
      "answered:c 3",
      "skipped:",
      "answered:c 5",
    ]);
    expect(folder.has("keys.tsv.journal")).toBe(false);
    expect(folder.has("keys.tsv.lock")).toBe(false);

    // The page says that the review has ended, and how to go on.
    await page.keyboard.press("s");
    await page.locator("#trouble:visible").waitFor();
    expect(await page.textContent("#reason")).toContain("stargram review keys.tsv");
  });

  test("a key that is held down answers one item", async () => {
    await open(write("held.tsv", words(5)));
    for (let i = 0; i < 5; i++) await page.keyboard.down("1"); // the first presses, the others repeat
    await page.keyboard.up("1");
    await shows("word 1");
    expect(await progress()).toBe("1 of 5 done");
  });

  test("kill -9 loses neither answers nor what was being typed; the page opens at the first open item", async () => {
    const one = await open(write("crash.tsv", words(6)));
    for (const i of [1, 2, 3]) {
      await page.keyboard.press(String(i));
      await shows(`word ${i}`);
    }
    await page.route("**/answer", (route) => setTimeout(() => route.continue(), 100)); // typing is faster than saving
    await page.keyboard.press("Enter");
    for (const text of ["half an", " ans"]) {
      await page.keyboard.type(text);
      await page.locator("#saved:not([aria-busy])", { hasText: "Draft saved" }).waitFor();
    }
    one.child.kill("SIGKILL");
    await one.end;
    await page.keyboard.type("w");
    await page.locator("#trouble:visible").waitFor();
    expect(await page.inputValue("#answer")).toBe("half an answ");
    await page.context().close();

    const two = await open("crash.tsv");
    await shows("word 3");
    expect(await page.inputValue("#answer")).toBe("half an ans");
    expect(await progress()).toBe("3 of 6 done");
    expect((await rows("crash.tsv")).slice(0, 4)).toEqual(["answered:a 0", "answered:b 1", "answered:c 2", ":"]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.type("wer");
    await page.keyboard.press("Enter");
    await shows("word 4");
    await page.keyboard.press("u");
    await shows("word 3");
    await page.keyboard.press("u");
    await shows("word 2");
    expect((await stop(two)).code).toBe(0);
    expect(await rows("crash.tsv")).toEqual(["answered:a 0", "answered:b 1", ":", ":", ":", ":"]);
  });

  test("text is shown as text; without candidates one can type at once", async () => {
    const [first, second] = words(2);
    const text = '<img src=x onerror="document.title=1"> &amp;\n\ttwo   lines\u202e';
    write("text.tsv", [
      {
        ...first,
        input: text,
        candidates: [
          { text: "<b>bold</b>", probability: 0.004 },
          { text: "", probability: 0 },
        ],
      },
      { ...second, candidates: [] },
    ]);
    await open("text.tsv");
    expect(await page.textContent("#input")).toBe(text);
    expect(await page.locator(".candidate").allInnerTexts()).toEqual(["1\n<b>bold</b>\n< 1 %", "2\nnothing\n0 %"]);
    await page.keyboard.press("2");
    await shows("word 1");
    await page.keyboard.type("1s");
    await page.keyboard.press("Enter");
    await page.locator("#done:visible").waitFor();
    await until(async () => (await rows("text.tsv"))[1] === "answered:1s");
    expect((await rows("text.tsv"))[0]).toBe("answered:");
  });

  test("pictures are drawn bit by bit, on a phone too; an answer of a wrong length is doubted once", async () => {
    const images = [
      { width: 3, height: 2, bits: "101011" },
      { width: 2, height: 4, bits: "10101010" },
    ];
    const item: ReviewItem = {
      id: "7",
      kind: "images",
      input: JSON.stringify(images),
      answer: "",
      status: "",
      candidates: [{ text: "a b", probability: 0.9 }],
      source: JSON.stringify({ columns: [["1"], ["2"]] }),
    };
    const device = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
    await open(write("pictures.tsv", [item, { ...item, id: "8" }]), device);
    // Of each picture: its size, whether the middle of each bit is filled, and whether bits are as wide as high.
    const drawn = await page.evaluate(`[...document.querySelectorAll("#input svg")].map((svg) => {
      const { width, height } = svg.viewBox.baseVal;
      const path = svg.querySelector("path");
      let bits = "";
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) bits += path.isPointInFill(new DOMPoint(x + 0.5, y + 0.5)) ? "1" : "0";
      }
      const box = svg.getBoundingClientRect();
      return { width, height, bits, isSquare: Math.abs(box.width / width / (box.height / height) - 1) < 0.02 };
    })`);
    expect(drawn).toEqual(images.map((image) => ({ ...image, isSquare: true })));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);

    await page.locator("#answer").tap();
    await page.keyboard.type("abc");
    await page.locator("button[type=submit]").tap();
    expect(await page.textContent("#note")).toMatch(/takes 2 labels, found 3/);
    await page.keyboard.press("Backspace");
    await page.locator("button[type=submit]").tap(); // `ab` is short for `a b`
    await page.locator("#input[aria-label='Item 8']").waitFor();
    await page.locator("#answer").fill("a b c");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("#done:visible").waitFor();
    await until(async () => (await rows("pictures.tsv"))[1] === "answered:a b c");
    expect((await rows("pictures.tsv"))[0]).toBe("answered:ab");
  });

  test("everything that can be pressed has a name, and the keyboard alone reaches it", async () => {
    await open(write("names.tsv", words(2)));
    await page.keyboard.press("Tab");
    const reached: string[] = [];
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      reached.push((await focused.textContent())?.trim() || ((await focused.getAttribute("id")) ?? ""));
    }
    expect(reached).toEqual(["1 a 0 50 %", "2 b 0 25 %", "3 c 0 17 %", "answer", "Accept Enter", "Skip s"]);
    expect(await page.getByRole("button", { name: "1 a 0 50 %" }).count()).toBe(1);
    expect(await page.getByRole("textbox", { name: "Another answer" }).count()).toBe(1);
    expect(await page.textContent("#spoken")).toBe("Item 1 of 2: word 0");
    await page.getByRole("button", { name: "3 c 0" }).focus();
    await page.keyboard.press("Enter"); // a button that has the focus is pressed, no typing begins
    await shows("word 1");
  });

  test("10,000 items: the last take as long to answer as the first, and the file is not written for each", async () => {
    const many = 10_000;
    const name = write("many.tsv", words(many));
    const one = await open(name);
    const modified = () => statSync(folder.file(name)).mtimeMs;
    const untouched = modified();
    /** The median time from key to next item, in ms. */
    async function pace(from: number): Promise<number> {
      const times: number[] = [];
      for (let i = from; i < from + 9; i++) {
        await shows(`word ${i}`);
        const pressed = performance.now();
        await page.keyboard.press("1");
        await shows(`word ${i + 1}`);
        times.push(performance.now() - pressed);
      }
      return times.sort((a, b) => a - b)[4];
    }
    const atStart = await pace(0);
    const journal = () => statSync(folder.file("many.tsv.journal")).size;
    const before = journal();
    // The rest is answered by requests of the page's kind, all but the last few.
    await page.evaluate(async (last) => {
      for (let i = 9; i < last; i++) {
        const body = JSON.stringify({ action: "answer", index: i, text: "x", again: false });
        await fetch("answer", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      }
    }, 309);
    expect((journal() - before) / 300).toBeLessThan(60); // bytes for each answer
    expect(modified()).toBe(untouched);
    one.child.kill("SIGKILL");
    await one.end;
    await page.context().close();

    const lines = readFileSync(folder.file(name), "utf8").split("\n");
    const answered = lines.map((line, i) => (i > 309 && i <= many - 12 ? line.replace(/(word \d+)\t/, "$1\tx") : line));
    folder.write(name, answered.join("\n"));
    await open(name);
    expect(await progress()).toBe("9,988 of 10,000 done");
    const atEnd = await pace(many - 12);
    expect(atEnd).toBeLessThan(3 * atStart + 30);
  }, 60_000);
});
