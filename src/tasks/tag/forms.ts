// What values give to names that are put together of several (`Joint`): `the` in lower case, the short shape of `B-52`. The same
// text has the same number, whatever it came from, and is kept as bytes.

import { encodeInto, jointFactor, jointHash } from "../../engine/alphabet.js";
import { ByteStrings } from "../../util/byte-strings.js";
import { withRoom } from "../../util/numbers.js";
import type { Form } from "./pieces.js";
import type { Values } from "./values.js";

/** There is no name with the value. */
export const NO_FORM = -1;
/** The text has half of a surrogate pair, which another text may complete: it cannot be joined as bytes. */
export const UNJOINED = -2;

export class Forms {
  private forms: Form[] = [];
  /** [values + 1][forms] the number of a text from 1 up, 0 while it is not known, NO_FORM or UNJOINED. May be shorter. */
  formOf = new Int32Array(0);
  private readonly texts = new Map<string, number>();
  readonly strings = new ByteStrings();
  /** [texts + 1][2] the joint hash of a text, and the factor of what stands before it. */
  hashes = new Int32Array(256);
  private scratch = new Uint8Array(256);

  /** Begins anew with no forms. */
  plan(): void {
    this.forms = [];
    this.clear();
  }

  get count(): number {
    return this.forms.length;
  }

  /** The numbers of forms, which those that are new get. */
  numbersOf(forms: readonly Form[]): Int32Array {
    return Int32Array.from(forms, (form) => {
      const known = this.forms.indexOf(form);
      return known >= 0 ? known : this.forms.push(form) - 1;
    });
  }

  /** Forgets what values give. */
  clear(): void {
    this.formOf.fill(0);
    this.texts.clear();
    this.strings.clear();
  }

  /** The number of what a value gives. */
  of(form: number, value: number, values: Values): number {
    const at = value * this.forms.length + form;
    if (at >= this.formOf.length) this.formOf = withRoom(this.formOf, at);
    const known = this.formOf[at];
    if (known !== 0) return known;
    const text = this.forms[form](values.valueOf(value));
    const number = text === undefined ? NO_FORM : isWellFormed(text) ? this.numberOf(text) : UNJOINED;
    this.formOf[at] = number;
    return number;
  }

  private numberOf(text: string): number {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    if (this.scratch.length < 3 * text.length) this.scratch = new Uint8Array(6 * text.length);
    const bytes = this.scratch;
    const length = encodeInto(text, bytes);
    const number = this.strings.add(bytes, 0, length);
    this.texts.set(text, number);
    if (2 * number + 1 >= this.hashes.length) this.hashes = withRoom(this.hashes, 2 * number + 1);
    this.hashes[2 * number] = jointHash(bytes, 0, length);
    this.hashes[2 * number + 1] = jointFactor(length);
    return number;
  }
}

/** Whether a text has no half of a surrogate pair. */
function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xe000) return !/\p{Surrogate}/u.test(text);
  }
  return true;
}
