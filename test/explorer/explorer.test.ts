// The explorer in a real browser: each view does its job, with the numbers of the command line; addresses reopen what they
// were copied from; work can be stopped; what is broken is refused with words; keys and screen readers get everywhere.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { greyOf } from "../../apps/explorer/digits.js";
import { pixelAttributes, pixelsOf, shrink } from "../../demo/digits.js";
import { bitmapOf } from "../../demo/letters.js";
import { executable, launch, watchFaults } from "../../scripts/browser.mjs";
import { columns } from "../cli/helpers.js";
import { buildSite, Explorer, longBuild, modelData, PlainHost } from "./site.js";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const side = 5; // pixels of a digit as the model sees it

interface Examples {
  examples: { truth: string; lesson: boolean; pictures: string[] }[];
}

describe.skipIf(executable === undefined)("the explorer", () => {
  const explorer = new Explorer();
  const faults: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    buildSite();
    browser = await launch();
    await explorer.start();
  }, longBuild);
  afterEach(async () => {
    await page?.context().close();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await explorer.stop();
  });

  async function open(hash: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    page = await (await browser.newContext(options)).newPage();
    watchFaults(page, faults);
    await page.goto(explorer.address + hash);
  }

  const number = async (selector: string, attribute: string): Promise<number> =>
    Number(await page.locator(selector).first().getAttribute(attribute));
  const contextsOf = (slot: number) => page.locator(`[data-slot="${slot}"] .contexts li`);
  const settled = () => page.locator('.slots[aria-busy="false"]').waitFor();
  /** Sets a slider as a person with a keyboard does: from its least value upwards. */
  async function slide(label: string, steps: number): Promise<void> {
    const slider = page.getByLabel(label, { exact: false }).first();
    await slider.focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
  }

  test("the models of the site are there for commands, by name", async () => {
    const words = await explorer.folder.run(["predict", "pronounce-en", "--text"], "Hello world.\n");
    expect(words.out).toMatch(/^Hello\tHH [A-Z ]+\t0\.\d+\nworld\tW ER1? L D\t0\.\d+\n$/);
    const tags = await explorer.folder.run(["predict", "tag-en", "--text"], "The dog barks.\n");
    expect(tags.out).toMatch(/^The\tat\t/m);
    const known = await explorer.folder.run(["inspect", "letters-en"]);
    expect(known.out).toMatch(/language/);
  });

  test("Read: sliders and the switch change the contexts; a small beam is sure and wrong", async () => {
    const lesson = (JSON.parse(modelData("dates-examples.json")) as Examples).examples.findIndex((one) => one.lesson);
    // The page opens where a beam is sure and wrong.
    await open("");
    await settled();
    expect(lesson).toBe(0);
    expect(await contextsOf(5).count()).toBe(4); // three and ⋆
    const ways = await page.locator(".verdict .mass.wrong").allInnerTexts();
    expect(ways.some((text) => Number.parseFloat(text) > 95)).toBe(true);
    await open(`#/read?date=${lesson + 1}&B=5`);
    await settled();
    expect(await contextsOf(5).count()).toBe(6); // five and ⋆
    expect(await contextsOf(5).last().innerText()).toContain("⋆");
    expect(await page.locator('[data-slot="5"] .contexts .true').count()).toBe(1);

    await slide("B, contexts kept", 3);
    await expect.poll(() => contextsOf(5).count()).toBe(4);
    const reified = await number(".reading", "data-probability");
    expect(reified).toBeLessThan(0.6);

    await page.getByRole("radio", { name: "Beam" }).check();
    await expect.poll(() => contextsOf(5).count()).toBe(3); // no ⋆: all else is lost
    await settled();
    expect(await number(".reading", "data-probability")).toBeGreaterThan(0.95);
    expect(await page.locator(".answer").innerText()).toMatch(/read [\d-]{10}, is [\d-]{10}/);

    await slide("Order, longest memory", 0);
    await expect.poll(() => contextsOf(5).count()).toBeLessThan(3);
    expect(await page.evaluate("location.hash")).toBe(`#/read?date=${lesson + 1}&B=3&mode=beam&order=0`);
  });

  test("Read: the numbers are those of the command line", async () => {
    const { examples } = JSON.parse(modelData("dates-examples.json")) as Examples;
    const lines = examples[6].pictures.map(
      (picture) => `_\t${pixelAttributes(shrink(greyOf(picture), side)).join("\t")}\n`,
    );
    const model = explorer.model("dates");
    for (const [inference, contexts] of [
      ["rcms", "5"],
      ["beam", "2"],
    ]) {
      await open(`#/read?date=7&mode=${inference}&B=${contexts}`);
      await settled();
      const said = await explorer.json<{
        labels: string[];
        probability: number;
        contexts: { probability: number }[][];
      }>(
        ["predict", model, "--format", "crfsuite", "--inference", inference, "--contexts", contexts, "--contexts"],
        lines.join(""),
      );
      const date = said.labels.join("");
      expect(await page.locator(".reading").innerText()).toBe(
        `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`,
      );
      expect(await number(".reading", "data-probability")).toBeCloseTo(said.probability, 12);
      expect(await contextsOf(4).count()).toBe(said.contexts[4].length);
      await page.context().close();
    }
  });

  test("Read: where there is doubt, contexts are added, with the numbers of the command line", async () => {
    const { examples } = JSON.parse(modelData("dates-examples.json")) as Examples;
    const lesson = examples.findIndex((one) => one.lesson);
    await open(`#/read?date=${lesson + 1}&B=3`);
    await settled();
    expect(await page.locator(".rounds, .room").count()).toBe(0);
    await page.getByLabel("more where uncertain").check();
    await expect.poll(() => page.locator(".rounds li").count()).toBeGreaterThan(1);
    await settled();

    const lines = examples[lesson].pictures.map(
      (picture) => `_\t${pixelAttributes(shrink(greyOf(picture), side)).join("\t")}\n`,
    );
    type Round = { probability: number; limits?: number[] };
    const said = await explorer.json<{ probability: number; spent: { passes: number; rounds: Round[] } }>(
      ["predict", explorer.model("dates"), "--format", "crfsuite", "--contexts", "3..60"],
      lines.join(""),
    );
    expect(await page.locator(".rounds li").count()).toBe(said.spent.passes);
    expect(await number(".reading", "data-probability")).toBeCloseTo(said.probability, 12);
    expect(said.probability).toBeGreaterThan(said.spent.rounds[0].probability);
    const last = said.spent.rounds[said.spent.passes - 1].limits as number[];
    for (let slot = 1; slot < 8; slot++) {
      const room = await page.locator(`[data-slot="${slot}"] .room`).getAttribute("data-room");
      expect(Number(room?.split(" ").at(-1))).toBe(last[slot]);
      // More contexts than the first pass kept are there only where there was room for them.
      const added = await page.locator(`[data-slot="${slot}"] .contexts .added`).count();
      if (last[slot] === 3) expect(await contextsOf(slot).count()).toBeLessThanOrEqual(4);
      else expect(added).toBeGreaterThan(0);
    }
    expect(await page.evaluate("location.hash")).toBe(`#/read?date=${lesson + 1}&B=3&doubt=more`);
    await page.getByRole("radio", { name: "Beam" }).check();
    await expect.poll(() => page.locator(".rounds").count()).toBe(0);
  });

  test("Read: own digits, drawn or by keys, are read and kept in the address", async () => {
    await open("#/read?B=20&date=2");
    await settled();
    await page.getByRole("button", { name: "Draw your own" }).click();
    await page.locator(".pad").first().waitFor();
    expect(await page.locator(".reading, .legend").count()).toBe(0); // nothing is drawn, nothing is read
    const date = (JSON.parse(modelData("dates-examples.json")) as Examples).examples[0].truth;
    for (let i = 0; i < 8; i++) {
      if (i === 0) {
        const box = await page.locator(".pad").first().boundingBox();
        const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, box?.y ?? 0];
        await page.mouse.move(x, y + 20);
        await page.mouse.down();
        await page.mouse.move(x, y + (box?.height ?? 0) - 12, { steps: 6 });
        await page.mouse.up();
      } else {
        await page.locator(".pad").nth(i).focus();
        await page.keyboard.press(date[i]);
      }
    }
    await settled();
    expect(await page.evaluate("location.hash")).toMatch(/date=2&ink=[0-9a-f]{7}(\.[0-9a-f]{7}){7}/);
    expect(await page.locator(".legend").innerText()).not.toContain("true");
    await expect.poll(() => page.locator(".decided b").allInnerTexts()).toHaveLength(8);
    expect((await page.locator(".decided b").allInnerTexts())[0]).toBe("1"); // a plain stroke
  });

  test("Read: a word, by keys or drawn, is read with the numbers of the command line", async () => {
    await open("#/read");
    await settled();
    await page.getByRole("combobox", { name: "Model" }).selectOption("words");
    await page.getByRole("heading", { name: "Read a word" }).waitFor();
    await settled();
    expect(await page.locator(".answer").innerText()).toMatch(/Reads/i);
    await page.getByRole("button", { name: "Draw your own" }).click();
    await page.locator(".pad").first().waitFor();
    expect(await page.locator(".pad").count()).toBe(6);
    expect(await page.locator(".reading").count()).toBe(0);

    // Each key goes on to the next box, and there is always one more.
    await page.locator(".pad").first().focus();
    await page.keyboard.type("therefore");
    await expect.poll(() => page.locator(".decided b").allInnerTexts()).toHaveLength(9);
    await settled();
    expect(await page.locator(".pad").count()).toBe(10);
    for (let i = 0; i < 5; i++) await page.keyboard.press("Backspace");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Delete"); // a letter in the middle is guessed
    await page.getByLabel("B, contexts kept").focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.evaluate("location.hash")).toContain("B=20");
    await settled();
    const ink = new URLSearchParams(page.url().split("?").at(-1)).get("ink") ?? "";
    const pictures = ink.split(".").map((text) => pixelsOf(text || "0".repeat(32), 128));
    while (!pictures.at(-1)?.some(Boolean)) pictures.pop();
    const lines = pictures.map((picture, i) => {
      const next = i + 1 < pictures.length ? i + 1 : -1;
      return [i, "_", next, 0, i, 0, ...bitmapOf(picture)].join("\t");
    });
    const said = await explorer.json<{ labels: string[]; probability: number }>(
      ["predict", explorer.model("words"), "--contexts", "20"],
      `${lines.join("\n")}\n`,
    );
    await expect.poll(() => page.locator(".reading").innerText()).toBe(said.labels.join(""));
    expect(await number(".reading", "data-probability")).toBeCloseTo(said.probability, 12);

    // A stroke from top to bottom is an l.
    await page.getByRole("button", { name: "Clear" }).click();
    await expect.poll(() => page.locator(".reading").count()).toBe(0);
    const box = await page.locator(".pad").first().boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, box?.y ?? 0];
    await page.mouse.move(x, y + 10);
    await page.mouse.down();
    await page.mouse.move(x, y + (box?.height ?? 0) - 10, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => page.locator(".decided b").allInnerTexts()).toEqual(["l"]);
    await page.getByRole("button", { name: "Back to examples" }).click();
    await expect.poll(() => page.locator(".pad").count()).toBe(0);
    await page.getByRole("combobox", { name: "Model" }).selectOption("dates");
    await page.getByRole("heading", { name: "Read a date" }).waitFor();
    await settled();
  });

  test("Read: a model of handwritten letters, opened from its file, reads what is drawn", async () => {
    await open("#/read");
    await page.getByLabel("Model file").setInputFiles(explorer.folder.file(explorer.model("words")));
    await page.getByText("words.sg is open.").waitFor();
    await page.locator(".pad").first().focus();
    await page.keyboard.type("said");
    await expect.poll(() => page.locator(".reading").innerText()).toBe("said");
    expect(await page.getByRole("button", { name: "Back to examples" }).count()).toBe(0);
  });

  test("an address reopens the same state", async () => {
    await open("#/read");
    await settled();
    await page.getByRole("button", { name: "Next date" }).click();
    await slide("B, contexts kept", 8);
    await page.getByRole("radio", { name: "Beam" }).check();
    await expect.poll(() => contextsOf(6).count()).toBe(8);
    await settled();
    const shown = await page.locator("main").innerText();
    const address = page.url();
    await page.context().close();
    await open("");
    await page.goto(address);
    await page.reload();
    await settled();
    await expect.poll(() => page.locator("main").innerText()).toBe(shown);

    await page.goto(`${explorer.address}#/nosuchview?B=1`);
    await expect.poll(() => page.evaluate("location.hash")).toBe("#/read");
    await page.goto(address);
    await settled();
    await page.goto(`${explorer.address}#/pronounce?word=thought&letter=3`);
    await page.locator(".slot-contexts").waitFor();
    expect(await page.getByRole("textbox", { name: "Word" }).inputValue()).toBe("thought");
    await page.goBack();
    await settled();
    expect(await page.locator("main").innerText()).toBe(shown);
  });

  test("Pronounce: candidates, alignment and contexts of a typed word, as on the command line", async () => {
    await open("#/pronounce");
    await page.getByRole("textbox", { name: "Word" }).fill("Starlight");
    const first = page.locator(".candidates button").first();
    await expect.poll(() => page.locator(".letters button").allInnerTexts()).toEqual([..."starlight"]);
    const said = await explorer.json<{ nbest: { output: string; probability: number }[] }>(
      ["predict", explorer.model("cmudict"), "--nbest", "6"],
      "starlight\n",
    );
    expect(await page.locator(".candidates .sounds").allInnerTexts()).toEqual(said.nbest.map(({ output }) => output));
    expect(await number(".candidates button", "data-probability")).toBeCloseTo(said.nbest[0].probability, 12);

    await page.locator(".letters button").nth(3).click();
    const shown = () => page.locator(".slot-contexts .contexts li").count();
    await slide("B, contexts kept", 1);
    await expect.poll(() => page.evaluate("location.hash")).toContain("B=1");
    await page.locator('.pronounced[aria-busy="false"]').waitFor();
    const before = await shown();
    await slide("B, contexts kept", 9);
    await expect.poll(shown).toBeGreaterThan(before);
    await page.locator(".candidates button").nth(1).click();
    expect(await first.getAttribute("aria-pressed")).toBe("false");
    await page.getByRole("textbox", { name: "Word" }).fill("naïve");
    await page.getByText("The model does not know “ï”").waitFor();
    await page.getByRole("textbox", { name: "Word" }).fill("");
    await expect.poll(() => page.locator(".pronounced").count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Word" }).inputValue()).toBe("");
  });

  test("Tag: tags, doubts, other readings and reasons, as on the command line", async () => {
    await open("#/tag");
    await page.getByRole("textbox", { name: "Text" }).fill("The dog barks at the old man.");
    await expect.poll(() => page.locator(".tagged .word").allInnerTexts()).toHaveLength(8);
    const model = explorer.model("brown");
    const said = await explorer.json<{ labels: string[]; probability: number; nbest: unknown[] }>(
      ["predict", model, "--nbest", "5"],
      "The\ndog\nbarks\nat\nthe\nold\nman\n.\n",
    );
    const shown = await page.locator(".tagged .label").allInnerTexts();
    expect(shown.map((label) => label.replace("?", ""))).toEqual(said.labels);
    expect(await number(".tagged", "data-probability")).toBeCloseTo(said.probability, 12);
    expect(await page.locator(".readings li").count()).toBe(said.nbest.length);

    await page.locator(".tagged button").nth(2).click();
    await page.locator(".weights li").first().waitFor();
    const reasons = await explorer.json<{ positions: { contributions: { feature: string; weight: number }[] }[] }>([
      ...["inspect", model, "--explain", "The dog barks at the old man .", "--position", "3"],
    ]);
    const [strongest] = reasons.positions[0].contributions;
    expect(await page.locator(".weights code").first().innerText()).toBe(strongest.feature);
    expect(await number(".weights .weight", "data-weight")).toBeCloseTo(strongest.weight, 12);
    await page.locator(".reasons .pick button").nth(1).click();
    await expect.poll(() => page.locator(".reasons .pick button").nth(1).getAttribute("aria-pressed")).toBe("true");

    // A label that the model does not have is not asked for; a new sentence asks for none.
    await page.goto(`${explorer.address}#/tag?word=1&label=NOSUCH`);
    await page.locator(".weights li").first().waitFor();
    expect(await page.locator(".trouble").count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("textbox", { name: "Text" }).fill(`A ${"very".repeat(40)} long word`);
    await expect.poll(() => page.evaluate("location.hash")).not.toContain("label");
    await expect.poll(() => page.locator(".tagged .word").count()).toBe(4);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.getByRole("textbox", { name: "Text" }).fill("");
    await expect.poll(() => page.locator(".tagged").count()).toBe(0);
  });

  test("Tag: several sentences of ordinary text, and a word of the second is explained", async () => {
    await open("#/tag");
    await page.getByRole("textbox", { name: "Text" }).fill('"The dog barks," said Mr. Brown. It was old.');
    await expect.poll(() => page.locator(".tagged").count()).toBe(2);
    expect(await page.locator(".tagged").last().locator(".word").allInnerTexts()).toEqual(["It", "was", "old", "."]);
    expect(await page.locator(".tagged .word").allInnerTexts()).toContain("Mr.");
    await page.locator(".tagged").last().locator("button").nth(2).click();
    await page.locator(".weights li").first().waitFor();
    expect(await page.locator(".reasons h2").innerText()).toContain("“old”");
  });

  test("Learn: data becomes a model that views show, that can be saved, and that the command uses", async () => {
    await open("#/learn");
    await page.getByRole("button", { name: "Try Roman numerals" }).click();
    expect(await page.getByRole("radio", { name: "Transcribe" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.getByRole("link", { name: "Use it" }).waitFor({ timeout: 120_000 });
    expect(await page.locator(".learned").innerText()).toMatch(/1,000 pairs.*held out 9\d|100/s);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save numerals.sg" }).click(),
    ]);
    const file = explorer.folder.write("numerals.sg", readFileSync(await download.path()));
    await page.getByRole("link", { name: "Use it" }).click();
    await page.getByRole("textbox", { name: "Input" }).fill("1994");
    await expect.poll(() => page.locator(".candidates .sounds").first().innerText()).toMatch(/^M C? ?M/);
    const shown = await page.locator(".candidates .sounds").first().innerText();
    const said = await explorer.json<{ output: string }>(["predict", file], "1994\n");
    expect(shown.replaceAll(" ", "")).toBe(said.output.replaceAll(" ", ""));
    // Data that is none is refused with words, and a training can be stopped.
    await page.goto(`${explorer.address}#/learn`);
    await page.getByLabel("Data to learn from").setInputFiles({
      ...{ name: "one.tsv", mimeType: "text/plain" },
      buffer: Buffer.from("no tab in it\n"),
    });
    await page.getByRole("radio", { name: "Transcribe" }).check();
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.locator(".trouble").waitFor();
  }, 150_000);

  test("Segment: without a model it says how to get one; with one it cuts texts and says how surely", async () => {
    await open("#/segment");
    await page.getByRole("link", { name: "Train one" }).click();
    const words = ["ab", "abc", "d", "de"];
    const lines = Array.from({ length: 80 }, (_, i) => [0, 1, 2, 3].map((k) => words[(i * (k + 3) + k) % 4]).join(" "));
    await page.getByLabel("Data to learn from").setInputFiles({
      ...{ name: "words.txt", mimeType: "text/plain" },
      buffer: Buffer.from(`${lines.join("\n")}\n`),
    });
    await page.getByRole("radio", { name: "Cut texts" }).check();
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.getByRole("link", { name: "Use it" }).waitFor({ timeout: 120_000 });
    await page.getByRole("link", { name: "Use it" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("abcdeab");
    await expect.poll(() => page.locator(".cut-text .segment").count()).toBeGreaterThan(1);
    expect(await number(".cut-text", "data-probability")).toBeGreaterThan(0);
    expect((await page.locator(".cut-text .segment").allInnerTexts()).join("")).toMatch(/^ab/);
  }, 150_000);

  test("Decipher: EM stops when it is told to, keeps a letter that is fixed, and goes on to the end", async () => {
    await open("#/decipher");
    await page.getByRole("button", { name: "Start" }).click();
    const passes = () => number(".status", "data-passes");
    await expect.poll(passes, { timeout: 60_000 }).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator('.status[data-phase="paused"]').waitFor();
    const stopped = await passes();
    await page.waitForTimeout(700);
    expect(await passes()).toBe(stopped);

    await page.getByLabel("x stands for", { exact: false }).fill("q");
    expect(await page.evaluate("location.hash")).toContain("known=x%3Dq");
    expect(await page.locator("#plain-text").textContent()).toContain("q");
    await page.getByLabel("x stands for", { exact: false }).fill("e");
    // The same letter for another sign: said at once, and the pause stays.
    await page.getByLabel("q stands for", { exact: false }).fill("e");
    await page.getByText("are both fixed as “e”").waitFor();
    expect(await page.getByRole("button", { name: "Go on" }).isDisabled()).toBe(true);
    expect(await page.locator(".status").getAttribute("data-phase")).toBe("paused");
    await page.getByLabel("q stands for", { exact: false }).fill("");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.locator('.status[data-phase="done"]').waitFor({ timeout: 60_000 });
    expect(await page.locator("#plain-text").textContent()).toMatch(
      /^Alice was beginning to get very tired of sitting/i,
    );
    expect(await page.locator(".key li.fixed").count()).toBe(1);
  }, 150_000);

  test("Decipher: the Zodiac-408 is read, with what else a sign may be, and other ciphers of history are there", async () => {
    await open("#/decipher?cipher=zodiac");
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('.status[data-phase="done"]').waitFor({ timeout: 120_000 });
    expect((await page.locator("#plain-text").textContent())?.replace(/\s/g, "")).toMatch(/^ilikekillingpeople/);
    expect(await page.locator(".sign").first().getAttribute("title")).toMatch(/^9 is i (> )?\d/);
    for (const [id, signs] of [
      ["beale", 763],
      ["zodiac-340", 306],
    ] as const) {
      await open(`#/decipher?cipher=${id}`);
      await expect.poll(() => page.locator(".sign").count(), { timeout: 60_000 }).toBe(signs);
    }
  }, 240_000);

  test("Decipher: the solution is that of the command line", async () => {
    const cipher = "Uif tubst bcpwf uif ijmmt xfsf csjhiu, boe uif sjwfs xbt dpme boe dmfbs jo uif npsojoh mjhiu.";
    const model = explorer.model("letters-spaced");
    const { text } = await explorer.json<{ text: string }>([
      "decipher",
      explorer.folder.write("cipher.txt", cipher),
      "--language",
      model,
      "--one-to-one",
      "--quiet",
    ]);
    await open(`#/decipher?text=${encodeURIComponent(cipher)}`);
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator('.status[data-phase="done"]').waitFor({ timeout: 60_000 });
    expect((await page.locator("#plain-text").textContent())?.toLowerCase()).toBe(text.trim().toLowerCase());

    // A key whose letters take turns: the same text as a line, where a table of signs cannot show it.
    const turns = "Dmzx dv jt xyv wgh siqykv npzr kym xllikc fvct nxizszw ezvz, eeu bzpc ewwsup eciiv gjy rim bszeo.";
    await open(`#/decipher?text=${encodeURIComponent(turns)}`);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Vigenère: the letters of a key word added in turn; key: river").waitFor({ timeout: 60_000 });

    const box = page.getByRole("textbox", { name: "Your cipher text" });
    await box.fill("... !!");
    await page.getByText("2 different signs: too few to be a cipher").waitFor();
    await box.fill("abcd ".repeat(1000));
    await page.getByText("Only the first 4,000 characters are read").waitFor();
    await box.fill("");
    await expect.poll(() => page.getByRole("button", { name: "Start" }).count()).toBe(0);
    expect(await box.inputValue()).toBe("");
  }, 150_000);

  test("Trust: what is answered at a precision, as on the command line, and what is left", async () => {
    await open("#/trust?model=cmudict&precision=0.9");
    const shown = page.locator(".reading[data-recall]");
    await shown.waitFor({ timeout: 60_000 });
    const said = await explorer.json<{ recallAtPrecision: Record<string, number>; wordErrorRate: number }>([
      "evaluate",
      explorer.model("cmudict"),
      explorer.data("cmudict-test.tsv"),
    ]);
    expect(await number(".reading[data-recall]", "data-recall")).toBeCloseTo(said.recallAtPrecision["0.9"], 12);
    expect(await number(".reading[data-accuracy]", "data-accuracy")).toBeCloseTo(1 - said.wordErrorRate, 12);
    const left = async () =>
      Number(/\d+/.exec((await page.getByRole("heading", { name: "Left to people" }).innerText()) ?? "")?.[0]);
    const before = await left();
    const chart = await page.locator(".chart svg").first().boundingBox();
    // The upper edge of the chart is a precision of 100 %.
    await page.mouse.click((chart?.x ?? 0) + 100, (chart?.y ?? 0) + 22);
    await expect.poll(left).toBeGreaterThan(before);
    expect(await page.locator(".inputs li").count()).toBeGreaterThan(0);

    await page.getByRole("radio", { name: "Beam" }).check();
    await page.locator("progress").waitFor({ state: "detached", timeout: 60_000 });
    await page.locator(".reading[data-recall]").waitFor();
  }, 150_000);

  test("a broken file is refused with words, and what was open stays", async () => {
    await open("#/tag");
    await page.locator(".tagged").waitFor();
    const sound = explorer.model("dates");
    const bytes = readFileSync(explorer.folder.file(sound));
    bytes[bytes.length - 100] ^= 1;
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });
    for (const [name, buffer, words] of [
      ["notes.txt", Buffer.from("Dear diary, today I trained a model."), /not a Stargram model/],
      ["damaged.sg", bytes, /damaged\.sg.*checksum/],
      ["short.sg", bytes.subarray(0, 2000), /short\.sg/],
      ["empty.sg", Buffer.alloc(0), /empty/],
    ] as const) {
      await page.getByLabel("Model file").setInputFiles(file(name, buffer as Buffer));
      await expect.poll(() => page.locator("main > .trouble").innerText()).toMatch(words);
    }
    expect(await page.locator(".tagged .word").count()).toBeGreaterThan(0);
    const { code, error } = await explorer.folder.run(["explore", "--no-open", explorer.folder.write("x.sg", bytes)]);
    expect(code).toBe(2);
    expect(error).toMatch(/x\.sg/);
  });

  test("models of one's own: given to the command, or opened in the page", async () => {
    const own = new Explorer();
    try {
      own.folder.write("train.txt", columns(60));
      const trained = await own.folder.run([
        "train",
        "tag",
        "train.txt",
        "--out",
        "own.sg",
        "--passes",
        "2",
        "--quiet",
      ]);
      expect(trained.code, trained.error).toBe(0);
      // A second model of the same file name, packed.
      mkdirSync(own.folder.file("other"));
      own.folder.write("other/own.sg", gzipSync(readFileSync(own.folder.file("own.sg"))));
      await own.start("own.sg", "other/own.sg");
      page = await (await browser.newContext()).newPage();
      watchFaults(page, faults);
      await page.goto(`${own.address}#/tag?text=the old dog barks`);
      await expect.poll(() => page.locator(".tagged .label").allInnerTexts()).toHaveLength(4);
      const choice = page.locator("select").first();
      expect(await choice.inputValue()).toBe("given:own.sg");
      expect((await page.locator(".tagged .label").allInnerTexts())[0]).toMatch(/^DT/);
      await choice.selectOption("given:other/own.sg");
      await expect.poll(() => page.locator(".tagged .label").allInnerTexts()).toHaveLength(4);
      // English sentences are for the page's own model.
      await page.goto(`${own.address}#/tag?model=given:own.sg`);
      await page.getByText("Given to stargram explore.").waitFor();
      expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("");
      expect(await page.locator(".suggestions").count()).toBe(0);

      await page.goto(`${explorer.address}#/read`);
      await page.getByLabel("Model file").setInputFiles(own.folder.file("own.sg"));
      await page.getByText("own.sg is open.").waitFor();
      await page.getByRole("textbox", { name: "Text" }).fill("this cat sees");
      await expect.poll(() => page.locator(".tagged .label").allInnerTexts()).toHaveLength(3);
      await page.reload();
      await page.getByText("“own.sg”, which is not open").waitFor();

      await page.goto(`${own.address}#/trust`);
      await page.getByLabel("Labelled data file").setInputFiles(own.folder.file("train.txt"));
      await page.locator(".reading[data-accuracy]").waitFor();
      const { sequenceAccuracy } = await own.json<{ sequenceAccuracy: number }>(["evaluate", "own.sg", "train.txt"]);
      expect(await number(".reading[data-accuracy]", "data-accuracy")).toBeCloseTo(sequenceAccuracy, 12);

      // Labels that are not known are not counted, as on the command line.
      const partly = columns(20).replace(/^(\S+) .*\n(\S+) .*\n(\S+) \S+$/gm, "$1 _\n$2 _\n$3 _");
      expect(partly).toContain(" _\n");
      own.folder.write("partly.txt", partly);
      await page.getByLabel("Labelled data file").setInputFiles(own.folder.file("partly.txt"));
      const judged = await own.json<{ sequences: number; sequenceAccuracy: number }>([
        "evaluate",
        "own.sg",
        "partly.txt",
      ]);
      await page.getByText(`of ${judged.sequences} inputs`).waitFor();
      expect(await number(".reading[data-accuracy]", "data-accuracy")).toBeCloseTo(judged.sequenceAccuracy, 12);
      // A label that the model does not know is a wrong answer, and the page says so.
      own.folder.write("strange.txt", `${columns(20)}\nthe NEW\n\n`);
      await page.getByLabel("Labelled data file").setInputFiles(own.folder.file("strange.txt"));
      await page.getByText("The model does not know the label `NEW`: counted as wrong.").waitFor();
      const strange = await own.json<{ sequenceAccuracy: number }>([
        "evaluate",
        "own.sg",
        "strange.txt",
        "--allow-unknown",
      ]);
      expect(await number(".reading[data-accuracy]", "data-accuracy")).toBeCloseTo(strange.sequenceAccuracy, 12);
      await page.getByLabel("Labelled data file").setInputFiles({
        name: "nothing.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("\n"),
      });
      await page.getByText("nothing.txt: holds no sequences with known labels").waitFor();
      // Data belong to the model that they were opened for.
      await page.goto(`${own.address}#/trust?model=dates`);
      await page.getByText("Data: comes with the model").waitFor();
    } finally {
      await own.stop();
    }
  });

  test("as a static site it works in any folder of a host, and again when the host is gone", async () => {
    const host = new PlainHost();
    const address = await host.start();
    page = await (await browser.newContext()).newPage();
    watchFaults(page, faults);
    await page.goto(`${address}#/tag`);
    await page.locator(".tagged").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await host.stop();
    await page.reload();
    await page.getByRole("textbox", { name: "Text" }).fill("Nobody is there .");
    await expect.poll(() => page.locator(".tagged .word").allInnerTexts()).toEqual(["Nobody", "is", "there", "."]);
    // Views that were never looked at are there as well.
    await page.goto(`${address}#/pronounce`);
    await page.locator(".candidates").waitFor();
    await page.goto(`${address}#/decipher?cipher=zodiac`);
    await page.getByRole("button", { name: "Start" }).waitFor();
  });

  test("only the page itself is served, to those who know its address", async () => {
    const { origin, pathname } = new URL(explorer.address);
    const status = async (path: string, init?: RequestInit) => (await fetch(origin + path, init)).status;
    expect(await status(pathname)).toBe(200);
    expect(await status("/")).toBe(403);
    expect(await status("/models/index.json")).toBe(403);
    expect(await status(`${pathname}..%2f..%2fpackage.json`)).toBe(404);
    expect(await status(`${pathname}models/given-1.sg`)).toBe(404);
    expect(await status(pathname, { method: "POST" })).toBe(405);
    expect(await status(pathname, { headers: { Origin: "https://elsewhere.example" } })).toBe(403);
    const { headers } = await fetch(explorer.address);
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  });

  test("Pronounce: the longest word fits a phone, several sounds on a line", async () => {
    const viewport = { width: 390, height: 844 };
    await open("#/pronounce?word=pneumonoultramicroscopicsilicovolcanoconiosis", { viewport });
    const first = page.locator(".candidates li").first();
    await first.waitFor();
    expect((await first.boundingBox())?.height).toBeLessThan(viewport.height / 3);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(viewport.width);
  });

  test("Compare: two settings of a model, and two models, on the same input; what differs is marked", async () => {
    await open("#/compare?text=Time flies like an arrow .&mode2=beam&B2=1");
    const summary = page.locator(".compare-summary");
    await expect.poll(() => summary.textContent()).toMatch(/^A and B (agree|differ).* A gives its answer [\d.]+ %, B /);
    const sides = [page.getByLabel("Answer of A"), page.getByLabel("Answer of B")];
    const labels = await Promise.all(sides.map((side) => side.locator("code").allTextContents()));
    const marked = await sides[0].locator(".differs").count();
    expect(labels[0].filter((label, i) => label !== labels[1][i])).toHaveLength(marked);
    expect(marked).toBeGreaterThan(0);
    // The same settings on both sides: nothing differs.
    await page.getByLabel("Model B").getByLabel("RCMS").check();
    await slide("B, contexts kept", 4);
    await page.getByLabel("Model B").getByLabel("B, contexts kept").focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => summary.textContent()).toMatch(/^A and B agree on all 6 words\./);
    expect(await page.locator(".differs").count()).toBe(0);
    // A transducer instead: its own words, and pronunciations side by side.
    await page.getByLabel("Model A").getByRole("combobox").selectOption("cmudict");
    await expect
      .poll(() => summary.textContent())
      .toMatch(/prefer (the same candidate|different candidates): A with [\d.]+ %/);
    expect(await page.getByLabel("Input of both").inputValue()).toBe("hiccough");
    // The address brings it back.
    await page.reload();
    await expect.poll(() => summary.textContent()).toMatch(/prefer/);
  });

  for (const view of [
    "read",
    "read?model=words",
    "read?model=words&ink=",
    "pronounce?letter=2",
    "tag?word=2",
    "segment",
    "decipher",
    "compare",
    "trust",
    "learn",
  ]) {
    test(`${view}: no serious fault of accessibility, and nothing wider than a phone`, async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await open(`#/${view}`, { colorScheme, viewport: { width: 390, height: 844 } });
        await page
          .locator(".slots, .pronounced, .reasons, .lesson, .cipher-text, .compared, .reading, .buttons")
          .first()
          .waitFor({ timeout: 60_000 });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        await page.evaluate(`${readFileSync(axe, "utf8")}; 0`);
        const found = (await page.evaluate("axe.run().then((result) => result.violations)")) as {
          id: string;
          impact: string;
          nodes: { html: string }[];
        }[];
        const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
        expect(
          serious.map(
            ({ id, nodes }) =>
              `${colorScheme} ${id}: ${nodes
                .map(({ html }) => html)
                .slice(0, 3)
                .join(" ")}`,
          ),
        ).toEqual([]);
        await page.context().close();
      }
    });
  }
});
