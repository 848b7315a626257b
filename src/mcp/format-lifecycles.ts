import { fieldsOf } from "./compact-schema.ts";
import type { ToolContext, DescribedLifecycle } from "./tool-context.ts";
import type { KnownLifecycles, ToolReply } from "./tool.ts";

/** Maximum length of the list of lifecycles in a description; keeps the list of all tools below 5,000 tokens. */
const MAX_CHARACTERS = 2_200;

export function listCreationFields({ descriptions }: KnownLifecycles): string {
  return fitLines(descriptions.map(({ name, creation }) => [name, fieldsOf(creation.input)]));
}

export function listActions({ descriptions }: KnownLifecycles): string {
  return fitLines(descriptions.map((lifecycle) => [lifecycle.name, memberActions(lifecycle).join(", ")]));
}

export function listStatuses({ briefs }: KnownLifecycles): string {
  return fitLines(briefs.map(({ name, statuses }) => [name, statuses.join(", ")]));
}

export function listPools({ briefs }: KnownLifecycles): string {
  const pools = briefs.filter(({ has_pool }) => has_pool).map(({ name }) => name);
  return pools.length === 0 ? "" : `Lifecycles to claim from: ${pools.join(", ")}.`;
}

/** Returns the name if the lifecycle exists, else a refusal that lists all lifecycles. */
export async function findLifecycleName(
  { client, signal }: ToolContext,
  wanted: string | undefined,
): Promise<string | ToolReply> {
  const { lifecycles } = await client.listLifecycles(undefined, { signal });
  if (wanted !== undefined && lifecycles.some(({ name }) => name === wanted)) return wanted;
  const mistake =
    wanted === undefined
      ? "Give a task_id, or one of these lifecycles:"
      : `There is no lifecycle "${wanted}". There are:`;
  const known = lifecycles.map(({ name, summary }) => `- ${name}: ${summary}`);
  return { text: [mistake, ...known].join("\n"), refused: true };
}

/** Describes everything about a lifecycle that an agent can use. */
export function formatLifecycle(lifecycle: DescribedLifecycle): string {
  const { name, summary, statuses, creation, actions, rules } = lifecycle;
  const rulesFor = (action: string) =>
    rules
      .filter((rule) => rule.action === action && !isSystemRule(rule))
      .map(({ from, to, who }) => `${from.join("|")} → ${to ?? "same status"} by ${labelsOf(lifecycle, who)}`)
      .join("; ");
  return [
    `Lifecycle ${name}: ${summary}.`,
    "Statuses:",
    ...statuses.map(
      (status) => `- ${status.name}${status.final ? " (final)" : ""}${meaningText(status.meaning)}`,
    ),
    `To create (* is required): ${fieldsOf(creation.input)}.`,
    "Actions:",
    ...actions
      .filter((action) => rulesFor(action.name) !== "")
      .map((action) => `- ${action.name}${needsOf(action)}: ${rulesFor(action.name)}`),
  ].join("\n");
}

/** The labels of the actors that a rule names. */
export function labelsOf(lifecycle: DescribedLifecycle, who: readonly string[]): string {
  const { who: named = [] } = lifecycle as { who?: { name: string; label: string }[] };
  const labels = who.map((name) => named.find((one) => one.name === name)?.label ?? name);
  return [...new Set(labels)].join(" or ");
}

/** The required fields and the payload of an action, in parentheses. */
export function needsOf(action: DescribedLifecycle["actions"][number]): string {
  const needs = [
    ...(action.comment === "required" ? ["comment"] : []),
    ...(action.expected_row_version === "required" ? ["expected_row_version"] : []),
    ...(action.lease_token === "required" ? ["lease_token"] : []),
  ];
  const payload = fieldsOf(action.input);
  const all = [...needs, ...(payload === "" ? [] : [`payload {${payload}}`])];
  return all.length === 0 ? "" : ` (${all.join(", ")})`;
}

function memberActions({ actions, rules }: DescribedLifecycle): string[] {
  return actions
    .map(({ name }) => name)
    .filter((name) => rules.some((rule) => rule.action === name && !isSystemRule(rule)));
}

function isSystemRule({ who }: { who: readonly string[] }): boolean {
  return who.every((one) => one === "system");
}

function meaningText(meaning: string | null): string {
  return meaning === null ? "" : `: ${meaning}`;
}

/** Shows as many lines as fit, and only the names of the others. */
function fitLines(lines: readonly (readonly [name: string, text: string])[]): string {
  const shown: string[] = [];
  const named: string[] = [];
  let room = MAX_CHARACTERS;
  for (const [name, text] of lines) {
    const line = `- ${name}: ${text}`;
    if (line.length <= room) shown.push(line);
    else named.push(name);
    room -= line.length <= room ? line.length : 0;
  }
  const names = named.join(", ").slice(0, 500);
  return [...shown, ...(named.length > 0 ? [`- also ${names}: see get_task {lifecycle}`] : [])].join("\n");
}
