// The data sets that examples and experiments use: where they come from, their checksums, licences and sizes. A data set is
// looked for in a mirror (a folder or an address, laid out as <mirror>/<name>/<file>), in the user's cache, then at its
// public address. Nothing is used or kept whose SHA-256 is not the one written here.

import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { fileError } from "../formats/lines.js";
import { InputError, unknownName } from "../util/errors.js";
import { cacheFolder } from "./cache-folder.js";

export interface DatasetFile {
  name: string;
  bytes: number;
  sha256: string;
  /** Public addresses, tried in order; none: the file comes from a mirror only. */
  addresses: readonly string[];
  /** At those addresses it is packed with gzip; size and checksum are of the unpacked file. */
  gzip?: boolean;
}

export interface Dataset {
  name: string;
  description: string;
  licence: string;
  files: readonly DatasetFile[];
}

const conll2000 = (file: string) => [
  `https://www.cnts.ua.ac.be/conll2000/chunking/${file}.gz`,
  `https://www.clips.uantwerpen.be/conll2000/chunking/${file}.gz`,
];

export const datasets: readonly Dataset[] = [
  {
    name: "letters",
    description:
      "handwritten words of R. Kassel, cleaned by B. Taskar: 6,877 words, 52,152 letters of 16x8 pixels, 10 folds",
    licence: "none stated",
    files: [
      {
        name: "letter.data.gz",
        bytes: 1_329_012,
        sha256: "4ef9522ffeaa68cad889ad8d02ad3fca411fe6a656546c236a183866157b3b34",
        addresses: ["http://ai.stanford.edu/~btaskar/ocr/letter.data.gz"],
      },
    ],
  },
  {
    name: "conll2000",
    description: "English chunking, the CoNLL-2000 shared task: word, part of speech, chunk; 8,936 and 2,012 sentences",
    licence: "research use",
    files: [
      {
        name: "train.txt",
        bytes: 2_842_164,
        sha256: "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea",
        addresses: conll2000("train.txt"),
        gzip: true,
      },
      {
        name: "test.txt",
        bytes: 639_396,
        sha256: "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628",
        addresses: conll2000("test.txt"),
        gzip: true,
      },
    ],
  },
  {
    name: "cmudict-g2p",
    description: "the CMU pronouncing dictionary, split for grapheme-to-phoneme: 106,837 and 12,000 words",
    licence: "BSD",
    files: [
      {
        name: "train.tsv",
        bytes: 2_717_073,
        sha256: "5882433c3a14a9a0614b5f724ce74872851092e816852c82d6b74913b2085384",
        addresses: [],
      },
      {
        name: "test.tsv",
        bytes: 306_441,
        sha256: "9beeeed7726f4954bee1dbb3c5b41f50a71227557eca70b259fbd63c9cad1bb9",
        addresses: [],
      },
    ],
  },
  {
    name: "g2p-languages",
    description:
      "spelling and pronunciation in seven languages, SIGMORPHON 2020 via WikiPron: 3,600 pairs each to train, 450 to develop",
    licence: "CC BY-SA",
    files: [
      {
        name: "ady.dev.tsv",
        bytes: 14_298,
        sha256: "3a540e30adf286a226ab9faea9b0b08cf0726e8549cdbe8414ae1028a7f1f14f",
        addresses: [],
      },
      {
        name: "ady.train.tsv",
        bytes: 116_737,
        sha256: "8ab54e92ecf5245ea2ed9a5677df890a3917372fb928e44c1df9b954ffe3c010",
        addresses: [],
      },
      {
        name: "fre.dev.tsv",
        bytes: 9_925,
        sha256: "eb2b3fb761b02591a93981c448c6c7972da0499fd0fb1d7a0b60142463f6b355",
        addresses: [],
      },
      {
        name: "fre.train.tsv",
        bytes: 79_465,
        sha256: "fcc1c1c19a19381105662b412e8de1a143802da40fb401dd3cc452bc935128a6",
        addresses: [],
      },
      {
        name: "geo.dev.tsv",
        bytes: 19_203,
        sha256: "2f0b707103648fb09c04084a8f60a1307cf14b4bfd5d5892664ba32920604e59",
        addresses: [],
      },
      {
        name: "geo.train.tsv",
        bytes: 158_326,
        sha256: "5a9d9cadc41e6c514be51eb257f7005dea67f8a528db3f839cd9bc8f9799caf5",
        addresses: [],
      },
      {
        name: "hin.dev.tsv",
        bytes: 16_618,
        sha256: "51807c402408a8da95fde02b9f9af35a39715ff0e31020f5fa95937962fa66a1",
        addresses: [],
      },
      {
        name: "hin.train.tsv",
        bytes: 129_481,
        sha256: "74c5359152b21349bafafdc280b9f7ac1a8391056111f7442b3fed04c2a5251b",
        addresses: [],
      },
      {
        name: "kor.dev.tsv",
        bytes: 12_854,
        sha256: "0bf3b0676254dde2f087283f39f4a2f0ef2377000d0317be9c4b6cc8ef9ea23e",
        addresses: [],
      },
      {
        name: "kor.train.tsv",
        bytes: 103_374,
        sha256: "c0e509d5c604df2bb0d899fec7825985e2d48f6cbb7238b1cde5ab408716071f",
        addresses: [],
      },
      {
        name: "lit.dev.tsv",
        bytes: 17_453,
        sha256: "0dba9ff447458eb6a5e5275d44f33cb98218cb59c5f86984e1c9c86744eb334c",
        addresses: [],
      },
      {
        name: "lit.train.tsv",
        bytes: 140_597,
        sha256: "0b2a516fd0832654ae8fba3037635a66cc3ad864e61139323bad009a2de4cb14",
        addresses: [],
      },
      {
        name: "vie.dev.tsv",
        bytes: 17_915,
        sha256: "6d9f94f8f8229876bd029b4db9b42654d31f834bb096279108547a98319cb510",
        addresses: [],
      },
      {
        name: "vie.train.tsv",
        bytes: 137_420,
        sha256: "541f4b51c14305580a5766158a76e299836646eafcbfb2ed9b5e7e50ae3fa7e6",
        addresses: [],
      },
    ],
  },
  {
    name: "buckeye",
    description: "spontaneous speech as phones and text, not aligned, from the Buckeye corpus: 746 and 253 utterances",
    licence: "non-commercial",
    files: [
      {
        name: "train.tsv",
        bytes: 73_548,
        sha256: "3cdc35a702ee93a3e9e05da734e8eeed0e4c6a517111f2586dfe92873453fe2a",
        addresses: [],
      },
      {
        name: "test.tsv",
        bytes: 25_327,
        sha256: "6a44f7e8461e655c8a456530d8dd2f88497b525b23b9c4e26781319ee41ed428",
        addresses: [],
      },
    ],
  },
  {
    name: "timit",
    description: "read speech as phones and text: the 160 sentences of NLTK's sample of TIMIT",
    licence: "CC BY-NC-SA",
    files: [
      {
        name: "utterances.tsv",
        bytes: 27_474,
        sha256: "3eef088faa86ce2c45127f5c2d65f438bfcf860b837db7819f1a911e9385b394",
        addresses: [],
      },
    ],
  },
  {
    name: "tatoeba",
    description: "English sentences of Tatoeba made of the 500 commonest words: 53,891 sentences",
    licence: "CC BY 2.0 FR",
    files: [
      {
        name: "top500-sentences.txt",
        bytes: 1_519_809,
        sha256: "708b5fc56df8f97da2ccc314db2e2aa0a11a6d1183f70c07118fd0498265cfaf",
        addresses: [],
      },
    ],
  },
  {
    name: "gutenberg",
    description: "clauses of 4 to 20 words from Project Gutenberg, made of the 500 commonest words: 25,688 clauses",
    licence: "CC0",
    files: [
      {
        name: "clauses-top500.txt",
        bytes: 716_328,
        sha256: "37896435a4e869a74e3a24b331b0c4b0714f00d80f36c9830d7b136405d3b048",
        addresses: [],
      },
    ],
  },
  {
    name: "zodiac",
    description: "the Zodiac-408 cipher: homophonic, 54 symbols, with its plain text and key",
    licence: "public",
    files: [
      {
        name: "z408.cipher.txt",
        bytes: 432,
        sha256: "6cc9d3037c9f1fec3ea563fada9efa1160f472f3cac02157eefcba5defbb2b4e",
        addresses: [],
      },
      {
        name: "z408.numeric.txt",
        bytes: 1_136,
        sha256: "4856b66c045343bd6f8fb9893b78ea56e85f64edc10b0a2a82748c465d8a271e",
        addresses: [],
      },
      {
        name: "z408.plain.txt",
        bytes: 409,
        sha256: "1750c964dffa4802a7351ed8612618cd4a09fe25141e8c91d740575879cd668f",
        addresses: [],
      },
      {
        name: "z408.key.json",
        bytes: 596,
        sha256: "9a70ef2580e52b8fbfd00f28055786e67e6aabdbea74f149283aa33c7e76a5e4",
        addresses: [],
      },
    ],
  },
];

export interface DatasetProgress {
  file: string;
  /** Bytes so far, as they come (packed, if they come so). */
  received: number;
  /** Bytes to come in all, where the sender says so. */
  total?: number;
}

export interface GetDatasetOptions {
  /** A folder or an address that stands in for the public addresses; default `STARGRAM_MIRROR`. */
  mirror?: string;
  /** The folder to keep downloads in; default `cacheFolder()`. */
  cache?: string;
  onProgress?: (progress: DatasetProgress) => void;
}

export interface LocalDataset {
  dataset: Dataset;
  /** Where each file lies, by its name. */
  paths: Record<string, string>;
}

/** The data set of that name. */
export function findDataset(name: string): Dataset {
  const dataset = datasets.find((candidate) => candidate.name === name);
  if (!dataset) {
    throw unknownName(
      "data set",
      name,
      datasets.map((candidate) => candidate.name),
    );
  }
  return dataset;
}

/** Finds or fetches a data set of the registry. */
export async function getDataset(name: string, options: GetDatasetOptions = {}): Promise<LocalDataset> {
  return fetchDataset(findDataset(name), options);
}

/** Finds or fetches any data set. A folder that is a mirror is used where it is; all else is kept in the cache. */
export async function fetchDataset(dataset: Dataset, options: GetDatasetOptions = {}): Promise<LocalDataset> {
  const mirror = options.mirror ?? (process.env.STARGRAM_MIRROR || undefined);
  const cache = options.cache ?? cacheFolder();
  const paths: Record<string, string> = {};
  for (const file of dataset.files) {
    paths[file.name] =
      mirror !== undefined && !isWebAddress(mirror)
        ? await fromFolder(mirror, dataset, file)
        : await fromCache(mirror, cache, dataset, file, options.onProgress);
  }
  return { dataset, paths };
}

function isWebAddress(mirror: string): boolean {
  return /^https?:\/\//i.test(mirror);
}

async function fromFolder(mirror: string, dataset: Dataset, file: DatasetFile): Promise<string> {
  const folder = mirror.startsWith("file:") ? fileURLToPath(mirror) : resolve(mirror);
  const path = join(folder, dataset.name, file.name);
  let found: string;
  try {
    found = await sha256Of(path);
  } catch (error) {
    const { reason } = fileError(error, path);
    throw new InputError(`the mirror does not have the data set ${dataset.name}: ${reason}`, {
      file: path,
      hint: "STARGRAM_MIRROR must be a folder or URL with <data set>/<file>",
      cause: error,
    });
  }
  if (found !== file.sha256) throw wrongChecksum(path, file, found);
  return path;
}

async function fromCache(
  mirror: string | undefined,
  cache: string,
  dataset: Dataset,
  file: DatasetFile,
  onProgress: GetDatasetOptions["onProgress"],
): Promise<string> {
  const folder = join(cache, dataset.name);
  const path = join(folder, file.name);
  // A cached file that is damaged is fetched again, like one that is not there.
  if ((await sha256Of(path).catch(() => undefined)) === file.sha256) return path;

  const sources =
    mirror === undefined
      ? file.addresses.map((address) => ({ address, gzip: file.gzip === true }))
      : [{ address: `${mirror.replace(/\/+$/, "")}/${dataset.name}/${file.name}`, gzip: false }];
  if (sources.length === 0) {
    throw new InputError(`the data set ${dataset.name} has no public address`, {
      hint: `set STARGRAM_MIRROR to a folder or URL with ${dataset.name}/${file.name}`,
    });
  }
  const temporary = join(folder, `.${file.name}.${randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new InputError(`the cache folder cannot be created (${(error as NodeJS.ErrnoException).code})`, {
      file: folder,
      hint: "set STARGRAM_CACHE to a folder that can be written to",
      cause: error,
    });
  }
  let failure: InputError | undefined;
  for (const source of sources) {
    try {
      await download(source.address, source.gzip, temporary, file, onProgress);
      await rename(temporary, path);
      return path;
    } catch (error) {
      failure = error instanceof InputError ? error : fetchError(source.address, dataset, error);
    } finally {
      await rm(temporary, { force: true });
    }
  }
  throw failure;
}

/** Fetches an address into a file and checks it. */
async function download(
  address: string,
  gzip: boolean,
  path: string,
  file: DatasetFile,
  onProgress: GetDatasetOptions["onProgress"],
): Promise<void> {
  const response = await fetch(address);
  if (!response.ok || response.body === null)
    throw new Error(`answer ${response.status} ${response.statusText}`.trim());
  const length = Number(response.headers.get("content-length"));
  const total = length > 0 ? length : undefined;
  let received = 0;
  const body = response.body;
  const counted = async function* () {
    for await (const chunk of body) {
      received += chunk.length;
      onProgress?.({ file: file.name, received, total });
      yield chunk;
    }
  };
  const hash = createHash("sha256");
  let bytes = 0;
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      // A wrong answer without end shall not fill the disk.
      if (bytes > file.bytes) {
        throw new InputError(`this is not the ${file.name} that was expected: it has more than ${file.bytes} bytes`, {
          file: address,
          hint: "it was not used",
        });
      }
      yield chunk;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  // Opened before anything can go wrong: a stream that is given up while it opens its file makes it after it was removed.
  const handle = await open(path, "wx");
  try {
    const target = handle.createWriteStream();
    if (gzip) await pipeline(source, createGunzip(), hashed, target);
    else await pipeline(source, hashed, target);
  } finally {
    await handle.close();
  }
  const found = hash.digest("hex");
  if (found !== file.sha256) throw wrongChecksum(address, file, found);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

function wrongChecksum(where: string, file: DatasetFile, found: string): InputError {
  return new InputError(
    `this is not the ${file.name} that was expected: its SHA-256 is ${found}, it should be ${file.sha256}`,
    { file: where, hint: "the file has changed or is damaged; it was not used" },
  );
}

function fetchError(address: string, dataset: Dataset, error: unknown): InputError {
  // `fetch` says only "fetch failed"; what happened is in its cause.
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return new InputError(
    `the data set ${dataset.name} cannot be downloaded (${cause?.code ?? cause?.message ?? message})`,
    {
      file: address,
      hint: "check the connection, or set STARGRAM_MIRROR to a folder or URL with the data",
      cause: error,
    },
  );
}
