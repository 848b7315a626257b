import type { Command } from "commander";
import {
  atServer,
  formatHelp,
  numberBetween,
  oneLine,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import { callsOf, idCell, momentCell } from "./planner-cells.ts";
import type { Flags } from "./planner-cells.ts";

/** `pawl planner pool` and `pawl planner claim-next` */
export function addPoolCommands(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  withServerOptions(planner.command("pool"))
    .summary("list the available tasks, and why you cannot take some")
    .description("Lists the available tasks that you see, best first, and why you cannot take some of them.")
    .option("--project <id>", "only this project")
    .option("-n, --limit <count>", "maximum number of tasks", numberBetween(1, 200), 50)
    .addHelpText("after", formatHelp(POOL_HELP, environment))
    .action(async (flags: PoolFlags) => {
      setExitCode(await showPool(environment, flags));
    });
  withServerOptions(planner.command("claim-next"))
    .summary("take your best available task")
    .description("Takes your best available task: the highest priority first, then the oldest.")
    .option("--project <id>", "only from this project")
    .option("--key <client_event_id>", "idempotency key: repeating it does not take another task")
    .addHelpText("after", formatHelp(CLAIM_HELP, environment))
    .action(async (flags: ClaimFlags) => {
      setExitCode(await claimNext(environment, flags));
    });
}

type PoolFlags = Flags & { project?: string; limit: number };

function showPool(
  environment: CliEnvironment,
  { project, limit, json, ...flags }: PoolFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const pool = await callsOf(client).getPlannerPool({ project_id: project, limit });
    const rows = pool.tasks.map((task) => [
      idCell(out, task.id),
      String(task.priority),
      task.required_trade ?? "any",
      momentCell(environment, task.due_at),
      task.can_self_assign ? "you may" : task.reasons.map(({ code }) => code).join(", "),
      oneLine(task.title),
    ]);
    const more = pool.cursor === null ? "" : "\nThere are more: use a higher --limit.";
    const text = () =>
      rows.length === 0
        ? "No task is available to you."
        : `${textTable(["ID", "PRIORITY", "TRADE", "DUE", "TAKE", "TITLE"], rows, out)}${more}`;
    return print(out, { json, value: pool, text });
  });
}

type ClaimFlags = Flags & { project?: string; key?: string };

function claimNext(
  environment: CliEnvironment,
  { project, key, json, ...flags }: ClaimFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const body = { project_id: project, client_event_id: key };
    const claimed = await callsOf(client).claimPlannerTask(body);
    const { task } = claimed;
    const text = () =>
      task === null
        ? "No task is available to you. `pawl planner pool` lists what you see."
        : [
            `${task.id}  ${oneLine(task.title)}`,
            `version ${task.row_version}`,
            ...(task.description === null ? [] : ["", task.description]),
          ].join("\n");
    return print(out, { json, value: claimed, text });
  });
}

const POOL_HELP = `
Examples:
  pawl planner pool
  pawl planner pool --project hall --json`;

const CLAIM_HELP = `
Examples:
  pawl planner claim-next
  pawl tasks act 21bc7d04 start`;
