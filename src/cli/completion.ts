import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What can follow a command: its commands and its long options. */
type Offer = {
  path: string;
  commands: Command[];
  options: { flag: string; about: string; choices: string[] }[];
};

/** A script that completes every command and option of the program, and the choices of those that have some. */
export function completionScript(program: Command, shell: Shell): string {
  const offers = offersOf(program, "");
  return { bash, zsh, fish }[shell](offers);
}

function offersOf(command: Command, path: string): Offer[] {
  const options = command.options.flatMap(({ long, description, argChoices }) =>
    long ? [{ flag: long, about: description, choices: argChoices ?? [] }] : [],
  );
  const commands = [...command.commands];
  return [
    { path, commands, options: [...options, { flag: "--help", about: "show help", choices: [] }] },
    ...commands.flatMap((inner) => offersOf(inner, `${path} ${inner.name()}`)),
  ];
}

function wordsOf({ commands, options }: Offer): string {
  return [...commands.map((command) => command.name()), ...options.map(({ flag }) => flag)].join(" ");
}

/** The words so far that are commands are the path; the rest are arguments and options. */
const BASH_HEAD = `# pawl completion for bash: source <(pawl completion bash)
_pawl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in`;

function bash(offers: Offer[]): string {
  const paths = offers
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      "${path}") path="${path}" ;;`);
  const choices = offers.flatMap(({ path, options }) =>
    options
      .filter(({ choices: some }) => some.length > 0)
      .map(
        (option) =>
          `    "${path} ${option.flag}") COMPREPLY=($(compgen -W "${option.choices.join(" ")}" -- "$current")); return ;;`,
      ),
  );
  const words = offers.map((offer) => `    "${offer.path}") words="${wordsOf(offer)}" ;;`);
  return `${BASH_HEAD}
${paths.join("\n")}
    esac
  done
  case "$path $previous" in
${choices.join("\n")}
  esac
  local words=""
  case "$path" in
${words.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _pawl pawl
`;
}

function zsh(offers: Offer[]): string {
  const paths = offers
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      "${path}") path_="${path}" ;;`);
  const words = offers.map(({ path, commands, options }) => {
    const told = [
      ...commands.map((command) =>
        quoted(`${escaped(command.name())}:${command.summary() || command.description()}`),
      ),
      ...options.map(({ flag, about }) => quoted(`${escaped(flag)}:${about}`)),
    ];
    return `    "${path}") words_=(${told.join(" ")}) ;;`;
  });
  return `#compdef pawl
# pawl completion for zsh: pawl completion zsh > "\${fpath[1]}/_pawl"
_pawl() {
  local path_="" word
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${paths.join("\n")}
    esac
  done
  case "$path_" in
${words.join("\n")}
  esac
  _describe "pawl" words_ || _files
}
compdef _pawl pawl
`;
}

function fish(offers: Offer[]): string {
  const lines = offers.flatMap(({ path, commands, options }) => {
    const names = path.split(" ").filter(Boolean);
    const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
    const below = commands.map((command) => command.name());
    const notYet = below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(" ")}`];
    const here = quoted(
      [...(names.length === 0 ? ["__fish_use_subcommand"] : [...seen, ...notYet])].join("; and "),
    );
    return [
      ...commands.map(
        (command) =>
          `complete -c pawl -f -n ${here} -a ${command.name()} -d ${quoted(command.summary() || command.description())}`,
      ),
      ...options.map(({ flag, about, choices }) => {
        const values = choices.length === 0 ? "" : ` -x -a ${quoted(choices.join(" "))}`;
        return `complete -c pawl -n ${here} -l ${flag.slice(2)}${values} -d ${quoted(about)}`;
      }),
    ];
  });
  return `# pawl completion for fish: pawl completion fish > ~/.config/fish/completions/pawl.fish\n${lines.join("\n")}\n`;
}

/** In single quotes, in which bash, zsh and fish agree on everything but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’").replaceAll("\\", "/")}'`;
}

function escaped(name: string): string {
  return name.replaceAll(":", "\\:");
}
