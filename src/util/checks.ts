// Checks of what programs give. Options that are unknown or out of range are refused by name: what must hold, and what was
// given.

import { InputError, unknownName } from "./errors.js";

/** Outputs of one input that may be asked for at most: the time that a transducer takes grows with their square. */
export const MOST_OUTPUTS = 1_000;

/** Refuses options that nobody knows. */
export function checkNames(given: object, known: readonly string[]): void {
  if (typeof given !== "object" || given === null) throw new InputError(`options must be an object, not ${given}`);
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownName("option", name, known);
}

/** Refuses options of an answer that nobody knows, and candidates out of range; the rest is checked where it is used. */
export function checkAnswerOptions(given: { candidates?: number }, known: readonly string[]): void {
  checkNames(given, known);
  if (given.candidates !== undefined) new OptionChecks(given).whole("candidates", 0, MOST_OUTPUTS);
}

/** Whether something is an array of texts alone. */
export function areStrings(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== "string") return false;
  return true;
}

/** The names of options that may hold values of a type. */
type NamesOf<O, T> = { [K in keyof O]-?: O[K] extends T | undefined ? K : never }[keyof O] & string;

/** Checks of the options of one object. */
export class OptionChecks<O extends object> {
  constructor(private readonly options: O) {}

  /** A whole number of at least `least`, and at most `most`. */
  whole(name: NamesOf<O, number>, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): void {
    const value = this.options[name];
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return;
    const lower = least === Number.NEGATIVE_INFINITY ? "" : ` of at least ${least}`;
    const upper = most === Number.POSITIVE_INFINITY ? "" : ` and at most ${most}`;
    throw this.refusal(name, `a whole number${lower}${upper}`);
  }

  /** A number from 0, or above it if `least` is, up to `most`; one that is left open is fine. */
  between(name: NamesOf<O, number>, least: number, most: number): void {
    const value = this.options[name];
    if (value === undefined || (Number(value) >= least && Number(value) <= most)) return;
    throw this.refusal(name, `a number ${least === 0 ? "from 0" : "above 0 and"} up to ${most}`);
  }

  /** A number from 0 to below 1. */
  share(name: NamesOf<O, number>): void {
    const value = Number(this.options[name]);
    if (!(value >= 0 && value < 1)) throw this.refusal(name, "a share from 0 to below 1");
  }

  /** One of some texts. */
  oneOf(name: NamesOf<O, string>, values: readonly string[]): void {
    const value = String(this.options[name]);
    if (!values.includes(value)) throw unknownName(`${name} setting`, value, values);
  }

  private refusal(name: keyof O & string, wanted: string): InputError {
    return new InputError(`option \`${name}\` must be ${wanted}, not ${this.options[name]}`);
  }
}
