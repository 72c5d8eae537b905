// What holds for the whole input: attributes that the data gives, such as a part of speech or the form that is wanted. Every
// slot sees them. What rows are kept for are *marks*: all attributes of an input together, and each of them.

import type { Alphabet } from "../../engine/alphabet.js";

/** Between the attributes of a mark. */
const AND = "\n";

/** The numbers of the marks of attributes. Those that are new get numbers if they may. */
export function marksOf(attributes: readonly string[] | undefined, marks: Alphabet, mayAdd: boolean): number[] {
  const names = [...new Set(attributes)].sort();
  const all = names.length > 1 ? [names.join(AND), ...names] : names;
  const numbers = all.map((name) => (mayAdd ? marks.add(name) : marks.indexOf(name)));
  return numbers.filter((number) => number >= 0);
}

/** The attributes that marks are made of. */
export function attributesOf(marks: Alphabet): string[] {
  return [...new Set(marks.all().flatMap((name) => name.split(AND)))];
}

/** The attributes of an input, by the names of its marks. */
export function attributesOfMarks(names: readonly string[]): string[] {
  return names.filter((name) => !name.includes(AND));
}
