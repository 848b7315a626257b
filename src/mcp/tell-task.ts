import type { Desk, Explained, JournalEntry, LifecycleTold, Task } from "./desk.ts";
import { needsOf } from "./tell-lifecycles.ts";

/** `10:02 UTC`, with the day where it is not today's. */
export function tellTime(moment: string, now: number): string {
  const [day = "", time = ""] = moment.split("T");
  const today = new Date(now).toISOString().slice(0, 10);
  return `${day === today ? "" : `${day} `}${time.slice(0, 5)} UTC`;
}

/** A task in one line. */
export function tellBriefly(task: Task): string {
  const notes = [
    task.assigned_to === null ? "nobody's" : `${task.assigned_to}'s`,
    ...(task.open_blockers > 0 ? [`waits for ${task.open_blockers}`] : []),
    ...(task.open_holds > 0 ? [`${task.open_holds} holds`] : []),
    ...(task.private ? ["private"] : []),
    ...(task.needs_attention ? ["needs attention"] : []),
    ...(task.priority === 0 ? [] : [`priority ${task.priority}`]),
  ];
  return `${task.id} ${task.status} "${task.title}" (${task.lifecycle}, ${notes.join(", ")})`;
}

/** The same for programs. */
export function briefOf({ id, lifecycle, project_id, status, title, assigned_to, row_version }: Task) {
  return { id, lifecycle, project_id, status, title, assigned_to, row_version };
}

/** A task with all that is its own. */
export function tellFully(task: Task, { now }: Pick<Desk, "now">): string {
  const at = (moment: string) => tellTime(moment, now());
  const who = task.assigned_to === null ? "nobody holds it" : `held by ${task.assigned_to}`;
  const lines = [
    `"${task.title}" (${task.lifecycle}, project ${task.project_id}${task.private ? ", private" : ""})`,
    `id ${task.id}, row_version ${task.row_version}, priority ${task.priority}`,
    `${task.status} since ${at(task.entered_at)}, ${who}, created by ${task.created_by ?? "the system"}`,
  ];
  if (task.due_at !== null && task.due_action !== null)
    lines.push(`deadline ${at(task.due_at)}: then \`${task.due_action}\` happens by itself`);
  if (task.lease !== null) lines.push(`leased to ${task.lease.holder} until ${at(task.lease.until)}`);
  if (task.available_at !== null && Date.parse(task.available_at) > now())
    lines.push(`not to be taken before ${at(task.available_at)}`);
  for (const [name, value] of Object.entries(task.data)) {
    if (value === null || value === "") continue;
    lines.push(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  return lines.join("\n");
}

/** What the caller may do, what each needs, and why the rest is refused. */
export function tellActions(actions: readonly Explained[], lifecycle: LifecycleTold): string[] {
  const specs = new Map(lifecycle.actions.map((action) => [action.name, action]));
  const may = actions
    .filter(({ allowed }) => allowed)
    .map(({ action }) => {
      const spec = specs.get(action);
      return `${action}${spec ? needsOf(spec) : ""}`;
    });
  const refused = actions.filter(({ allowed, action }) => !allowed && !isTheSystems(lifecycle, action));
  // Most are refused for the one reason that the task is elsewhere: they share a line.
  const elsewhere = refused.filter(({ refusals }) => refusals[0]?.code === "INVALID_TRANSITION");
  const not = refused
    .filter((one) => !elsewhere.includes(one))
    .map(({ action, refusals: [reason] }) => `- ${action}: ${reason?.code ?? ""} ${reason?.detail ?? ""}`);
  if (elsewhere.length > 0)
    not.push(`- not from this status: ${elsewhere.map(({ action }) => action).join(", ")}`);
  return [
    may.length > 0 ? `You may: ${may.join("; ")}.` : "There is nothing you may do with it now.",
    ...(not.length > 0 ? ["You may not:", ...not] : []),
  ];
}

export function isTheSystems({ rules }: LifecycleTold, action: string): boolean {
  return rules.every((rule) => rule.action !== action || rule.who.every((one) => one === "system"));
}

/** A row of the journal in one line. */
export function tellEvent(event: Omit<JournalEntry, "id" | "payload" | "type">, now: number): string {
  const { action, actor_id, from_status, to_status, comment, created_at } = event;
  const move =
    from_status === to_status || to_status === null ? "" : ` ${from_status ?? "nothing"} → ${to_status}`;
  return `${tellTime(created_at, now)} ${actor_id ?? "the system"}: ${action}${move}${comment === null ? "" : `, "${comment}"`}`;
}

/** What to do with a task that one holds: the actions that are open, the ones that go on first. */
export async function tellNext(desk: Desk, task: Task): Promise<string> {
  const [{ actions }, lifecycle] = await Promise.all([
    desk.client.explainTask({ id: task.id }, { signal: desk.signal }),
    desk.lifecycle(task.lifecycle),
  ]);
  const specs = new Map(lifecycle.actions.map((action) => [action.name, action]));
  const finished = lifecycle.statuses.some(({ name, final }) => final && name === task.status);
  const open = actions.filter(({ allowed }) => allowed).map(({ action }) => action);
  if (finished || open.length === 0)
    return `Next: ${finished ? "it is finished" : "there is nothing you may do with it now"}; claim_task takes another.`;
  const told = open.map((action) => {
    const spec = specs.get(action);
    return `${action}${spec ? needsOf(spec) : ""}`;
  });
  return `Next: act with one of ${told.join("; ")}.`;
}
