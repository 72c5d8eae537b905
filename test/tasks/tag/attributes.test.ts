import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkingAttributes, columnAttributes, leastCount, textAttributes } from "../../../src/tasks/tag/attributes.js";

const sentence = "The Wall-Street banks fell 3.5 % in 1987 , IBM said .".split(" ");

function attributesOf(word: string): string[] {
  return textAttributes([word], 0);
}

function textAttributesOf(tokens: readonly string[]): string[][] {
  return tokens.map((_, i) => textAttributes(tokens, i));
}

describe("attributes of text", () => {
  it("tell a word's parts", () => {
    expect(attributesOf("Running")).toEqual(
      expect.arrayContaining([
        "bias",
        "word=Running",
        "lower[0]=running",
        "shape=Xxxxxxx",
        "short[0]=Xx",
        "prefix1=r",
        "prefix4=runn",
        "suffix1=g",
        "suffix3=ing",
        "suffix5=nning",
        "capital",
        "mixed",
      ]),
    );
    expect(attributesOf("McDonald's")).toContain("short[0]=XxXx'x");
    expect(attributesOf("B-52")).toEqual(expect.arrayContaining(["shape=X-dd", "digit", "hyphen", "upper", "capital"]));
    expect(attributesOf("-3,500.25")).toEqual(expect.arrayContaining(["number", "short[0]=-d,d.d"]));
    expect(attributesOf("...")).toContain("symbol");
    expect(attributesOf("Łódź")).toEqual(expect.arrayContaining(["shape=Xxxx", "prefix2=łó", "suffix2=dź"]));
  });

  it("have no affix longer than the word", () => {
    expect(attributesOf("to").filter((name) => /^(pre|suf)fix/.test(name))).toEqual([
      "prefix1=t",
      "prefix2=to",
      "suffix1=o",
      "suffix2=to",
    ]);
  });

  it("look two words to each side and mark the ends", () => {
    expect(textAttributes(sentence, 2)).toEqual(
      expect.arrayContaining([
        "lower[-2]=the",
        "lower[-1]=wall-street",
        "suffix3[-1]=eet",
        "short[-1]=Xx-Xx",
        "lower[-1]|lower[0]=wall-street|banks",
        "lower[0]|lower[1]=banks|fell",
        "lower[1]=fell",
        "suffix3[1]=ell",
        "lower[2]=3.5",
      ]),
    );
    const rows = textAttributesOf(sentence);
    expect(rows.map((names) => names.includes("first"))).toEqual(sentence.map((_, i) => i === 0));
    expect(rows.map((names) => names.includes("last"))).toEqual(sentence.map((_, i) => i === sentence.length - 1));
  });

  it("are valid text, without repetition, the same whenever asked, for any words", () => {
    const words = fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(words, (tokens) => {
        const rows = columnAttributes(tokens.map((token) => [token]));
        expect(rows).toEqual(textAttributesOf(tokens));
        expect(rows.length).toBe(tokens.length);
        for (let i = 0; i < tokens.length; i++) {
          expect(new Set(rows[i]).size).toBe(rows[i].length);
          for (const name of rows[i]) expect(/\p{Surrogate}/u.test(name)).toBe(false);
        }
      }),
    );
  });

  it("of version 1 are as they were, for models that were trained with them", () => {
    expect(textAttributes(["#Fisch-markt", "zu"], 0, 1)).toEqual([
      ...["bias", "word=#Fisch-markt", "lower[0]=#fisch-markt", "shape=#Xxxxx-xxxxx", "short[0]=#Xx-x"],
      ...["prefix1=#", "prefix2=#f", "prefix3=#fi", "prefix4=#fis"],
      ...["suffix1=t", "suffix2=kt", "suffix3=rkt", "suffix4=arkt", "suffix5=markt"],
      ...["hyphen", "mixed", "first", "lower[1]=zu", "suffix3[1]=zu", "short[1]=x"],
      "lower[0]|lower[1]=#fisch-markt|zu",
    ]);
  });

  it("tell long affixes, what the net writes, scripts, and shapes with those of neighbours", () => {
    const names = textAttributes(["#Fischmarkt", "zu"], 0);
    expect(names).toEqual(
      expect.arrayContaining([
        ...["prefix10=#fischmark", "suffix10=fischmarkt", "bare=fischmarkt", "hashtag", "script=Latin"],
        ...["short[-1]|short[0]=|#Xx", "short[0]|short[1]=#Xx|x"],
      ]),
    );
    expect(attributesOf("https://a.example/b")).toContain("link");
    expect(attributesOf("@someone")).toContain("mention");
    expect(attributesOf("me@a.example")).toContain("address");
    expect(attributesOf("🎉")).toContain("picture");
    expect(attributesOf("東京タワー")).toEqual(
      expect.arrayContaining(["script=Han", "script=Katakana", "sign=東", "sign=京"]),
    );
    expect(attributesOf("plain").filter((name) => /^bare|link|hashtag|mention/.test(name))).toEqual([]);
  });

  it("of long affixes are learned if they are seen again, others always", () => {
    expect(["prefix5=a", "suffix6=b", "suffix10=c", "word=d", "suffix3[-1]=e"].map(leastCount)).toEqual([
      1, 2, 2, 1, 1,
    ]);
  });

  it("are not changed by what is done with them", () => {
    const before = [...attributesOf("word")];
    attributesOf("word").push("mine");
    expect(attributesOf("word")).toEqual(before);
  });
});

describe("attributes of columns", () => {
  const rows = sentence.map((word, i) => [word, `T${i}`]);

  it("are those of the text, and of the further columns in a window of five", () => {
    const text = textAttributesOf(sentence);
    columnAttributes(rows).forEach((names, i) => {
      expect(names.slice(0, text[i].length)).toEqual(text[i]);
    });
    expect(columnAttributes(rows)[4].filter((name) => name.startsWith("c1"))).toEqual([
      "c1[-2]=T2",
      "c1[-1]=T3",
      "c1[0]=T4",
      "c1[1]=T5",
      "c1[2]=T6",
      "c1[-2]|c1[-1]=T2|T3",
      "c1[-1]|c1[0]=T3|T4",
      "c1[0]|c1[1]=T4|T5",
      "c1[1]|c1[2]=T5|T6",
      "c1[-2]|c1[-1]|c1[0]=T2|T3|T4",
      "c1[-1]|c1[0]|c1[1]=T3|T4|T5",
      "c1[0]|c1[1]|c1[2]=T4|T5|T6",
    ]);
    expect(columnAttributes([["a", "b", "c"]])[0].slice(-2)).toEqual(["c1[0]=b", "c2[0]=c"]);
    expect(columnAttributes([])).toEqual([]);
  });
});

describe("CRFsuite's chunking attributes", () => {
  // The first sentence shown in CRFsuite's tutorial, by the rules of its script.
  const london = ["London JJ", "shares NNS", "closed VBD", "moderately RB", "lower JJR", "in IN", "thin JJ"].map(
    (line) => line.split(" "),
  );

  it("at the start of a sentence", () => {
    expect(chunkingAttributes(london)[0]).toEqual([
      "w[0]=London",
      "w[1]=shares",
      "w[2]=closed",
      "w[0]|w[1]=London|shares",
      "pos[0]=JJ",
      "pos[1]=NNS",
      "pos[2]=VBD",
      "pos[0]|pos[1]=JJ|NNS",
      "pos[1]|pos[2]=NNS|VBD",
      "pos[0]|pos[1]|pos[2]=JJ|NNS|VBD",
      "__BOS__",
    ]);
  });

  it("19 kinds in the middle, and the end marked", () => {
    const rows = chunkingAttributes(london);
    expect(new Set(rows[3].map((name) => name.slice(0, name.indexOf("=")))).size).toBe(19);
    expect(rows[3]).toContain("w[-1]|w[0]=closed|moderately");
    expect(rows[3]).toContain("pos[-2]|pos[-1]|pos[0]=NNS|VBD|RB");
    expect(rows.at(-1)?.at(-1)).toBe("__EOS__");
    expect(rows.flat().filter((name) => name.startsWith("__"))).toEqual(["__BOS__", "__EOS__"]);
  });

  it("a sentence of one word and none at all", () => {
    expect(chunkingAttributes([["Yes", "UH"]])).toEqual([["w[0]=Yes", "pos[0]=UH", "__BOS__", "__EOS__"]]);
    expect(chunkingAttributes([])).toEqual([]);
  });
});
