import type { InsightsOnWire } from "../api/index.ts";
import { atServer } from "./at-server.ts";
import type { CliEnvironment, ConnectFlags } from "./cli-environment.ts";
import type { ExitCode } from "./exit-code.ts";
import { formatDuration } from "./format-time.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { print } from "./print.ts";

export const INSIGHT_WINDOW_NAMES = ["hour", "day", "week", "month", "quarter", "year"] as const;

export type InsightFlags = ConnectFlags & {
  window: (typeof INSIGHT_WINDOW_NAMES)[number];
  project?: string;
  member?: string;
  json?: true;
};

/** `pawl insights` */
export function showInsights(
  environment: CliEnvironment,
  { lifecycle, window, project, member, json, ...flags }: InsightFlags & { lifecycle: string },
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const query = { lifecycle, window, project_id: project, member_id: member };
    const insights = await client.getInsights(query);
    return print(environment.out, { json, value: insights, text: () => textOf(insights, environment) });
  });
}

function textOf(insights: InsightsOnWire, { out }: CliEnvironment): string {
  const { lead, created, finished, statuses, ageing, projects, people, window } = insights;
  const figures = [
    ...(created ? [`${sum(created)} created`] : []),
    `${sum(finished)} finished`,
    ...(lead.finished > 0
      ? [`half of them within ${duration(lead.p50_seconds)}, 85 % within ${duration(lead.p85_seconds)}`]
      : []),
  ];
  const rows = statuses.flatMap((row) => {
    const open = ageing.statuses.find(({ status }) => status === row.status);
    return row.entered + row.left + (open?.tasks ?? 0) === 0 ? [] : [{ ...row, open }];
  });
  const parts = [
    `${out.colours.bold(insights.lifecycle)}, the last ${window}: ${figures.join(", ")}.`,
    ...(rows.length > 0 ? [listTable(STATUS_COLUMNS, rows, out)] : []),
    ...(projects.length > 1 ? [listTable(partColumns("PROJECT", "project_id"), projects, out)] : []),
    ...(people.length > 0 ? [listTable(partColumns("MEMBER", "member_id"), people, out)] : []),
    ...(insights.behind > 0 ? [out.colours.yellow(behindNote(insights))] : []),
  ];
  return parts.join("\n\n");
}

function behindNote({ behind, counted_until }: InsightsOnWire): string {
  const until = counted_until === null ? "No event is counted yet" : `Counted until ${counted_until}`;
  return `${until}; ${behind} newer events will follow.`;
}

type StatusRow = InsightsOnWire["statuses"][number] & {
  open: InsightsOnWire["ageing"]["statuses"][number] | undefined;
};

const STATUS_COLUMNS: Column<StatusRow>[] = [
  { head: "STATUS", of: ({ status }) => status, cutTo: 12 },
  { head: "ENTERED", of: ({ entered }) => String(entered), right: true },
  { head: "LEFT", of: ({ left }) => String(left), right: true },
  { head: "50 %", of: ({ p50_seconds }) => duration(p50_seconds), right: true },
  { head: "85 %", of: ({ p85_seconds }) => duration(p85_seconds), right: true },
  { head: "95 %", of: ({ p95_seconds }) => duration(p95_seconds), right: true, spare: 1 },
  { head: "OPEN", of: ({ open }) => String(open?.tasks ?? ""), right: true },
  { head: "LATE", of: ({ open }) => (open && open.over_p85 > 0 ? String(open.over_p85) : ""), right: true },
];

type Part = { open: number; finished: number; p50_seconds: number | null; p85_seconds: number | null };

function partColumns<Key extends string>(head: string, key: Key): Column<Part & Record<Key, string>>[] {
  return [
    { head, of: (row) => row[key], cutTo: 16 },
    { head: "OPEN", of: ({ open }) => String(open), right: true },
    { head: "FINISHED", of: ({ finished }) => String(finished), right: true },
    { head: "50 %", of: ({ p50_seconds }) => duration(p50_seconds), right: true },
    { head: "85 %", of: ({ p85_seconds }) => duration(p85_seconds), right: true },
  ];
}

function duration(seconds: number | null): string {
  return seconds === null ? "" : formatDuration(seconds * 1_000);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
