import { fromOf, whoOf } from "./index-rules.ts";
import type { Duration, Lifecycle, Rule, Timer } from "./lifecycle.ts";
import { permissionOf } from "./permissions.ts";

/** Draws the lifecycle as a Mermaid state diagram. Rules that keep the status are left out; `rulesTable` has them. */
export function mermaid(lifecycle: Lifecycle): string {
  const arrows = new Map<string, string[]>();
  const nodeId = nodeIds(Object.keys(lifecycle.statuses));
  const draw = (from: string, to: string, label: string) => {
    const key = `${from} --> ${to}`;
    const labels = arrows.get(key) ?? [];
    if (!labels.includes(label)) arrows.set(key, [...labels, label]);
  };
  for (const { status } of lifecycle.creation.to) draw("[*]", nodeId(status), "create");
  for (const rule of lifecycle.rules) {
    for (const from of fromOf(rule)) {
      if (rule.to !== undefined && rule.to !== from) draw(nodeId(from), nodeId(rule.to), rule.action);
    }
  }
  const names = Object.keys(lifecycle.statuses);
  const aliases = names
    .filter((status) => nodeId(status) !== status)
    .map((status) => `state "${status}" as ${nodeId(status)}`);
  const finals = names
    .filter((status) => lifecycle.statuses[status]?.final)
    .map((status) => `${nodeId(status)} --> [*]`);
  const lines = [
    ...aliases,
    ...[...arrows].map(([arrow, labels]) => `${arrow}: ${labels.join(", ")}`),
    ...finals,
  ];
  return ["stateDiagram-v2", ...lines.map((line) => `    ${line}`)].join("\n");
}

/** Renders diagram, tables and invariants as the body of a Markdown page. */
export function lifecyclePage(lifecycle: Lifecycle): string {
  const invariants = Object.keys(lifecycle.invariants).map((name) => `- ${name}`);
  return [
    `\`\`\`mermaid\n${mermaid(lifecycle)}\n\`\`\``,
    `## Statuses\n\n${statusesTable(lifecycle)}`,
    `## Rules\n\nIf several rules fit, the first one wins.\n\n${rulesTable(lifecycle)}`,
    `## Permissions\n\n${PERMISSIONS_NOTE}\n\n${permissionsTable(lifecycle)}`.trimEnd(),
    ...(invariants.length > 0 ? [`## Invariants\n\n${invariants.join("\n")}`] : []),
  ].join("\n\n");
}

const PERMISSIONS_NOTE =
  "Permissions that are not listed belong to every role but viewer. The rules limit further which actor may act.";

/** Renders the rules as a Markdown table, in the order in which they are tried. */
export function rulesTable(lifecycle: Lifecycle): string {
  return table(
    ["action", "from → to", "who", "roles", "guards", "effects", "event"],
    lifecycle.rules.map((rule) => [
      rule.action,
      `${fromOf(rule).join(", ")} → ${outcome(rule)}`,
      whoOf(rule)
        .map((name) => lifecycle.who[name]?.label ?? name)
        .join(" or "),
      rolesOf(lifecycle, permissionOf(lifecycle, rule.action)),
      words(rule.guards),
      words(rule.effects),
      rule.outcome === undefined || rule.outcome === "moved"
        ? (lifecycle.actions[rule.action]?.event ?? rule.action)
        : "",
    ]),
  );
}

/** Renders the statuses as a Markdown table. */
export function statusesTable(lifecycle: Lifecycle): string {
  return table(
    ["status", "meaning", "timers"],
    Object.entries(lifecycle.statuses).map(([status, spec]) => [
      `${status}${spec.final ? " (final)" : ""}`,
      `${spec.meaning ?? ""}${spec.lease ? " (under a lease)" : ""}`,
      (spec.timers ?? [])
        .map(
          (timer) => `${timer.action}: ${durationText(timer.after)} after ${timer.since}${pauseText(timer)}`,
        )
        .join("; "),
    ]),
  );
}

function pauseText({ waits_for_blockers }: Timer): string {
  return waits_for_blockers === undefined ? "" : `; waits for blockers if \`${waits_for_blockers}\` is on`;
}

/** Renders the permissions as a Markdown table with one row per permission and one column per role. */
export function permissionsTable(lifecycle: Lifecycle): string {
  const given = Object.entries(lifecycle.permissions);
  if (given.length === 0) return "";
  const roles = [...new Set(given.flatMap(([, holders]) => (holders === "anyone" ? [] : holders)))];
  return table(
    ["permission", ...roles],
    given.map(([permission, holders]) => [
      permission,
      ...roles.map((role) => (holders === "anyone" || holders.includes(role) ? "yes" : "")),
    ]),
  );
}

function rolesOf(lifecycle: Lifecycle, permission: string): string {
  const roles = lifecycle.permissions[permission] ?? "anyone";
  return roles === "anyone" ? "" : roles.join(", ");
}

function outcome(rule: Rule): string {
  if (rule.outcome === "touched") return "*unchanged, only touched*";
  if (rule.outcome === "absorbed") return "*unchanged, absorbed*";
  return rule.to ?? "*unchanged*";
}

function durationText(duration: Duration): string {
  const [unit, amount] = Object.entries(duration)[0] as [string, number | string];
  return typeof amount === "number" ? `${amount} ${unit}` : `\`${amount}\` (${unit})`;
}

function words(names: readonly string[] = []): string {
  return names.map((name) => name.replaceAll("_", " ")).join("; ");
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Turns statuses into Mermaid ids (letters, digits, underscores). Names that map to the same id get a number. */
function nodeIds(statuses: readonly string[]): (status: string) => string {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const status of statuses) {
    const plain = status.replaceAll(/[^A-Za-z0-9_]/g, "_");
    const id = taken.has(plain) ? `${plain}_${ids.size}` : plain;
    taken.add(id);
    ids.set(status, id);
  }
  return (status) => ids.get(status) ?? status;
}
