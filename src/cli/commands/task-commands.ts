import { Option } from "commander";
import type { Command } from "commander";
import { actOnTask } from "../act-on-task.ts";
import { createTask } from "../create-task.ts";
import { explainTask } from "../explain-task.ts";
import { listTasks } from "../list-tasks.ts";
import { showTask } from "../show-task.ts";
import type { CliEnvironment } from "../cli-environment.ts";
import { watchTasks } from "../watch-tasks.ts";
import {
  positiveInteger,
  withServerOptions,
  commaSeparated,
  formatHelp,
  versionOrAny,
  wholeNumber,
} from "./command-options.ts";
import type { AddCommands, SetExitCode } from "../cli-environment.ts";

const ID = "the id of the task, or the beginning or end of it";
const FIELDS = "name=value, or name:=JSON if the value must be parsed as JSON";

/** Adds `pawl tasks …`, and the short forms `pawl why` and `pawl watch`. */
export const addTaskCommands: AddCommands = (program, environment, setExitCode) => {
  const tasks = program
    .command("tasks")
    .summary("list, show, create and move tasks")
    .description("Lists, shows, creates and moves the tasks of a server.")
    .addHelpText("after", formatHelp(TASKS_HELP, environment));
  addList(tasks, environment, setExitCode);
  addCreate(tasks, environment, setExitCode);
  addAct(tasks, environment, setExitCode);
  withServerOptions(tasks.command("show"))
    .summary("show a task, its journal, and the actions that you may perform")
    .description("Shows a task, its journal, and the actions that you may perform.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      setExitCode(await showTask(environment, { id, ...options }));
    });
  for (const [parent, name] of [
    [tasks, "why"],
    [program, "why"],
  ] as const)
    addWhy(parent.command(name), environment, setExitCode);
  for (const parent of [tasks, program]) addWatch(parent.command("watch"), environment, setExitCode);
};

function addList(tasks: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(tasks.command("list"))
    .summary("list the tasks that you may see")
    .description("Lists the tasks that you may see, oldest first.")
    .option("-l, --lifecycle <name>", "only tasks of this lifecycle")
    .option("-s, --status <statuses>", "only tasks in these statuses, separated by commas", commaSeparated)
    .option("-p, --project <id>", "only tasks of this project")
    .option("-a, --assignee <id>", "only tasks assigned to this member; `me` is you")
    .option("-q, --search <text>", "only tasks with this text in the title")
    .option("--label <labels>", "only tasks with all of these labels, separated by commas", commaSeparated)
    .option("-n, --limit <count>", "maximum number of tasks", positiveInteger, 50)
    .addOption(new Option("--all", "list all tasks").conflicts("limit"))
    .addHelpText("after", formatHelp(LIST_HELP, environment))
    .action(async (options: { limit: number }) => {
      setExitCode(await listTasks(environment, options));
    });
}

function addCreate(tasks: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(tasks.command("create"))
    .summary("create a task")
    .description("Creates a task.")
    .argument("<lifecycle>", "the lifecycle of the task; `pawl lifecycles <name>` lists its fields")
    .argument("[fields...]", FIELDS)
    .option("-p, --project <id>", "the project of the task (default: main)")
    .option("--available-at <time>", "cannot be claimed before this time, such as 2026-01-05T12:00:00Z")
    .option("--key <client_event_id>", "idempotency key: repeating it does not create the task again")
    .addHelpText("after", formatHelp(CREATE_HELP, environment))
    .action(async (lifecycle: string, fields: string[], options: object) => {
      setExitCode(await createTask(environment, { lifecycle, fields, ...options }));
    });
}

function addAct(tasks: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(tasks.command("act"))
    .summary("perform an action on a task")
    .description("Performs an action on a task.")
    .argument("<id>", ID)
    .argument("<action>", "the action to perform")
    .argument("[fields...]", `input of the action: ${FIELDS}`)
    .option("-m, --comment <text>", "the reason, for the journal")
    .option(
      "--expect <row_version>",
      "refuse if the task has changed since this version, or `any` (default: the version that this terminal's user was shown last)",
      versionOrAny,
    )
    .option("--lease <token>", "the lease token, for actions that only the lease holder may perform")
    .option("--key <client_event_id>", "idempotency key: repeating it does not perform the action again")
    .addHelpText("after", formatHelp(ACT_HELP, environment))
    .action(async (id: string, action: string, fields: string[], options: object) => {
      setExitCode(await actOnTask(environment, { id, action, fields, ...options }));
    });
}

function addWhy(command: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(command)
    .summary("explain why an action on a task is allowed or refused")
    .description(
      "Shows whether you may perform an action on a task now, and every reason why not. Without an action, lists all actions.",
    )
    .argument("<id>", ID)
    .argument("[action]", "the action to explain")
    .addHelpText("after", formatHelp(WHY_HELP, environment))
    .action(async (id: string, action: string | undefined, options: object) => {
      setExitCode(
        await explainTask(environment, { id, ...(action === undefined ? {} : { action }), ...options }),
      );
    });
}

function addWatch(command: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(command)
    .summary("watch tasks and events live")
    .description(
      "Shows the open tasks live in a terminal; in a pipe, prints one line per event. Runs until Ctrl-C.",
    )
    .option("-l, --lifecycle <name>", "only tasks of this lifecycle")
    .option("-p, --project <id>", "only tasks of this project")
    .option("--lines", "print one line per event, also in a terminal")
    .option(
      "--after <position>",
      "print the events after this position of the feed; 0 prints all",
      wholeNumber,
    )
    .option("--count <events>", "print this number of events, then exit", positiveInteger)
    .addHelpText("after", formatHelp(WATCH_HELP, environment))
    .action(async (options: object) => {
      setExitCode(await watchTasks(environment, options));
    });
}

const TASKS_HELP = `
Examples:
  pawl tasks list --status NEW,IN_PROGRESS --assignee me
  pawl tasks create board title="Draft the notes" description="Changes since 0.1"
  pawl tasks act 21bc7d04 claim --comment "on it"
  pawl why 21bc7d04 complete

Refer to a task by its id, or by the beginning or end of the id if only one task matches.`;

const LIST_HELP = `
Examples:
  pawl tasks list --assignee me
  pawl tasks list --lifecycle board --status NEW,BLOCKED
  pawl tasks list --all --json | jq '.tasks[].id'`;

const CREATE_HELP = `
Examples:
  pawl tasks create board title="Draft the notes" description="Changes since 0.1"
  pawl tasks create board title=Publish description=Now tags:='["docs"]'`;

const ACT_HELP = `
Examples:
  pawl tasks act 21bc7d04 claim --comment "on it"
  pawl tasks act 21bc7d04 complete result="12 pages" --lease 0d9c…

The exit code is 3 if the action is refused; \`pawl why\` shows every reason.`;

const WHY_HELP = `
Examples:
  pawl why 21bc7d04 complete
  pawl why 21bc7d04 --json | jq '.actions[] | select(.allowed) | .action'

With an action, the exit code is 0 if it is allowed and 3 if it is refused.`;

const WATCH_HELP = `
Examples:
  pawl watch
  pawl watch --lifecycle board | grep escalate
  pawl watch --after 0 --count 100 --json`;
