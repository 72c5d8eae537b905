// The parts of composed labels, such as NOUN|Case=Gen|Number=Sing: NOUN, Case=Gen, Number=Sing. An attribute has weights for
// labels and for parts, so that a rare label is known by its parts:
//   score(i, y) = weight(i, y) + sum over the parts p of y: weight(i, p),   weight(i, ·) = sum over the attributes of position i.
// In the row table the symbols of parts come after the labels and the end.

export interface LabelParts {
  /** [parts] */
  names: readonly string[];
  /** [labels + 1] where the parts of a label begin. */
  start: Int32Array;
  /** Parts, label after label, as symbols of the row table. */
  symbols: Int32Array;
}

/** In place of a separator: labels have no parts. */
export const NO_PARTS = "none";

/** What labels may be composed with. */
const SEPARATORS = ["|", ";", "+", "#", "/", ":", ".", "_", "-"];
/** With fewer labels, each is seen often enough by itself. */
const FEWEST_LABELS = 50;
/** Labels of two parts and more that there must be, of all. */
const COMPOSED_SHARE = 0.5;
/** Labels for each part, at least: what is composed repeats its parts. */
const LABELS_A_PART = 2;

/** The separator that labels are plainly composed with; undefined if there is none. */
export function separatorOf(labels: readonly string[]): string | undefined {
  if (labels.length < FEWEST_LABELS) return undefined;
  return SEPARATORS.find((separator) => {
    const split = labels.map((label) => partNames(label, separator));
    const composed = split.filter((parts) => parts.length > 1).length;
    const distinct = new Set(split.flat()).size;
    return composed >= COMPOSED_SHARE * labels.length && LABELS_A_PART * distinct <= labels.length;
  });
}

function partNames(label: string, separator: string): string[] {
  return [...new Set(label.split(separator))].filter((part) => part !== "");
}

/** The parts of labels, numbered as they come; undefined if the separator is `NO_PARTS`. */
export function labelParts(labels: readonly string[], separator: string): LabelParts | undefined {
  if (separator === NO_PARTS) return undefined;
  const numbers = new Map<string, number>();
  const start = [0];
  const symbols: number[] = [];
  for (const label of labels) {
    for (const name of partNames(label, separator)) {
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      symbols.push(labels.length + 1 + number);
    }
    start.push(symbols.length);
  }
  return { names: [...numbers.keys()], start: Int32Array.from(start), symbols: Int32Array.from(symbols) };
}
