import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cacheFolder } from "../../src/datasets/cache-folder.js";
import {
  type Dataset,
  datasets,
  fetchDataset,
  findDataset,
  type GetDatasetOptions,
  getDataset,
} from "../../src/datasets/registry.js";
import { readTagging } from "../../src/formats/read.js";
import { InputError } from "../../src/util/errors.js";

const content = "He PRP B-NP\nreckons VBZ B-VP\n".repeat(5000);
const sha256 = createHash("sha256").update(content).digest("hex");

let server: Server;
let address: string;
let answers: Record<string, Uint8Array | "cut">; // by path; "cut": the connection breaks
let asked: string[];
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(404).end("no");
    else if (answer === "cut") {
      response.writeHead(200, { "content-length": content.length });
      response.write(content.slice(0, 1000), () => response.destroy());
    } else response.writeHead(200, { "content-length": answer.length }).end(answer);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  asked = [];
  answers = { "/train.gz": gzipSync(content), "/mirror/toy/train.txt": Buffer.from(content) };
  folder = mkdtempSync(join(tmpdir(), "stargram-registry-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function toy(addresses: string[], gzip = true): Dataset {
  const file = { name: "train.txt", bytes: content.length, sha256, addresses, gzip };
  return { name: "toy", description: "a toy", licence: "none", files: [file] };
}

/** As the tests want it: never the mirror or the cache of who runs them. */
async function fetchToy(dataset: Dataset, options: GetDatasetOptions = {}): Promise<string> {
  const { paths } = await fetchDataset(dataset, {
    mirror: address.concat("/none"),
    cache: join(folder, "cache"),
    ...options,
  });
  return paths["train.txt"];
}

async function refusal(promise: Promise<unknown>): Promise<InputError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
}

/** All files under a folder. */
function kept(): string[] {
  const cache = join(folder, "cache");
  if (!existsSync(cache)) return [];
  return readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

describe("a data set at its public address", () => {
  const mirror = process.env.STARGRAM_MIRROR;
  beforeEach(() => {
    delete process.env.STARGRAM_MIRROR;
  });
  afterEach(() => {
    if (mirror !== undefined) process.env.STARGRAM_MIRROR = mirror;
  });
  const options = () => ({ mirror: undefined });

  it("is fetched, unpacked, checked and kept; then not fetched again", async () => {
    const seen: number[] = [];
    const path = await fetchToy(toy([`${address}/train.gz`]), {
      ...options(),
      onProgress: ({ file, received, total }) => {
        expect(file).toBe("train.txt");
        expect(total).toBe((answers["/train.gz"] as Uint8Array).length);
        seen.push(received);
      },
    });
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(seen.at(-1)).toBe((answers["/train.gz"] as Uint8Array).length);
    expect(kept()).toEqual(["train.txt"]);
    expect(await fetchToy(toy([`${address}/train.gz`]), options())).toBe(path);
    expect(asked).toEqual(["/train.gz"]);
  });

  it("is fetched again when the cached file is damaged", async () => {
    const path = await fetchToy(toy([`${address}/train.gz`]), options());
    writeFileSync(path, content.slice(1));
    expect(readFileSync(await fetchToy(toy([`${address}/train.gz`]), options()), "utf8")).toBe(content);
    expect(asked).toHaveLength(2);
  });

  it("comes from the next address when one fails", async () => {
    const path = await fetchToy(toy([`${address}/gone.gz`, `${address}/train.gz`]), options());
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  it("is refused and not kept when it is not the expected file", async () => {
    const changed = Buffer.from(content);
    changed[100] ^= 1;
    answers = {
      "/changed.gz": gzipSync(changed),
      "/short.gz": gzipSync(content.slice(1)),
      "/long.gz": gzipSync(content.repeat(50)),
      "/not.gz": Buffer.from(content),
      "/half.gz": gzipSync(content).subarray(0, 100),
      "/cut": "cut",
    };
    for (const path of Object.keys(answers)) {
      const error = await refusal(fetchToy(toy([address + path], path.endsWith("gz")), options()));
      expect(error.file).toBe(address + path);
      if (path === "/long.gz") expect(error.message).toMatch(/more than \d+ bytes/);
      expect(kept()).toEqual([]);
    }
  });

  it("gives a clear error when there is no answer", async () => {
    expect((await refusal(fetchToy(toy([`${address}/gone.gz`]), options()))).message).toMatch(/answer 404/);
    const closed = createServer();
    await new Promise<void>((done) => closed.listen(0, "127.0.0.1", done));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const offline = await refusal(fetchToy(toy([`http://127.0.0.1:${port}/train.gz`]), options()));
    expect(offline.message).toMatch(/cannot be downloaded \(ECONNREFUSED\)/);
    expect(offline.hint).toMatch(/STARGRAM_MIRROR/);
    expect((await refusal(fetchToy(toy([]), options()))).message).toMatch(/no public address/);
  });

  it("says so when the cache cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    const error = await refusal(fetchToy(toy([`${address}/train.gz`]), { ...options(), cache: join(folder, "file") }));
    expect(error.hint).toMatch(/STARGRAM_CACHE/);
  });
});

describe("a mirror", () => {
  it("that is an address stands in for the public one", async () => {
    const path = await fetchToy(toy([`${address}/train.gz`]), { mirror: `${address}/mirror/` });
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(asked).toEqual(["/mirror/toy/train.txt"]);
  });

  it("that is a folder is used in place, checked, and nothing is fetched", async () => {
    const path = join(folder, "toy", "train.txt");
    mkdirSync(join(folder, "toy"));
    writeFileSync(path, content);
    expect(await fetchToy(toy([`${address}/train.gz`]), { mirror: folder })).toBe(path);
    expect(await fetchToy(toy([]), { mirror: pathToFileURL(folder).href })).toBe(path);
    writeFileSync(path, content.slice(1));
    expect((await refusal(fetchToy(toy([]), { mirror: folder }))).message).toMatch(/SHA-256/);
    rmSync(path);
    expect((await refusal(fetchToy(toy([]), { mirror: folder }))).message).toMatch(/no such file/);
    expect([asked, kept()]).toEqual([[], []]);
  });
});

describe("the registry", () => {
  it("knows its data sets by name, and what was meant", () => {
    expect(findDataset("letters").files[0].name).toBe("letter.data.gz");
    expect(() => findDataset("leters")).toThrow(/unknown data set `leters`; did you mean `letters`\?/);
  });

  it("has a checksum, a size and a licence for every file, and names that are file names", () => {
    expect(new Set(datasets.map(({ name }) => name)).size).toBe(datasets.length);
    for (const { name, licence, description, files } of datasets) {
      expect(name).toMatch(/^[a-z0-9-]+$/);
      expect([licence, description]).not.toContain("");
      for (const file of files) {
        expect(file.name).toMatch(/^[a-z0-9][a-z0-9.-]+$/);
        expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(file.bytes).toBeGreaterThan(0);
        for (const address of file.addresses) expect(new URL(address).protocol).toMatch(/^https?:$/);
      }
    }
  });

  it("keeps downloads where each system keeps such things", () => {
    expect(cacheFolder({ STARGRAM_CACHE: "/a" }, "linux")).toBe(resolve("/a"));
    expect(cacheFolder({ XDG_CACHE_HOME: "/x" }, "linux")).toBe(join("/x", "stargram"));
    expect(cacheFolder({}, "linux")).toMatch(/\.cache.stargram$/);
    expect(cacheFolder({}, "darwin")).toMatch(/Library.Caches.stargram$/);
    expect(cacheFolder({ LOCALAPPDATA: "/local" }, "win32")).toBe(join("/local", "stargram"));
  });
});

describe.runIf(process.env.STARGRAM_MIRROR)("the data sets themselves", () => {
  it("are all what the registry says", async () => {
    for (const { name, files } of datasets) {
      const { paths } = await getDataset(name, { cache: join(folder, "cache") });
      for (const file of files) expect(readFileSync(paths[file.name]).length).toBe(file.bytes);
    }
  });

  it("letters: 6,877 words, 52,152 letters, 10 folds", async () => {
    const { paths } = await getDataset("letters", { cache: join(folder, "cache") });
    let words = 0;
    let letters = 0;
    const folds = new Set<number | undefined>();
    const different = new Set<string>();
    for await (const { labels, fold } of readTagging(paths["letter.data.gz"], { labelled: true })) {
      words++;
      letters += labels?.length ?? 0;
      folds.add(fold);
      different.add((labels ?? []).join(""));
    }
    expect([words, letters, folds.size, different.size]).toEqual([6877, 52152, 10, 55]);
  });

  it("CoNLL-2000: 8,936 sentences of 211,727 words, and 2,012 of 47,377", async () => {
    const { paths } = await getDataset("conll2000", { cache: join(folder, "cache") });
    const counts: number[] = [];
    for (const file of ["train.txt", "test.txt"]) {
      let sentences = 0;
      let words = 0;
      for await (const { columns } of readTagging(paths[file], { labelled: true })) {
        sentences++;
        words += columns?.length ?? 0;
      }
      counts.push(sentences, words);
    }
    expect(counts).toEqual([8936, 211727, 2012, 47377]);
  });
});
