import { describe, expect, it } from "vitest";
import { chunkingAttributes } from "../../../src/tasks/tag/attributes.js";
import { CHUNKING_TEMPLATE, parseTemplate } from "../../../src/tasks/tag/template.js";
import { InputError } from "../../../src/util/errors.js";

// The example of the CRF++ documentation; "the" is the current token.
const crfpp = [
  ["He", "PRP"],
  ["reckons", "VBZ"],
  ["the", "DT"],
  ["current", "JJ"],
  ["account", "NN"],
];

/** What a one-line template gives at a position. */
function at(template: string, position: number, columns: string[][] = crfpp): string {
  return parseTemplate(template).apply(columns).attributes[position][0];
}

function refusal(text: string): InputError {
  try {
    parseTemplate(text, "template");
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  throw new Error(`accepted: ${text}`);
}

describe("macros as in the CRF++ documentation", () => {
  it.each([
    ["U%x[0,0]", "Uthe"],
    ["U%x[0,1]", "UDT"],
    ["U%x[-1,0]", "Ureckons"],
    ["U%x[-2,1]", "UPRP"],
    ["U%x[0,0]/%x[0,1]", "Uthe/DT"],
    ["UABC%x[0,1]123", "UABCDT123"],
    ["U01:%x[0,1]", "U01:DT"],
  ])("%s is %s", (template, expected) => {
    expect(at(template, 2)).toBe(expected);
  });

  it("are marked by distance beyond the ends", () => {
    expect(at("U:%x[-1,0]", 0)).toBe("U:_B-1");
    expect(at("U:%x[-2,0]", 0)).toBe("U:_B-2");
    expect(at("U:%x[-2,0]", 1)).toBe("U:_B-1");
    expect(at("U:%x[1,0]", 4)).toBe("U:_B+1");
    expect(at("U:%x[+4,1]", 4)).toBe("U:_B+4");
  });

  it("tell positions apart by the identifier only", () => {
    const pen = ["The DT", "pen NN", "is VB", "a DT"].map((line) => line.split(" "));
    const { attributes } = parseTemplate("U01:%x[-2,1]\nU02:%x[1,1]\n").apply(pen);
    expect(attributes[2]).toEqual(["U01:DT", "U02:DT"]);
    const [bag] = [parseTemplate("U:%x[-2,1]\nU:%x[1,1]\n").apply(pen).attributes[2]];
    expect(bag).toEqual(["U:DT", "U:DT"]);
  });
});

describe("macros as in Wapiti", () => {
  const word = (text: string) => [[text]];

  it("capitals take the case away", () => {
    expect(at("u:%X[0,0]", 0, word("ÉCOLE"))).toBe("u:école");
    expect(at("u:%x[0,0]", 0, word("ÉCOLE"))).toBe("u:ÉCOLE");
    expect(at('u:%M[0,0,"^.?.?"]', 0, word("ÉCOLE"))).toBe("u:éc");
    expect(at('u:%T[0,0,"^\\u"]', 0, word("École"))).toBe("u:true");
  });

  it("the manual's expressions: a prefix of at most four characters, capitals only", () => {
    expect(at('u:%m[0,0,"^.?.?.?.?"]', 0, word("prefix"))).toBe("u:pref");
    expect(at('u:%m[0,0,"^.?.?.?.?"]', 0, word("to"))).toBe("u:to");
    expect(at('u:%t[0,0,"^\\u\\u*$"]', 0, word("NATO"))).toBe("u:true");
    expect(at('u:%t[0,0,"^\\u\\u*$"]', 0, word("Nato"))).toBe("u:false");
  });

  it.each([
    ["\\d", "a1", true],
    ["\\d", "ab", false],
    ["^\\D*$", "ab", true],
    ["\\a", "12a", true],
    ["^\\A$", "a", false],
    ["\\p", "a-b", true],
    ["\\p", "ab", false],
    ["\\p", "a$b", true], // punctuation as C has it: symbols too
    ["^\\w*$", "ab1", true],
    ["^\\w*$", "a_b", false], // alpha and digit, without `_`
    ["\\s", "a b", true],
    ["a+b", "a+b", true], // `+` and brackets stand for themselves
    ["a+b", "aab", false],
    ["[ab]", "a", false],
    ["(a|b)", "(a|b)", true],
    ["a.c", "abc", true],
    ["a\\.c", "abc", false],
    ["a^b$c", "a^b$c", true],
    ["colou?r", "color", true],
    ['\\"', 'a"b', true],
    ["", "anything", true],
  ])("%s on %s is %s", (expression, text, expected) => {
    expect(at(`u:%t[0,0,"${expression}"]`, 0, word(text))).toBe(`u:${expected}`);
  });

  it("a star takes as little as it can, and what does not match is empty", () => {
    expect(at('u:%m[0,0,"a*b"]', 0, word("xaaab"))).toBe("u:aaab");
    expect(at('u:%m[0,0,"a*"]', 0, word("aaa"))).toBe("u:");
    expect(at('u:%m[0,0,"..?.?$"]', 0, word("running"))).toBe("u:ing");
    expect(at('u:%m[0,0,"\\d"]', 0, word("word"))).toBe("u:");
  });

  it("expressions find no capital letter beyond the ends", () => {
    expect(at('u:%t[-1,0,"\\u"]', 0, word("A"))).toBe("u:false");
  });

  it("rows after @ count from the ends of the sequence", () => {
    for (const i of [0, 2, 4]) {
      expect(at("u:%x[@1,0]", i)).toBe("u:He");
      expect(at("u:%x[@-1,0]", i)).toBe("u:account");
    }
  });

  it("a star instead of U or B gives both", () => {
    const template = parseTemplate("*7:%x[0,1]");
    const { attributes, conjoined } = template.apply(crfpp);
    expect(attributes[1]).toEqual(["*7:VBZ"]);
    expect(conjoined[1]).toEqual(["*7:VBZ"]);
    expect(template.labelBigrams).toBe(false);
  });
});

describe("lines", () => {
  it("U gives attributes, B with macros conjoins them, B alone asks for label bigrams", () => {
    const template = parseTemplate("U01:%x[0,0]\nU\nB02:%x[0,1]\nB\n");
    expect(template.labelBigrams).toBe(true);
    expect(template.columns).toBe(2);
    const { attributes, conjoined } = template.apply(crfpp);
    expect(attributes[2]).toEqual(["U01:the", "U"]);
    expect(conjoined.map((names) => names.join())).toEqual(["", "B02:VBZ", "B02:DT", "B02:JJ", "B02:NN"]);
    expect(parseTemplate("U01:%x[0,0]").labelBigrams).toBe(false);
  });

  it("may be blank, comments, followed by a comment, ended by CRLF; `#` joins two values where no space is before it", () => {
    const template = parseTemplate("\uFEFF# words\r\n\r\nU1:%x[0,0]  # the word\r\nU2:%x[0,0]#%x[0,1]\r\n  # more\r\n");
    expect(template.apply(crfpp).attributes[0]).toEqual(["U1:He", "U2:He#PRP"]);
  });

  it("a comment sign in an expression is part of it", () => {
    expect(at('U:%t[0,0,"a #"]', 0, [["a #"]])).toBe("U:true");
  });
});

describe("a bad template is refused at its place", () => {
  it.each([
    ["U0:%x[0,0]\nX1:%x[0,0]", 2, 1],
    [" U0:%x[0,0]", 1, 1],
    ["U0:%y[0,0]", 1, 4],
    ["U0:50%", 1, 6],
    ["U0:%x(0,0)", 1, 6],
    ["U0:%x[a,0]", 1, 7],
    ["U0:%x[0;0]", 1, 8],
    ["U0:%x[0,-1]", 1, 9],
    ["U0:%x[0,0", 1, 10],
    ["U0:%x[0,0,1]", 1, 10],
    ["U0:%t[0,0]", 1, 10],
    ['U0:%t[0,0,"a]', 1, 11],
    ['U0:%t[0,0,"*a"]', 1, 12],
    ['U0:%m[0,0,"a**"]', 1, 14],
    ["U0:%x[12345678,0]", 1, 13],
  ])("%j", (text, line, column) => {
    const error = refusal(text);
    expect([error.file, error.line, error.column]).toEqual(["template", line, column]);
  });

  it("and so is an empty one", () => {
    expect(refusal("# nothing\n\n").message).toMatch(/empty/);
  });

  it("a column that the data has not is refused where the data is", () => {
    const template = parseTemplate("U:%x[0,2]");
    const columns = [
      ["a", "b", "c"],
      ["a", "b"],
    ];
    expect(() => template.apply(columns, { file: "train.txt", line: 10 })).toThrow(
      /^train.txt:11: .*column 2.* 2 columns/,
    );
    expect(() => template.apply(columns)).toThrow(InputError);
  });
});

it("the chunking template sees what the chunking attributes see, wherever both see something", () => {
  const sentence = crfpp.map((row) => [...row]);
  const template = parseTemplate(CHUNKING_TEMPLATE);
  expect(template.labelBigrams).toBe(true);
  const values = (names: string[], mark: string) => names.map((name) => name.slice(name.indexOf(mark) + 1)).sort();
  const ours = template.apply(sentence).attributes;
  const theirs = chunkingAttributes(sentence);
  for (let i = 0; i < sentence.length; i++) {
    const inside = ours[i].filter((name) => !name.includes("_B"));
    expect(values(inside, ":").map((value) => value.replaceAll("/", "|"))).toEqual(
      values(
        theirs[i].filter((name) => !name.startsWith("__")),
        "=",
      ),
    );
    expect(ours[i]).toHaveLength(19);
  }
});
