// `stargram review`: a page, on this machine alone, where a person goes through what a model left open. The answers go
// into the review file.

import { basename } from "node:path";
import { type Command, Option } from "commander";
import { learningTasks } from "../../tasks/task.js";
import { InputError } from "../../util/errors.js";
import { counted, percent, plural } from "../../util/text.js";
import { readAnswers } from "../answers.js";
import { addPageOptions, interruption, type LoopbackServer, openBrowser, type PageFlags } from "../loopback.js";
import { examples } from "../options.js";
import { quoted, say, write } from "../output.js";
import { readPage } from "../review/page.js";
import { startReviewServer } from "../review/server.js";
import { type ReviewOrder, ReviewSession, reviewOrders, taskOf } from "../review/session.js";

/** How long nobody answers before the answers go from the journal into the file, in ms. */
const idleTime = 60_000;

export function register(program: Command): void {
  const command = program
    .command("review")
    .summary("decide what a model left open")
    .description(
      "Go through the items of a review file in a browser and answer them; the answers go into the file.\n" +
        "The page is reachable only from this machine. Every answer is on disk at once.",
    )
    .argument("<file>", "review file, from `stargram predict --precision … --review FILE`");
  addPageOptions(command)
    .option("--incomplete", "review the remaining items of a truncated file")
    .addOption(
      new Option("--order <order>", "order of items: least certain first, or as in the file")
        .choices(reviewOrders)
        .default("unsure"),
    )
    .option("--export", "print the answers as training data in the format of the input; open no page")
    .addHelpText(
      "after",
      examples(
        ["stargram review left.tsv", "answer in a browser; Ctrl-C stops, the same command continues later"],
        ["stargram train tag --from model.sg --add left.tsv --out better.sg", "then learn from the answers"],
        ["stargram review left.tsv --export > more.txt", "the answers as training data"],
      ),
    )
    .action(review);
}

interface ReviewFlags extends PageFlags {
  incomplete?: boolean;
  order: ReviewOrder;
  export?: boolean;
}

async function review(file: string, flags: ReviewFlags): Promise<void> {
  if (flags.export) return exportAnswers(file);
  const page = await readPage();
  const mend = flags.incomplete ? (lost: number) => sayCut(file, lost) : undefined;
  const session = await ReviewSession.open(file, { mend, order: flags.order });
  const next = `stargram train ${session.task} --from MODEL --add ${quoted(file)} --out NEW-MODEL`;
  const again = `stargram review ${quoted(file)}`;
  const folding = new Folding(session);
  let server: LoopbackServer | undefined;
  try {
    server = await startReviewServer({
      session,
      port: flags.port,
      text: { file: basename(file), next, again },
      page,
      onAction: () => folding.later(),
    });
    const interrupted = interruption();
    await write(`${file}: ${counted(session.left)} of ${plural(session.total, "item")} left\n${server.address}\n`);
    if (flags.open && process.stdout.isTTY) openBrowser(server.addressOnce);
    say("press Ctrl-C to end the review; answers are saved");
    await interrupted;
  } finally {
    folding.stop();
    await server?.close();
    await session.close();
  }
  const { answered, skipped, left } = session;
  if (process.stderr.isTTY) process.stderr.write("\n");
  say(`${file}: ${counted(answered)} answered, ${counted(skipped)} skipped, ${counted(left)} left`);
  sayAgreement(session);
  if (left > 0) say(`continue with: ${again}`);
  if (answered > 0) say(`learn from the answers with: ${next}`);
}

/** Prints the answers as training data. */
async function exportAnswers(file: string): Promise<void> {
  for (const item of await readAnswers(file)) {
    const name = taskOf(item);
    const exported = learningTasks().find((task) => task.name === name)?.reviewing.exported;
    if (!exported) {
      throw new InputError(`answers to items of the task \`${name}\` cannot be written as training data`, {
        file,
        line: item.line,
        hint: `learn from the file itself: stargram train ${name} --add ${quoted(file)}`,
      });
    }
    await write(exported(item, file));
  }
}

function sayAgreement({ agreed: { best, other, own } }: ReviewSession): void {
  const all = best + other + own;
  if (all === 0) return;
  say(`the model's best answer was taken in ${counted(best)} of ${counted(all)} (${percent(best / all)})`);
}

function sayCut(file: string, lost: number): void {
  const rest = lost > 0 ? "; its last row is incomplete and was left out" : "";
  say(`${file} is truncated; the missing items cannot be reviewed${rest}`);
}

/** Brings the file up to date when nobody has answered for a while, and when all is answered. */
class Folding {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly session: ReviewSession) {}

  later(): void {
    this.stop();
    if (this.session.isFolded) return;
    this.timer = setTimeout(
      () => {
        // The journal holds the answers all the same; the end of the review tries again and fails if that fails.
        this.session.fold().catch((error) => say(error.message));
      },
      this.session.left === 0 ? 0 : idleTime,
    );
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
