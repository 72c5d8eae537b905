// Compiles src/engine/wasm/assembly/ (AssemblyScript), with the layouts beside it, to WebAssembly and writes it as
// src/engine/wasm/code.ts and, the walks through keys of ciphers, keys-code.ts: bytes in base64, so that Node, browsers and
// bundlers load it alike. Does nothing when these files are made from the sources as they are.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "src", "engine", "wasm", "assembly");
/** What lies where in memory: compiled with the rest of src/, too. */
const layouts = ["layout.ts", "keys-layout.ts"].map((name) => join(root, "src", "engine", "wasm", name));
/** The modules: where each begins, and its compiled code. */
const modules = [
  { entry: "index.ts", compiled: join(root, "src", "engine", "wasm", "code.ts") },
  { entry: "keys.ts", compiled: join(root, "src", "engine", "wasm", "keys-code.ts") },
];
/** The compiled code. */
export const kernelCodes = modules.map(({ compiled }) => compiled);

const flags = [
  ...["--runtime", "stub", "--noAssert", "-O3"],
  ...["--enable", "simd", "--enable", "bulk-memory", "--enable", "threads"],
  // A memory given by the host, which may be shared between threads.
  ...["--importMemory", "--noExportMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
];

export { flags as kernelFlags, folder as kernelFolder };

/** The hash of sources and settings. */
function sourceHash() {
  const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
  const { version } = JSON.parse(readFileSync(join(root, "node_modules/assemblyscript/package.json"), "utf8"));
  hash.update(version);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  for (const path of [...layouts, ...names.sort().map((name) => join(folder, name))]) {
    hash.update(`${relative(root, path)}\0`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Compiles what needs be; false when the compiler found errors, which it has then printed. */
export async function buildKernel() {
  const made = `// Made by scripts/build-kernel.mjs from src/engine/wasm/assembly/ (${sourceHash()}). Do not edit.\n`;
  for (const { entry, compiled } of modules) {
    try {
      if (readFileSync(compiled, "utf8").startsWith(made)) continue;
    } catch {
      // Not there: made below.
    }
    const bytes = await compile(entry);
    if (!bytes) return false;
    const encoded = Buffer.from(bytes).toString("base64");
    writeFileSync(
      compiled,
      `${made}
/** The compiled code, which imports a shared memory. */
export const code: string =
  "${encoded}";

/** Where the byte is that says so: 3 for a shared memory with a maximum, 1 for one that is not shared. */
export const memoryFlagAt: number = ${memoryFlagAt(bytes)};
`,
    );
  }
  return true;
}

/**
 * The code of a module; undefined when the compiler found errors, which it has then printed.
 * @param {string} entry
 * @returns {Promise<Uint8Array | undefined>}
 */
async function compile(entry) {
  // Not by a literal: the types of its compiler would come along, and with them other globals.
  const compiler = "assemblyscript/asc";
  const asc = await import(compiler);
  /** @type {Uint8Array | undefined} */
  let bytes;
  const { error, stderr } = await asc.main([entry, ...flags, "--baseDir", folder, "--outFile", "kernel.wasm"], {
    writeFile(/** @type {string} */ name, /** @type {string | Uint8Array} */ content) {
      if (name.endsWith(".wasm") && typeof content !== "string") bytes = content;
    },
  });
  if (!error && bytes) return bytes;
  process.stderr.write(`${stderr.toString()}${error ?? ""}\n`);
  return undefined;
}

/**
 * Finds the flag of the imported memory: after the name "memory" of the import and its kind (2).
 * @param {Uint8Array} bytes
 */
function memoryFlagAt(bytes) {
  const at = Buffer.from(bytes).indexOf(Buffer.from("\x03env\x06memory\x02\x03", "latin1"));
  if (at < 0) throw new Error("the compiled kernel does not import its memory as expected");
  return at + 12;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await buildKernel())) process.exitCode = 1;
