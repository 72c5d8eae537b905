// Models with a network in a real browser: the package, bundled for pages, loads them and answers as Node does.

import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { executable, launch } from "../../scripts/browser.mjs";
import { Segmenter } from "../../src/tasks/segment/segmenter.js";
import { Tagger } from "../../src/tasks/tag/tagger.js";
import { Transducer } from "../../src/tasks/transduce/transducer.js";
import { encodeModel } from "../../src/workflows/model.js";

/** A page's program: `answersOf(model, inputs)` for it to call. */
const program = `
  import { decodeModel } from "stargram";
  globalThis.answersOf = (text, inputs) => {
    const model = decodeModel(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
    return inputs.map((input) => JSON.stringify(model.predict(input)));
  };`;

async function bundled(): Promise<string> {
  const id = "\0program";
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: id,
    platform: "browser",
    plugins: [
      {
        name: "program",
        resolveId: (name: string) => (name === id ? id : undefined),
        load: (name: string) => (name === id ? program : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

describe.skipIf(executable === undefined)("in a browser", () => {
  let browser: Browser;
  let code: string;

  beforeAll(async () => {
    code = await bundled();
    browser = await launch();
  }, 60_000);
  afterAll(() => browser?.close());

  async function inPage(model: Tagger | Segmenter | Transducer, inputs: readonly unknown[]): Promise<unknown[]> {
    const page = await browser.newPage();
    await page.addScriptTag({ type: "module", content: code });
    await page.waitForFunction("globalThis.answersOf !== undefined");
    const text = Buffer.from(encodeModel(model)).toString("base64");
    const said = await page.evaluate(`answersOf(${JSON.stringify(text)}, ${JSON.stringify(inputs)})`);
    await page.close();
    return (said as string[]).map((one) => JSON.parse(one));
  }

  it("a tagger with a network answers as it does in Node", async () => {
    const data = ["ab", "ba", "aab", "bba"].map((word) => ({
      attributes: [...word].map((letter) => [letter]),
      labels: [...word].map((letter, i) => (letter === word[i - 1] ? "same" : "other")),
    }));
    const tagger = await Tagger.train(data, { encoder: "conv", encoderWidth: 8, passes: 3, heldOut: 0 });
    const inputs = data.map(({ attributes }) => ({ attributes }));
    expect(await inPage(tagger, inputs)).toEqual(
      inputs.map((input) => JSON.parse(JSON.stringify(tagger.predict(input)))),
    );
  }, 60_000);

  it("a transducer with members of both kinds answers as it does in Node", async () => {
    const pairs = ["ab", "ba", "aab", "bba", "abab", "bb"].map((word) => ({
      input: [...word],
      output: [...word.toUpperCase()],
    }));
    const own = { encoder: "auto", ensemble: 2, encoderWidth: 8, passes: 3, heldOut: 0, lookup: false } as const;
    const transducer = await Transducer.train(pairs, own);
    expect(transducer.members.map(({ encoder }) => encoder !== undefined)).toEqual([false, true]);
    const inputs = ["a", "abb", "baab"].map((word) => [...word]);
    const said = inputs.map((input) => JSON.parse(JSON.stringify(transducer.predict(input))));
    expect(await inPage(transducer, inputs)).toEqual(said);
  }, 60_000);

  it("a segmenter with a network answers as it does in Node", async () => {
    const texts = Array.from({ length: 4 }, () => [
      { text: "abcab", segments: [2, 3, 5].map((end, i) => ({ start: [0, 2, 3][i], end })) },
      { text: "cabc", segments: [1, 3, 4].map((end, i) => ({ start: [0, 1, 3][i], end })) },
    ]).flat();
    const segmenter = await Segmenter.train(texts, { encoder: "conv", encoderWidth: 8, passes: 3, heldOut: 0 });
    expect(segmenter.encoder?.shape.inputs).toBeGreaterThan(0);
    const inputs = ["abc", "ccab", "bxa"];
    const said = inputs.map((input) => JSON.parse(JSON.stringify(segmenter.predict(input))));
    expect(await inPage(segmenter, inputs)).toEqual(said);
  }, 60_000);
});
