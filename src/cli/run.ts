import { CommanderError } from "commander";
import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { buildProgram } from "./program.ts";
import type { Surroundings } from "./surroundings.ts";
import { tellFault, tellUsageFault } from "./tell-fault.ts";
import { tellStrayFaults } from "./tell-stray-faults.ts";

/** Runs one command line and gives its exit code; whatever goes wrong has been said on `err`. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  tellStrayFaults(surroundings);
  let exitCode: ExitCode = EXIT.fine;
  const program = buildProgram(surroundings, (code) => {
    exitCode = code;
  });
  if (args.length === 0) {
    program.outputHelp();
    return EXIT.fine;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version arrive as errors too, and have been printed.
      if (error.exitCode === 0) return EXIT.fine;
      const command = program.commands.find((known) => known.name() === args[0]);
      return tellUsageFault(error.message, command ? `pawl ${command.name()}` : "pawl", surroundings.err);
    }
    return tellFault(error, surroundings, { json: args.includes("--json") });
  }
}
