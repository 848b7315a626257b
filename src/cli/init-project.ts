import { EXIT } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import { FIRST_CONFIG } from "./first-config.ts";
import { FIRST_WORKER } from "./first-worker.ts";
import type { CliEnvironment } from "./cli-environment.ts";

const FILE = "pawl.config.ts";
const WORKER_FILE = "worker.ts";

/** `pawl init`: never changes an existing file. */
export async function initProject({ out, configHere, writeNew }: CliEnvironment): Promise<ExitCode> {
  const here = configHere();
  if (here !== null || !(await writeNew(FILE, FIRST_CONFIG)))
    throw new CliError(EXIT.refused, `${here ?? FILE} already exists in this folder and was not changed.`, {
      hints: ["`pawl check` checks the lifecycles that it declares."],
      document: { code: "ALREADY_EXISTS", file: here ?? FILE },
    });
  const wroteWorker = await writeNew(WORKER_FILE, FIRST_WORKER);
  const { bold, cyan, dim } = out.colours;
  const steps = [
    ["pawl check errand", "check the lifecycle and its invariants"],
    ["pawl diagram errand", "draw it"],
    ["pawl start", "run the server, with its own database in .pawl"],
    ['pawl tasks create errand title="Buy milk"', "in a second terminal: create a task"],
    ["pawl members add wanda --kind worker --roles worker", "add a member for the worker"],
    ["pawl tokens create wanda", "create its token"],
    ["PAWL_TOKEN=… npx tsx worker.ts", "run the worker; Ctrl+C gives its tasks back"],
    ["pawl watch", "watch what happens"],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  const lines = steps.map(([command, what]) => `  ${cyan(command.padEnd(width))}  ${dim(what)}`);
  const worker = wroteWorker
    ? `and ${bold(WORKER_FILE)} with a worker for it`
    : `and left your ${WORKER_FILE} as it is`;
  out.write(
    `Wrote ${bold(FILE)} with a first lifecycle, "errand", ${worker}. Change them as you like; then:\n\n${lines.join("\n")}\n`,
  );
  return EXIT.fine;
}
