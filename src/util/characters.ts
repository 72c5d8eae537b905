// Characters as people count them, in time proportional to the text whatever it is. What the engine has for this takes time
// that grows with the square of the length, for long texts and for long runs of combining marks.

/** More marks on one letter than any script has; composing and ordering them takes time that grows with their square. */
const longRun = /\p{M}{256}/u;

/** A text in Unicode's composed form (NFC); one with hundreds of marks in a row, which is not of any language, as it is. */
export function composed(text: string): string {
  return longRun.test(text) ? text : text.normalize("NFC");
}

/** The same in the decomposed form (NFD). */
export function decomposed(text: string): string {
  return longRun.test(text) ? text : text.normalize("NFD");
}

/** UTF-16 units that are looked at together. */
const WINDOW = 256;
let cutter: Intl.Segmenter | undefined;

/** The grapheme clusters of a text. A text is cut anew from any boundary: what comes before it does not matter. */
export function graphemesOf(text: string): string[] {
  // Below these code points nothing combines but CR LF.
  if (/^[\x20-\u02ff]*$/.test(text)) return [...text];
  cutter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  const clusters: string[] = [];
  let size = WINDOW;
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + size);
    if (/[\ud800-\udbff]$/.test(text.slice(to - 1, to)) && to < text.length) to++; // not within a character
    const found = Array.from(cutter.segment(text.slice(from, to)), ({ segment }) => segment);
    if (to < text.length) {
      // The last may go on beyond the window.
      if (found.length === 1) {
        size *= 2;
        continue;
      }
      found.pop();
    }
    for (const cluster of found) {
      clusters.push(cluster);
      from += cluster.length;
    }
    size = WINDOW;
  }
  return clusters;
}

/** A word as tables of classes have it: every digit is a 0, since numbers are many and alike. */
export function numberless(word: string): string {
  return word.replace(/\p{Nd}/gu, "0");
}
