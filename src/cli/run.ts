import { CommanderError } from "commander";
import type { Command } from "commander";
import type { AddCommands } from "./cli-environment.ts";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { buildProgram } from "./program.ts";
import type { CliEnvironment } from "./cli-environment.ts";
import { printError, printUsageError } from "./print-error.ts";
import { printUnhandledErrors } from "./unhandled-errors.ts";

/** Runs one command line and returns its exit code; errors are printed to `err`. `more` adds the commands of lifecycles. */
export async function run(
  args: readonly string[],
  environment: CliEnvironment,
  more: readonly AddCommands[] = [],
): Promise<ExitCode> {
  printUnhandledErrors(environment);
  let exitCode: ExitCode = EXIT.fine;
  const setExitCode = (code: ExitCode) => {
    exitCode = code;
  };
  const program = buildProgram(environment, setExitCode, more);
  try {
    await addOwnCommands(program, args, environment, setExitCode);
  } catch (error) {
    return printError(error, environment, { json: args.includes("--json") });
  }
  const meant = commandIn(program, args);
  // A group alone, such as `pawl tasks`, prints its help.
  if (args.length === 0 || (meant.rest.length === 0 && meant.command.commands.length > 0)) {
    meant.command.outputHelp();
    return EXIT.fine;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander throws for --help and --version too, after it has printed them.
      if (error.exitCode === 0) return EXIT.fine;
      return printUsageError(error.message, meant.path, environment.err);
    }
    return printError(error, environment, { json: args.includes("--json") });
  }
}

/** Loads the user's configuration for a command that may come from it, and for the list of all commands. */
async function addOwnCommands(
  program: Command,
  [word = "--help"]: readonly string[],
  environment: CliEnvironment,
  setExitCode: (code: ExitCode) => void,
): Promise<void> {
  const asksForHelp = word === "--help" || word === "-h" || word === "help";
  const isOption = word.startsWith("-") && !asksForHelp;
  if (isOption || program.commands.some((command) => command.name() === word)) return;
  const commands = await environment.loadCommands().catch((error: unknown) => {
    // With a broken configuration, the help still lists the built-in commands.
    if (asksForHelp) return [];
    throw error;
  });
  for (const add of commands) add(program, environment, setExitCode);
}

/** Finds the innermost command that the arguments name. */
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
