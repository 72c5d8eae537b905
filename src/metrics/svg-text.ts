// Text in pictures: its estimated width, line breaks, and what XML needs escaped.

export const FONT_SIZE = 12; // px

/** An estimate for common sans-serif fonts, in pixels; there is no font here to measure with. */
export function textWidth(text: string): number {
  let ems = 0;
  for (const character of text) {
    if (/[ijlIft.,:;'|!()[\]\u202f]/.test(character)) ems += 0.34;
    else if (/[mwMW@%]/.test(character)) ems += 0.9;
    else if (/\p{Lu}/u.test(character)) ems += 0.7;
    else if (/[\u2e80-\uffef]|[\u{1f000}-\u{3ffff}]/u.test(character)) ems += 1;
    else ems += 0.62;
  }
  return ems * FONT_SIZE;
}

/** Breaks at spaces so that lines stay within `width` pixels; a word that is longer stays whole. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Text for XML content and attributes; characters that XML cannot hold become U+FFFD. */
export function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
