// Cipher texts and enciphering: the key turns a cipher text back into the plain text, and printing changes nothing else.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf, readCipher } from "../../../src/tasks/decipher/cipher-text.js";
import { encipher } from "../../../src/tasks/decipher/encipher.js";
import { LanguageModel, OTHER, SPACE } from "../../../src/tasks/decipher/language.js";

const text = fc
  .array(fc.constantFrom(..."abcdefg xyzABC,.!?'\n"), { minLength: 1, maxLength: 80 })
  .map((characters) => `a${characters.join("")}`);

describe("cipher text", () => {
  it("is printed as it was when no symbol changes", () =>
    fc.assert(
      fc.property(text, (written) => {
        const cipher = readCipher(written, "char", { kind: "letters" });
        const printed = cipher.render(cipher.sequences);
        // All capitals is a way to write ciphers, not a part of the message.
        expect(/[a-z]/.test(written) ? printed : printed.toLowerCase()).toBe(
          /[a-z]/.test(written) ? written : written.toLowerCase(),
        );
      }),
    ));

  it("has one space between words, however many there are", () => {
    const cipher = readCipher("Ab,  cd\n ef", "char");
    expect(cipher.kind).toBe("letters");
    expect(cipher.sequences).toEqual([["a", "b", SPACE, "c", "d", SPACE, "e", "f"]]);
    expect(cipher.render([["x", "y", SPACE, "z", "w", SPACE, "u", "v"]])).toBe("Xy,  zw\n uv");
  });

  it("is told apart by what it is made of", () => {
    expect(kindOf("12 5 7\n3")).toBe("numbers");
    expect(kindOf("XLI UYMGO, FVSAR!")).toBe("letters");
    expect(kindOf("9%P/Z/UB%kOR=pX=B\nWV+eGYF69HP@K!qYe")).toBe("characters");
  });

  it("of numbers or characters is one sequence without spaces", () => {
    const numbers = readCipher("12 5\n7", "char");
    expect(numbers.sequences).toEqual([["12", "5", "7"]]);
    expect(numbers.render([["a", "b", "c"]])).toBe("ab\nc");
    expect(readCipher("9%\n P", "char").sequences).toEqual([["9", "%", "P"]]);
  });

  it("of numbers may have a sign between them, always the same one", () => {
    const signs = fc.constantFrom(",", ", ", ";", ".", "-", " - ", ":", "/", "|", "–", " ");
    fc.assert(
      fc.property(fc.array(fc.nat(99), { minLength: 2, maxLength: 30 }), signs, fc.boolean(), (numbers, sign, ends) => {
        const half = Math.ceil(numbers.length / 2);
        const written = `${numbers.slice(0, half).join(sign)}${ends ? sign : ""}\n${numbers.slice(half).join(sign)}\n`;
        const cipher = readCipher(written, "char");
        expect(cipher.kind).toBe("numbers");
        expect(cipher.sequences.flat()).toEqual(numbers.map(String));
        expect(readCipher(written, "word").sequences.flat()).toEqual(numbers.map(String));
      }),
    );
  });

  it("of digits and signs is of characters where the signs do not part numbers", () => {
    for (const written of ["12--5,7", "1,2;3", "12 -5 7", "+1+2+3", "--", "1#2#3"]) {
      expect(kindOf(written)).toBe("characters");
    }
  });

  it("in groups of equal length has no spaces between words, unless they are said to be", () => {
    const grouped = "XKJDW QPLRA\nZZABC DEFGH IJ";
    const cipher = readCipher(grouped, "char");
    expect(cipher.groups).toBe(5);
    expect(cipher.spaces).toBe(false);
    expect(cipher.sequences).toEqual([[..."xkjdwqplrazzabcdefghij"]]);
    expect(cipher.render(cipher.sequences)).toBe(grouped.toLowerCase());
    expect(readCipher(grouped, "char", { spaces: "known" }).spaces).toBe(true);
    // Words differ in length, and a few short ones of the same length may be words.
    expect(readCipher("she was not the one for you", "char").spaces).toBe(true);
    expect(readCipher("AB CDE FGHI JK", "char").spaces).toBe(true);
    expect(readCipher("ABCD EFGH", "char").spaces).toBe(true);
    expect(readCipher("AB CDE FGHI JK", "char", { spaces: "unknown" }).sequences).toEqual([[..."abcdefghijk"]]);
  });

  it("of characters may have known spaces, of numbers not", () => {
    const cipher = readCipher("9% P+\n#", "char", { kind: "characters", spaces: "known" });
    expect(cipher.sequences).toEqual([["9", "%", SPACE, "P", "+", SPACE, "#"]]);
    expect(cipher.render([["a", "b", SPACE, "c", "d", SPACE, "e"]])).toBe("ab cd\ne");
    expect(() => readCipher("1 2 3", "char", { spaces: "known" })).toThrow(/spaces separate numbers/);
  });

  it("that is very long is cut, and nothing is lost", () => {
    const long = "abcde ".repeat(700).trim();
    const cipher = readCipher(long, "char");
    expect(Math.max(...cipher.sequences.map((s) => s.length))).toBeLessThanOrEqual(1000);
    expect(cipher.render(cipher.sequences)).toBe(long);
  });

  it("of words keeps its lines", () => {
    const cipher = readCipher("1 22  3\n\n4", "word");
    expect(cipher.sequences).toEqual([["1", "22", "3"], [], ["4"]]);
    expect(cipher.render([["a", "b", "c"], [], ["d"]])).toBe("a b c\n\nd");
  });
});

describe("enciphering", () => {
  it("is undone by its key, letter by letter", () =>
    fc.assert(
      fc.property(text, fc.nat(), (written, seed) => {
        const { text: cipher, key } = encipher(written, { seed });
        const back = [...cipher].map((c) => key[c] ?? key[c.toLowerCase()]?.toUpperCase() ?? c).join("");
        expect(back).toBe(written);
        expect(new Set(Object.values(key)).size).toBe(Object.keys(key).length);
      }),
    ));

  it("is undone by its key, whatever the letters' capitals are", () => {
    // ß, ı, ς, ŉ, the Kelvin sign and others have no capital that leads back to them, or are one of another letter.
    const odd = fc.array(fc.constantFrom(..."aAbBßẞıİiIςσΣŉKﬁµμΜǅǆéÉ 1"), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(odd, fc.nat(), (characters, seed) => {
        const written = `a${characters.join("")}`;
        const { text: cipher, key } = encipher(written, { seed });
        const read = readCipher(cipher, "char", { kind: "letters", spaces: "known" });
        const back = read.render(read.sequences.map((sequence) => sequence.map((x) => key[x] ?? x)));
        // All capitals is a way to write ciphers, not a part of the message; the first letter is none.
        expect(back).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it("is undone by its key, with homophones", () =>
    fc.assert(
      fc.property(text, fc.integer({ min: 26, max: 60 }), fc.nat(), (written, homophones, seed) => {
        const { text: cipher, key } = encipher(written, { homophones, seed });
        const back = cipher
          .trim()
          .split(/\s+/)
          .map((symbol) => key[symbol])
          .join("");
        expect(back).toBe(written.toLowerCase().replace(/[^a-z]/g, ""));
        expect(Object.keys(key)).toHaveLength(homophones);
      }),
    ));

  it("is undone by its key, word by word", () => {
    const { text: cipher, key } = encipher("i am what\ni am\n", { level: "word", seed: 4 });
    const back = cipher.replace(/\d+/g, (symbol) => key[symbol]);
    expect(back).toBe("i am what\ni am\n");
  });

  it("needs something to encipher, and enough symbols", () => {
    expect(() => encipher("123 !")).toThrow(/no letters/);
    expect(() => encipher(" ", { level: "word" })).toThrow(/no words/);
    expect(() => encipher("abc", { homophones: 2 })).toThrow(/too few/);
    expect(() => encipher("abc", { level: "word", homophones: 9 })).toThrow(/need letters/);
    expect(() => encipher("abc", { level: "word", spaces: false })).toThrow(/between letters, not between words/);
  });
});

describe("a language model", () => {
  it("of letters knows spaces or does not, and keeps words with apostrophes whole", () => {
    expect(LanguageModel.fromText(["It's I."], { level: "char" }).symbols.all()).toEqual(["i", "s", "t", SPACE]);
    expect(LanguageModel.fromText(["It's I."], { level: "char", spaces: false }).symbols.all()).toEqual([
      "i",
      "s",
      "t",
    ]);
  });

  it("takes an accent for a part of its letter, however it is written", () => {
    const parts = (text: string) => LanguageModel.fromText([text], { level: "char", spaces: false }).symbols.all();
    expect(parts("cafe\u0301s")).toEqual(["a", "c", "f", "s", "é"]);
    expect(parts("x\u0301y")).toEqual(["x", "y"]);
  });

  it("has no use for very long n-grams", () => {
    expect(() => LanguageModel.fromText(["ab"], { level: "char", order: 1000 })).toThrow(/at most 10, not 1000/);
  });

  it("is made from lines, not from one string", () => {
    expect(() => LanguageModel.fromText("some text", { level: "char" })).toThrow(/expected an array of lines/);
  });

  it("of words may know only the commonest", () => {
    const model = LanguageModel.fromText(["a a b b c"], { level: "word", vocabulary: 2 });
    expect(model.symbols.all()).toEqual(["a", "b", OTHER]);
  });
});

it("refuses options it does not know, by name", () => {
  expect(() => readCipher("abc", "char", { spces: "known" } as object)).toThrow(/`spces`; did you mean `spaces`/);
  expect(() => encipher("abc", { homphones: 30 } as object)).toThrow(/`homphones`; did you mean `homophones`/);
  expect(() => encipher("abc", { level: "chars" as "char" })).toThrow(/`chars`; did you mean `char`/);
});
