// What is fuzzed in process: everything that reads what a stranger may have written. A target takes bytes; whatever they are,
// it answers or throws an InputError, and its answers hold what they promise. Anything else is a fault.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { collectOutput, takeOutput } from "#stargram/cli/output.js";
import { predictInputs } from "#stargram/cli/predicting.js";
import { startReviewServer } from "#stargram/cli/review/server.js";
import { ReviewSession } from "#stargram/cli/review/session.js";
import { ReviewDesk } from "#stargram/cli/review-desk.js";
import { labelFields } from "#stargram/formats/conllu-tagging.js";
import { openLines } from "#stargram/formats/lines.js";
import { sentencesOf } from "#stargram/formats/raw-text.js";
import { readPairs, readTagging } from "#stargram/formats/read.js";
import { formatReview, imagesOf, readReview, saveReview } from "#stargram/formats/review.js";
import { joinLabels, splitLabels } from "#stargram/formats/review-item.js";
import { formatKeyJson, parseKeyJson, parseKeyList, readText } from "#stargram/formats/text.js";
import { readVectors } from "#stargram/formats/vectors.js";
import { decodeCheckpoint } from "#stargram/model/checkpoint.js";
import { readModelBytes } from "#stargram/model/file.js";
import { readCipher } from "#stargram/tasks/decipher/cipher-text.js";
import { Decipherer } from "#stargram/tasks/decipher/decipherer.js";
import { LanguageModel } from "#stargram/tasks/decipher/language.js";
import { lexiconsOf } from "#stargram/tasks/tag/lexicon.js";
import { CHUNKING_TEMPLATE, parseTemplate } from "#stargram/tasks/tag/template.js";
import { InputError } from "#stargram/util/errors.js";
import { decodeModel, predictorOf } from "#stargram/workflows/model.js";
import { damaged, damagedModel } from "./mutate.mjs";

/** @typedef {import("./mutate.mjs").Dice} Dice */
/** @typedef {{ tagger: Uint8Array, spans: Uint8Array, transducer: Uint8Array, language: Uint8Array, checkpoint: Uint8Array }} Models */
/**
 * @typedef {{
 *   name: string,
 *   make(dice: Dice): Uint8Array,
 *   check(bytes: Uint8Array, dice: Dice): Promise<void> | void,
 *   share: number,
 *   batch: number,
 *   close?(): Promise<void>,
 * }} Target `share`: of all cases. `batch`: cases that one thread does, with its memory, before it makes way for another.
 */

/** A folder that is made when it is first needed. */
class Place {
  /** @type {string | undefined} */
  #folder;

  /** @param {string} name */
  file(name) {
    this.#folder ??= mkdtempSync(join(tmpdir(), "stargram-fuzz-"));
    return join(this.#folder, name);
  }

  remove() {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
const streamOf = (/** @type {Uint8Array} */ bytes) => Readable.from([Buffer.from(bytes)], { objectMode: false });

/**
 * Runs what may refuse its input.
 * @param {() => unknown} work
 */
async function refusable(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
}

/** @param {boolean} holds @param {string} promise */
function hold(holds, promise) {
  if (!holds) throw new Error(`broken promise: ${promise}`);
}

/** @param {number | undefined} p */
const isProbability = (p) => p !== undefined && p >= 0 && p <= 1;

const letters = [1, 2, 3]
  .map((id) =>
    [id, "abc"[id - 1], id < 3 ? id + 1 : -1, 7, id, 0, ...Array.from({ length: 128 }, (_, p) => (p * id) % 2)].join(
      "\t",
    ),
  )
  .join("\n");

const texts = {
  columns: "the DT B-NP\ndog NN I-NP\nbarks VB O\n\na DT B-NP\ncat NN _\n",
  conllu:
    "# newdoc\n# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\tADP\t_\t_\t_\t_\t_\t_\n2\tle\t_\tDET\t_\tGender=Masc\t_\t_\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
  crfsuite: "DT\tw=the\tcap:0.5\nNN\tw\\:dog\n\nVB\tw=barks\tlength:1e-3\n",
  jsonl:
    '{"tokens": ["the", "dog"], "labels": ["DT", ["NN", "VB"]], "id": 7}\n{"attributes": [["a"], {"b": 0.5, "c": "x"}], "labels": [null, "NN"]}\n{"columns": [["a", "b"]], "labels": ["DT"]}\n',
  letters: `${letters}\n`,
  tsv: "phone\tF OW N\nphone\tF OW N AH\nχρόνος\tchronos\n",
  cmudict: ";;; comment\nTOMATO  T AH0 M EY1 T OW2\nTOMATO(1)  T AH0 M AA1 T OW2 # another\n",
  key: '{\n "13": "I",\n "5": "am",\n "q": "e"\n}\n',
  list: "13=I,5=am,q=e",
  cipher: "XKJDW QPLRA ZZABC XKJDW QPLRA\n27 40 7 27 11\nLxfopv ef rnhr, dtp aeqw!\n13-27-45\n",
  lexicon: "New York\tLOC\nnew york\tORG\t7\nRome\n",
  vectors: "3 2\nthe 0.5 -1e-3\nNew York 1 2 \ndog\t3\t4\n",
  paths: "0110\tRome\t17\n01\tthe\t3\n",
  template: `${CHUNKING_TEMPLATE}*02:%m[0,0,"^.?.?\\\\u*"]\nU3:%t[-1,1,"\\\\d$"]/%X[@1,0]\n`,
};

const item = (/** @type {Partial<import("#stargram/formats/review.js").ReviewItem>} */ more) => ({
  ...{ id: "1", kind: /** @type {const} */ ("text"), input: "the dog", answer: "", status: /** @type {const} */ ("") },
  ...{ candidates: [{ text: "DT NN", probability: 0.5 }], source: '{"columns": [["the"], ["dog"]]}' },
  ...more,
});
const reviewText = formatReview([
  item({}),
  item({ id: "2", answer: "DT VB\tx", status: "answered" }),
  item({ id: "3", kind: "images", input: '[{"width":2,"height":1,"bits":"01"}]', status: "skipped" }),
]);

/** @param {string} name @param {keyof typeof texts} sample @param {Target["check"]} check @param {number} [share] */
function textTarget(name, sample, check, share = 1) {
  const own = utf8(texts[sample]);
  const others = Object.values(texts).map(utf8);
  return { name, share, batch: 20_000, check, make: (/** @type {Dice} */ dice) => damaged(own, others, dice) };
}

/** Columns in places of their own, which may not be there. @param {Dice} dice */
function placesBy(dice) {
  const one = () => (dice.chance(0.3) ? undefined : 1 + dice.below(4));
  return {
    wordColumn: one(),
    labelColumn: one(),
    separator: dice.of(/** @type {const} */ ([undefined, "tab", "space"])),
  };
}

/** @param {"columns" | "conllu" | "crfsuite" | "jsonl" | "letters"} format */
function taggingTarget(format) {
  return textTarget(
    format,
    format,
    async (bytes, dice) => {
      const labelled = dice.chance(0.5);
      const options = {
        ...{ labelled, labelSets: dice.chance(0.5), format: dice.chance(0.7) ? format : undefined },
        ...(format === "conllu" && dice.chance(0.5) && { column: dice.of(labelFields) }),
        ...(format === "columns" && dice.chance(0.5) && placesBy(dice)),
      };
      await refusable(async () => {
        for await (const { columns, attributes, values, labels } of readTagging(streamOf(bytes), options)) {
          const length = (columns ?? attributes)?.length ?? 0;
          hold(length > 0, "a sequence has positions");
          hold(!labelled || labels?.length === length, "a label for each position");
          hold(!attributes || attributes.length === length, "attributes for each position");
          hold(
            !values || values.every((row, i) => !row || row.length === attributes?.[i].length),
            "a value for each attribute",
          );
        }
      });
    },
    2,
  );
}

/** @param {"tsv" | "cmudict"} format */
function pairsTarget(format) {
  return textTarget(format, format, async (bytes, dice) => {
    const options = {
      format: dice.chance(0.5) ? format : undefined,
      reverse: dice.chance(0.2),
      stress: dice.chance(0.5),
    };
    const inputsOnly = dice.chance(0.3);
    await refusable(async () => {
      for await (const { input, output } of readPairs(streamOf(bytes), { ...options, inputsOnly })) {
        hold(input.length > 0 && [...input, ...output].every((symbol) => symbol !== ""), "symbols are not empty");
      }
    });
  });
}

const keyTarget = textTarget("key", "key", (bytes) =>
  refusable(() => {
    const key = parseKeyJson(Buffer.from(bytes).toString());
    if (key) hold(formatKeyJson(parseKeyJson(formatKeyJson(key)) ?? {}) === formatKeyJson(key), "a key comes back");
  }),
);

const listTarget = textTarget("key list", "list", (bytes) =>
  refusable(() => parseKeyList(Buffer.from(bytes).toString())),
);

const cipherTarget = textTarget("cipher", "cipher", async (bytes, dice) => {
  const level = dice.of(/** @type {const} */ (["word", "char"]));
  const kind = dice.of(/** @type {const} */ ([undefined, "letters", "characters", "numbers"]));
  const spaces = dice.of(/** @type {const} */ ([undefined, "known", "unknown"]));
  await refusable(async () => {
    const text = await readText(streamOf(bytes), dice.of(/** @type {const} */ (["utf-8", "latin1"])));
    const cipher = readCipher(text, level, level === "word" ? {} : { kind, spaces });
    const marked = cipher.render(cipher.sequences.map((sequence) => sequence.map(() => "x")));
    hold(typeof marked === "string", "a text is rendered");
  });
});

const templateTarget = textTarget("template", "template", (bytes) =>
  refusable(() => {
    const template = parseTemplate(Buffer.from(bytes).toString());
    const rows = Array.from({ length: 4 }, (_, i) =>
      Array.from({ length: Math.min(template.columns, 50) || 1 }, () => `wörd${i}`),
    );
    const { attributes, conjoined } = template.apply(rows);
    hold(attributes.length === rows.length && conjoined.length === rows.length, "attributes for each position");
  }),
);

const lexiconTarget = textTarget("lexicon", "lexicon", (bytes, dice) =>
  refusable(() => {
    const text = dice.chance(0.3) ? texts.paths + Buffer.from(bytes).toString() : Buffer.from(bytes).toString();
    const [lexicon] = lexiconsOf([{ name: "x", text }]);
    const tokens = [...lexicon.entries.slice(0, 20).flatMap((entry) => entry.split(" ")), "new", "York"];
    const values = lexicon.values(tokens);
    hold(values.length === tokens.length, "a value for each token");
    hold(values[0] !== "", "an entry is found");
    for (const piece of lexicon.pieces(1)) hold(Array.isArray(piece.names(piece.places.map(() => "B"))), "names");
  }),
);

const vectorsTarget = textTarget("vectors", "vectors", (bytes) =>
  refusable(async () => {
    const { words, dimension, values } = await readVectors(Buffer.from(bytes).toString(), () => true);
    hold(values.length === words.length * dimension && values.every(Number.isFinite), "a finite vector for each word");
    hold(new Set(words).size === words.length, "a word has one vector");
  }),
);

/** Pieces of a text, of which some are left out. @param {string} text @param {Dice} dice */
function cutBy(text, dice) {
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    const end = Math.min(text.length, at + 1 + dice.below(9));
    if (dice.chance(0.8)) pieces.push({ start: at, end });
    at = end;
  }
  return pieces;
}

const runningTarget = textTarget("running text", "cipher", (bytes, dice) => {
  const text = Buffer.from(bytes).toString();
  let at = 0;
  // Tokens as a model may find them: here and there, of any length.
  const tokenizer = dice.chance(0.5) ? { cut: (/** @type {string} */ given) => cutBy(given, dice) } : undefined;
  for (const sentence of sentencesOf(text, tokenizer)) {
    for (const token of sentence) {
      hold(text.slice(token.start, token.end) === token.text && token.start >= at, "tokens stand where they say");
      at = token.end;
    }
  }
});

/** A damaged file that comes back with answers in their places, if it is taken. @param {Models} models */
function roundTripTarget(models) {
  const { task, model } = predictorOf(decodeModel(Uint8Array.from(models.tagger)), "predict");
  const blind = (/** @type {string} */ text) => text.replace(/^(\d+\t[^\t\n]*\t[^\t\n]*\t)[^\t\n]*/gm, "$1");
  const asked = { prediction: {}, rereading: { format: "conllu" } };
  return textTarget("CoNLL-U and back", "conllu", (bytes, dice) => {
    const text = Buffer.from(bytes).toString();
    const given = dice.chance(0.3) ? text.replaceAll("\n", "\r\n") : dice.chance(0.3) ? text.trimEnd() : text;
    return refusable(async () => {
      collectOutput();
      await predictInputs(task, model, openLines(streamOf(utf8(given))), asked, await ReviewDesk.open(undefined));
      hold(blind(takeOutput().out) === blind(given.replace(/^\ufeff/, "")), "nothing but answers changes");
    });
  });
}

const reviewTarget = {
  name: "review file",
  share: 2,
  batch: 20_000,
  make: (/** @type {Dice} */ dice) => damaged(utf8(reviewText), Object.values(texts).map(utf8), dice),
  /** @param {Uint8Array} bytes @param {Dice} dice */
  async check(bytes, dice) {
    const incomplete = dice.chance(0.5);
    await refusable(async () => {
      const items = await readReview(streamOf(bytes), { incomplete });
      for (const one of items) {
        if (one.kind === "images") await refusable(() => imagesOf(one));
        const labels = splitLabels(one.answer).map((label) => label ?? "x");
        hold(
          splitLabels(joinLabels(labels)).every((label, i) => label === labels[i]),
          "labels come back",
        );
      }
      const again = await readReview(streamOf(utf8(formatReview(items))));
      // Probabilities are written with six digits.
      const rounded = (/** @type {string} */ key, /** @type {unknown} */ value) =>
        key === "probability" ? Number(Number(value).toPrecision(6)) : value;
      const plain = (/** @type {object} */ one) => JSON.stringify({ ...one, line: 0 }, rounded);
      hold(again.length === items.length && again.every((one, i) => plain(one) === plain(items[i])), "items come back");
    });
  },
};

/** A review file with a journal that was damaged, opened. */
function journalTarget() {
  const place = new Place();
  const file = () => place.file("left.tsv");
  /** @type {Uint8Array | undefined} */
  let journal;
  return {
    name: "review journal",
    share: 0.1,
    batch: 2000,
    async prepare() {
      await saveReview(file(), [item({}), item({ id: "2" })]);
      const session = await ReviewSession.open(file());
      await session.perform({ action: "answer", index: 0, text: "x y", again: false });
      await session.perform({ action: "draft", index: 1, text: "half" });
      const { readFileSync } = await import("node:fs");
      journal = readFileSync(`${file()}.journal`);
      await session.close();
    },
    make: (/** @type {Dice} */ dice) => damaged(/** @type {Uint8Array} */ (journal), [utf8(texts.jsonl)], dice),
    /** @param {Uint8Array} bytes */
    async check(bytes) {
      writeFileSync(file(), formatReview([item({}), item({ id: "2" })]));
      writeFileSync(`${file()}.journal`, bytes);
      rmSync(`${file()}.lock`, { force: true });
      await refusable(async () => {
        const session = await ReviewSession.open(file());
        hold(session.total === 2, "all items are there");
        await session.close();
        hold((await readReview(file())).length === 2, "the file is whole");
      });
    },
    close: async () => place.remove(),
  };
}

/**
 * Uses a model that was let in: it must answer soon, with probabilities.
 * @param {any} model
 */
async function useModel(model) {
  await refusable(async () => {
    if (model.kind === "tagger") {
      const width = Math.max(1, model.source.kind === "template" ? 2 : 1);
      const columns = ["the", "dog", "barks"].map((word) => [word, "DT"].slice(0, width));
      const { labels, probability, confidences, marginals } = model.predict(
        { columns },
        { confidences: true, marginals: true },
      );
      hold(labels.length === 3 && isProbability(probability), "labels with a probability");
      hold(confidences.every(isProbability) && marginals.length === 3, "a probability for each label");
      model.predict({ columns }, { nbest: 3 });
      if (model.marksSpans) model.predict({ columns }, { spans: true });
    } else if (model.kind === "transducer") {
      const { probability, nbest } = model.predict(["a", "b", "a"], { nbest: 3, alignment: true });
      hold(
        isProbability(probability) && nbest.every((/** @type {any} */ one) => isProbability(one.probability)),
        "outputs with probabilities",
      );
    } else if (model instanceof LanguageModel) {
      const options = { restarts: 0, passes: 2, refine: false, contexts: 3, seed: 1 };
      const sequences = model.options.level === "char" && model.options.spaces ? [["x", " ", "y"]] : [["x", "y", "x"]];
      const found = await new Decipherer(model, options).solve(sequences);
      hold(found.plain[0].length === 3, "a plain symbol for each");
    }
  });
}

/** @param {Models} models @param {"tagger" | "spans" | "transducer" | "language"} kind */
function modelTarget(models, kind) {
  return {
    name: `${kind} with a right checksum`,
    share: 0.4,
    batch: 150,
    make: (/** @type {Dice} */ dice) => damagedModel(models[kind], dice),
    /** @param {Uint8Array} bytes */
    check: (bytes) =>
      refusable(async () => {
        const model = decodeModel(Uint8Array.from(bytes));
        await useModel(model);
      }),
  };
}

/** @param {Models} models */
function modelBytesTarget(models) {
  const all = Object.values(models);
  return {
    name: "model bytes",
    share: 3,
    batch: 5000,
    make: (/** @type {Dice} */ dice) => damaged(dice.of(all), all, dice),
    /** @param {Uint8Array} bytes */
    check: (bytes) =>
      refusable(() => {
        decodeModel(Uint8Array.from(bytes));
      }),
  };
}

/** Model files on disk, packed and then damaged, or damaged and then packed. @param {Models} models */
function packedTarget(models) {
  const place = new Place();
  const all = Object.values(models);
  return {
    name: "packed model",
    share: 0.1,
    batch: 500,
    make(/** @type {Dice} */ dice) {
      const one = dice.of(all);
      return dice.chance(0.5) ? damaged(gzipSync(one), all, dice) : gzipSync(damaged(one, all, dice));
    },
    /** @param {Uint8Array} bytes */
    async check(bytes) {
      const path = place.file("model.sg");
      writeFileSync(path, bytes);
      await refusable(async () => {
        decodeModel(await readModelBytes(path));
      });
    },
    close: async () => place.remove(),
  };
}

/** @param {Models} models */
function checkpointTarget(models) {
  return {
    name: "checkpoint with a right checksum",
    share: 0.4,
    batch: 2000,
    make: (/** @type {Dice} */ dice) => damagedModel(models.checkpoint, dice),
    /** @param {Uint8Array} bytes */
    check: (bytes) =>
      refusable(() => {
        const { checkpoint } = decodeCheckpoint(Uint8Array.from(bytes));
        hold(checkpoint.best.length === checkpoint.weights.length, "arrays of one length");
      }),
  };
}

const request_ =
  "POST /SECRET/answer HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\nContent-Length: LENGTH\r\nConnection: close\r\n\r\nBODY";
const bodies = [
  '{"action":"answer","index":0,"text":"x","again":false}',
  '{"action":"skip","index":1,"again":true,"revision":0}',
  '{"action":"draft","index":1,"text":"half","revision":3}',
  '{"action":"undo"}',
  '{"action":"again"}',
];

/** A review server, and requests of which any part may be damaged. */
function serverTarget() {
  const place = new Place();
  const file = () => place.file("left.tsv");
  /** @type {{ session: ReviewSession, server: { close(): Promise<void> }, port: number, secret: string } | undefined} */
  let running;
  return {
    name: "review requests",
    share: 0.2,
    batch: 2000,
    async prepare() {
      await saveReview(file(), [item({}), item({ id: "2" }), item({ id: "3" })]);
      const session = await ReviewSession.open(file());
      const text = { file: "left.tsv", next: "", again: "" };
      const server = await startReviewServer({ session, port: 0, text, page: "", onAction: () => undefined });
      const { port, pathname } = new URL(server.address);
      running = { session, server, port: Number(port), secret: pathname.split("/")[1] };
    },
    make(/** @type {Dice} */ dice) {
      const body = dice.chance(0.6)
        ? Buffer.from(damaged(utf8(dice.of(bodies)), [utf8(texts.jsonl)], dice))
        : Buffer.from(dice.of(bodies));
      const head = request_.replace("LENGTH", String(body.length)).replace("BODY", "");
      const bytes = Buffer.concat([Buffer.from(head), body]);
      return dice.chance(0.5) ? damaged(bytes, [bytes, utf8(texts.columns)], dice) : Uint8Array.from(bytes);
    },
    /** @param {Uint8Array} bytes */
    async check(bytes) {
      const { port, secret, session } = /** @type {NonNullable<typeof running>} */ (running);
      const text = Buffer.from(bytes).toString("latin1").replace("SECRET", secret).replace("PORT", String(port));
      const answer = await sent(port, Buffer.from(text, "latin1"));
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      hold(status === 0 || (status >= 200 && status < 500), `an answer below 500, not ${answer.slice(0, 200)}`);
      const alive = await statusOf(port, `/${secret}/item`);
      hold(alive === 200, "the server still answers");
      hold(session.total === 3 && session.answered <= 3, "the items are as many as before");
    },
    async close() {
      await running?.server.close();
      await running?.session.close();
      place.remove();
    },
  };
}

/** Sends raw bytes and returns what comes back, at most until the other side closes. @param {number} port @param {Buffer} bytes */
function sent(port, bytes) {
  return /** @type {Promise<string>} */ (
    new Promise((resolve) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
      socket.on("data", (chunk) => {
        answer += chunk.toString("latin1");
      });
      socket.on("close", () => resolve(answer)).on("error", () => undefined);
      // A request that is not whole is waited for: long enough to know that nothing comes.
      socket.setTimeout(300, () => socket.destroy());
    })
  );
}

/** @param {number} port @param {string} path */
function statusOf(port, path) {
  return /** @type {Promise<number | undefined>} */ (
    new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      asked.on("error", reject).end();
    })
  );
}

/**
 * All targets, ready to run.
 * @param {Models} models
 * @returns {(Target & { prepare?(): Promise<void> })[]}
 */
export function targetsOf(models) {
  return [
    .../** @type {const} */ (["columns", "conllu", "crfsuite", "jsonl", "letters"]).map(taggingTarget),
    .../** @type {const} */ (["tsv", "cmudict"]).map(pairsTarget),
    ...[keyTarget, listTarget, cipherTarget, templateTarget, lexiconTarget, vectorsTarget, runningTarget, reviewTarget],
    roundTripTarget(models),
    journalTarget(),
    modelBytesTarget(models),
    packedTarget(models),
    .../** @type {const} */ (["tagger", "spans", "transducer", "language"]).map((kind) => modelTarget(models, kind)),
    checkpointTarget(models),
    serverTarget(),
  ];
}
