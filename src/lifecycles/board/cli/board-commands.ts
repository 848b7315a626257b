import {
  atServer,
  count,
  CliError,
  EXIT,
  formatDuration,
  print,
  shortId,
  isTty,
  oneLine,
  textTable,
} from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode, Screen } from "../../../plugin/index.ts";
import { BOARD_ROUTES } from "../api.ts";
import type { BoardTask, ListedBoardTask } from "../api.ts";
import type { Priority } from "../priorities.ts";
import type { Period } from "../stats.ts";

type Flags = ConnectFlags & { json?: true; workspace?: string };

/** `pawl board search <words>` */
export function searchTasks(
  environment: CliEnvironment,
  {
    words,
    workspace,
    label,
    status,
    limit,
    json,
    ...flags
  }: Flags & {
    words: readonly string[];
    label?: string[];
    status?: ListedBoardTask["status"][];
    limit: number;
  },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const query = { q: words.join(" "), workspace_id: workspace, label, status, limit };
    const found = await client.calls(BOARD_ROUTES).listBoardTasks({ ...query, sort: ["-updated_at"] });
    const more =
      found.total > found.tasks.length
        ? `\n${count(found.total, "task")} found in all: use a higher --limit.`
        : "";
    const text = () =>
      found.total === 0 ? "No task contains these words." : linesOf(found.tasks, out) + more;
    return print(out, { json, value: found, text });
  });
}

/** `pawl board claim-next` */
export function claimNext(
  environment: CliEnvironment,
  {
    workspace,
    comment,
    limit,
    priority,
    key,
    json,
    ...flags
  }: Flags & {
    comment: string;
    limit: number;
    priority?: Priority;
    key?: string;
  },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const body = { workspace_id: workspace, comment, limit, priority, client_event_id: key };
    const claimed = await client.calls(BOARD_ROUTES).claimNextBoardTask(body);
    const text = () =>
      claimed.tasks.length === 0
        ? "No task is free. `pawl board pool` shows why."
        : claimed.tasks.map((task) => taskText(task)).join("\n\n");
    return print(out, { json, value: claimed, text });
  });
}

function taskText({ id, title, description, row_version }: BoardTask): string {
  return `${id}  ${oneLine(title)}\nversion ${row_version}\n\n${description}`;
}

/** `pawl board pool`: the NEW tasks in the order of claims, each with the reason why it cannot be claimed. */
export function showPool(
  environment: CliEnvironment,
  { workspace, limit, json, ...flags }: Flags & { limit: number },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const { tasks, total } = await client
      .calls(BOARD_ROUTES)
      .listBoardTasks({ workspace_id: workspace, status: ["NEW"], limit });
    const pool = tasks.map((task) => ({ ...task, why_not: whyNot(task) }));
    const free = pool.filter(({ why_not }) => why_not === null).length;
    const rows = pool.map(({ id, priority, title, why_not }) => [
      idOf(id, out),
      priority,
      why_not ?? "free",
      title,
    ]);
    const text = () =>
      total === 0
        ? "No task is NEW."
        : `${textTable(["id", "priority", "claim", "title"], rows, out)}\n${free} of ${count(pool.length, "task")} can be claimed.`;
    return print(out, { json, value: { tasks: pool, total }, text });
  });
}

function whyNot({ assignee_id, visibility, has_unresolved_blockers }: ListedBoardTask): string | null {
  if (assignee_id !== null) return `assigned to ${assignee_id}`;
  if (visibility === "private") return "private";
  return has_unresolved_blockers ? "waits for blockers" : null;
}

/** `pawl board stats` */
export function showStats(
  environment: CliEnvironment,
  { workspace, period, agent, json, ...flags }: Flags & { period: Period; agent?: string },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const stats = await client
      .calls(BOARD_ROUTES)
      .getBoardStats({ workspace_id: workspace, period, agent_id: agent });
    const { workspace: all, agents } = stats;
    const rows = agents.map((one) => [
      one.agent_id,
      String(one.tasks_completed),
      String(one.tasks_cancelled),
      String(one.tasks_stuck_count),
      String(one.tasks_in_progress),
      minutesText(one.avg_lead_time_minutes),
      minutesText(one.avg_cycle_time_minutes),
    ]);
    const head = ["agent", "done", "canceled", "stuck", "in progress", "lead time", "cycle time"];
    const summary = `${count(all.total_tasks_created, "task")} created, ${all.completion_rate_percent} % done, ${all.stuck_count} stuck, ${all.overdue_count} overdue.`;
    const text = () => (rows.length === 0 ? summary : `${textTable(head, rows, out)}\n${summary}`);
    return print(out, { json, value: stats, text });
  });
}

function minutesText(minutes: number | null): string {
  return minutes === null ? "" : formatDuration(minutes * 60_000);
}

/** `pawl board deadlines`: shows the deadlines of a workspace, after changing those that are given. */
export function setDeadlines(
  environment: CliEnvironment,
  {
    workspace = "main",
    changes,
    waits,
    json,
    ...flags
  }: Flags & { changes: readonly string[]; waits?: boolean },
): Promise<ExitCode> {
  const { out } = environment;
  const status_deadlines = deadlinesOf(changes);
  return atServer(environment, flags, async ({ client }) => {
    const calls = client.calls(BOARD_ROUTES);
    const given = {
      ...(changes.length > 0 && { status_deadlines }),
      ...(waits !== undefined && { new_deadline_waits_for_blockers: waits }),
    };
    const now =
      Object.keys(given).length === 0
        ? await calls.getWorkspace({ id: workspace })
        : await calls.changeWorkspace({ id: workspace, ...given });
    const rows = Object.entries(now.status_deadlines).map(([status, minutes]) => [
      status,
      `${minutes} minutes`,
    ]);
    const waiting = now.new_deadline_waits_for_blockers
      ? "The deadline of NEW starts when the last blocker is done."
      : "The deadline of NEW also runs while a task waits for blockers.";
    return print(out, {
      json,
      value: now,
      text: () => `${textTable(["status", "deadline"], rows, out)}\n${waiting}`,
    });
  });
}

/** Parses `NEW=60` and `BLOCKED=default`. */
function deadlinesOf(changes: readonly string[]): Record<string, number | null> {
  return Object.fromEntries(
    changes.map((change) => {
      const [, status = "", amount = ""] = /^(NEW|IN_PROGRESS|BLOCKED)=(.+)$/.exec(change) ?? [];
      const minutes = amount === "default" ? null : Number(amount);
      if (status === "" || (minutes !== null && !(minutes > 0)))
        throw new CliError(
          EXIT.usage,
          `"${change}" is not a deadline. Write NEW=60, IN_PROGRESS=1440 or BLOCKED=default (minutes).`,
        );
      return [status, minutes];
    }),
  );
}

function linesOf(tasks: readonly ListedBoardTask[], out: Screen): string {
  const rows = tasks.map(({ id, status, title, labels }) => [
    idOf(id, out),
    status,
    oneLine(title),
    labels.join(", "),
  ]);
  return textTable(["id", "status", "title", "labels"], rows, out);
}

function idOf(id: string, out: Screen): string {
  return isTty(out) ? shortId(id) : id;
}
