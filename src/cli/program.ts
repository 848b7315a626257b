import { stripVTControlCharacters } from "node:util";
import { Command } from "commander";
import { addAgentCommands } from "./commands/agent-commands.ts";
import { formatHelp } from "./commands/command-options.ts";
import type { AddCommands, SetExitCode } from "./cli-environment.ts";
import { addDirectoryCommands } from "./commands/directory-commands.ts";
import { addInboxCommands } from "./commands/inbox-commands.ts";
import { addServerCommands } from "./commands/server-commands.ts";
import { addLifecycleCommands } from "./commands/lifecycle-commands.ts";
import { addInsightCommands } from "./commands/insight-commands.ts";
import { addTaskCommands } from "./commands/task-commands.ts";
import { widthOf } from "./display-width.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-code.ts";
import { toTerminal } from "./terminal-text.ts";
import type { CliEnvironment } from "./cli-environment.ts";

/** Builds the program with all commands, options and help texts. */
export function buildProgram(
  environment: CliEnvironment,
  setExitCode: SetExitCode,
  more: readonly AddCommands[] = [],
): Command {
  const program = prepare(new Command("pawl"), environment)
    .description(
      "Moves tasks through declared lifecycles, only by their rules, and records every step in a journal.",
    )
    .version(environment.version, "-V, --version", "print the version")
    .addHelpText("after", formatHelp(PROGRAM_HELP, environment));
  program.commandsGroup("Declare lifecycles:");
  addLifecycleCommands(program, environment, setExitCode);
  program.commandsGroup("Run the server:");
  addServerCommands(program, environment, setExitCode);
  program.commandsGroup("Use a server:");
  addTaskCommands(program, environment, setExitCode);
  addDirectoryCommands(program, environment, setExitCode);
  addInboxCommands(program, environment, setExitCode);
  addInsightCommands(program, environment, setExitCode);
  program.commandsGroup("For AI agents:");
  addAgentCommands(program, environment, setExitCode);
  program.commandsGroup("Commands of lifecycles:");
  for (const add of more) add(program, environment, setExitCode);
  return program;
}

/** Must be called before commands are added, because they inherit these settings. */
function prepare(program: Command, { out, err }: CliEnvironment): Command {
  const { bold, cyan } = out.colours;
  return program
    .exitOverride()
    .configureHelp({
      styleTitle: bold,
      styleSubcommandText: cyan,
      styleOptionText: cyan,
      // Commander does not recognize Pawl's own colours and would count them as visible characters.
      displayWidth: (text) => widthOf(stripVTControlCharacters(toTerminal(text))),
    })
    .configureOutput({
      writeOut: out.write,
      writeErr: err.write,
      // `run` prints the error.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(out.columns, 100),
      getErrHelpWidth: () => Math.min(err.columns, 100),
      getOutHasColors: () => out.colours.isColorSupported,
      getErrHasColors: () => err.colours.isColorSupported,
    });
}

const EXIT_CODES = Object.entries(EXIT)
  .map(([name, code]) => `  ${code}  ${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
  .join("\n");

const PROGRAM_HELP = `
Examples:
  pawl init                      write a first lifecycle
  pawl start                     run the server
  pawl tasks create board title="Draft the notes" description="Changes since 0.1"
  pawl tasks list                list tasks
  pawl why 21bc7d04 claim        show why an action is allowed or refused
  pawl watch                     watch tasks and events live

In the folder where a server was started, commands find it automatically.
For another server, set PAWL_URL and PAWL_TOKEN.

Exit codes:
${EXIT_CODES}`;
