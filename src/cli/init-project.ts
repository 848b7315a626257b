import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import { FIRST_CONFIG } from "./first-config.ts";
import type { CliEnvironment } from "./cli-environment.ts";

const FILE = "pawl.config.ts";

/** `pawl init`: never changes an existing configuration. */
export async function initProject({ out, configHere, writeNew }: CliEnvironment): Promise<ExitCode> {
  const here = configHere();
  if (here !== null || !(await writeNew(FILE, FIRST_CONFIG)))
    throw new CliError(EXIT.refused, `${here ?? FILE} already exists in this folder and was not changed.`, {
      hints: ["`pawl check` checks the lifecycles that it declares."],
      document: { code: "ALREADY_EXISTS", file: here ?? FILE },
    });
  const { bold, cyan, dim } = out.colours;
  const steps = [
    ["pawl check errand", "check the lifecycle and its invariants"],
    ["pawl diagram errand", "draw it"],
    ["pawl start", "run the server, with its own database in .pawl"],
    ['pawl tasks create errand title="Buy milk"', "in a second terminal: create a task"],
    ["pawl watch", "watch what happens"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${cyan(command.padEnd(width))}  ${dim(what)}`);
  out.write(
    `Wrote ${bold(FILE)} with a first lifecycle, "errand". Change it as you like; then:\n\n${lines.join("\n")}\n`,
  );
  return EXIT.fine;
}
