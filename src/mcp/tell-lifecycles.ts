import { fieldsOf } from "./compact-schema.ts";
import type { Desk, LifecycleTold } from "./desk.ts";
import type { Known, Told } from "./tool.ts";

/** So much of a tool's description may go into listing lifecycles: with all tools the list stays below 5,000 tokens. */
const MOST_CHARACTERS = 2_200;

export function tellCreations({ told }: Known): string {
  return listed(told.map(({ name, creation }) => [name, fieldsOf(creation.input)]));
}

export function tellActions({ told }: Known): string {
  return listed(told.map((lifecycle) => [lifecycle.name, membersActions(lifecycle).join(", ")]));
}

export function tellStatuses({ briefs }: Known): string {
  return listed(briefs.map(({ name, statuses }) => [name, statuses.join(", ")]));
}

export function tellPools({ briefs }: Known): string {
  const pools = briefs.filter(({ has_pool }) => has_pool).map(({ name }) => name);
  return pools.length === 0 ? "" : `Lifecycles to claim from: ${pools.join(", ")}.`;
}

/** The name of a lifecycle that exists, or a refusal that lists those there are. */
export async function lifecycleNamed(
  { client, signal }: Desk,
  wanted: string | undefined,
): Promise<string | Told> {
  const { lifecycles } = await client.listLifecycles(undefined, { signal });
  if (wanted !== undefined && lifecycles.some(({ name }) => name === wanted)) return wanted;
  const wrong =
    wanted === undefined
      ? "Give a task_id, or one of the lifecycles:"
      : `There is no lifecycle "${wanted}". There are:`;
  const known = lifecycles.map(({ name, summary }) => `- ${name}: ${summary}`);
  return { text: [wrong, ...known].join("\n"), refused: true };
}

/** Everything about one lifecycle that an agent can use. */
export function tellLifecycle(lifecycle: LifecycleTold): string {
  const { name, summary, statuses, creation, actions, rules } = lifecycle;
  const ways = (action: string) =>
    rules
      .filter((rule) => rule.action === action && !isTheSystems(rule))
      .map(({ from, to, who }) => `${from.join("|")} → ${to ?? "same status"} by ${labelsOf(lifecycle, who)}`)
      .join("; ");
  return [
    `Lifecycle ${name}: ${summary}.`,
    "Statuses:",
    ...statuses.map((status) => `- ${status.name}${status.final ? " (final)" : ""}${said(status.meaning)}`),
    `To create (* must be given): ${fieldsOf(creation.input)}.`,
    "Actions:",
    ...actions
      .filter((action) => ways(action.name) !== "")
      .map((action) => `- ${action.name}${needsOf(action)}: ${ways(action.name)}`),
  ].join("\n");
}

/** How those are spoken of whom a rule names. */
export function labelsOf(lifecycle: LifecycleTold, who: readonly string[]): string {
  const { who: named = [] } = lifecycle as { who?: { name: string; label: string }[] };
  const labels = who.map((name) => named.find((one) => one.name === name)?.label ?? name);
  return [...new Set(labels)].join(" or ");
}

/** What an action must be given, in brackets. */
export function needsOf(action: LifecycleTold["actions"][number]): string {
  const needs = [
    ...(action.comment === "required" ? ["comment"] : []),
    ...(action.expected_row_version === "required" ? ["expected_row_version"] : []),
    ...(action.lease_token === "required" ? ["lease_token"] : []),
  ];
  const payload = fieldsOf(action.input);
  const all = [...needs, ...(payload === "" ? [] : [`payload {${payload}}`])];
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

function membersActions({ actions, rules }: LifecycleTold): string[] {
  return actions
    .map(({ name }) => name)
    .filter((name) => rules.some((rule) => rule.action === name && !isTheSystems(rule)));
}

function isTheSystems({ who }: { who: readonly string[] }): boolean {
  return who.every((one) => one === "system");
}

function said(meaning: string | null): string {
  return meaning === null ? "" : `: ${meaning}`;
}

/** All in full if there is room, else as many as there is room for, and the others by name. */
function listed(lines: readonly (readonly [name: string, text: string])[]): string {
  const shown: string[] = [];
  const named: string[] = [];
  let room = MOST_CHARACTERS;
  for (const [name, text] of lines) {
    const line = `- ${name}: ${text}`;
    if (line.length <= room) shown.push(line);
    else named.push(name);
    room -= line.length <= room ? line.length : 0;
  }
  const names = named.join(", ").slice(0, 500);
  return [...shown, ...(named.length > 0 ? [`- also ${names}: see get_task {lifecycle}`] : [])].join("\n");
}
