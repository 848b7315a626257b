import type { ToolContext, Explained, JournalEntry, DescribedLifecycle, Task } from "./tool-context.ts";
import { needsOf } from "./format-lifecycles.ts";

/** `10:02 UTC`, with the date if it is not today. */
export function formatTime(moment: string, now: number): string {
  const [day = "", time = ""] = moment.split("T");
  const today = new Date(now).toISOString().slice(0, 10);
  return `${day === today ? "" : `${day} `}${time.slice(0, 5)} UTC`;
}

/** Formats a task in one line. */
export function formatTaskLine(task: Task): string {
  const notes = [
    task.assigned_to === null ? "unassigned" : `assigned to ${task.assigned_to}`,
    ...(task.open_blockers > 0 ? [`waits for ${count(task.open_blockers, "task")}`] : []),
    ...(task.open_holds > 0 ? [count(task.open_holds, "hold")] : []),
    ...(task.private ? ["private"] : []),
    ...(task.needs_attention ? ["needs attention"] : []),
    ...(task.priority === 0 ? [] : [`priority ${task.priority}`]),
  ];
  return `${task.id} ${task.status} "${task.title}" (${task.lifecycle}, ${notes.join(", ")})`;
}

/** Returns the fields of `formatTaskLine` as structured data. */
export function summaryOf({ id, lifecycle, project_id, status, title, assigned_to, row_version }: Task) {
  return { id, lifecycle, project_id, status, title, assigned_to, row_version };
}

/** Formats a task with all its fields. */
export function formatTask(task: Task, { now }: Pick<ToolContext, "now">): string {
  const at = (moment: string) => formatTime(moment, now());
  const holder = task.assigned_to === null ? "unassigned" : `held by ${task.assigned_to}`;
  const lines = [
    `"${task.title}" (${task.lifecycle}, project ${task.project_id}${task.private ? ", private" : ""})`,
    `id ${task.id}, row_version ${task.row_version}, priority ${task.priority}`,
    `${task.status} since ${at(task.entered_at)}, ${holder}, created by ${task.created_by ?? "the system"}`,
  ];
  if (task.due_at !== null && task.due_action !== null)
    lines.push(`deadline ${at(task.due_at)}: then the system performs \`${task.due_action}\``);
  if (task.lease !== null) lines.push(`leased to ${task.lease.holder} until ${at(task.lease.until)}`);
  if (task.available_at !== null && Date.parse(task.available_at) > now())
    lines.push(`cannot be claimed before ${at(task.available_at)}`);
  for (const [name, value] of Object.entries(task.data)) {
    if (value === null || value === "") continue;
    lines.push(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  return lines.join("\n");
}

/** Lists the actions that the caller may perform and their input, and why the others are refused. */
export function formatAllowedActions(actions: readonly Explained[], lifecycle: DescribedLifecycle): string[] {
  const specs = new Map(lifecycle.actions.map((action) => [action.name, action]));
  const may = actions
    .filter(({ allowed }) => allowed)
    .map(({ action }) => {
      const spec = specs.get(action);
      return `${action}${spec ? needsOf(spec) : ""}`;
    });
  const refused = actions.filter(({ allowed, action }) => !allowed && !isSystemAction(lifecycle, action));
  // Most actions are refused because of the status; they share one line.
  const wrongStatus = refused.filter(({ refusals }) => refusals[0]?.code === "INVALID_TRANSITION");
  const not = refused
    .filter((one) => !wrongStatus.includes(one))
    .map(({ action, refusals: [reason] }) => `- ${action}: ${reason?.code ?? ""} ${reason?.detail ?? ""}`);
  if (wrongStatus.length > 0)
    not.push(`- not from this status: ${wrongStatus.map(({ action }) => action).join(", ")}`);
  return [
    may.length > 0 ? `You may: ${may.join("; ")}.` : "There is no action that you may perform now.",
    ...(not.length > 0 ? ["You may not:", ...not] : []),
  ];
}

/** Returns whether only the system may perform an action. */
export function isSystemAction({ rules }: DescribedLifecycle, action: string): boolean {
  return rules.every((rule) => rule.action !== action || rule.who.every((one) => one === "system"));
}

/** Formats an event in one line. */
export function formatEvent(event: Omit<JournalEntry, "id" | "payload" | "type">, now: number): string {
  const { action, actor_id, from_status, to_status, comment, created_at } = event;
  const move =
    from_status === to_status || to_status === null ? "" : ` ${from_status ?? "nothing"} → ${to_status}`;
  return `${formatTime(created_at, now)} ${actor_id ?? "the system"}: ${action}${move}${comment === null ? "" : `, "${comment}"`}`;
}

/** Formats the next step on a task: the actions that the caller may perform. */
export async function formatNextStep(context: ToolContext, task: Task): Promise<string> {
  const [{ actions }, lifecycle] = await Promise.all([
    context.client.explainTask({ id: task.id }, { signal: context.signal }),
    context.lifecycle(task.lifecycle),
  ]);
  const specs = new Map(lifecycle.actions.map((action) => [action.name, action]));
  const finished = lifecycle.statuses.some(({ name, final }) => final && name === task.status);
  const open = actions.filter(({ allowed }) => allowed).map(({ action }) => action);
  if (finished || open.length === 0)
    return `Next: ${finished ? "it is finished" : "there is no action that you may perform now"}; claim_task takes another task.`;
  const actionTexts = open.map((action) => {
    const spec = specs.get(action);
    return `${action}${spec ? needsOf(spec) : ""}`;
  });
  return `Next: act with one of ${actionTexts.join("; ")}.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
