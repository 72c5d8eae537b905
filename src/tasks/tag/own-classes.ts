// Classes of the words that a tagger learns from, by their neighbours in the same data (learn/clusters.ts): what is learned of a word
// and its neighbours is then learned of words like these, too. They become a lexicon that the model keeps. Attributes of what words are
// made of, such as endings, tell which are alike already, and of new words as well: beside them, classes do harm.

import type { TaggingSequence } from "../../formats/sequence.js";
import { classNumbers } from "../../learn/cluster-words.js";
import { numberless } from "../../util/characters.js";
import { Lexicon } from "./lexicon.js";
import type { Sequences } from "./reading.js";

/** The name of the lexicon. */
export const OWN_CLASSES = "class";

/** With fewer tokens, neighbours tell too little of a word. */
const FEWEST_TOKENS = 5_000;
/** Tokens that classes are made of, at most: the first. They are held in memory until then. */
const MOST_TOKENS = 1 << 18;
/** How often a word must be seen to have a class. */
const LEAST_COUNT = 3;
/** Fewer words are no words of a language, but signs or kinds, which are classes themselves. */
const FEWEST_WORDS = 200;

/** The sequences again, and classes of their words if there are enough. `isWanted` is asked of the first sequence. */
export async function withOwnClasses(
  sequences: Sequences,
  isWanted: (first: TaggingSequence) => boolean,
): Promise<{ sequences: Sequences; classes: Lexicon | undefined }> {
  const iterator = Symbol.asyncIterator in sequences ? sequences[Symbol.asyncIterator]() : sequences[Symbol.iterator]();
  const first: TaggingSequence[] = [];
  let tokens = 0;
  while (tokens < MOST_TOKENS) {
    const { done, value } = await iterator.next();
    if (done) break;
    first.push(value);
    if (first.length === 1 && !isWanted(value)) break;
    tokens += wordsOf(value).length;
  }
  const classes = tokens < FEWEST_TOKENS || hasDerived(first) ? undefined : classesOf(first);
  return { sequences: again(first, iterator), classes };
}

/** What was taken, and what is left. */
async function* again(
  first: TaggingSequence[],
  rest: Iterator<TaggingSequence> | AsyncIterator<TaggingSequence>,
): AsyncGenerator<TaggingSequence> {
  let isOver = false;
  try {
    yield* first.splice(0);
    for (;;) {
      const { done, value } = await rest.next();
      isOver = done === true;
      if (isOver) return;
      yield value;
    }
  } finally {
    if (!isOver) await rest.return?.();
  }
}

/** Whether a further column says only what words are made of: it has one value for each word, and not the same for all. */
function hasDerived(sequences: readonly TaggingSequence[]): boolean {
  const width = rowsOf(sequences[0])[0]?.length ?? 0;
  return Array.from({ length: Math.max(0, width - 1) }, (_, c) => c + 1).some((column) => {
    const valueByWord = new Map<unknown, unknown>();
    for (const sequence of sequences) {
      for (const row of rowsOf(sequence)) {
        if (!valueByWord.has(row[0])) valueByWord.set(row[0], row[column]);
        else if (valueByWord.get(row[0]) !== row[column]) return false;
      }
    }
    return new Set(valueByWord.values()).size > 1;
  });
}

function classesOf(sequences: readonly TaggingSequence[]): Lexicon | undefined {
  const { words, classOf } = classNumbers(sequences.map(wordsOf), { minCount: LEAST_COUNT });
  const entries = words
    .map((text, w) => ({ text, class: String(classOf[w]) }))
    .filter(({ text }) => /^\S+$/u.test(text));
  return entries.length < FEWEST_WORDS ? undefined : new Lexicon(OWN_CLASSES, entries);
}

function wordsOf(sequence: TaggingSequence): string[] {
  return rowsOf(sequence).map(([word]) => (typeof word === "string" ? numberless(word) : ""));
}

/** Sequences are checked when they are read: here they may be anything. */
function rowsOf(sequence: TaggingSequence | undefined): unknown[][] {
  const columns: unknown = sequence?.columns;
  return Array.isArray(columns) ? columns.map((row: unknown) => (Array.isArray(row) ? row : [])) : [];
}
