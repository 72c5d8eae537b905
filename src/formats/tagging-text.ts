// Labelled sequences as text, in each of the formats that `parseTagging` reads; a label that is not known is `_`, or null in
// JSON. What comes out is training data, and reads back as the same sequence.

import { type LabelField, withLabels } from "./conllu-tagging.js";
import type { TaggingFormat } from "./detect.js";
import type { TaggingSequence } from "./sequence.js";

/** The lines of a sequence with labels. Where its format cannot hold it, it is written as JSON Lines. */
export function taggingText(
  sequence: TaggingSequence & { labels: (string | null)[] },
  format: TaggingFormat | undefined,
  column?: LabelField,
): string {
  const { columns, attributes, source, fold } = sequence;
  if (format === "conllu" && source) return block(withLabels(source, sequence.labels, column));
  if (format === "columns" && columns) return block(columns.map((row, i) => line([...row, named(sequence.labels[i])])));
  if (format === "crfsuite" && attributes) return block(crfsuiteLines(sequence, attributes));
  if (format === "letters" && columns && fold !== undefined) return letterLines(sequence, columns, fold).join("");
  return `${JSON.stringify(jsonOf(sequence))}\n`;
}

function block(lines: readonly string[]): string {
  return `${lines.join("\n")}\n\n`;
}

function line(fields: readonly string[]): string {
  return fields.join("\t");
}

function named(label: string | null): string {
  return label ?? "_";
}

function crfsuiteLines({ labels, values }: TaggingSequence, attributes: readonly (readonly string[])[]): string[] {
  return attributes.map((names, i) => {
    const fields = names.map((name, a) => {
      const value = values?.[i]?.[a] ?? 1;
      return value === 1 ? escaped(name) : `${escaped(name)}:${value}`;
    });
    return line([escaped(named((labels as (string | null)[])[i])), ...fields]);
  });
}

function escaped(name: string): string {
  return name.replace(/[\\:]/g, "\\$&");
}

/** id, letter, next id, word, position, fold, pixels. */
function letterLines({ labels, id = "1" }: TaggingSequence, columns: readonly (readonly string[])[], fold: number) {
  return columns.map(([bits], i) => {
    const next = i + 1 < columns.length ? String(i + 2) : "-1";
    const letter = named((labels as (string | null)[])[i]);
    return `${line([String(i + 1), letter, next, id, String(i + 1), String(fold), ...bits])}\n`;
  });
}

function jsonOf({ id, columns, attributes, values, labels }: TaggingSequence): Record<string, unknown> {
  const tokens = columns?.every((row) => row.length === 1) ? columns.map(([token]) => token) : undefined;
  const withValues = attributes?.map((names, i) => {
    const own = values?.[i];
    return own ? Object.fromEntries(names.map((name, a) => [name, own[a]])) : names;
  });
  return { id, ...(tokens ? { tokens } : { columns }), attributes: withValues, labels };
}
