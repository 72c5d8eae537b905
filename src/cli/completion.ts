// `stargram --completion SHELL`: a script that completes commands and flags in a shell, made from the commands themselves.
//   source <(stargram --completion bash)

import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A command by the words that lead to it, with the words that may follow. */
interface Place {
  /** `train tag`; empty for the program itself. */
  path: string;
  description: string;
  commands: readonly string[];
  flags: readonly { name: string; description: string }[];
}

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, "");
  if (shell === "fish") return fishScript(places);
  const script = bashScript(places);
  return shell === "zsh" ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script;
}

function placesOf(command: Command, path: string): Place[] {
  const { options, commands } = shownBy(command);
  const own: Place = {
    path,
    description: command.summary() || command.description(),
    commands: commands.map((one) => one.name()),
    flags: options,
  };
  const below = commands.flatMap((one) => placesOf(one, path === "" ? one.name() : `${path} ${one.name()}`));
  return [own, ...below];
}

/** What `--help-all` shows of a command: hidden names are for scripts that know them. */
function shownBy(command: Command): { options: Place["flags"]; commands: readonly Command[] } {
  const help = command.createHelp();
  return {
    options: help.visibleOptions(command).flatMap(({ long, description }) => (long ? { name: long, description } : [])),
    commands: help.visibleCommands(command).filter((one) => one.name() !== "help"),
  };
}

/** Words are letters and hyphens alone, so that nothing has to be quoted. */
function bashScript(places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const choices = places.map(({ path, commands, flags }) => {
    const words = [...commands, ...flags.map(({ name }) => name)].join(" ");
    return `    "${path}") words="${words}"; commands="${commands.join(" ")}" ;;\n`;
  });
  return `_stargram() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words commands
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${choices.join("")}  esac
  if [[ "$current" == -* ]] || [[ -n "$commands" ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -o bashdefault -F _stargram stargram
`;
}

function fishScript(places: readonly Place[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = places.flatMap(({ path, commands, flags }) => {
    const words = path.split(" ").filter(Boolean);
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const none = commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.join(" ")}`] : [];
    const when = [...seen, ...none].length > 0 ? ` -n ${quoted([...seen, ...none].join("; and "))}` : "";
    const below = commands.map((name) => {
      const place = places.find((one) => one.path === [...words, name].join(" "));
      return `complete -c stargram -f${when} -a ${name} -d ${quoted(place?.description ?? "")}\n`;
    });
    const own = flags.map(({ name, description }) => {
      return `complete -c stargram${when} -l ${name.slice(2)} -d ${quoted(description)}\n`;
    });
    return [...below, ...own];
  });
  return lines.join("");
}
