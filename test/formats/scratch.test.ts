// A scratch file on a disk that is full or cannot be written to: said in plain words.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { checkScratch, scratchIn } from "../../src/formats/scratch.js";

const fails: { write?: string; open?: string; access?: string } = {};
const failing = (code: string | undefined) => {
  if (code) throw Object.assign(new Error(`${code}: as the system says it`), { code });
};
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  type Call = (...given: never[]) => unknown;
  const unless = (what: keyof typeof fails, call: Call): Call => {
    return (...given) => {
      failing(fails[what]);
      return call(...given);
    };
  };
  return {
    ...real,
    writeSync: unless("write", real.writeSync as Call),
    openSync: unless("open", real.openSync as Call),
    accessSync: unless("access", real.accessSync as Call),
  };
});

const folder = mkdtempSync(join(tmpdir(), "stargram-scratch-"));
afterEach(() => Object.assign(fails, { write: undefined, open: undefined, access: undefined }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a scratch file", () => {
  test("gives back what was put into it, and has no name", () => {
    const file = scratchIn(folder, 1e9).open();
    file.append(bytes("one "));
    file.append(bytes("two three"));
    file.write(4, bytes("TWO"));
    const found = new Uint8Array(13);
    file.read(0, found);
    expect(new TextDecoder().decode(found)).toBe("one TWO three");
    expect(file.size).toBe(13);
    if (process.platform !== "win32") expect(readdirSync(folder)).toEqual([]);
    expect(() => file.read(10, new Uint8Array(20))).toThrow("ends too soon");
    file.close();
    file.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["write", "ENOSPC", /no space left for data that does not fit into memory, after 2 MB/],
    ["write", "EDQUOT", /no space left/],
    ["write", "EIO", /cannot be written: EIO: as the system says it/],
  ] as const)("%s: %s", (what, code, reason) => {
    const file = scratchIn(folder, 1e9).open();
    file.append(new Uint8Array(2e6));
    fails[what] = code;
    expect(() => file.append(bytes("more"))).toThrow(reason);
    file.close();
  });

  test.each(["EACCES", "EROFS", "EPERM"])("no permission: %s", (code) => {
    fails.open = code;
    expect(() => scratchIn(folder, 1e9).open()).toThrow(/no permission to write to the scratch folder/);
    Object.assign(fails, { open: undefined, access: code });
    expect(() => checkScratch(folder)).toThrow(/no permission to write to/);
  });
});
