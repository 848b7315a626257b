import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Words that can follow a command: its subcommands and its long options. */
type Completion = {
  path: string;
  commands: Command[];
  options: { flag: string; description: string; choices: string[] }[];
};

/** Generates a script that completes the program's commands, options, and the choices of options that have them. */
export function completionScript(program: Command, shell: Shell): string {
  const completions = completionsOf(program, "");
  return { bash, zsh, fish }[shell](completions);
}

function completionsOf(command: Command, path: string): Completion[] {
  const options = command.options.flatMap(({ long, description, argChoices }) =>
    long ? [{ flag: long, description, choices: argChoices ?? [] }] : [],
  );
  const commands = [...command.commands];
  return [
    { path, commands, options: [...options, { flag: "--help", description: "show help", choices: [] }] },
    ...commands.flatMap((inner) => completionsOf(inner, `${path} ${inner.name()}`)),
  ];
}

function wordsOf({ commands, options }: Completion): string {
  return [...commands.map((command) => command.name()), ...options.map(({ flag }) => flag)].join(" ");
}

/** Words that name commands form the path; the others are arguments and options. */
const BASH_HEAD = `# pawl completion for bash: source <(pawl completion bash)
_pawl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in`;

function bash(completions: Completion[]): string {
  const paths = completions
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      "${path}") path="${path}" ;;`);
  const choices = completions.flatMap(({ path, options }) =>
    options
      .filter(({ choices: some }) => some.length > 0)
      .map(
        (option) =>
          `    "${path} ${option.flag}") COMPREPLY=($(compgen -W "${option.choices.join(" ")}" -- "$current")); return ;;`,
      ),
  );
  const words = completions.map(
    (completion) => `    "${completion.path}") words="${wordsOf(completion)}" ;;`,
  );
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

/** zsh runs an autoloaded file as the function itself, at the first Tab; a sourced file only defines the function. */
const ZSH_END = `if [[ "$funcstack[1]" = _pawl ]]; then
  _pawl "$@"
else
  compdef _pawl pawl
fi
`;

function zsh(completions: Completion[]): string {
  const paths = completions
    .filter(({ path }) => path !== "")
    .map(({ path }) => `      "${path}") path_="${path}" ;;`);
  const words = completions.map(({ path, commands, options }) => {
    const described = [
      ...commands.map((command) =>
        quoted(`${escaped(command.name())}:${command.summary() || command.description()}`),
      ),
      ...options.map(({ flag, description }) => quoted(`${escaped(flag)}:${description}`)),
    ];
    return `    "${path}") words_=(${described.join(" ")}) ;;`;
  });
  const choices = completions.flatMap(({ path, options }) =>
    options
      .filter(({ choices: some }) => some.length > 0)
      .map((option) => `    "${path} ${option.flag}") compadd -- ${option.choices.join(" ")}; return ;;`),
  );
  return `#compdef pawl
# pawl completion for zsh: pawl completion zsh > "\${fpath[1]}/_pawl", or source <(pawl completion zsh)
_pawl() {
  local path_="" word
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${paths.join("\n")}
    esac
  done
  case "$path_ \${words[CURRENT-1]}" in
${choices.join("\n")}
  esac
  case "$path_" in
${words.join("\n")}
  esac
  _describe "pawl" words_ || _files
}
${ZSH_END}`;
}

function fish(completions: Completion[]): string {
  const lines = completions.flatMap(({ path, commands, options }) => {
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
      ...options.map(({ flag, description, choices }) => {
        const values = choices.length === 0 ? "" : ` -x -a ${quoted(choices.join(" "))}`;
        return `complete -c pawl -n ${here} -l ${flag.slice(2)}${values} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# pawl completion for fish: pawl completion fish > ~/.config/fish/completions/pawl.fish\n${lines.join("\n")}\n`;
}

/** Uses single quotes: bash, zsh and fish treat everything inside them alike, except the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’").replaceAll("\\", "/")}'`;
}

function escaped(name: string): string {
  return name.replaceAll(":", "\\:");
}
