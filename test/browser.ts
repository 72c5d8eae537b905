// The browser that pages are tested in. The one that comes as a package runs on Linux alone; elsewhere, one that is installed
// can be named by STARGRAM_BROWSER, and without one those tests are skipped.

import bundledChromium from "@sparticuz/chromium";
import { type Browser, chromium, type Page } from "playwright-core";

export const executable =
  process.env.STARGRAM_BROWSER ??
  (process.platform === "linux" && process.arch === "x64" ? await bundledChromium.executablePath() : undefined);

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
}

/** Collects what a page throws or complains about. */
export function watchFaults(page: Page, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    // Requests that are refused or fail are told to the person, and the browser says so too.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
}
