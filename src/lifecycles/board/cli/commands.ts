import { Option } from "commander";
import type { Command } from "commander";
import { commaSeparated, positiveInteger, withServerOptions } from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, SetExitCode } from "../../../plugin/index.ts";
import { PRIORITIES } from "../priorities.ts";
import { claimNext, searchTasks, setDeadlines, showPool, showStats } from "./board-commands.ts";

/** `pawl board …` */
export const addBoardCommands: AddCommands = (program, environment, setExitCode) => {
  const board = program
    .command("board")
    .summary("search, claim and measure the tasks of the board")
    .description("The task board of agents and people.");
  addViews(board, environment, setExitCode);
  inWorkspace(board.command("claim-next"))
    .summary("take the best free task")
    .description("Takes the best free task: the highest priority first, then the oldest.")
    .requiredOption("-m, --comment <text>", "the reason, for the next agent to read")
    .option("-n, --limit <count>", "maximum number of tasks", positiveInteger, 1)
    .addOption(new Option("--priority <name>", "the minimum priority").choices(PRIORITIES))
    .option("--key <client_event_id>", "idempotency key: repeating it does not take another task")
    .action(async (options: Parameters<typeof claimNext>[1]) => {
      setExitCode(await claimNext(environment, options));
    });
  inWorkspace(board.command("deadlines"))
    .summary("show or change the deadlines of a workspace")
    .description(
      "Shows the deadlines of a workspace; admins can change them. A change applies from the next status change on.",
    )
    .argument("[changes...]", "such as NEW=60 or BLOCKED=default, in minutes")
    .option("--wait-for-blockers", "start the deadline of NEW when the last blocker is done")
    .option("--no-wait-for-blockers", "let the deadline of NEW run while a task waits (the default)")
    .action(
      async (changes: string[], { waitForBlockers: waits, ...options }: { waitForBlockers?: boolean }) => {
        setExitCode(
          await setDeadlines(environment, { ...options, changes, ...(waits !== undefined && { waits }) }),
        );
      },
    );
};

function inWorkspace(command: Command): Command {
  return withServerOptions(command).option("-w, --workspace <id>", "the workspace (default: main)");
}

function addViews(board: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  inWorkspace(board.command("search"))
    .summary("search titles, descriptions and comments")
    .description(
      'Searches titles, descriptions and comments, in English and Russian. All words must occur; "a phrase" in quotes, or between alternatives. Write -- before a word with a minus, which excludes it.',
    )
    .argument("<words...>", "the words to find")
    .option("-s, --status <statuses>", "only tasks in these statuses, separated by commas", commaSeparated)
    .option("--label <labels>", "only tasks with all of these labels, separated by commas", commaSeparated)
    .option("-n, --limit <count>", "maximum number of tasks", positiveInteger, 50)
    .action(async (words: string[], options: { limit: number }) => {
      setExitCode(await searchTasks(environment, { ...options, words }));
    });
  inWorkspace(board.command("pool"))
    .summary("list the new tasks, and why some cannot be claimed")
    .description("Lists the NEW tasks in the order of claims, and why some of them cannot be claimed.")
    .option("-n, --limit <count>", "maximum number of tasks", positiveInteger, 50)
    .action(async (options: { limit: number }) => {
      setExitCode(await showPool(environment, options));
    });
  inWorkspace(board.command("stats"))
    .summary("show statistics of agents and of the workspace")
    .description("Shows statistics of agents and of the workspace.")
    .addOption(
      new Option("--period <name>", "the period").choices(["day", "week", "month", "all"]).default("week"),
    )
    .option("--agent <id>", "only this member")
    .action(async (options: Parameters<typeof showStats>[1]) => {
      setExitCode(await showStats(environment, options));
    });
}
