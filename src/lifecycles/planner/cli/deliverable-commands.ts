import { Option } from "commander";
import type { Command } from "commander";
import {
  atServer,
  commaSeparated,
  count,
  findTaskId,
  formatHelp,
  oneLine,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ExitCode, SetExitCode } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import type { PlannerDeliverable, PlannerInspection } from "../api.ts";
import { SEVERITIES } from "../fields.ts";
import { findDeliverable } from "./find-deliverable.ts";
import { parseMeasurement } from "./parse-measurement.ts";
import { allPages, callsOf, idCell, momentCell } from "./planner-cells.ts";
import type { Flags, PlannerCalls } from "./planner-cells.ts";

type PlaceFlags = Flags & { project?: string };

const DELIVERABLE = "the id or the serial number";

/** `pawl planner deliverables …` */
export function addDeliverableCommands(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: SetExitCode,
): void {
  const group = planner
    .command("deliverables")
    .summary("list, create, submit and inspect deliverables")
    .description("Lists, creates, submits and inspects deliverables.")
    .addHelpText("after", formatHelp(HELP, environment));
  const command = (name: string, summary: string) =>
    withServerOptions(group.command(name))
      .summary(summary)
      .description(`${summary[0]?.toUpperCase() ?? ""}${summary.slice(1)}.`)
      .option("--project <id>", "the project");
  command("list", "list deliverables, oldest first")
    .option("-s, --status <statuses>", "only these statuses, separated by commas", commaSeparated)
    .option("--type <name>", "only this type")
    .action(async (flags: ListFlags) => {
      setExitCode(await listAll(environment, flags));
    });
  command("show <deliverable>", "show a deliverable, its tasks and inspections").action(
    async (typed: string, flags: PlaceFlags) => {
      setExitCode(await show(environment, typed, flags));
    },
  );
  command("create <type> <serial>", "create a deliverable").action(
    async (type: string, serial: string, { project, ...flags }: PlaceFlags) => {
      const create = (calls: PlannerCalls) => calls.createDeliverable({ type, serial, project_id: project });
      setExitCode(await change(environment, flags, create));
    },
  );
  command("submit <deliverable>", "submit a deliverable to quality control").action(
    async (typed: string, { project, ...flags }: PlaceFlags) => {
      const submit = async (calls: PlannerCalls) =>
        calls.submitDeliverable({ id: (await findDeliverable(calls, typed, project)).id });
      setExitCode(await change(environment, flags, submit));
    },
  );
  addInspect(command("inspect", "record an inspection"), environment, setExitCode);
}

type ListFlags = PlaceFlags & { status?: PlannerDeliverable["status"][]; type?: string };

function listAll(
  environment: CliEnvironment,
  { project, status, type, json, ...flags }: ListFlags,
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const query = { project_id: project, status, type, limit: 200 };
    const deliverables = await allPages(async (cursor) => {
      const page = await callsOf(client).listDeliverables({ ...query, cursor });
      return { rows: page.deliverables, cursor: page.cursor };
    });
    return print(environment.out, {
      json,
      value: { deliverables },
      text: () => tableOf(deliverables, environment),
    });
  });
}

function show(
  environment: CliEnvironment,
  typed: string,
  { project, json, ...flags }: PlaceFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const calls = callsOf(client);
    const deliverable = await findDeliverable(calls, typed, project);
    const [{ inspections }, tasks] = await Promise.all([
      calls.listInspections({ id: deliverable.id }),
      allPages(async (cursor) => {
        const query = { deliverable_id: deliverable.id, cursor, limit: 200 };
        const page = await calls.listPlannerTasks(query);
        return { rows: page.tasks, cursor: page.cursor };
      }),
    ]);
    const rows = tasks.map(({ id, status, assigned_to, title }) => [
      idCell(out, id),
      status,
      assigned_to ?? "",
      oneLine(title),
    ]);
    const text = () =>
      [
        tableOf([deliverable], environment),
        ...(rows.length === 0 ? [] : ["", textTable(["ID", "STATUS", "OWNER", "TITLE"], rows, out)]),
        ...(inspections.length === 0 ? [] : ["", inspectionsText(inspections, environment)]),
      ].join("\n");
    return print(out, { json, value: { deliverable, tasks, inspections }, text });
  });
}

function inspectionsText(inspections: readonly PlannerInspection[], environment: CliEnvironment): string {
  const rows = inspections.map(({ created_at, result, inspector, measurements, act }) => [
    momentCell(environment, created_at),
    result,
    inspector ?? "",
    Object.entries(measurements)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join(" "),
    oneLine(act ?? ""),
  ]);
  return textTable(["INSPECTED", "RESULT", "BY", "MEASUREMENTS", "ACT"], rows, environment.out);
}

type InspectFlags = PlaceFlags & {
  result: "approved" | "rejected";
  measure?: [string, string | number][];
  act?: string;
  task?: string;
  defect?: string;
  severity?: (typeof SEVERITIES)[number];
  fix?: true;
};

function addInspect(command: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  command
    .argument("<deliverable>", DELIVERABLE)
    .addOption(
      new Option("--result <result>", "the result").choices(["approved", "rejected"]).makeOptionMandatory(),
    )
    .option("--measure <name=value>", "a measurement; may be repeated", parseMeasurement)
    .option("--act <text>", "the text or number of the act")
    .option("--task <id>", "the task whose work is defective")
    .option("--defect <text>", "the defect; needs --task")
    .addOption(new Option("--severity <name>", "the severity of the defect").choices(SEVERITIES))
    .option("--fix", "also create a task that fixes the defect")
    .action(async (typed: string, flags: InspectFlags) => {
      setExitCode(await inspect(environment, typed, flags));
    });
}

function inspect(environment: CliEnvironment, typed: string, options: InspectFlags): Promise<ExitCode> {
  const { project, result, measure, act, task, defect, severity, fix, json, ...flags } = options;
  return atServer(environment, flags, async ({ client }) => {
    const calls = callsOf(client);
    const { id } = await findDeliverable(calls, typed, project);
    const done = await calls.inspectDeliverable({
      id,
      result,
      measurements: measure && Object.fromEntries(measure),
      act,
      task_id: task && (await findTaskId(client, task)),
      defect: defect === undefined ? undefined : { description: defect, severity },
      create_fix: fix,
    });
    const made = done.fix_task === undefined ? "" : `\n${count(1, "fix-task")}: ${done.fix_task.id}`;
    const text = () => `${tableOf([done.deliverable], environment)}${made}`;
    return print(environment.out, { json, value: done, text });
  });
}

function change(
  environment: CliEnvironment,
  { json, ...flags }: Flags,
  work: (calls: PlannerCalls) => Promise<PlannerDeliverable>,
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }: { client: Client }) => {
    const deliverable = await work(callsOf(client));
    return print(environment.out, {
      json,
      value: deliverable,
      text: () => tableOf([deliverable], environment),
    });
  });
}

function tableOf(deliverables: readonly PlannerDeliverable[], environment: CliEnvironment): string {
  if (deliverables.length === 0) return "No deliverables.";
  const rows = deliverables.map((one) => [
    idCell(environment.out, one.id),
    one.type,
    one.serial,
    one.reopened_at !== null && one.status === "open" ? "open (reopened)" : one.status,
    momentCell(environment, one.updated_at),
  ]);
  return textTable(["ID", "TYPE", "SERIAL", "STATUS", "CHANGED"], rows, environment.out);
}

const HELP = `
Examples:
  pawl planner deliverables list --status open
  pawl planner deliverables create frame F-7 --project hall
  pawl planner deliverables submit F-7
  pawl planner deliverables inspect F-7 --result approved --measure gap_mm=0.4
  pawl planner deliverables inspect F-7 --result rejected --task 21bc7d04 --defect "out of square" --fix`;
