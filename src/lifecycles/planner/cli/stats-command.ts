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
import { statsCsv } from "../stats-csv.ts";

type StatsFlags = ConnectFlags & { json?: true; csv?: true; project?: string; from?: string; to?: string };

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
    .option(
      "--from <moment>",
      "start of the range, such as 2026-03-02T00:00:00Z (default: 28 days before its end)",
    )
    .option("--to <moment>", "end of the range (default: now)")
    .option("--csv", "print CSV")
    .addHelpText("after", formatHelp(STATS_HELP, environment))
    .action(async (flags: StatsFlags) => {
      setExitCode(await showStats(environment, flags));
    });
}

function showStats(
  environment: CliEnvironment,
  { project, from, to, csv, json, ...flags }: StatsFlags,
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const stats = await client.calls(PLANNER_ROUTES).getPlannerStats({ project_id: project, from, to });
    if (csv) {
      out.write(statsCsv(stats));
      return EXIT.fine;
    }
    return print(out, { json, value: stats, text: () => statsText(stats, out) });
  });
}

function statsText(stats: PlannerStats, out: Screen): string {
  const { lead_time_minutes: lead, first_pass_yield, rework_rate, days } = stats;
  const facts: [string, string][] = [
    ["range", `${stats.from} to ${stats.to}`],
    ["done", `${stats.done}, ${(stats.done / Math.max(1, days.length)).toFixed(1)} per day`],
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
              span(row.worked_minutes),
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

function span(minutes: number | null): string {
  return minutes === null ? "–" : formatDuration(minutes * 60_000);
}

function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

const STATS_HELP = `
Examples:
  pawl planner stats
  pawl planner stats --project hall --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z --csv > march.csv`;
