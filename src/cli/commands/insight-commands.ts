import { Option } from "commander";
import { INSIGHT_WINDOW_NAMES, showInsights } from "../show-insights.ts";
import type { InsightFlags } from "../show-insights.ts";
import { formatHelp, withServerOptions } from "./command-options.ts";
import type { AddCommands } from "../cli-environment.ts";

/** Adds `pawl insights`. */
export const addInsightCommands: AddCommands = (program, environment, setExitCode) => {
  withServerOptions(program.command("insights"))
    .summary("show throughput, time in status and ageing of a lifecycle")
    .description(
      "Shows how many tasks of a lifecycle were created and finished, how long they stayed in each status, and which open tasks have been in theirs longer than usual. Figures about the past leave out private tasks.",
    )
    .argument("<lifecycle>", "the name of the lifecycle")
    .addOption(
      new Option("--window <window>", "the time to look at").choices(INSIGHT_WINDOW_NAMES).default("week"),
    )
    .option("--project <id>", "only this project")
    .option("--member <id>", "only tasks that were assigned to this member")
    .addHelpText("after", formatHelp(INSIGHTS_HELP, environment))
    .action(async (lifecycle: string, flags: InsightFlags) => {
      setExitCode(await showInsights(environment, { ...flags, lifecycle }));
    });
};

const INSIGHTS_HELP = `
Examples:
  pawl insights board
  pawl insights planner --window quarter --project cabin
  pawl insights code --window year --member claude --json`;
