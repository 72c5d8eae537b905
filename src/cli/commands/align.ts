// `stargram align`: learns how pairs are aligned, and prints the alignments.

import type { Command } from "commander";
import { joinSymbols, type SymbolPair } from "../../formats/pair-lines.js";
import type { LearningTask } from "../../tasks/task.js";
import { alignmentText } from "../../tasks/transduce/printing.js";
import { transduceTask } from "../../tasks/transduce/task.js";
import type { Transducer } from "../../tasks/transduce/transducer.js";
import { plural } from "../../util/text.js";
import { addDeclared } from "../declared.js";
import { commonOf, explain } from "../help.js";
import { say, write, writeJson } from "../output.js";
import { addThreadOptions } from "../threads.js";
import { trainOnFiles } from "../train-files.js";

const notes = `
Trains a transducer on PAIRS and prints the best alignment of each pair, in the order of the pairs:
  p|h|o|n|e TAB F|_|OW|N|_      one part per input symbol; several symbols for one are joined by \`:\`, none is \`_\`;
                                symbols with these signs are written with \`\\|\`, \`\\:\`, \`\\\\\`, and \`_\` as \`\\_\`
  --json                        JSON Lines: input, output, and alignment as a list of {input, output: […]}
A pair that cannot be aligned is printed with an empty second column.`;

export function register(program: Command): void {
  const command = program
    .command("align")
    .summary("align the symbols of pairs")
    .description("Find which symbols of inputs and outputs belong together.")
    .argument("<pairs...>", "pairs: files, or `-` for standard input")
    .option("--quiet", "no progress")
    .option("--json", "print JSON Lines, one object per pair");
  const { reading, options } = transduceTask.learning;
  addThreadOptions(addDeclared(addDeclared(command, reading), options)).action(align);
  explain(command, {
    common: commonOf(command, transduceTask.learning, { Output: ["json", "quiet"] }),
    notes,
    examples: [
      ["stargram align words.tsv > aligned.tsv", "letters and sounds, side by side"],
      ["stargram align names.tsv --input chars --output chars --json", "the same for programs"],
    ],
  });
}

async function align(files: string[], flags: { quiet?: boolean; json?: boolean }, command: Command): Promise<void> {
  // Kept, since standard input cannot be read twice.
  const pairs: SymbolPair[] = [];
  const onExample = (pair: unknown): void => {
    pairs.push(pair as SymbolPair);
  };
  // An alignment is the transducer's own: models that choose outputs are not needed.
  const instead = { jointGrams: 0, words: 0 };
  const task = transduceTask as LearningTask;
  const { model } = await trainOnFiles(task, files, command, {
    quiet: flags.quiet,
    onExample,
    instead,
  });
  const transducer = model as Transducer;
  let failed = 0;
  for (const { input, output } of pairs) {
    const alignment = transducer.align(input, output);
    if (!alignment) failed++;
    if (flags.json) await writeJson({ input, output, alignment: alignment ?? null });
    else await write(`${(alignment ? alignmentText(alignment) : [joinSymbols(input, "tokens"), ""]).join("\t")}\n`);
  }
  if (failed > 0 && !flags.quiet) say(`${plural(failed, "pair")} could not be aligned`);
}
