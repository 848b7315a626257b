import type { Command } from "commander";
import {
  atServer,
  CliError,
  EXIT,
  findTaskId,
  formatHelp,
  numberBetween,
  oneLine,
  positiveInteger,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import type { PlannerTimedTask } from "../api.ts";
import { MOMENT, moment } from "./moment-option.ts";
import { allPages, callsOf, idCell, momentCell } from "./planner-cells.ts";
import type { Flags } from "./planner-cells.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

type DeadlineFlags = Flags & {
  project?: string;
  within: number;
  due?: string | false;
  estimate?: number;
  expect?: number;
};

/** `pawl planner deadlines` */
export function addDeadlineCommand(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  withServerOptions(planner.command("deadlines"))
    .summary("list the tasks that are due, or change a due date")
    .description(
      "Lists the unfinished tasks that are due soon or late, the earliest first. With a task, changes its due date or estimate.",
    )
    .argument("[task]", "the id of a task to change, or its beginning or end")
    .option("--project <id>", "only this project")
    .option("--within <days>", "only tasks due within this time", numberBetween(0, 3_650), DEFAULT_DAYS)
    .option("--due <moment>", `the new due date: ${MOMENT}`, moment)
    .option("--no-due", "remove the due date")
    .option("--estimate <minutes>", "the new estimate: minutes of work", positiveInteger)
    .option("--expect <row_version>", "refuse if the task has changed since this version", positiveInteger)
    .addHelpText("after", formatHelp(HELP, environment))
    .action(async (typed: string | undefined, flags: DeadlineFlags) => {
      setExitCode(
        await (typed === undefined
          ? listDeadlines(environment, flags)
          : changeDeadline(environment, typed, flags)),
      );
    });
}

function listDeadlines(environment: CliEnvironment, options: DeadlineFlags): Promise<ExitCode> {
  const { out, now } = environment;
  const { project, within, due, estimate, json } = options;
  if (due !== undefined || estimate !== undefined)
    throw new CliError(EXIT.usage, "Name the task whose due date or estimate changes.", {
      hints: ["For example: pawl planner deadlines 21bc7d04 --due 2026-12-31T16:00"],
    });
  return atServer(environment, options, async ({ client }) => {
    const due_before = new Date(now() + within * DAY_MS).toISOString();
    const tasks = await dueTasks(client, { project_id: project, due_before });
    return print(out, { json, value: { tasks }, text: () => tableOf(tasks, environment) });
  });
}

async function dueTasks(
  client: Client,
  query: { project_id: string | undefined; due_before: string },
): Promise<PlannerTimedTask[]> {
  const tasks = await allPages(async (cursor) => {
    const page = await callsOf(client).listPlannerTasks({ ...query, cursor, limit: 200 });
    return { rows: page.tasks, cursor: page.cursor };
  });
  return tasks.sort((one, other) => (one.due_at ?? "").localeCompare(other.due_at ?? ""));
}

function tableOf(tasks: readonly PlannerTimedTask[], environment: CliEnvironment): string {
  if (tasks.length === 0) return "No task is due in this time.";
  const rows = tasks.map((task) => [
    idCell(environment.out, task.id),
    momentCell(environment, task.due_at),
    { late: "late", will_be_late: "will be late", none: "" }[task.lateness?.state ?? "none"],
    task.estimate_minutes === null ? "" : `${task.estimate_minutes} min`,
    task.status,
    task.assigned_to ?? "",
    oneLine(task.title),
  ]);
  return textTable(["ID", "DUE", "WARNING", "ESTIMATE", "STATUS", "OWNER", "TITLE"], rows, environment.out);
}

function changeDeadline(
  environment: CliEnvironment,
  typed: string,
  { due, estimate, expect, json, ...flags }: DeadlineFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const calls = callsOf(client);
    const id = await findTaskId(client, typed);
    const seen = await calls.getPlannerTask({ id });
    const changes = {
      ...(due === undefined ? {} : { due_at: due === false ? null : due }),
      ...(estimate === undefined ? {} : { estimate_minutes: estimate }),
    };
    if (Object.keys(changes).length > 0)
      await calls.changePlannerTask({ id, ...changes, expected_row_version: expect ?? seen.row_version });
    const task = Object.keys(changes).length > 0 ? await calls.getPlannerTask({ id }) : seen;
    return print(out, { json, value: task, text: () => tableOf([task], environment) });
  });
}

const HELP = `
Examples:
  pawl planner deadlines --within 2
  pawl planner deadlines 21bc7d04 --due 2026-12-31T16:00 --estimate 90
  pawl planner deadlines 21bc7d04 --no-due`;
