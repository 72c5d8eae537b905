// Running text as a tagger's input: sentences and tokens (src/formats/raw-text.ts), and the places of spans in the text. What a program
// may give in place of a sequence: tokens, or text.

import type { Lines } from "../../formats/line-blocks.js";
import { type RawToken, sentencesOf, type Tokenizer, tokensOf } from "../../formats/raw-text.js";
import type { TaggingSequence } from "../../formats/sequence.js";
import { areStrings } from "../../util/checks.js";
import { InputError } from "../../util/errors.js";
import type { TaggedSpan } from "./spans.js";

/** What a tagger labels: a sequence, or its tokens, or text that is one sentence. */
export type TaggerGiven =
  | TaggingSequence
  | readonly string[]
  | { readonly tokens: readonly string[] }
  | { readonly text: string; readonly tokenizer?: Tokenizer };

/** The sequence that was meant. */
export function sequenceOf(given: TaggerGiven): TaggingSequence {
  if (typeof given === "string") {
    throw new InputError("text is given as `{ text }`, tokens as an array", {
      hint: 'such as { text: "the dog barks" } or ["the", "dog"]',
    });
  }
  if (given && !Array.isArray(given) && ("columns" in given || "attributes" in given)) return given;
  const tokens = Array.isArray(given) ? given : (given as { tokens?: unknown })?.tokens;
  if (tokens !== undefined) {
    if (!areStrings(tokens))
      throw new InputError("`tokens` should be an array of text", { hint: 'such as ["the", "dog"]' });
    return { columns: tokens.map((token) => [token]) };
  }
  const text = (given as { text?: unknown })?.text;
  if (text === undefined) return given as TaggingSequence;
  if (typeof text !== "string") throw new InputError("`text` should be text");
  const { tokenizer } = given as { tokenizer?: unknown };
  return sentenceOf(tokensOf(text, 0, tokenizer === undefined ? undefined : checkTokenizer(tokenizer)), text, 0);
}

/** Refuses what does not cut text into tokens. */
export function checkTokenizer(given: unknown): Tokenizer {
  if (typeof (given as Partial<Tokenizer>)?.cut === "function") return given as Tokenizer;
  throw new InputError("option `tokenizer` needs a model made by `train segment`");
}

/** A sentence of a text that begins at a place of a larger one. */
function sentenceOf(tokens: readonly RawToken[], text: string, from: number): TaggingSequence {
  return { columns: tokens.map((token) => [token.text]), running: { tokens, text, from } };
}

/** The sentences of a text. */
export function* sequencesOf(text: string, tokenizer?: Tokenizer): Generator<TaggingSequence> {
  for (const tokens of sentencesOf(text, tokenizer)) yield sentenceOf(tokens, text, 0);
}

/** The sentences of a source. Places count UTF-16 units, with one for each line end. */
export async function* readRunning({ file, blocks }: Lines, tokenizer?: Tokenizer): AsyncGenerator<TaggingSequence> {
  let paragraph: string[] = [];
  let first = 1; // its first line
  let from = 0; // and where that begins
  let at = 0;
  const cut = function* (): Generator<TaggingSequence> {
    const text = paragraph.join("\n");
    paragraph = [];
    for (const tokens of sentencesOf(text, tokenizer)) {
      const placed = tokens.map((token) => ({ ...token, start: token.start + from, end: token.end + from }));
      const line = first + (text.slice(0, tokens[0].start).match(/\n/g)?.length ?? 0);
      yield { ...sentenceOf(placed, text, from), file, line };
    }
  };
  for await (const block of blocks) {
    for (const [i, line] of block.lines.entries()) {
      if (line.trim() === "") yield* cut();
      else {
        if (paragraph.length === 0) [first, from] = [block.first + i, at];
        paragraph.push(line);
      }
      at += line.length + 1;
    }
  }
  yield* cut();
}

/** Says of spans where they stand in the text, and what stands there. */
export function placeSpans(
  spans: readonly TaggedSpan[],
  { tokens, text, from }: NonNullable<TaggingSequence["running"]>,
): void {
  for (const span of spans) {
    span.start = tokens[span.from].start;
    span.end = tokens[span.to - 1].end;
    span.text = text.slice(span.start - from, span.end - from);
  }
}
