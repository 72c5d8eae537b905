// `stargram demo`, which is `npm start`: acts that each learn something from data that comes with the development packages
// and show how well it went, with numbers measured there and then.

import { type Command, Option } from "commander";
import { examples, whole } from "#stargram/cli/options.js";
import { write, writeJson } from "#stargram/cli/output.js";
import { duration } from "#stargram/util/text.js";
import type { Act, Stage } from "./act.js";
import { painter, requireData } from "./act.js";
import { cryptogram } from "./cryptogram.js";
import { dates } from "./dates.js";
import { partOfSpeech } from "./part-of-speech.js";
import { pronunciation } from "./pronunciation.js";

const acts: readonly Act[] = [partOfSpeech, dates, pronunciation, cryptogram];

const next = `What to try next:
  npx stargram demo --seed 2      the same with other dates, other images and another order of training
  npx stargram explore            see models at work in the browser (in a clone, after \`npm run build:web\`)
  npx stargram train tag --help   train on your own tokens and labels
  npx stargram data list          data sets to continue with
`;

export function register(program: Command): void {
  program
    .command("demo")
    .summary("run a demo")
    .description(
      "Learn parts of speech, handwritten dates, pronunciation and the key of a cryptogram, in about a minute.",
    )
    .option("--seed <n>", "random seed", whole(Number.MIN_SAFE_INTEGER), 1)
    .option("--json", "print one JSON object on standard output")
    .addOption(new Option("--small", "little data: to see that all works, not how well").hideHelp())
    .addHelpText(
      "after",
      "\nThe data comes from the repository's npm development packages; no network access is needed.",
    )
    .addHelpText(
      "after",
      examples(
        ["stargram demo", "text"],
        ["stargram demo --seed 7 --json", "the numbers of another run, for programs"],
      ),
    )
    .action(demo);
}

interface DemoFlags {
  seed: number;
  json?: boolean;
  small?: boolean;
}

async function demo(flags: DemoFlags): Promise<void> {
  requireData(acts);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const stage: Stage = {
    seed: flags.seed,
    small: flags.small === true,
    progress: process.stderr.isTTY === true,
    colour: process.stdout.isTTY === true && process.stdout.hasColors(),
  };
  const paint = painter(stage);
  const reports: Record<string, object> = {};
  for (const [i, act] of acts.entries()) {
    if (!flags.json) await write(`${paint("bold", `${i + 1}. ${act.title}`)}\n\n`);
    const { report, text } = await act.perform(stage);
    reports[act.name] = report;
    if (!flags.json) await write(`${text}\n`);
  }
  if (flags.json) return writeJson({ seed: flags.seed, small: stage.small, seconds: seconds(), acts: reports });
  await write(`All this took ${duration(seconds())} (seed ${flags.seed}).\n\n${next}`);
}
