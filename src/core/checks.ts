// Checks of options. What is unknown or out of range is refused by name: what must hold, and what was given.

import { InputError, unknownName } from "./errors.js";

/** Refuses options that nobody knows. */
export function checkNames(given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownName("option", name, known);
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
