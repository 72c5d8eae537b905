// Text as people write it, cut into sentences and tokens, with the place of each. A blank line ends a sentence; within a
// paragraph Intl.Segmenter finds sentences and words (UAX 29), and what it takes apart is put together again where that is usual:
// links, @names and #tags, words with hyphens, initials and other abbreviations with their point.

export interface RawToken {
  text: string;
  /** Start and end in the text, in UTF-16 units; the end is exclusive. */
  start: number;
  end: number;
}

/** What cuts text into tokens, such as a model that `train segment` has learned from text. Places count UTF-16 units. */
export interface Tokenizer {
  cut(text: string): readonly { readonly start: number; readonly end: number }[];
}

let sentenceCutter: Intl.Segmenter | undefined;
let wordCutter: Intl.Segmenter | undefined;

/** Longer paragraphs are cut at spaces: Intl.Segmenter takes time that grows with the square of the length. */
const LONGEST = 4096;

/** The sentences of a text, each as its tokens, which a tokenizer may find; none is empty. */
export function* sentencesOf(text: string, tokenizer?: Tokenizer): Generator<RawToken[]> {
  for (const tokens of plainSentences(text)) {
    const start = tokens[0].start;
    yield tokenizer ? tokensOf(text.slice(start, tokens[tokens.length - 1].end), start, tokenizer) : tokens;
  }
}

function* plainSentences(text: string): Generator<RawToken[]> {
  sentenceCutter ??= new Intl.Segmenter("und", { granularity: "sentence" });
  for (const { start, part } of partsOf(text)) {
    let open: RawToken[] = [];
    // A line end within a paragraph is a space, and a link is a word: both would end the sentence.
    const plain = part.replace(lineEnds, " ").replace(links, (link) => "x".repeat(link.length));
    for (const { segment, index } of sentenceCutter.segment(plain)) {
      open.push(...tokensOf(part.slice(index, index + segment.length), start + index));
      const last = open.at(-1);
      if (last === undefined || isAbbreviation(last.text)) continue;
      yield open;
      open = [];
    }
    if (open.length > 0) yield open;
  }
}

/** Paragraphs, or parts of them. */
function* partsOf(text: string): Generator<{ start: number; part: string }> {
  const blank = /\r?\n[^\S\n]*\r?\n\s*|$/g;
  let start = 0;
  while (start < text.length) {
    blank.lastIndex = start;
    const found = blank.exec(text) as RegExpExecArray;
    for (let from = start; from < found.index; ) {
      const to = found.index - from <= LONGEST ? found.index : cutBefore(text, from + LONGEST, from);
      yield { start: from, part: text.slice(from, to) };
      from = to;
    }
    start = found.index + Math.max(1, found[0].length);
  }
}

/** A place at or before `to` that is just after a space, or else within no character. */
function cutBefore(text: string, to: number, from: number): number {
  for (let at = to; at > from + LONGEST / 2; at--) if (/\s/.test(text[at - 1])) return at;
  return /[\ud800-\udbff]/.test(text[to - 1]) ? to - 1 : to;
}

const lineEnds = /[\n\r\u2028\u2029\u0085]/g;
const links = /(?<!\S)(?:https?:\/\/|www\.)\S*[^\s.,;:!?'")\]]/gi;
const whole = new RegExp(`^(?:${links.source}|[@#][\\p{L}\\p{N}_]+)`, "iu");
/** Titles whose point does not end a sentence, in languages that write Latin letters. */
const titles = /^(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Gen|Col|Capt|Lt|Sgt|Rev|Hon|vs|Mme|Mlle|Hr|Fr|bzw|No|Nr)\.$/u;

/** Whether the point at the end of a token is not likely to end a sentence: it is worse to cut a name in two. */
function isAbbreviation(token: string): boolean {
  return /^(?:\p{Lu}\.)+$/u.test(token) || titles.test(token);
}

/** The tokens of a sentence that begins at a place. */
export function tokensOf(sentence: string, start = 0, tokenizer?: Tokenizer): RawToken[] {
  if (tokenizer) return tokensBy(tokenizer, sentence, start);
  wordCutter ??= new Intl.Segmenter("und", { granularity: "word" });
  const tokens: RawToken[] = [];
  for (const { 0: chunk, index } of sentence.matchAll(/\S+/gu)) {
    const kept = whole.exec(chunk)?.[0] ?? "";
    if (kept !== "") tokens.push({ text: kept, start: start + index, end: start + index + kept.length });
    const rest = chunk.slice(kept.length);
    if (rest === "") continue;
    const offset = start + index + kept.length;
    const words = Array.from(wordCutter.segment(rest), ({ segment, index: at, isWordLike = false }) => ({
      ...{ text: segment, start: offset + at, end: offset + at + segment.length },
      isWordLike,
    }));
    tokens.push(...glued(words));
  }
  return tokens;
}

/** Tokens as a tokenizer cuts: none holds a space, and what it leaves out is not lost. */
function tokensBy(tokenizer: Tokenizer, sentence: string, start: number): RawToken[] {
  const places = new Set([0, sentence.length]);
  for (const segment of tokenizer.cut(sentence.replace(lineEnds, " "))) places.add(segment.start).add(segment.end);
  const cuts = [...places].sort((a, b) => a - b);
  return cuts.slice(1).flatMap((end, i) =>
    Array.from(sentence.slice(cuts[i], end).matchAll(/\S+/gu), ({ 0: text, index }) => {
      const from = start + cuts[i] + index;
      return { text, start: from, end: from + text.length };
    }),
  );
}

/** Puts hyphens between words, and points after abbreviations, back. */
function glued(words: readonly (RawToken & { isWordLike: boolean })[]): RawToken[] {
  const tokens: RawToken[] = [];
  for (let i = 0; i < words.length; i++) {
    const { text, start, end } = words[i];
    const before = tokens.at(-1);
    const isHyphen = text === "-" && words[i - 1]?.isWordLike && words[i + 1]?.isWordLike;
    const isAfterHyphen = words[i - 1]?.text === "-" && words[i - 2]?.isWordLike && words[i].isWordLike;
    const isPoint = text === "." && before !== undefined && isAbbreviated(before.text);
    if (before && (isHyphen || isAfterHyphen || isPoint)) {
      before.text += text;
      before.end = end;
    } else tokens.push({ text, start, end });
  }
  return tokens;
}

/** Whether a point belongs to a word: `U.S`, `J`, `Mr`. */
function isAbbreviated(word: string): boolean {
  return /^(?:\p{L}\.)+\p{L}$/u.test(word) || isAbbreviation(`${word}.`);
}
