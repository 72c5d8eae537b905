// What may be written over, where symbolic links lead, and what becomes of files that killed processes left.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plotFile } from "../../src/cli/plots.js";
import { checkOverwrite, type FileKind, writeFileSafely } from "../../src/formats/safe-file.js";
import { formatKeyJson, keyFile } from "../../src/formats/text.js";
import { linePlot } from "../../src/metrics/svg.js";
import { encodeCheckpoint } from "../../src/model/checkpoint.js";
import { checkpointFile, modelFile } from "../../src/model/file.js";
import { encodeKind } from "../../src/model/kind.js";
import { emptyParts } from "../../src/model/parts.js";
import { InputError } from "../../src/util/errors.js";

const isWindows = process.platform === "win32";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stargram-safe-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

const checkpoint = encodeCheckpoint({
  settings: { task: "tagger" },
  data: "",
  checkpoint: {
    weights: Float64Array.of(1),
    squares: Float64Array.of(1),
    sums: Float64Array.of(1),
    best: Float64Array.of(1),
    settled: Int32Array.of(1),
    pass: 1,
    position: 0,
    step: 1,
    averageFrom: 0,
    bestPass: 1,
    bestScore: 1,
    l2: 0,
    passLogLikelihood: 0,
    passContextLength: 0,
    history: Array.from({ length: 6000 }, (_, pass) => ({ pass, contextLength: 1, trainLogLikelihood: -1 / 3 })),
  },
});

/** Another program's file in the layout that models have. */
function foreignTensors(): Uint8Array {
  const header = text('{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}   ');
  const bytes = new Uint8Array(8 + header.length + 4);
  bytes[0] = header.length;
  bytes.set(header, 8);
  return bytes;
}

const axis = { label: "x" };
const files: Record<string, Uint8Array> = {
  model: encodeKind("tagger", emptyParts()),
  checkpoint,
  key: text(formatKeyJson({ "13": "I", "5": "am", q: "ü" })),
  plot: text(linePlot({ title: "t", x: axis, y: axis, series: [] })),
  "another program's tensors": foreignTensors(),
  "a key that a person wrote": text('{"13": "I", "5": "am"}\n'),
  "a package": text('{\n "name": "x",\n "private": true\n}\n'),
  "an array": text('[\n "x"\n]\n'),
  "another picture": text('<svg xmlns="http://www.w3.org/2000/svg"><title>mine</title></svg>\n'),
  "a text": text("a poem that took a year\n"),
};
const kinds: Record<string, FileKind> = { model: modelFile, checkpoint: checkpointFile, key: keyFile, plot: plotFile };

describe("what may be overwritten", () => {
  it.each(Object.keys(kinds))("a %s goes over its like and over nothing else, unless forced", async (kind) => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      writeFileSync(path, content);
      const written = writeFileSafely(path, text("new"), { kind: kinds[kind] });
      if (name === kind) {
        await written;
        expect(readFileSync(path, "utf8")).toBe("new");
        continue;
      }
      await expect(written).rejects.toThrow(InputError);
      await expect(checkOverwrite(path, kinds[kind])).rejects.toThrow(`not ${kinds[kind].name}`);
      expect(readFileSync(path).equals(content)).toBe(true);
      await writeFileSafely(path, text("new"), { kind: kinds[kind], force: true });
      expect(readFileSync(path, "utf8")).toBe("new");
    }
  });

  it("nothing and an empty file hold nothing to lose; a file of ours that was cut short neither", async () => {
    writeFileSync(join(folder, "empty"), "");
    writeFileSync(join(folder, "cut"), files.model.subarray(0, 60));
    for (const name of ["absent", "empty", "cut"]) {
      await writeFileSafely(join(folder, name), files.model, { kind: modelFile });
      expect(new Uint8Array(readFileSync(join(folder, name)))).toEqual(files.model);
    }
  });
});

describe.skipIf(isWindows)("symbolic links", () => {
  it("that lead to nothing yet are kept, and what they lead to is made", async () => {
    mkdirSync(join(folder, "models"));
    symlinkSync("models/one.sg", join(folder, "one"));
    symlinkSync("one", join(folder, "latest"));
    await writeFileSafely(join(folder, "latest"), text("model"));
    expect(readlinkSync(join(folder, "latest"))).toBe("one");
    expect(lstatSync(join(folder, "one")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "models", "one.sg"), "utf8")).toBe("model");
    expect(readdirSync(folder).sort()).toEqual(["latest", "models", "one"]);
  });

  it("that lead nowhere or in a circle are refused and kept", async () => {
    symlinkSync(join(folder, "none", "x.sg"), join(folder, "nowhere"));
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    await expect(writeFileSafely(join(folder, "nowhere"), text("x"))).rejects.toThrow(/folder does not exist/);
    await expect(writeFileSafely(join(folder, "a"), text("x"))).rejects.toThrow(InputError);
    for (const name of ["nowhere", "a", "b"]) expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
  });
});

describe("temporary files that a killed process left", () => {
  const gone = 4194305; // beyond the largest process number there can be
  const hex = "0123456789abcdef";
  const leave = (name: string, minutes: number): string => {
    const path = join(folder, name);
    writeFileSync(path, "half a model");
    const then = Date.now() / 1000 - 60 * minutes; // s
    utimesSync(path, then, then);
    return path;
  };

  it("go when the next file is written there; those of processes at work, and files of others, stay", async () => {
    const swept = [leave(`.stargram-${gone}-${hex}.tmp`, 2), leave(`.stargram-${hex}.tmp`, 25 * 60)];
    const kept = [
      leave(`.stargram-${process.pid}-${hex}.tmp`, 2),
      leave(`.stargram-${gone}-${hex.replace("0", "1")}.tmp`, 0), // perhaps of another machine, at work now
      leave(`.stargram-${hex.replace("0", "1")}.tmp`, 2),
      leave(".stargram-notes.tmp", 25 * 60),
      leave("mine.tmp", 25 * 60),
    ];
    await writeFileSafely(join(folder, "a.sg"), text("model"));
    for (const path of swept) expect([path, existsSync(path)]).toEqual([path, false]);
    for (const path of kept) expect([path, existsSync(path)]).toEqual([path, true]);
  });
});
