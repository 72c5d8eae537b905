// Pictures of the explorer for the documentation: every view, light, dark and as on a phone, and one that moves, into
// docs/pictures/.
//   npm run pictures                   all of them
//   npm run pictures -- read trust     these, in all looks
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { animatedWebp } from "./animation.mjs";
import { launch, watchFaults } from "./browser.mjs";
import { root } from "./build.mjs";
import { buildWeb } from "./build-web.mjs";

/** @typedef {import("playwright-core").Page} Page */

const folder = join(root, "docs", "pictures");

/**
 * Each with what has to happen before the picture is taken; `part` shows the page from one element down to another alone, and
 * only as it is on a large light screen.
 * @type {Record<string, { hash: string, ready: (page: Page) => Promise<void>, part?: [from: string, to: string] }>}
 */
const shots = {
  read: {
    hash: "#/read?date=1&B=5",
    ready: (page) => page.locator('.slots[aria-busy="false"]').waitFor(),
  },
  "read-beam": {
    hash: "#/read?date=1&mode=beam&B=3",
    ready: (page) => page.locator('.slots[aria-busy="false"]').waitFor(),
  },
  "sure-and-wrong": {
    hash: "#/read?date=1&mode=beam&B=3",
    ready: (page) => page.locator('.slots[aria-busy="false"]').waitFor(),
    part: [".controls", ".heat"],
  },
  "draw-a-word": {
    hash: "#/read?model=words&ink=",
    ready: async (page) => {
      await page.locator(".pad").first().focus();
      await page.keyboard.type("th");
      await page.keyboard.press("ArrowRight"); // a letter left out
      await page.keyboard.type("ught");
      await page.locator('[data-slot="6"] .contexts').waitFor();
    },
    part: [".drawing-hint", ".heat"],
  },
  pronounce: {
    hash: "#/pronounce?word=phonograph&letter=1",
    ready: (page) => page.locator(".slot-contexts").waitFor(),
  },
  tag: {
    hash: "#/tag?text=They can fish where the river runs slow .&word=3",
    ready: (page) => page.locator(".weights li").first().waitFor(),
  },
  decipher: {
    hash: "#/decipher",
    ready: async (page) => {
      await page.getByRole("button", { name: "Start" }).click();
      const status = page.locator(".status");
      // While there is doubt to be seen.
      while (Number(await status.getAttribute("data-passes")) < 3) await page.waitForTimeout(20);
    },
  },
  compare: {
    hash: "#/compare",
    ready: (page) => page.locator(".compared .differs").first().waitFor(),
  },
  trust: {
    hash: "#/trust?precision=0.99",
    ready: (page) => page.locator(".reading[data-recall]").waitFor({ timeout: 120_000 }),
  },
};

/** @type {Record<string, import("playwright-core").BrowserContextOptions>} */
const looks = {
  "": { colorScheme: "light", viewport: { width: 1180, height: 800 } },
  "-dark": { colorScheme: "dark", viewport: { width: 1180, height: 800 } },
  "-phone": { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
};

/** The same date read in several ways, one after the other: what is set, for how long it is shown, and what there is to see. */
const story = [
  {
    hash: "#/read?date=1&mode=beam&B=3",
    milliseconds: 3200,
    text: "Beam search with 3 contexts: 99.8 % sure, and wrong",
  },
  {
    hash: "#/read?date=1&B=3",
    milliseconds: 3200,
    text: "RCMS with 3 contexts and ⋆: right, but only 23.6 % sure",
  },
  { hash: "#/read?date=1&B=4", milliseconds: 1600, text: "RCMS with 4 contexts and ⋆: right, but too sure" },
  { hash: "#/read?date=1&B=5", milliseconds: 3200, text: "RCMS with 5 contexts and ⋆: 53.1 %, as exact inference" },
  {
    hash: "#/read?date=1&B=3&doubt=more",
    milliseconds: 3200,
    text: "RCMS with 3 contexts, and more only where uncertain",
  },
];

const names = process.argv.slice(2);
const isWanted = (/** @type {string} */ name) => names.length === 0 || names.includes(name);

if (!(await buildWeb())) process.exit(1);
mkdirSync(folder, { recursive: true });
const server = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), "explore", "--no-open"]);
const browser = await launch();
try {
  const address = await new Promise((resolve) => {
    server.stdout.on("data", (text) => resolve(String(text).trim()));
  });
  /** @type {string[]} */
  const faults = [];
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext(options);
    for (const [name, { hash, ready, part }] of Object.entries(shots)) {
      if (!isWanted(name) || (part && look !== "")) continue;
      if (name === "read-beam" && look !== "") continue; // it shows the beam, not the look
      const page = await context.newPage();
      watchFaults(page, faults);
      await page.goto(address + hash);
      await ready(page);
      await page.waitForTimeout(600); // ms: bars and charts come to rest
      const clip = part && (await between(page, ...part));
      const picture = await page.screenshot({ fullPage: true, clip });
      writeFileSync(join(folder, `${name}${look}.webp`), await packed(page, picture));
      await page.close();
    }
    await context.close();
  }
  if (isWanted("read-animated")) {
    writeFileSync(join(folder, "read-animated.webp"), await animated(address, faults));
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
} finally {
  await browser.close();
  server.kill();
}

/**
 * The story, with its texts above the page.
 * @param {string} address
 * @param {string[]} faults
 */
async function animated(address, faults) {
  const size = { width: 1180, height: 860 };
  const page = await (await browser.newContext({ colorScheme: "light", viewport: size })).newPage();
  watchFaults(page, faults);
  const frames = [];
  for (const { hash, milliseconds, text } of story) {
    await page.goto(address + hash);
    await page.locator('.slots[aria-busy="false"]').waitFor();
    await page.waitForTimeout(600); // ms: bars come to rest
    await page.evaluate(`(() => {
      const caption = document.querySelector(".caption-of-picture") ?? document.createElement("p");
      caption.className = "caption-of-picture";
      caption.textContent = ${JSON.stringify(text)};
      caption.style.cssText = "position: fixed; inset: 0 0 auto; margin: 0; padding: 0.8rem 1.5rem; z-index: 9;"
        + "font: 600 1.25rem/1.4 system-ui, sans-serif; color: white; background: #24407a";
      document.body.append(caption);
      document.querySelector(".intro").style.display = "none";
      document.querySelector(".top").style.visibility = "hidden";
      scrollTo(0, 0);
    })()`);
    frames.push({ webp: await packed(page, await page.screenshot()), milliseconds });
  }
  await page.context().close();
  return animatedWebp(frames, size);
}

/**
 * The page from the top of one element to that of another, with a little room around.
 * @param {Page} page
 * @param {string} from
 * @param {string} to
 */
async function between(page, from, to) {
  const room = 12;
  await page.evaluate("scrollTo(0, 0)"); // boxes are counted from the top of what is shown
  const first = await page.locator(from).first().boundingBox();
  const end = await page.locator(to).first().boundingBox();
  if (!first || !end) throw new Error(`${from} or ${to} is not on the page`);
  return { x: 0, y: first.y - room, width: page.viewportSize()?.width ?? 0, height: end.y - first.y + room };
}

/**
 * A picture as WebP, which the browser can write: a fraction of a PNG's size.
 * @param {Page} page
 * @param {Buffer} png
 */
async function packed(page, png) {
  const data = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.86);
  })()`);
  return Buffer.from(/** @type {string} */ (data).split(",")[1], "base64");
}
