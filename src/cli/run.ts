import { CommanderError } from "commander";
import type { Command } from "commander";
import type { AddCommands } from "./surroundings.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { buildProgram } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";
import { tellFault, tellUsageFault } from "./tell-fault.ts";
import { tellStrayFaults } from "./tell-stray-faults.ts";

/** Runs one command line, with the commands of lifecycles among those there are, and gives its exit code; whatever goes wrong has been said on `err`. */
export async function run(
  args: readonly string[],
  surroundings: Surroundings,
  more: readonly AddCommands[] = [],
): Promise<ExitCode> {
  tellStrayFaults(surroundings);
  let exitCode: ExitCode = EXIT.fine;
  const leave = (code: ExitCode) => {
    exitCode = code;
  };
  const program = buildProgram(surroundings, leave, more);
  try {
    await addOwnCommands(program, args, surroundings, leave);
  } catch (error) {
    return tellFault(error, surroundings, { json: args.includes("--json") });
  }
  const meant = commandIn(program, args);
  // A group alone, as `pawl tasks`, is a question about what there is.
  if (args.length === 0 || (meant.rest.length === 0 && meant.command.commands.length > 0)) {
    meant.command.outputHelp();
    return EXIT.fine;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version arrive as errors too, and have been printed.
      if (error.exitCode === 0) return EXIT.fine;
      return tellUsageFault(error.message, meant.path, surroundings.err);
    }
    return tellFault(error, surroundings, { json: args.includes("--json") });
  }
}

/** The user's configuration is loaded for commands that may be in it, and for the list of all commands. */
async function addOwnCommands(
  program: Command,
  [word = "--help"]: readonly string[],
  surroundings: Surroundings,
  leave: (code: ExitCode) => void,
): Promise<void> {
  const asksForHelp = word === "--help" || word === "-h" || word === "help";
  const isOption = word.startsWith("-") && !asksForHelp;
  if (isOption || program.commands.some((command) => command.name() === word)) return;
  const commands = await surroundings.loadCommands().catch((error: unknown) => {
    // The list of the commands that ship with Pawl is of use without the others.
    if (asksForHelp) return [];
    throw error;
  });
  for (const add of commands) add(program, surroundings, leave);
}

/** The command that was named, as deep as its name is known. */
function commandIn(
  program: Command,
  args: readonly string[],
): { command: Command; path: string; rest: readonly string[] } {
  let [command, path, rest] = [program, "pawl", args];
  for (;;) {
    const [word, ...others] = rest;
    const inner = command.commands.find((known) => known.name() === word);
    if (!inner) return { command, path, rest };
    [command, path, rest] = [inner, `${path} ${inner.name()}`, others];
  }
}
