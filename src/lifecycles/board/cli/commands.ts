import { Option } from "commander";
import type { Command } from "commander";
import { commaSeparated, formatHelp, positiveInteger, withServerOptions } from "../../../plugin/index.ts";
import type { AddCommands, CliEnvironment, SetExitCode } from "../../../plugin/index.ts";
import { PRIORITIES } from "../priorities.ts";
import type { CreateFlags } from "./create-from-file.ts";
import { claimNext, searchTasks, setDeadlines, showPool, showStats } from "./board-commands.ts";

/** `pawl board …` */
export const addBoardCommands: AddCommands = (program, environment, setExitCode) => {
  const board = program
    .command("board")
    .summary("search, create, claim and measure the tasks of the board")
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
  addCreate(board, environment, setExitCode);
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

function addCreate(board: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  inWorkspace(board.command("create"))
    .summary("create the tasks of a file")
    .description(
      "Creates the tasks of a CSV, JSON or YAML file, and shows a result for each. A refused task does not stop the others; a repeat creates only what is missing.",
    )
    .requiredOption("-f, --file <path>", "the file; - reads JSON or YAML from standard input")
    .option("--run <name>", "a name of this run: the same task is created once per name")
    .option("--encoding <name>", "the encoding of the file, such as windows-1251 (default: utf-8)")
    .addHelpText("after", formatHelp(CREATE_HELP, environment))
    .action(async (options: CreateFlags) => {
      const { createFromFile } = await import("./create-from-file.ts");
      setExitCode(await createFromFile(environment, options));
    });
}

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

const CREATE_HELP = `
Examples:
  pawl board create --file tasks.csv
  pawl board create --file tasks.json --workspace docs

A file:
  ref,title,description,priority,labels,blocked_by
  draft,Draft the notes,Changes since 0.1,high,"docs,notes",
  print,Print the notes,On paper,,,draft

Other columns are visibility and assignee_id. JSON and YAML files have a list of objects with the same names. The exit
code is 2 if the file has mistakes, when nothing is created, and 3 if the server refuses some tasks.`;
