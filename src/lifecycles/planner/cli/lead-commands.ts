import type { Command } from "commander";
import {
  atServer,
  commaSeparated,
  findTaskId,
  formatHelp,
  isTty,
  numberBetween,
  oneLine,
  print,
  relativeTime,
  shortId,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, ConnectFlags, ExitCode, Screen } from "../../../plugin/index.ts";
import { PLANNER_ROUTES } from "../api.ts";
import { ATTENTION_KINDS, MAX_COUNTED } from "../lead-shapes.ts";
import type { AttentionGroup, AttentionItem, AttentionKind } from "../lead-shapes.ts";

type Flags = ConnectFlags & { json?: true };

/** `pawl planner attention` and `pawl planner dependents` */
export function addLeadCommands(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: Parameters<AddCommands>[2],
): void {
  withServerOptions(planner.command("attention"))
    .summary("list what needs a lead")
    .description(
      "Lists what needs a lead: calls for help, late, blocked and held tasks, and tasks to review.",
    )
    .option("--project <id>", "only this project")
    .option(
      "--kind <kinds>",
      `only these, separated by commas: ${ATTENTION_KINDS.join(", ")}`,
      commaSeparated,
    )
    .option("--limit <n>", "maximum number of items of each kind", numberBetween(1, 100), 20)
    .addHelpText("after", formatHelp(ATTENTION_HELP, environment))
    .action(async (flags: AttentionFlags) => {
      setExitCode(await showAttention(environment, flags));
    });
  withServerOptions(planner.command("dependents"))
    .summary("list the tasks that would stay blocked if a task was canceled")
    .description("Lists the unfinished tasks that wait for a task. They stay blocked if it is canceled.")
    .argument("<task>", "the id of the task, or its beginning or end")
    .addHelpText("after", formatHelp(DEPENDENTS_HELP, environment))
    .action(async (id: string, flags: Flags) => {
      setExitCode(await showDependents(environment, id, flags));
    });
}

function showDependents(
  environment: CliEnvironment,
  typed: string,
  { json, ...flags }: Flags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const id = await findTaskId(client, typed);
    const { tasks } = await client.calls(PLANNER_ROUTES).listDependents({ id });
    const rows = tasks.map((task) => [
      isTty(out) ? shortId(task.id) : task.id,
      task.status ?? "",
      task.direct ? "directly" : "through others",
      oneLine(task.title ?? "(a task you may not see)"),
    ]);
    const text = () =>
      rows.length === 0 ? "No task waits for it." : textTable(["ID", "STATUS", "WAITS", "TITLE"], rows, out);
    return print(out, { json, value: { tasks }, text });
  });
}

type AttentionFlags = Flags & { project?: string; kind?: string[]; limit: number };

function showAttention(
  environment: CliEnvironment,
  { project, kind, limit, json, ...flags }: AttentionFlags,
): Promise<ExitCode> {
  const { out, now } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const query = { project_id: project, kind: kind as AttentionKind[] | undefined, limit };
    const { groups } = await client.calls(PLANNER_ROUTES).getPlannerAttention(query);
    return print(out, { json, value: { groups }, text: () => groupsText(groups, out, now()) });
  });
}

const HEADINGS: Record<AttentionKind, string> = {
  escalation: "Calls for help",
  late: "Late",
  will_be_late: "Will be late",
  blocked: "Blocked by canceled work",
  held: "On hold",
  review: "To review",
};

function groupsText(groups: readonly AttentionGroup[], out: Screen, now: number): string {
  const filled = groups.filter(({ items }) => items.length > 0);
  if (filled.length === 0) return "Nothing needs attention.";
  return filled
    .map(({ kind, count, items }) => {
      const isAtLimit = count >= MAX_COUNTED;
      const heading = out.colours.bold(`${HEADINGS[kind]} (${count}${isAtLimit ? " or more" : ""})`);
      const left = `and ${count - items.length} ${isAtLimit ? "or more" : "more"}`;
      const more = count > items.length ? `\n${out.colours.dim(left)}` : "";
      const rows = items.map((item) => rowOf(item, out, now));
      return `${heading}\n${textTable(["ID", "SINCE", "BY", "TITLE", "REASON"], rows, out)}${more}`;
    })
    .join("\n\n");
}

function rowOf(item: AttentionItem, out: Screen, now: number): string[] {
  const { task, since, by } = item;
  return [
    isTty(out) ? shortId(task.id) : task.id,
    isTty(out) ? relativeTime(now, since) : since,
    by ?? "",
    oneLine(task.title),
    oneLine(reasonOf(item, (moment) => (isTty(out) ? relativeTime(now, moment) : moment))),
  ];
}

function reasonOf(
  { kind, reason, text, blocker, since, ready_at }: AttentionItem,
  shown: (moment: string) => string,
): string {
  if (kind === "late") return `due ${shown(since)}`;
  if (kind === "will_be_late")
    return `due ${shown(since)}, ready ${shown(ready_at ?? since)} at the earliest`;
  const parts = kind === "blocked" ? [`${blocker?.title ?? ""} was ${reason ?? ""}`, text] : [reason, text];
  return parts.filter((part) => part !== null).join(": ");
}

const DEPENDENTS_HELP = `
Examples:
  pawl planner dependents 0197a2c4
  pawl tasks act 0197a2c4 cancel reason="bought instead"`;

const ATTENTION_HELP = `
Examples:
  pawl planner attention
  pawl planner attention --project hall --kind review,held`;
