// How the tests run. Tests that need a dataset are skipped unless STARGRAM_MIRROR names a folder that holds it.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  resolve: {
    // What imports the library as package.json says, from dist/, sees the sources in tests.
    alias: [
      { find: /^stargram$/, replacement: folder("src/index.ts") },
      { find: /^stargram\/engine$/, replacement: folder("src/engine-entry.ts") },
      { find: /^#stargram\/demo\/(.+)\.js$/, replacement: `${folder("demo")}/$1.ts` },
      { find: /^#stargram\/(.+)\.js$/, replacement: `${folder("src")}/$1.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000, // ms; a busy machine is no failure
    hookTimeout: 60_000, // ms
    pool: "threads",
    // Vitest leaves one core free, which on a machine with two would run everything in a row.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: process.env.CI ? [["default", { summary: false }]] : ["default"],
  },
});
