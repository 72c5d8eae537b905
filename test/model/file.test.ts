// Model files on disk: replaced whole or not at all, and refused with plain words when they cannot be read or written.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readModelBytes, writeFileSafely } from "../../src/model/file.js";
import { decodeTensors, encodeTensors } from "../../src/model/safetensors.js";
import { InputError } from "../../src/util/errors.js";

const isRoot = process.getuid?.() === 0;
const isWindows = process.platform === "win32";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stargram-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const model = encodeTensors({ metadata: { kind: "tagger" }, tensors: { a: { data: Float64Array.of(1, 2, 3) } } });

async function refusal(work: Promise<unknown>): Promise<InputError> {
  const error = await work.then(
    () => new Error("not refused"),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error;
}

describe("writeFileSafely", () => {
  it("writes a new file and replaces an old one, and leaves nothing else behind", async () => {
    const path = join(folder, "a.model");
    await writeFileSafely(path, Uint8Array.of(1, 2, 3));
    expect([...readFileSync(path)]).toEqual([1, 2, 3]);
    await writeFileSafely(path, model);
    expect(new Uint8Array(readFileSync(path))).toEqual(model);
    expect(readdirSync(folder)).toEqual(["a.model"]);
  });

  it.skipIf(isWindows)("never shows a reader half a file: an open reader keeps the old one", async () => {
    const path = join(folder, "a.model");
    writeFileSync(path, "old");
    const before = statSync(path).ino;
    await writeFileSafely(path, model);
    expect(statSync(path).ino).not.toBe(before);
  });

  it.skipIf(isWindows)("keeps the permissions of the file it replaces, and symbolic links", async () => {
    const path = join(folder, "a.model");
    const link = join(folder, "latest");
    writeFileSync(path, "old");
    chmodSync(path, 0o640);
    symlinkSync("a.model", link);
    await writeFileSafely(link, model);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(new Uint8Array(readFileSync(path))).toEqual(model);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it("refuses a missing folder, a folder, and a path through a file", async () => {
    const missing = await refusal(writeFileSafely(join(folder, "no", "a.model"), model));
    expect(missing.reason).toMatch(/folder does not exist/);
    expect(missing.hint).toContain(join(folder, "no"));
    mkdirSync(join(folder, "sub"));
    expect((await refusal(writeFileSafely(join(folder, "sub"), model))).reason).toMatch(/is a folder/);
    writeFileSync(join(folder, "plain"), "text");
    expect((await refusal(writeFileSafely(join(folder, "plain", "a.model"), model))).reason).toMatch(/path|folder/);
    expect(readdirSync(folder).sort()).toEqual(["plain", "sub"]);
    expect(readdirSync(join(folder, "sub"))).toEqual([]);
  });

  it("leaves the old file and no other when writing fails half-way", async () => {
    const path = join(folder, "a.model");
    writeFileSync(path, "old");
    // Not bytes: Node refuses them only after the temporary file is open.
    await refusal(writeFileSafely(path, 5 as unknown as Uint8Array));
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["a.model"]);
  });

  it.skipIf(isRoot || isWindows)("refuses a read-only file and a read-only folder", async () => {
    const path = join(folder, "a.model");
    writeFileSync(path, "old");
    chmodSync(path, 0o444);
    expect((await refusal(writeFileSafely(path, model))).reason).toMatch(/permission/);
    chmodSync(folder, 0o555);
    expect((await refusal(writeFileSafely(join(folder, "b.model"), model))).reason).toMatch(/permission/);
    chmodSync(folder, 0o755);
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it.skipIf(isWindows)("writes through to a device instead of replacing it", async () => {
    await writeFileSafely("/dev/null", model);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});

describe("readModelBytes", () => {
  it("returns the bytes, aligned for views", async () => {
    const path = join(folder, "a.model");
    await writeFileSafely(path, model);
    const bytes = await readModelBytes(path);
    expect(bytes).toEqual(model);
    expect(decodeTensors(bytes).tensors.a.data.buffer).toBe(bytes.buffer);
  });

  it("unpacks gzip, and says what is wrong with a packed file", async () => {
    const path = join(folder, "a.model.gz");
    const packed = gzipSync(model);
    writeFileSync(path, packed);
    const bytes = await readModelBytes(path);
    expect(bytes).toEqual(model);
    expect(decodeTensors(bytes).tensors.a.data.buffer).toBe(bytes.buffer);
    writeFileSync(path, packed.subarray(0, packed.length - 9));
    expect((await refusal(readModelBytes(path))).reason).toMatch(/truncated/);
    writeFileSync(path, gzipSync("this is a text, not a model"));
    expect((await refusal(readModelBytes(path))).reason).toMatch(/not a Stargram model/);
  });

  it("refuses a packed file by its first bytes, without unpacking the rest", async () => {
    const path = join(folder, "packed");
    const endless = (head: Uint8Array | string) => {
      const packed = gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(1 << 24)]));
      writeFileSync(path, packed.fill(0, packed.length - 8)); // the checksum at the end is wrong: who gets there says so
    };
    endless("this is a text, not a model");
    expect((await refusal(readModelBytes(path))).reason).toMatch(/not a Stargram model/);
    endless(model); // a model, and more bytes than its header tells of
    expect((await refusal(readModelBytes(path))).reason).toMatch(/bytes too many/);
    const header = '{"a":{"dtype":"F64","shape":[3],"data_offsets":[0,23]}}';
    endless(Buffer.concat([Uint8Array.of(header.length, 0, 0, 0, 0, 0, 0, 0), Buffer.from(header)]));
    expect((await refusal(readModelBytes(path))).reason).toMatch(/should take 24 bytes/);
    writeFileSync(path, gzipSync(model.subarray(0, 12)));
    expect((await refusal(readModelBytes(path))).reason).toMatch(/truncated/);
    writeFileSync(path, gzipSync(""));
    expect((await refusal(readModelBytes(path))).reason).toMatch(/empty/);
  });

  it("refuses a missing file, a folder and a path through a file", async () => {
    const missing = join(folder, "no.model");
    const error = await refusal(readModelBytes(missing));
    expect(error.reason).toMatch(/no such file/);
    expect(error.file).toBe(missing);
    expect((await refusal(readModelBytes(folder))).reason).toMatch(/is a folder/);
    writeFileSync(join(folder, "plain"), "text");
    expect((await refusal(readModelBytes(join(folder, "plain", "x")))).reason).toMatch(/no such file/);
  });

  it("refuses a foreign or far too large file by its head, without reading it all", async () => {
    const path = join(folder, "big");
    writeFileSync(path, "this is a text, not a model");
    expect((await refusal(readModelBytes(path))).reason).toMatch(/not a Stargram model/);
    truncateSync(path, 2 ** 31); // Sparse: it takes no space.
    expect((await refusal(readModelBytes(path))).reason).toMatch(/too large/);
    writeFileSync(path, "");
    expect((await refusal(readModelBytes(path))).reason).toMatch(/empty/);
  });

  it.skipIf(isWindows)("reads a pipe and refuses a device", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const [bytes] = await Promise.all([readModelBytes(pipe), writeFileSafely(pipe, model)]);
    expect(bytes).toEqual(model);
    expect((await refusal(readModelBytes("/dev/zero"))).reason).toMatch(/not a file/);
    const packed = Promise.all([readModelBytes(pipe), writeFileSafely(pipe, gzipSync(model))]);
    expect((await packed)[0]).toEqual(model);
  });
});
