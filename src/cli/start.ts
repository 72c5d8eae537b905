#!/usr/bin/env node
// The command `stargram` as people run it: the build bundles this file and quick.ts into stargram.cjs and a few files beside
// it, which Node starts several times faster than the many they are made of. What must start fast is in them; everything
// else, and what is to show the place of a fault, runs from main.ts.

import { cacheCode } from "./code-cache.js";

const words = process.argv.slice(2);
const isQuick = ["predict", "--version", "-V"].includes(words[0]) && !words.some((word) => word.startsWith("--queue"));
if (isQuick && !process.env.STARGRAM_DEBUG) {
  cacheCode();
  void import("./quick.js").then(({ runQuick }) => runQuick(words));
} else void import("./main.js");
