// JSON Lines: an object a line, a sequence an object.
//   {"tokens": ["the", "dog"], "labels": ["DT", "NN"], "id": "7"}      tokens alone
//   {"columns": [["the", "DT"], …], …}                                 tokens and what goes with them
//   {"attributes": [["w=the", "cap"], {"w=dog": 1, "length": 0.3}], …}  attributes, with values where they have any
// A label is a string, null (unknown) or an array of allowed labels. Other keys are passed over.

import { InputError, nearest } from "../util/errors.js";
import { checkSequenceLength } from "./limits.js";
import type { ParserOptions, SequenceParser } from "./parser.js";
import type { GivenLabel, TaggingSequence } from "./sequence.js";

const knownKeys = ["tokens", "columns", "attributes", "labels", "id"];

export function jsonlParser(options: ParserOptions): SequenceParser {
  const { labelled, file } = options;
  const line = (text: string, number: number): TaggingSequence | undefined => {
    if (!/\S/.test(text)) return undefined;
    const object = parseObject(text, file, number);
    const refuse = (reason: string, hint?: string) => new InputError(reason, { file, line: number, hint });
    const sequence: TaggingSequence = { file, line: number };
    const { tokens, columns, attributes, labels, id } = object;
    if (tokens !== undefined && columns !== undefined)
      throw refuse("`tokens` and `columns` cannot both be given", "give one of them");
    if (tokens !== undefined) {
      sequence.columns = strings(tokens, "tokens", refuse).map((token) => [token]);
    } else if (columns !== undefined) {
      sequence.columns = array(columns, "columns", refuse).map((row, i) => strings(row, `columns[${i}]`, refuse));
      const width = sequence.columns[0]?.length ?? 0;
      for (let i = 0; i < sequence.columns.length; i++) {
        const found = sequence.columns[i].length;
        if (found === 0) throw refuse(`\`columns[${i}]\` is empty`);
        if (found !== width) throw refuse(`\`columns[${i}]\` has ${found} columns, \`columns[0]\` has ${width}`);
      }
    }
    if (attributes !== undefined) readAttributes(sequence, attributes, refuse);
    const length = sequence.columns?.length ?? sequence.attributes?.length;
    if (length === undefined) {
      throw refuse("`tokens`, `columns` or `attributes` is missing", suggestion(object));
    }
    if (length === 0) throw refuse("the sequence is empty");
    checkSequenceLength(length, { file, line: number });
    if (sequence.attributes && sequence.attributes.length !== length) {
      throw refuse(`\`attributes\` has ${sequence.attributes.length} positions, the sequence ${length}`);
    }
    if (labels !== undefined) {
      const given = array(labels, "labels", refuse).map((label, i) => readLabel(label, i, refuse));
      if (given.length !== length) throw refuse(`\`labels\` has ${given.length} positions, the sequence ${length}`);
      if (labelled) sequence.labels = given;
    } else if (labelled) throw refuse("`labels` is missing", suggestion(object));
    if (id !== undefined && id !== null) {
      if (typeof id !== "string" && typeof id !== "number") throw refuse("`id` is neither text nor a number");
      sequence.id = String(id);
    }
    // JSON can hold half a surrogate pair (`"\ud83d"`), which UTF-8 cannot: such a name would not survive a model file.
    if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(sequence))
      throw refuse("half a character (a lone surrogate)");
    return sequence;
  };
  return { line, end: () => undefined };
}

type Refuse = (reason: string, hint?: string) => InputError;

function parseObject(text: string, file: string | undefined, line: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    const column = position === undefined ? undefined : Number(position) + 1;
    throw new InputError("this is not JSON", { file, line, column, hint: "a line holds one object", cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InputError(`an object expected, found ${kindOf(value)}`, { file, line });
  }
  return value as Record<string, unknown>;
}

function readAttributes(sequence: TaggingSequence, given: unknown, refuse: Refuse): void {
  const names: string[][] = [];
  const values: (number[] | undefined)[] = [];
  array(given, "attributes", refuse).forEach((position, i) => {
    const path = `attributes[${i}]`;
    if (Array.isArray(position)) {
      const list = strings(position, path, refuse);
      if (list.includes("")) throw refuse(`\`${path}\` has an empty name`);
      names.push(list);
      values.push(undefined);
    } else if (typeof position === "object" && position !== null) {
      const namesHere: string[] = [];
      const valuesHere: number[] = [];
      for (const [name, value] of Object.entries(position)) {
        if (name === "") throw refuse(`\`${path}\` has an empty name`);
        if (typeof value === "string") {
          // As python-crfsuite has it: {"word": "the"} is the attribute `word=the`.
          namesHere.push(`${name}=${value}`);
          valuesHere.push(1);
        } else if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) {
          namesHere.push(name);
          valuesHere.push(Number(value));
        } else throw refuse(`\`${path}.${name}\` should be a finite number, found ${kindOf(value)}`);
      }
      names.push(namesHere);
      values.push(valuesHere.every((value) => value === 1) ? undefined : valuesHere);
    } else throw refuse(`\`${path}\` should be an array of names or an object, found ${kindOf(position)}`);
  });
  sequence.attributes = names;
  if (values.some((valuesHere) => valuesHere !== undefined)) sequence.values = values;
}

function readLabel(label: unknown, i: number, refuse: Refuse): GivenLabel {
  if (label === null) return null;
  if (typeof label === "string") {
    if (label === "") throw refuse(`\`labels[${i}]\` is empty`, "write null for an unknown label");
    return label;
  }
  if (!Array.isArray(label)) {
    throw refuse(`\`labels[${i}]\` should be text, null or an array of labels, found ${kindOf(label)}`);
  }
  const set = [...new Set(strings(label, `labels[${i}]`, refuse))];
  if (set.length === 0 || set.includes("")) {
    throw refuse(`\`labels[${i}]\` allows no label or an empty one`, "write null for an unknown label");
  }
  return set.length === 1 ? set[0] : set;
}

function array(value: unknown, path: string, refuse: Refuse): unknown[] {
  if (!Array.isArray(value)) throw refuse(`\`${path}\` should be an array, found ${kindOf(value)}`);
  return value;
}

function strings(value: unknown, path: string, refuse: Refuse): string[] {
  const list = array(value, path, refuse);
  for (let i = 0; i < list.length; i++) {
    if (typeof list[i] !== "string") throw refuse(`\`${path}[${i}]\` should be text, found ${kindOf(list[i])}`);
  }
  return list as string[];
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : "a number too large";
  return `\`${value}\``;
}

/** A key of the object that is nearly a known one. */
function suggestion(object: Record<string, unknown>): string | undefined {
  for (const key of Object.keys(object)) {
    const near = knownKeys.includes(key) ? undefined : nearest(key, knownKeys);
    if (near && !(near in object)) return `did you mean \`${near}\` by \`${key}\`?`;
  }
  return undefined;
}

function hasLoneSurrogate({ columns, attributes, labels, id }: TaggingSequence): boolean {
  const names = [columns, attributes, labels, id].flat(2) as (string | null | undefined)[];
  return names.some((name) => typeof name === "string" && /\p{Surrogate}/u.test(name));
}
