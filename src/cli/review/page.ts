// The review page as the build leaves it (apps/review): one HTML document with its style and its program inside, and nothing
// from anywhere else. Here `{{name}}` is filled in.

import { readFile } from "node:fs/promises";

/** What the page says beside the items. */
export interface PageText {
  /** The review file's name. */
  file: string;
  /** The command that learns from the answers. */
  next: string;
  /** The command that opens this review again. */
  again: string;
}

/** The page with places to fill in. */
export function readPage(): Promise<string> {
  return readFile(new URL("../../review.html", import.meta.url), "utf8");
}

/** `nonce`: what the security policy knows the page's style and program by. */
export function filledPage(page: string, text: PageText & { nonce: string }): string {
  const values: Record<string, string> = { ...text };
  return page.replace(/\{\{(\w+)\}\}/g, (place, name) =>
    Object.hasOwn(values, name) ? escapeHtml(values[name]) : place,
  );
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
