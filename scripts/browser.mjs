// The browser that pages are tested and pictured in. The one that comes as a package runs on Linux alone; elsewhere, one that
// is installed can be named by STARGRAM_BROWSER, and without one there is none.
import bundledChromium from "@sparticuz/chromium";
import { chromium } from "playwright-core";

export const executable =
  process.env.STARGRAM_BROWSER ??
  (process.platform === "linux" && process.arch === "x64" ? await bundledChromium.executablePath() : undefined);

/** @returns {Promise<import("playwright-core").Browser>} */
export function launch() {
  return chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
}

/**
 * Collects what a page throws or complains about.
 * @param {import("playwright-core").Page} page
 * @param {string[]} faults
 */
export function watchFaults(page, faults) {
  page.on("pageerror", (error) => {
    faults.push(String(error));
  });
  page.on("console", (message) => {
    // Requests that are refused or fail are told to the person, and the browser says so too.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
}
