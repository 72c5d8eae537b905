// Every command on a small data set: what it prints, where, and its exit code.

import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { columns, Folder, requireAll, tokensOnly } from "./helpers.js";

const folder = new Folder();
const run = (...words: string[]) => folder.run(words);
const testText = columns(40, 2);

beforeAll(async () => {
  folder.write("train.txt", columns(150));
  folder.write("test.txt", testText);
  folder.write("new.txt", tokensOnly(testText));
  const trained = await run("train", "tag", "train.txt", "--out", "model.sg", "--passes", "5");
  expect(trained).toMatchObject({ code: 0, out: "" });
  expect(trained.error).toMatch(/^stargram: model\.sg: 4 labels, .*150 sequences.*\n$/);
  expect(folder.has("model.sg.checkpoint")).toBe(false);
});
afterAll(() => folder.remove());

describe("predict", () => {
  test("gives the columns, a label and its probability", async () => {
    const { code, out, error } = await run("predict", "model.sg", "new.txt");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out.replace(/\t\S+\t\S+$/gm, "")).toBe(tokensOnly(testText));
    for (const line of out.split("\n").filter((text) => text !== "")) {
      const [, label, probability] = line.split("\t");
      expect(["DT", "JJ", "NN", "VB"]).toContain(label);
      expect(Number(probability)).toBeGreaterThan(0);
      expect(Number(probability)).toBeLessThanOrEqual(1);
    }
  });

  test("the same answers for labelled data, gzip, CRLF, standard input", async () => {
    const plain = (await run("predict", "model.sg", "new.txt")).out;
    const labelled = await run("predict", "model.sg", "test.txt");
    expect(labelled.out.replace(/^(\S+)\t\S+\t/gm, "$1\t")).toBe(plain);
    folder.write("new.gz", gzipSync(tokensOnly(testText)));
    expect((await run("predict", "model.sg", "new.gz")).out).toBe(plain);
    const piped = `\ufeff${tokensOnly(testText).replaceAll("\n", "\r\n").trimEnd()}`;
    expect((await folder.run(["predict", "model.sg"], piped)).out).toBe(plain);
    expect((await folder.run(["predict", "model.sg", "-"], piped)).out).toBe(plain);
  });

  test("--json is JSON Lines and nothing else; probabilities agree with each other", async () => {
    const { code, out, error } = await run("predict", "model.sg", "new.txt", "--json", "--marginals", "--nbest", "3");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const objects = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(objects).toHaveLength(40);
    for (const { tokens, labels, probability, confidences, nbest, marginals } of objects) {
      expect(labels).toHaveLength(tokens.length);
      expect(nbest[0]).toEqual({ labels, probability });
      expect(nbest[1].probability).toBeLessThanOrEqual(probability);
      labels.forEach((label: string, i: number) => {
        expect(marginals[i][label]).toBe(confidences[i]);
        expect(confidences[i]).toBeGreaterThanOrEqual(probability - 1e-9);
        const total = Object.values(marginals[i] as Record<string, number>).reduce((sum, p) => sum + p, 0);
        expect(total).toBeCloseTo(1, 9);
      });
    }
  });

  test("--json tells the labels of the input from those of the model", async () => {
    const { out } = await folder.run(["predict", "model.sg", "--json"], "the DT\ncan _\n");
    expect(JSON.parse(out)).toMatchObject({
      tokens: ["the", "can"],
      given: ["DT", null],
      labels: ["DT", expect.any(String)],
    });
  });

  test("--nbest and --marginals as text", async () => {
    const { out } = await folder.run(["predict", "model.sg", "--nbest", "2", "--marginals"], "the\ndog\n");
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^# 1 0\.\d+$/);
    expect(lines[1].split("\t")).toHaveLength(3);
    expect(lines[4]).toMatch(/^# 2 /);
    // Marginals belong to the sequence: once, and the same numbers as beside the best output.
    expect(lines[8]).toBe("# marginals");
    expect(lines[9].split("\t")).toHaveLength(1 + 4);
    const [, label, probability] = lines[1].split("\t");
    expect(lines[9]).toMatch(new RegExp(`^the\\t${label}/${probability}\\t`));
    expect(lines.slice(11)).toEqual(["", ""]);
    const alone = await folder.run(["predict", "model.sg", "--marginals"], "the\ndog\n");
    expect(alone.out).toMatch(/^the\tDT\t(\S+)\tDT\/\1\t\S+\t\S+\t\S+\ndog\t/);
  });

  test("without a task, or with a mistyped one, says what to type", async () => {
    const file = await run("train", "train.txt", "--out", "no.sg");
    expect(file.code).toBe(2);
    expect(file.error).toMatch(/^stargram: `train\.txt` is not a task; .*tag.*\n.*stargram train tag train\.txt/);
    expect((await run("train", "tga", "train.txt")).error).toMatch(/`tga`.*\n?.*tag/);
  });

  test("CoNLL-U comes back byte for byte but for the labels, and plain columns without probabilities", async () => {
    const row = (id: string, form: string, upos: string, feats = "_") =>
      `${id}\t${form}\t_\t${upos}\t_\t${feats}\t0\t_\t_\tSpaceAfter=No\n`;
    const sentence =
      "# text = du chat\n# a comment\n" +
      `${row("1-2", "du", "_")}${row("1", "de", "ADP")}${row("2", "le", "DET", "Gender=Masc")}${row("2.1", "x", "X")}` +
      `${row("3", "chat", "NOUN", "Gender=Masc|Number=Sing")}\n`;
    folder.write("data.conllu", `${sentence}\n${sentence.repeat(30)}`);
    await run("train", "tag", "data.conllu", "--column", "upos+feats", "--out", "conllu.sg", "--quiet");
    const whole = `${sentence}\n${sentence}`;
    expect((await folder.run(["predict", "conllu.sg"], whole)).out).toBe(whole);
    const emptied = whole.replace(/\t(?:ADP|DET|NOUN)\t_\t[^\t]*/g, "\t_\t_\t_");
    expect((await folder.run(["predict", "conllu.sg"], emptied)).out).toBe(whole);
    const judged = JSON.parse((await run("evaluate", "conllu.sg", "data.conllu", "--json")).out);
    expect(judged).toMatchObject({ tokens: 93, tokenAccuracy: 1 });
    const plain = await folder.run(["predict", "model.sg", "--labels-only"], "the\ndog\n");
    expect(plain.out).toBe("the\tDT\ndog\tNN\n\n");
  });

  test("--known fills in what is open and keeps what is given", async () => {
    const { out } = await folder.run(["predict", "model.sg", "--known"], "the _\ncan VB\n");
    expect(out).toMatch(/^the\t_\tDT\t\S+\ncan\tVB\tVB\t1\n\n$/);
    const json = await folder.run(["predict", "model.sg", "--known", "--json"], "the _\ncan VB\n");
    expect(JSON.parse(json.out)).toMatchObject({ tokens: ["the", "can"], given: [null, "VB"], labels: ["DT", "VB"] });
  });

  test("--contexts with a number keeps so many, without one shows them", async () => {
    const { out } = await folder.run(["predict", "model.sg", "--contexts", "1", "--contexts"], "the\ndog\n");
    const shown = out.split("\n").filter((line) => line.startsWith("# "));
    expect(shown).toHaveLength(2);
    expect(shown[1].split("\t").slice(1)).toHaveLength(2); // one context and ⋆
    const refused = await run("predict", "--contexts", "model.sg", "new.txt");
    expect(refused.code).toBe(2);
    expect(refused.error).toMatch(/--contexts.*takes a number, or a range.*--show-contexts/);
    const named = await folder.run(["predict", "model.sg", "--contexts", "1", "--show-contexts"], "the\ndog\n");
    expect(named.out).toBe(out);
  });

  test("--contexts with a range begins with few, and says what it took", async () => {
    const json = await folder.run(["predict", "model.sg", "--contexts", "1..20", "--json"], "the\ndog\n");
    expect(JSON.parse(json.out).spent.passes).toBeGreaterThanOrEqual(1);
    for (const bad of ["20..1", "0..5", "1..", "..4"]) {
      expect((await run("predict", "model.sg", "new.txt", "--contexts", bad)).code).toBe(2);
    }
  });

  test("--contexts and --inference choose another search", async () => {
    const { code, out } = await run("predict", "model.sg", "new.txt", "--contexts", "0", "--inference", "rcms");
    expect(code).toBe(0);
    expect(out).not.toBe((await run("predict", "model.sg", "new.txt")).out);
  });

  test("answers a sequence as soon as it is complete, and ends quietly when its reader goes", async () => {
    const child = folder.start("predict", "model.sg");
    child.stdin?.on("error", () => undefined);
    let error = "";
    child.stderr?.on("data", (text) => {
      error += text;
    });
    child.stdin?.write("the\ndog\n\n");
    const first = await new Promise<Buffer>((resolve) => child.stdout?.once("data", resolve)); // the input is still open
    expect(String(first)).toMatch(/^the\tDT/);
    child.stdout?.destroy();
    const exited = new Promise((resolve) => child.on("exit", resolve));
    child.stdin?.end("the\ndog\n\n".repeat(20_000));
    expect(await exited).toBe(0);
    expect(error).toBe("");
  });
});

describe("evaluate", () => {
  test("--json gives the measures that scripts rely on", async () => {
    const { code, out, error } = await run("evaluate", "model.sg", "test.txt", "--json");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    const report = JSON.parse(out);
    const tokens = testText.split("\n").filter((line) => line !== "").length;
    expect(report).toMatchObject({ sequences: 40, tokens, unknownLabels: 0 });
    expect(report.chunkF1).toBeUndefined();
    expect(report.logLikelihood).toBeLessThan(0);
    expect(Object.keys(report.recallAtPrecision)).toEqual(["0.9", "0.95", "0.99"]);
    // The same accuracy as counting the lines of `predict` where the label given is the label found.
    const predicted = (await run("predict", "model.sg", "test.txt")).out.split("\n").filter((line) => line !== "");
    const right = predicted.filter((line) => line.split("\t")[1] === line.split("\t")[2]).length;
    expect(report.tokenAccuracy).toBeCloseTo(right / tokens, 12);
  });

  test("a report to read", async () => {
    const { code, out } = await run("evaluate", "model.sg", "test.txt");
    expect(code).toBe(0);
    expect(out).toMatch(/^sequences +40 +\d/);
    expect(out).toMatch(/^NN +\d/m);
  });

  test("--require decides the exit code", async () => {
    const passed = await run("evaluate", "model.sg", "test.txt", "--json", "--require", "tokenAccuracy=0.5");
    expect(passed.code).toBe(0);
    const failed = await run("evaluate", "model.sg", "test.txt", "--json", "--require", "tokenAccuracy=1.1");
    expect(failed.code).toBe(1);
    expect(failed.error).toMatch(/tokenAccuracy is \S+, not 1\.1 or more/);
    expect(() => JSON.parse(failed.out)).not.toThrow();
    expect((await run("evaluate", "model.sg", "test.txt", "--require", "tokenAcuracy=1")).error).toMatch(
      /tokenAccuracy/,
    );
  });

  test("--require takes every number of --json, and refuses those of a transducer before anything is measured", async () => {
    const report = JSON.parse((await run("evaluate", "model.sg", "test.txt", "--json")).out);
    const all = requireAll(report);
    expect(all).toEqual(expect.arrayContaining([`labels.NN.f1=${report.labels.NN.f1}`, `aurc=${report.aurc}`]));
    expect(await run("evaluate", "model.sg", "test.txt", ...all)).toMatchObject({ code: 0, error: "" });
    const below = await run("evaluate", "model.sg", "test.txt", "--require", "brier=-1");
    expect(below).toMatchObject({ code: 1, error: expect.stringMatching(/brier is \S+, not -1 or less/) });
    const other = await run("evaluate", "model.sg", "test.txt", "--require", "wordErrorRate=1");
    expect(other).toMatchObject({
      code: 2,
      out: "",
      error: expect.stringMatching(/--require wordErrorRate needs a transducer; model\.sg is a tagger/),
    });
    const absent = await run("evaluate", "model.sg", "test.txt", "--require", "labels.QQ.f1=0");
    expect(absent).toMatchObject({ code: 1, error: "stargram: labels.QQ.f1 is not known\n" });
  });

  test("options that the library refuses are called by their flags", async () => {
    const refused = await run("predict", "model.sg", "test.txt", "--inference", "beam", "--contexts", "0");
    expect(refused).toMatchObject({ code: 2, error: expect.stringMatching(/^stargram: --contexts must be a whole/) });
  });

  test("no more outputs are given than anybody reads", async () => {
    const many = await run("predict", "model.sg", "test.txt", "--nbest", "99999999999");
    expect(many).toMatchObject({
      code: 2,
      error: expect.stringMatching(/It takes a whole number of at least 1 and at most 1000/),
    });
  });

  test("a label that the model does not know is counted as wrong, and refused where there is no other", async () => {
    folder.write("odd.txt", "the DT\ndog NN\nruns XX\n\nruns YY\n");
    const counted = await run("evaluate", "model.sg", "odd.txt", "--json");
    expect(JSON.parse(counted.out)).toMatchObject({ tokens: 4, unknownLabels: 2, sequenceAccuracy: 0 });
    const said = await run("evaluate", "model.sg", "odd.txt");
    expect(said.error).toMatch(/2 tokens with a label that the model does not know: counted as wrong/);
    expect((await run("predict", "model.sg", "odd.txt")).code).toBe(0);
    folder.write("other.txt", "the x\ndog y\n");
    const refused = await run("evaluate", "model.sg", "other.txt");
    expect(refused.code).toBe(2);
    expect(refused.error).toMatch(/^stargram: other\.txt:1: the model does not know the label `x`\n {2}it knows/);
    const { out } = await run("evaluate", "model.sg", "other.txt", "--json", "--allow-unknown");
    expect(JSON.parse(out)).toMatchObject({ tokens: 2, unknownLabels: 2 });
  });

  test("chunks", async () => {
    folder.write("chunks.txt", "the B-NP\ndog I-NP\nbarks O\n\n".repeat(20));
    await run("train", "tag", "chunks.txt", "--out", "chunks.sg", "--quiet");
    const { out } = await run("evaluate", "chunks.sg", "chunks.txt", "--json");
    expect(JSON.parse(out)).toMatchObject({ chunkF1: 1, tokenAccuracy: 1, sequenceAccuracy: 1 });
    // A label that marks no chunk and that the model has never seen: conlleval counts it as a chunk without a type, so
    // there are three true chunks, two of them found and nothing else.
    folder.write("odd-chunks.txt", "the B-NP\ndog I-NP\nbarks XX\n\nthe B-NP\ndog I-NP\nbarks O\n\n");
    const odd = JSON.parse((await run("evaluate", "chunks.sg", "odd-chunks.txt", "--json", "--allow-unknown")).out);
    expect(odd).toMatchObject({ unknownLabels: 1, chunks: { support: 3, predicted: 2, correct: 2 } });
    expect(odd.chunkF1).toBeCloseTo(0.8, 12);
  });
});

describe("inspect", () => {
  test("contents", async () => {
    const { code, out } = await run("inspect", "model.sg", "--json");
    expect(code).toBe(0);
    const contents = JSON.parse(out);
    expect(contents).toMatchObject({ kind: "tagger", features: "text", input: { format: "columns", columns: 1 } });
    expect([...contents.labels].sort()).toEqual(["DT", "JJ", "NN", "VB"]);
    expect((await run("inspect", "model.sg")).out).toMatch(/^labels +4: /m);
  });

  test("counts what `train` counted", async () => {
    // Attributes that only the held-out part shows, or that are rare, have no weight.
    const options = ["--held-out", "0.6", "--min-count", "2", "--passes", "2", "--quiet", "--json"];
    const trained = JSON.parse((await run("train", "tag", "train.txt", "--out", "rare.sg", ...options)).out);
    const { attributes, weights, labels } = JSON.parse((await run("inspect", "rare.sg", "--json")).out);
    expect({ attributes, weights, labels: labels.length }).toEqual({
      attributes: trained.attributes,
      weights: trained.weights,
      labels: trained.labels,
    });
  });

  test("the strongest weights of a label", async () => {
    const found = JSON.parse((await run("inspect", "model.sg", "--label", "DT", "--top", "5", "--json")).out);
    const { weights, for: pro, against } = found;
    expect(weights).toHaveLength(5);
    expect(Math.abs(weights[0].weight)).toBeGreaterThanOrEqual(Math.abs(weights[4].weight));
    expect([pro.length, against.length]).toEqual([5, 5]);
    expect(pro.every(({ weight }: { weight: number }) => weight > 0)).toBe(true);
    expect(against.every(({ weight }: { weight: number }) => weight < 0)).toBe(true);
    const text = (await run("inspect", "model.sg", "--label", "DT", "--top", "2")).out;
    expect(text).toMatch(/^for DT\n(?: *\+.*\n){2}\nagainst DT\n(?: *-.*\n){2}$/);
    expect((await run("inspect", "model.sg", "--label", "DTT")).error).toMatch(/did you mean `DT`/);
  });

  test("reasons, from text and from a file", async () => {
    const { out } = await run("inspect", "model.sg", "--explain", "the can barks", "--position", "2", "--json");
    const { labels, positions } = JSON.parse(out);
    expect(labels).toHaveLength(3);
    expect(positions).toHaveLength(1);
    expect(positions[0]).toMatchObject({ position: 2, token: "can", predicted: labels[1], label: labels[1] });
    const features = positions[0].contributions.map(({ feature }: { feature: string }) => feature);
    expect(features.length).toBeGreaterThan(0);
    expect((await run("inspect", "model.sg", "--explain-from", "test.txt", "--sequence", "2")).out).toMatch(
      /^1 \S+: DT/,
    );
    expect((await run("inspect", "model.sg", "--explain", "the", "--position", "2")).code).toBe(2);
  });
});

describe("formats and attributes", () => {
  test("a template, CRFsuite's attributes and JSON Lines train and predict alike", async () => {
    folder.write("t.tpl", "U0:%x[0,0]\nU1:%x[-1,0]\nB\n");
    const sentences = columns(60)
      .trimEnd()
      .split("\n\n")
      .map((text) => text.split("\n").map((line) => line.split(" ")));
    const at = (s: string[][], i: number) => (i < 0 ? "_B-1" : s[i][0]);
    const items = sentences.map((s) =>
      s.map(([word, label], i) => `${label}\tU0\\:${word}\tU1\\:${at(s, i - 1)}\n`).join(""),
    );
    folder.write("a.crf", items.join("\n"));
    folder.write("short.txt", columns(60));
    const json = sentences.map((s) =>
      JSON.stringify({ tokens: s.map(([word]) => word), labels: s.map(([, label]) => label) }),
    );
    folder.write("a.jsonl", json.join("\n"));
    const options = ["--passes", "3", "--quiet", "--out"];
    await run("train", "tag", "short.txt", "--template", "t.tpl", ...options, "template.sg");
    await run("train", "tag", "a.jsonl", "--template", "t.tpl", ...options, "jsonl.sg");
    await run("train", "tag", "a.crf", "--format", "crfsuite", ...options, "crf.sg");
    const reports = [
      await run("evaluate", "template.sg", "short.txt", "--json"),
      await run("evaluate", "jsonl.sg", "a.jsonl", "--json"),
      await run("evaluate", "crf.sg", "a.crf", "--json"),
      // A model trained on tokens in JSON can read them in columns too.
      await run("evaluate", "jsonl.sg", "short.txt", "--format", "columns", "--json"),
    ].map(({ out }) => ({ ...JSON.parse(out), seconds: 0 }));
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[3]).toEqual(reports[0]);
    // Attributes that are given may have values, so their smallest weights are kept.
    const rounded = (report: object) =>
      JSON.parse(JSON.stringify(report), (_, value) => (typeof value === "number" ? +value.toFixed(2) : value));
    expect(rounded(reports[2])).toEqual(rounded(reports[0]));
    expect((await run("predict", "crf.sg", "short.txt")).error).toMatch(/short\.txt:1: no position .*attribute/);
  });

  test("a template may be packed", async () => {
    const text = "U0:%x[0,0]\r\nB\n";
    folder.write("plain.tpl", text);
    folder.write("packed.tpl", gzipSync(text));
    folder.write("few.txt", columns(20));
    const model = async (template: string): Promise<Buffer> => {
      const words = ["train", "tag", "few.txt", "--template", template, "--passes", "1", "--quiet", "--out", "t.sg"];
      expect(await run(...words)).toMatchObject({ code: 0, error: "" });
      return readFileSync(folder.file("t.sg"));
    };
    expect((await model("packed.tpl")).equals(await model("plain.tpl"))).toBe(true);
  });

  test("letters, with pixels and folds", async () => {
    const line = (id: number, letter: string, next: number, word: number, place: number, fold: number) => {
      const pixels = Array.from({ length: 128 }, (_, p) => (p % (letter.charCodeAt(0) - 94) === 0 ? 1 : 0));
      return [id, letter, next, word, place, fold, ...pixels].join("\t");
    };
    const lines: string[] = [];
    for (let word = 0; word < 20; word++) {
      const id = word * 2 + 1;
      lines.push(line(id, "ab"[word % 2], id + 1, word, 1, word % 10), line(id + 1, "c", -1, word, 2, word % 10));
    }
    folder.write("letter.data", `${lines.join("\n")}\n`);
    const how = ["--format", "letters", "--pixels", "8x4"];
    const trained = await run(
      "train",
      "tag",
      "letter.data",
      ...how,
      "--folds",
      "0,2-9",
      "--out",
      "letters.sg",
      "--json",
      "--quiet",
    );
    expect(JSON.parse(trained.out)).toMatchObject({ sequences: 18, tokens: 36, labels: 3, source: "given" });
    // The model knows which pixels it looks at.
    const tested = await run("evaluate", "letters.sg", "letter.data", "--folds", "1", "--json");
    expect(JSON.parse(tested.out)).toMatchObject({ sequences: 2, tokens: 4, sequenceAccuracy: 1 });
    const { out } = await run("predict", "letters.sg", "letter.data", "--folds", "1");
    expect(out).toMatch(/^1\tb\t\S+\n1\tc\t\S+\n\n11\tb/);
    expect((await run("predict", "letters.sg", "letter.data", "--folds", "1-")).code).toBe(2);
    // Other pixels, or pictures for a model of words, would be answered with nonsense.
    expect(await run("evaluate", "letters.sg", "letter.data", "--pixels", "16x8")).toMatchObject({ code: 2, out: "" });
    const words = await run("predict", "model.sg", "letter.data", "--format", "letters");
    expect(words).toMatchObject({ code: 2, out: "" });
    expect(words.error).toMatch(/the model was trained on columns, not on letters/);
  });

  test("a warm start knows what the older model knew", async () => {
    folder.write("more.txt", "the DT\nzebra NN\n\n");
    const options = ["--passes", "1", "--rate", "0.001", "--held-out", "0", "--quiet", "--out"];
    await run("train", "tag", "more.txt", "--from", "model.sg", ...options, "warm.sg");
    folder.write("other.txt", "0815 A\n4711 B\n\n");
    folder.write("digits.tpl", "U9:%x[0,0]\n");
    const loud = ["--passes", "1", "--template", "digits.tpl", "--out", "other.sg"];
    const strange = await run("train", "tag", "other.txt", "--from", "model.sg", ...loud);
    expect(strange.error).toMatch(/stargram: the data has none of the attributes of the model given with --from/);
    const { out } = await run("evaluate", "warm.sg", "test.txt", "--json");
    expect(JSON.parse(out).unknownLabels).toBe(0); // labels that `more.txt` alone does not have
    const weights = JSON.parse(
      (await run("inspect", "warm.sg", "--label", "DT", "--top", "100", "--json")).out,
    ).weights;
    expect(weights.some(({ feature }: { feature: string }) => feature === "lower[0]=the")).toBe(true);
  });

  test("partial labels and sets of labels", async () => {
    folder.write("partial.txt", columns(80).replaceAll("can NN", "can _").replaceAll("saw NN", "saw NN|VB"));
    const { code } = await run("train", "tag", "partial.txt", "--label-sets", "--out", "partial.sg", "--quiet");
    expect(code).toBe(0);
    expect(JSON.parse((await run("inspect", "partial.sg", "--json")).out).labels).toHaveLength(4);
    expect(
      JSON.parse((await run("evaluate", "partial.sg", "partial.txt", "--json")).out).unknownTokens,
    ).toBeGreaterThan(0);
  });
});

describe("data", () => {
  test("list", async () => {
    expect((await run("data", "list")).out).toMatch(/^letters +[\d,]+ /m);
    const { datasets } = JSON.parse((await run("data", "list", "--json")).out);
    expect(datasets[0].files[0].sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("get refuses an unknown name with the nearest", async () => {
    const { code, error } = await run("data", "get", "leters");
    expect(code).toBe(2);
    expect(error).toMatch(/did you mean `letters`/);
  });
});

describe("usage", () => {
  test("the version and the kernel", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    const { code, out, error } = await run("--version");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out).toMatch(/^stargram (\S+) \((WebAssembly|reference) kernel\)\n$/);
    expect(out.split(" ")[1]).toBe(version);
  });

  test("a kernel that does not exist is refused, and no file blamed for it", async () => {
    vi.stubEnv("STARGRAM_KERNEL", "wsam");
    try {
      for (const words of [
        ["--version"],
        ["predict", "model.sg", "train.txt"],
        ["evaluate", "model.sg", "train.txt"],
      ]) {
        const { code, error } = await run(...words);
        expect(code).toBe(2);
        expect(error).toBe("stargram: the environment has STARGRAM_KERNEL=wsam; it is `js` or `wasm`\n");
      }
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("every command explains itself with examples", async () => {
    const commands = [["train", "tag"], ["predict"], ["evaluate"], ["inspect"], ["data", "list"], ["data", "get"]];
    for (const { code, out } of await Promise.all(commands.map((words) => run(...words, "--help")))) {
      expect(code).toBe(0);
      expect(out).toMatch(/\nExamples:\n {2}.*stargram /);
    }
    expect((await run()).out).toMatch(/Where to start/);
  });

  test.each([
    [["train", "tag", "train.txt", "--ordr", "2", "--out", "x"], /unknown option '--ordr'\n\(Did you mean --order\?\)/],
    [["predct", "model.sg"], /unknown command 'predct'\n\(Did you mean predict\?\)/],
    [["train", "tga", "train.txt"], /did you mean `tag`/],
    [["predict"], /missing required argument 'model'/],
    [["train", "tag", "train.txt"], /--out/],
    [["train", "tag", "train.txt", "--out", "x.sg", "--order", "two"], /--order.*whole number/],
    [["train", "tag", "train.txt", "--out", "x.sg", "--rows", "some"], /longest, all/],
    [["train", "tag", "train.txt", "--out", "x.sg", "--rate", "1e300"], /--rate.*above 0 and at most 100\b/],
    [["train", "tag", "train.txt", "--out", "x.sg", "--l2", "1e300"], /--l2.*at least 0 and at most 1000000\b/],
    [["train", "tag", "train.txt", "--out", "x.sg", "--l1", "Infinity"], /--l1.*at most 1000000\b/],
    [
      ["train", "tag", "train.txt", "--out", "x.sg", "--template", "t", "--features", "text"],
      /t: there is no such file/,
    ],
  ])("%j is refused", async (words, message) => {
    const { code, out, error } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(message);
    expect(error).not.toMatch(/ {4}at /);
  });
});

describe("bad input", () => {
  const bad: [what: string, content: string | Uint8Array, message: RegExp][] = [
    ["a wrong column count", "the DT\ndog\n", /bad:2: 2 columns expected as on line 1, found 1/],
    ["an empty file", "", /bad: no sequences: the file is empty/],
    [
      "invalid UTF-8",
      Uint8Array.of(0x61, 0x20, 0x62, 0x0a, 0xff, 0x20, 0x62, 0x0a),
      /bad:2: the text is not valid UTF-8/,
    ],
    ["no labels", "the\ndog\n", /bad:1: .*label/],
    ["a damaged gzip file", gzipSync("the DT\n").subarray(0, 12), /bad: the gzip file is truncated/],
  ];

  test.each(bad)("%s", async (_what, content, message) => {
    folder.write("bad", content);
    const { code, out, error } = await run("train", "tag", "bad", "--format", "columns", "--out", "bad.sg");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toMatch(message);
    expect(folder.has("bad.sg")).toBe(false);
  });

  test("the wrong number of columns for the model", async () => {
    const { code, error } = await folder.run(["predict", "model.sg"], "a b c\n");
    expect(code).toBe(2);
    expect(error).toMatch(/standard input:1: the model was trained on 1 column and a label, found 3/);
    folder.write("two.txt", "a b X\nc d Y\n\n".repeat(3));
    expect((await run("train", "tag", "two.txt", "--out", "two.sg", "--passes", "1", "--quiet")).code).toBe(0);
    folder.write("unlabelled.txt", "a b\n");
    expect((await run("evaluate", "two.sg", "unlabelled.txt")).error).toMatch(/is the label missing\?/);
  });

  test("a bad template", async () => {
    folder.write("bad.tpl", "U0:%x[0,0]\nU1:%x[0\n");
    const { code, error } = await run("train", "tag", "train.txt", "--template", "bad.tpl", "--out", "bad.sg");
    expect(code).toBe(2);
    expect(error).toMatch(/^stargram: bad\.tpl:2:\d+: /);
  });

  test("models that are missing, cut short, damaged or something else", async () => {
    const model = readFileSync(folder.file("model.sg"));
    writeFileSync(folder.file("cut.sg"), model.subarray(0, model.length - 100));
    const damaged = Buffer.from(model);
    damaged[model.length - 50] ^= 1;
    writeFileSync(folder.file("damaged.sg"), damaged);
    for (const [path, message] of [
      ["none.sg", /none\.sg: there is no such file/],
      ["cut.sg", /cut\.sg: the file is truncated/],
      ["damaged.sg", /damaged\.sg: the file is damaged/],
      ["train.txt", /train\.txt: not a Stargram model/],
      [".", /folder/],
    ] as const) {
      const { code, out, error } = await run("predict", path, "new.txt");
      expect({ path, code, out }).toEqual({ path, code: 2, out: "" });
      expect(error).toMatch(message);
      expect(error).not.toMatch(/ {4}at /);
    }
  });

  test("a place that cannot be written is refused before training", async () => {
    for (const [out, message] of [
      [".", /folder/],
      ["", /the name of the file to write is empty/],
      ["nowhere/model.sg", /its folder does not exist/],
      ["train.txt", /this would replace the data/],
      ["test.txt", /a file exists here that is not a Stargram model; it is unchanged/],
    ] as const) {
      const { code, error } = await run("train", "tag", "train.txt", "--out", out, "--passes", "1000000");
      expect(code).toBe(2);
      expect(error).toMatch(message);
    }
  });
});
