// How the tests run. Tests that need a dataset are skipped unless STARGRAM_MIRROR names a folder that holds it.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
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
