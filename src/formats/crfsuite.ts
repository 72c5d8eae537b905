// CRFsuite's attribute format: `label TAB attribute[:value] TAB …`, an item a line, a blank line between sequences. In
// labels and names `\:` is a colon and `\\` a backslash; a value that is missing is 1. The label may be empty or `_` where it
// is unknown. A line `@weight:W` sets a sequence's weight there; weights other than 1 are refused here, not passed over.

import { InputError, type Place } from "../util/errors.js";
import { checkSequenceLength } from "./limits.js";
import { type ParserOptions, parseLabel, type SequenceParser } from "./parser.js";
import type { TaggingSequence } from "./sequence.js";

export function crfsuiteParser(options: ParserOptions): SequenceParser {
  const { labelled, file } = options;
  let sequence: TaggingSequence | undefined;
  let hasValues = false; // whether any value of the sequence is not 1

  const end = (): TaggingSequence | undefined => {
    const complete = sequence;
    if (complete && !hasValues) complete.values = undefined;
    sequence = undefined;
    hasValues = false;
    return complete;
  };
  const line = (text: string, number: number): TaggingSequence | undefined => {
    if (!/[^ \t]/.test(text)) return end();
    const fields = text.split("\t");
    const label = splitField(fields[0]);
    if (label.name === "@weight" && fields.length === 1) {
      if (parseValue(label.value) === 1) return undefined;
      throw new InputError(`the weight of a sequence cannot be \`${label.value ?? ""}\`, only 1`, {
        file,
        line: number,
        hint: "remove the line, or repeat the sequence as often as its weight says",
      });
    }
    if (label.value !== undefined) {
      throw new InputError(`a colon in the label \`${fields[0]}\``, {
        file,
        line: number,
        column: 1,
        hint: "the label is the first field; write a colon in it as `\\:`",
      });
    }
    const { names, values } = attributesOf(fields, { file, line: number });
    sequence ??= { attributes: [], values: [], labels: labelled ? [] : undefined, file, line: number };
    sequence.attributes?.push(names);
    checkSequenceLength(sequence.attributes?.length ?? 0, { file, line: sequence.line });
    sequence.values?.push(values);
    if (values) hasValues = true;
    sequence.labels?.push(
      label.name === "" ? null : parseLabel(label.name, options, { file, line: number, column: 1 }),
    );
    return undefined;
  };
  return { line, end };
}

/** The attributes in the fields after the label; no values where all are 1. */
function attributesOf(fields: readonly string[], place: Place): { names: string[]; values: number[] | undefined } {
  const names: string[] = [];
  const values: number[] = [];
  let column = fields[0].length + 2;
  for (const field of fields.slice(1)) {
    if (field !== "") {
      const { name, value } = splitField(field);
      const amount = parseValue(value);
      if (name === "" || Number.isNaN(amount)) {
        const reason = name === "" ? "an attribute without a name" : "a value that is not a number";
        throw new InputError(`${reason}: \`${field}\``, {
          ...place,
          column,
          hint: "write `name` or `name:value`, and a colon in a name as `\\:`",
        });
      }
      names.push(name);
      values.push(amount);
    }
    column += field.length + 1;
  }
  return { names, values: values.some((value) => value !== 1) ? values : undefined };
}

/** Cuts a field at its first plain colon and resolves the escapes. */
function splitField(field: string): { name: string; value?: string } {
  if (!field.includes(":")) return { name: field.includes("\\") ? field.replaceAll("\\\\", "\\") : field };
  let name = "";
  for (let i = 0; i < field.length; i++) {
    let letter = field[i];
    if (letter === ":") return { name, value: field.slice(i + 1) };
    if (letter === "\\" && (field[i + 1] === ":" || field[i + 1] === "\\")) letter = field[++i];
    name += letter;
  }
  return { name };
}

/** A finite decimal number, 1 if absent, NaN if it is none. */
function parseValue(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}
