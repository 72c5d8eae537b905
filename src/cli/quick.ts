// The commands that must start fast: see start.ts.

import * as predict from "./commands/predict.js";
import { asksVersion, runProgram } from "./program.js";

export function runQuick(words: readonly string[]): Promise<never> {
  return runProgram(words, asksVersion(words) ? [] : [async () => predict]);
}
