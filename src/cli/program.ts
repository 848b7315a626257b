import { Command } from "commander";
import { addAgentCommands } from "./commands/agent-commands.ts";
import { titled } from "./commands/command-options.ts";
import type { AddCommands, Leave } from "./surroundings.ts";
import { addDirectoryCommands } from "./commands/directory-commands.ts";
import { addHouseCommands } from "./commands/house-commands.ts";
import { addLifecycleCommands } from "./commands/lifecycle-commands.ts";
import { addTaskCommands } from "./commands/task-commands.ts";
import { EXIT, EXIT_MEANINGS } from "./exit-code.ts";
import type { Surroundings } from "./surroundings.ts";

/** Every command with its options and its help. */
export function buildProgram(
  surroundings: Surroundings,
  leave: Leave,
  more: readonly AddCommands[] = [],
): Command {
  const program = prepare(new Command("pawl"), surroundings)
    .description(
      "Moves tasks through declared lifecycles: only along declared transitions, once, and on record.",
    )
    .version(surroundings.version, "-V, --version", "print the version")
    .addHelpText("after", titled(PROGRAM_HELP, surroundings));
  program.commandsGroup("Declare:");
  addLifecycleCommands(program, surroundings, leave);
  program.commandsGroup("Run:");
  addHouseCommands(program, surroundings, leave);
  program.commandsGroup("Use a server:");
  addTaskCommands(program, surroundings, leave);
  addDirectoryCommands(program, surroundings, leave);
  program.commandsGroup("For AI agents:");
  addAgentCommands(program, surroundings, leave);
  program.commandsGroup("Of the lifecycles:");
  for (const add of more) add(program, surroundings, leave);
  return program;
}

/** Set before the commands are added: each inherits it. */
function prepare(program: Command, { out, err }: Surroundings): Command {
  const { bold, cyan } = out.colours;
  return program
    .exitOverride()
    .configureHelp({ styleTitle: bold, styleSubcommandText: cyan, styleOptionText: cyan })
    .configureOutput({
      writeOut: out.write,
      writeErr: err.write,
      // Said once, by `run`.
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
  pawl init                      write a first lifecycle of your own
  pawl start                     run the server
  pawl tasks create board title="Draft the notes" description="Since 0.1"
  pawl tasks list                see it
  pawl why 21bc7d04 claim        why, or why not
  pawl watch                     see what happens

Commands that use a server find the one that runs on .pawl here by themselves.
PAWL_URL and PAWL_TOKEN name another one, and who you are there.

Exit codes:
${EXIT_CODES}`;
