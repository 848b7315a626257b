import { createHash } from "node:crypto";
import type { Command } from "commander";
import {
  atServer,
  CliError,
  count,
  EXIT,
  formatHelp,
  graphText,
  oneLine,
  print,
  readTextFile,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import { PawlProblem } from "../../../client/index.ts";
import type { PlannerImportMistake, PlannerPlannedTask } from "../import-api.ts";
import { callsOf } from "./planner-cells.ts";
import type { Flags } from "./planner-cells.ts";

/** The limit of a request's body, less its other fields. */
const MAX_BYTES = 1_000_000;
const MAX_SHOWN_MISTAKES = 20;

type ImportFlags = Flags & {
  preview?: true;
  project: string;
  run?: string;
  encoding: string;
  zone?: string;
};

/** `pawl planner import` */
export function addImportCommand(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  withServerOptions(planner.command("import"))
    .summary("create the tasks of a CSV file, all or none")
    .description(
      "Creates the tasks of a CSV file with their dependencies. If a row is wrong, nothing is created. A repeated import creates nothing.",
    )
    .argument("<file>", "the CSV file; - reads standard input")
    .option("--preview", "only show the tasks, their dependencies and all mistakes")
    .option("--project <id>", "the project", "main")
    .option("--run <name>", "a name of this import: the same file is imported once per name")
    .option("--encoding <name>", "the encoding of the file, such as windows-1251", "utf-8")
    .option("--zone <time zone>", "of due dates without an offset (default: that of this computer)")
    .addHelpText("after", formatHelp(HELP, environment))
    .action(async (file: string, flags: ImportFlags) => {
      setExitCode(await importTasks(environment, file, flags));
    });
}

async function importTasks(
  environment: CliEnvironment,
  file: string,
  options: ImportFlags,
): Promise<ExitCode> {
  const { out } = environment;
  const { preview = false, project, run = "", encoding, json } = options;
  const { name, text } = await readTextFile(file, { encoding, maxBytes: MAX_BYTES });
  const time_zone = options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = { project_id: project, csv: text, time_zone };
  return atServer(environment, options, async ({ client }) => {
    const calls = callsOf(client);
    if (preview) {
      const { tasks, mistakes } = await calls.previewPlannerImport(body);
      if (mistakes.length > 0) throw invalidFile(name, mistakes, { tasks });
      const summary = `${count(tasks.length, "task")} to create. Nothing was created yet: leave out --preview to create them.`;
      return print(out, { json, value: { tasks, mistakes }, text: () => `${planText(tasks)}\n${summary}` });
    }
    const hash = createHash("sha256")
      .update(JSON.stringify([body, run]))
      .digest("hex");
    const created = await calls
      .importPlannerTasks({ ...body, client_event_id: `import-${hash}` })
      .catch((error: unknown) => {
        if (!(error instanceof PawlProblem) || error.code !== "INVALID_IMPORT") throw error;
        throw invalidFile(name, error.params.errors as PlannerImportMistake[]);
      });
    const refs = new Map(created.tasks.map(({ id, ref }) => [id, ref]));
    const plan = created.tasks.map((task) => ({
      ...task,
      depends_on: task.depends_on.map((id) => refs.get(id) ?? id),
    }));
    const summary = `${count(plan.length, "task")} imported. Repeating this import creates nothing.`;
    return print(out, { json, value: created, text: () => `${planText(plan)}\n${summary}` });
  });
}

function invalidFile(name: string, mistakes: readonly PlannerImportMistake[], more: object = {}): CliError {
  const lines = mistakes.map(({ line, column, message }) =>
    oneLine(`${name}:${line}: ${column === null ? "" : `${column} `}${message}`),
  );
  const rest = lines.length - MAX_SHOWN_MISTAKES;
  return new CliError(EXIT.usage, `${count(mistakes.length, "mistake")} in ${name}; nothing was created.`, {
    hints: [...lines.slice(0, MAX_SHOWN_MISTAKES), ...(rest > 0 ? [`and ${rest} more`] : [])],
    document: { code: "INVALID_IMPORT", file: name, errors: mistakes, ...more },
  });
}

type ShownTask = Pick<PlannerPlannedTask, "ref" | "title" | "depends_on" | "line"> & { status: string };

function planText(tasks: readonly ShownTask[]): string {
  const refs = new Set(tasks.map(({ ref }) => ref));
  const lines = new Map(tasks.map(({ ref, line }) => [ref, line]));
  const nodes = tasks.map(({ ref, title, status }) => ({ id: ref, title: oneLine(title), status }));
  const edges = tasks.flatMap(({ ref, depends_on }) =>
    depends_on.filter((from) => refs.has(from)).map((from) => ({ from, to: ref })),
  );
  return graphText(nodes, edges, ({ id, title }) => `${title}  line ${lines.get(id) ?? 0}`);
}

const HELP = `
Examples:
  pawl planner import tasks.csv --preview
  pawl planner import tasks.csv --project hall
  pawl planner import tasks.csv --project hall --run second-hall

A file:
  ref,title,required_trade,estimate_minutes,due_at,depends_on
  cut,Cut the frame,welder,30,,
  weld,Weld the frame,welder,60,2026-12-31 16:00,cut

Other columns are description, priority and deliverable (a serial number or id). Semicolons and tabs also
separate cells. The exit code is 2 if a row is wrong.`;
