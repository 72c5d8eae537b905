// Text as a field of a line, between tabs: backslash, tab, carriage return and line feed are written `\\`, `\t`, `\r`, `\n`.

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\r": "\\r", "\n": "\\n" };
const unescapes: Readonly<Record<string, string>> = { "\\": "\\", t: "\t", r: "\r", n: "\n" };

export function escapeField(text: string): string {
  return text.replace(/[\\\t\r\n]/g, (character) => escapes[character]);
}

/** Undefined if a backslash stands before anything else. */
export function unescapeField(text: string): string | undefined {
  if (!text.includes("\\")) return text;
  let isSound = true;
  const plain = text.replace(/\\(.?)/gs, (_, character: string) => {
    isSound &&= Object.hasOwn(unescapes, character);
    return unescapes[character];
  });
  return isSound ? plain : undefined;
}

/** Whether text would break a line or a column if it were written as it is. */
export function breaksLines(text: string): boolean {
  return /[\t\r\n]/.test(text);
}
