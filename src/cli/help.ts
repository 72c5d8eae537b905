// What help shows. `--help` fits a screen: the options that people use most, and a few examples. `--help-all` shows every
// option, the notes and all examples. Text is wrapped to the width of the terminal.

import { type Command, Help, Option } from "commander";
import type { LearningTask } from "../tasks/task.js";
import { factsOf } from "../util/options.js";
import { type Example, examples as examplesText } from "./options.js";
import { flagWord } from "./output.js";

/** Flags without their dashes, by heading. */
export type FlagGroups = Readonly<Record<string, readonly string[]>>;

export interface Explanation {
  /** What `--help` shows of the options; the rest is for `--help-all`, as are the notes. Left out: everything. */
  common?: FlagGroups;
  notes?: string;
  examples: readonly Example[];
}

type Described = Pick<LearningTask["learning"], "about" | "reading" | "options">;

const explanations = new WeakMap<Command, Explanation>();
/** Commands whose help is shown in full. */
const shownInFull = new WeakSet<Command>();

/** The command whose help is being printed. */
let printed: Command | undefined;

/** Examples that `--help` shows if there is more to say. */
const FEW_EXAMPLES = 3;
const WIDEST = 120;
const USUAL_WIDTH = 80;

/** The flags of a command that a task counts among its common ones, and those that the command adds itself. */
export function commonOf(
  command: Command,
  { about, reading, options }: Described,
  own: FlagGroups,
): FlagGroups | undefined {
  if (!about.common) return undefined;
  const flags = about.common.flatMap((name) => {
    const word = flagWord(factsOf(reading[name] ?? options[name]).flag || name);
    return [word, `no-${word}`].filter((one) => command.options.some(({ long }) => long === `--${one}`)).slice(0, 1);
  });
  const isReading = new Set(Object.keys(reading).map((name) => flagWord(name)));
  return {
    Data: flags.filter((flag) => isReading.has(flag.replace(/^no-/, ""))),
    Training: flags.filter((flag) => !isReading.has(flag.replace(/^no-/, ""))),
    ...own,
  };
}

/** Gives a command its notes and examples. */
export function explain(command: Command, explanation: Explanation): Command {
  explanations.set(command, explanation);
  return command.addHelpText("after", () => textAfter(command, explanation));
}

function textAfter(command: Command, { common, notes = "", examples }: Explanation): string {
  if (!common || shownInFull.has(command)) {
    const before = notes === "" ? "" : `${reflowed(notes, widthOf(command))}\n`;
    return `${before}${examplesText(...examples)}`;
  }
  const few = examplesText(...examples.slice(0, FEW_EXAMPLES));
  return `${few}\n\nAll options and notes: ${pathOf(command)} --help-all`;
}

/** `stargram train tag` */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function widthOf(command: Command): number {
  return Math.min(command.configureOutput().getOutHelpWidth?.() ?? USUAL_WIDTH, WIDEST);
}

/** The width that the environment or the terminal gives. */
export function helpWidth(): number {
  const given = Number(process.env.COLUMNS);
  if (Number.isSafeInteger(given) && given > 0) return given;
  return process.stdout.isTTY ? process.stdout.columns : USUAL_WIDTH;
}

/** What commander asks about help, for `configureHelp`. */
export const helpSettings = {
  /** What else asks for the options, such as a search for one that is mistyped, gets them all. */
  formatHelp(command: Command, helper: Help): string {
    printed = command;
    try {
      return Help.prototype.formatHelp.call(this, command, helper);
    } finally {
      printed = undefined;
    }
  },

  visibleOptions(command: Command): Option[] {
    const visible = Help.prototype.visibleOptions.call(this, command);
    const common = explanations.get(command)?.common;
    if (!common || printed !== command) return visible;
    const headings = new Map(Object.entries(common).flatMap(([name, flags]) => flags.map((flag) => [flag, name])));
    headings.set("help", "Help").set("help-all", "Help");
    const wordOf = (option: Option): string => option.long?.slice(2) ?? "";
    for (const option of visible) option.helpGroup(`${headings.get(wordOf(option)) ?? "More options"}:`);
    const order = [...headings.keys()];
    const place = (option: Option): number => order.indexOf(wordOf(option));
    const first = visible.filter((option) => place(option) >= 0).sort((a, b) => place(a) - place(b));
    const help = first.splice(first.findIndex((option) => option.helpGroupHeading === "Help:"));
    // A line at the end of the short help names --help-all.
    if (!shownInFull.has(command)) return first;
    return [...first, ...visible.filter((option) => place(option) < 0), ...help];
  },

  /** Groups in the order in which they are shown, not in that of the declarations. */
  groupItems<T extends Command | Option>(_: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const groups = new Map<string, T[]>();
    for (const item of visible) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
    return groups;
  },
};

/** Commands understand `--help-all`, and list it if `--help` leaves something out. One that holds others would take their flag. */
export function addHelpAll(command: Command): void {
  for (const one of command.commands) addHelpAll(one);
  if (command.commands.length > 0) return;
  const option = new Option("--help-all", "show all options, notes and examples");
  command.addOption(explanations.get(command)?.common ? option : option.hideHelp());
  command.on("option:help-all", () => {
    shownInFull.add(command);
    command.help();
  });
}

/** The parts of a text that are wrapped: paragraphs, and items with a term and a hanging indent. */
interface Part {
  /** How far the first line and the next ones are indented. */
  first: string;
  hang: number;
  text: string;
}

/**
 * A text wrapped to a width. Lines with the same indent are one paragraph; a line such as `  --level char   letters …` is an item,
 * and lines below it that begin where its text does belong to it.
 */
export function reflowed(text: string, width: number): string {
  const parts: Part[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const [, indent, rest] = /^( *)(.*)$/.exec(line) as unknown as [string, string, string];
    const last = parts.at(-1);
    if (rest === "") {
      parts.push({ first: "", hang: 0, text: "" });
      isOpen = false;
      continue;
    }
    if (isOpen && last && indent.length === last.hang && !itemOf(line)) last.text += ` ${rest}`;
    else parts.push(itemOf(line) ?? { first: indent, hang: indent.length, text: rest });
    isOpen = true;
  }
  return parts.flatMap((part) => wrapped(part, width)).join("\n");
}

function itemOf(line: string): Part | undefined {
  const match = /^( {2,}\S(?:.*?\S)? {2,})(\S.*)$/.exec(line);
  return match ? { first: match[1], hang: match[1].length, text: match[2] } : undefined;
}

function wrapped({ first, hang, text }: Part, width: number): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = " ".repeat(hang);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
