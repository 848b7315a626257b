import type { Command } from "commander";
import {
  atServer,
  EXIT,
  formatDuration,
  formatHelp,
  print,
  textTable,
  withServerOptions,
} from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, ConnectFlags, ExitCode, Screen } from "../../../plugin/index.ts";
import { PLANNER_ROUTES } from "../api.ts";
import type { PlannerStats } from "../lead-shapes.ts";
import { MOMENT, moment } from "./moment-option.ts";
import { statsCsv } from "../stats-csv.ts";

const DAY_MS = 86_400_000;

type StatsFlags = ConnectFlags & {
  json?: true;
  csv?: true;
  project?: string;
  from?: string;
  to?: string;
  zone?: string;
};

/** `pawl planner stats` */
export function addStatsCommand(
  planner: Command,
  environment: CliEnvironment,
  setExitCode: Parameters<AddCommands>[2],
): void {
  withServerOptions(planner.command("stats"))
    .summary("show lead time, yield, rework, load and throughput")
    .description("Shows lead time, first-pass yield, rework rate, load and throughput of a range of time.")
    .option("--project <id>", "only this project")
    .option("--from <moment>", `start of the range: ${MOMENT} (default: 28 days before its end)`, moment)
    .option("--to <moment>", "end of the range (default: now)", moment)
    .option("--zone <time zone>", "its days are counted (default: that of this computer)")
    .option("--csv", "print CSV")
    .addHelpText("after", formatHelp(STATS_HELP, environment))
    .action(async (flags: StatsFlags) => {
      setExitCode(await showStats(environment, flags));
    });
}

function showStats(
  environment: CliEnvironment,
  { project, from, to, zone, csv, json, ...flags }: StatsFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const time_zone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const stats = await client
      .calls(PLANNER_ROUTES)
      .getPlannerStats({ project_id: project, from, to, time_zone });
    if (csv) {
      out.write(statsCsv(stats));
      return EXIT.fine;
    }
    return print(out, { json, value: stats, text: () => statsText(stats, out) });
  });
}

function statsText(stats: PlannerStats, out: Screen): string {
  const { lead_time_minutes: lead, first_pass_yield, rework_rate } = stats;
  const facts: [string, string][] = [
    ["range", `${stats.from} to ${stats.to}`],
    ["done", `${stats.done}, ${(stats.done / daysIn(stats)).toFixed(1)} per day`],
    ["lead time", `median ${span(lead.p50)}, 90 % within ${span(lead.p90)}`],
    ["first-pass yield", percent(first_pass_yield)],
    ["rework rate", `${percent(rework_rate)} (${stats.rejected} rejections)`],
  ];
  const table = (
    head: string,
    rows: readonly [string, PlannerStats["people"][number] | PlannerStats["trades"][number]][],
  ) =>
    rows.length === 0
      ? []
      : [
          "",
          textTable(
            [head, "DONE", "REJECTED", "WORKED", "OPEN NOW"],
            rows.map(([name, row]) => [
              name,
              `${row.done}`,
              `${row.rejected}`,
              hours(row.worked_minutes),
              `${row.open}`,
            ]),
            out,
          ),
        ];
  return [
    ...facts.map(([name, text]) => `${out.colours.dim(name.padEnd(18))}${text}`),
    ...table(
      "PERSON",
      stats.people.map((row) => [row.member_id, row]),
    ),
    ...table(
      "TRADE",
      stats.trades.map((row) => [row.trade ?? "any", row]),
    ),
    ...(stats.complete ? [] : ["", "Only the latest 500,000 events were counted."]),
  ].join("\n");
}

/** The length of a range in days, whose first and last one may be parts of a day. */
function daysIn({ from, to }: PlannerStats): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

function span(minutes: number | null): string {
  return minutes === null ? "–" : formatDuration(minutes * 60_000);
}

/** Work is added up in hours: a day of work is shorter than 24 of them. */
function hours(minutes: number): string {
  return `${(minutes / 60).toFixed(1)} h`;
}

function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

const STATS_HELP = `
Examples:
  pawl planner stats
  pawl planner stats --project hall --from 2026-03-01T00:00 --to 2026-04-01T00:00 --csv > march.csv`;
