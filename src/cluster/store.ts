// Where bytes that travel lie, by their SHA-256: on the queue's server in pieces, or in a folder that all machines share. What is
// read is checked: bytes of another hash are refused.

import { mkdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../util/errors.js";
import { hashOf } from "./job.js";
import type { RedisClient } from "./redis.js";

export interface BlobStore {
  /** Keeps bytes, whoever may have brought them before. */
  put(hash: string, bytes: Uint8Array): Promise<void>;
  /** Refuses what is not there or was changed. */
  get(hash: string): Promise<Uint8Array>;
  has(hash: string): Promise<boolean>;
  remove(hash: string): Promise<void>;
}

/** Bytes that are not in the store. */
export class MissingBlob extends Error {}

const PIECE = 1 << 20; // bytes

/** On the server: a hash of pieces, whose field `size` is written last. */
export class RedisStore implements BlobStore {
  constructor(
    private readonly client: RedisClient,
    private readonly prefix: string,
    private readonly seconds: number,
  ) {}

  private key(hash: string): string {
    return `${this.prefix}:blob:${hash}`;
  }

  async put(hash: string, bytes: Uint8Array): Promise<void> {
    const key = this.key(hash);
    if ((await this.client.expire(key, this.seconds)) && (await this.client.hget(key, "size"))) return;
    for (let i = 0; i * PIECE < bytes.length; i++) {
      const piece = bytes.subarray(i * PIECE, (i + 1) * PIECE);
      await this.client.hset(key, String(i), Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
    await this.client.hset(key, "size", String(bytes.length));
    await this.client.expire(key, this.seconds);
  }

  async get(hash: string): Promise<Uint8Array> {
    const key = this.key(hash);
    const size = Number((await this.client.hget(key, "size")) ?? Number.NaN);
    if (!Number.isSafeInteger(size) || size < 0) throw new MissingBlob(`the queue's server has no blob ${hash}`);
    // Where threads can share them.
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    for (let i = 0; i * PIECE < size; i++) {
      const piece = await this.client.hgetBuffer(key, String(i));
      if (!piece) throw new MissingBlob(`the queue's server has lost a part of blob ${hash}`);
      if (i * PIECE + piece.length > size) throw damaged(hash, "the queue's server");
      bytes.set(piece, i * PIECE);
    }
    return checked(hash, bytes, "the queue's server");
  }

  async has(hash: string): Promise<boolean> {
    return (await this.client.hget(this.key(hash), "size")) !== null;
  }

  async remove(hash: string): Promise<void> {
    await this.client.del(this.key(hash));
  }
}

/** In a folder: `ab/abcdef…`. A file gets its name when it is whole. */
export class FolderStore implements BlobStore {
  constructor(private readonly folder: string) {}

  private path(hash: string): string {
    return join(this.folder, hash.slice(0, 2), hash);
  }

  async put(hash: string, bytes: Uint8Array): Promise<void> {
    if (await this.has(hash)) return;
    const path = this.path(hash);
    const partial = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.partial`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(partial, bytes);
      await rename(partial, path);
    } catch (cause) {
      await unlink(partial).catch(() => undefined);
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === "ENOSPC" ? "the disk is full" : `it cannot be written (${code ?? message})`;
      throw new InputError(`the shared folder: ${why}`, { file: this.folder, cause });
    }
  }

  async get(hash: string): Promise<Uint8Array> {
    const bytes = await readFile(this.path(hash)).catch(() => undefined);
    if (!bytes) throw new MissingBlob(`${this.folder} has no blob ${hash}`);
    return checked(hash, bytes, this.folder);
  }

  has(hash: string): Promise<boolean> {
    return stat(this.path(hash)).then(
      () => true,
      () => false,
    );
  }

  async remove(hash: string): Promise<void> {
    await unlink(this.path(hash)).catch(() => undefined);
  }
}

function checked(hash: string, bytes: Uint8Array, where: string): Uint8Array {
  if (hashOf(bytes) === hash) return bytes;
  throw damaged(hash, where);
}

function damaged(hash: string, where: string): InputError {
  return new InputError(`the data in ${where} does not match the hash ${hash}`);
}

/** Bytes that threads can share. */
function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** A store that keeps what was read last in memory. */
export class CachedStore implements BlobStore {
  private readonly kept = new Map<string, Promise<Uint8Array>>();
  private bytes = 0;

  constructor(
    private readonly store: BlobStore,
    private readonly most: number, // bytes
  ) {}

  put(hash: string, bytes: Uint8Array): Promise<void> {
    return this.store.put(hash, bytes);
  }

  has(hash: string): Promise<boolean> {
    return this.store.has(hash);
  }

  remove(hash: string): Promise<void> {
    return this.store.remove(hash);
  }

  get(hash: string): Promise<Uint8Array> {
    const before = this.kept.get(hash);
    if (before) {
      this.kept.delete(hash); // goes to the end: used last
      this.kept.set(hash, before);
      return before;
    }
    const found = this.store.get(hash).then((bytes) => {
      this.bytes += bytes.length;
      void this.dropOld();
      return shared(bytes);
    });
    this.kept.set(hash, found);
    found.catch(() => this.kept.delete(hash));
    return found;
  }

  private async dropOld(): Promise<void> {
    for (const [hash, one] of this.kept) {
      if (this.bytes <= this.most || this.kept.size === 1) return;
      this.kept.delete(hash);
      this.bytes -= (await one.catch(() => new Uint8Array(0))).length;
    }
  }
}
