import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import { FIRST_CONFIG } from "./first-config.ts";
import type { Surroundings } from "./surroundings.ts";

const FILE = "pawl.config.ts";

/** `pawl init`: never touches a configuration that is there. */
export async function initProject({ out, configHere, writeNew }: Surroundings): Promise<ExitCode> {
  const here = configHere();
  if (here !== null || !(await writeNew(FILE, FIRST_CONFIG)))
    throw new Fault(EXIT.finding, `There is a ${here ?? FILE} here already, and it was left as it is.`, {
      more: ["`pawl check` proves what it declares."],
      document: { code: "ALREADY_EXISTS", file: here ?? FILE },
    });
  const { bold, cyan, dim } = out.colours;
  const steps = [
    ["pawl check errand", "prove that the lifecycle keeps its promises"],
    ["pawl diagram errand", "look at it"],
    ["pawl start", "run the server, with a database of its own in .pawl"],
    ['pawl tasks create errand title="Buy milk"', "and, in a second terminal, make a task"],
    ["pawl watch", "see what happens"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${cyan(command.padEnd(width))}  ${dim(what)}`);
  out.write(
    `Wrote ${bold(FILE)} with a first lifecycle, "errand". Change it as you like; then:\n\n${lines.join("\n")}\n`,
  );
  return EXIT.fine;
}
