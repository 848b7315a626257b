import { Option } from "commander";
import type { Command } from "commander";
import { actOnTask } from "../act-on-task.ts";
import { createTask } from "../create-task.ts";
import { explainTask } from "../explain-task.ts";
import { listTasks } from "../list-tasks.ts";
import { showTask } from "../show-task.ts";
import type { Surroundings } from "../surroundings.ts";
import { watchTasks } from "../watch-tasks.ts";
import { positiveNumber, reaching, several, titled, wholeNumber } from "./command-options.ts";
import type { AddCommands, Leave } from "../surroundings.ts";

const ID = "its id, or the beginning or end of it";
const FIELDS =
  "name=value for a text, name:=JSON for anything; a number or a list needs no colon where one is expected";

/** `pawl tasks …`, and the short forms `pawl why` and `pawl watch`. */
export const addTaskCommands: AddCommands = (program, surroundings, leave) => {
  const tasks = program
    .command("tasks")
    .summary("list, show, create and move tasks")
    .description("Tasks on a running server.")
    .addHelpText("after", titled(TASKS_HELP, surroundings));
  addList(tasks, surroundings, leave);
  addCreate(tasks, surroundings, leave);
  addAct(tasks, surroundings, leave);
  reaching(tasks.command("show"))
    .description("Shows a task with its journal, and what you may do with it.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      leave(await showTask(surroundings, { id, ...options }));
    });
  for (const [parent, name] of [
    [tasks, "why"],
    [program, "why"],
  ] as const)
    addWhy(parent.command(name), surroundings, leave);
  for (const parent of [tasks, program]) addWatch(parent.command("watch"), surroundings, leave);
};

function addList(tasks: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(tasks.command("list"))
    .description("Lists the tasks that you may see, oldest first.")
    .option("-l, --lifecycle <name>", "of this lifecycle")
    .option("-s, --status <statuses>", "in one of these statuses, separated by commas", several)
    .option("-p, --project <id>", "of this project")
    .option("-a, --assignee <id>", "of this member; `me` is you")
    .option("-q, --search <text>", "with this in the title")
    .option("-n, --limit <count>", "so many at most", positiveNumber, 50)
    .addOption(new Option("--all", "every one of them").conflicts("limit"))
    .addHelpText("after", titled(LIST_HELP, surroundings))
    .action(async (options: { limit: number }) => {
      leave(await listTasks(surroundings, options));
    });
}

function addCreate(tasks: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(tasks.command("create"))
    .description("Creates a task.")
    .argument("<lifecycle>", "its lifecycle; `pawl lifecycles <name>` lists the fields")
    .argument("[fields...]", FIELDS)
    .option("-p, --project <id>", "in this project (default: main)")
    .option("--available-at <moment>", "not to be taken before, as 2026-01-05T12:00:00Z")
    .option("--key <client_event_id>", "the same key again creates nothing again")
    .addHelpText("after", titled(CREATE_HELP, surroundings))
    .action(async (lifecycle: string, fields: string[], options: object) => {
      leave(await createTask(surroundings, { lifecycle, fields, ...options }));
    });
}

function addAct(tasks: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(tasks.command("act"))
    .description("Performs an action on a task.")
    .argument("<id>", ID)
    .argument("<action>", "what to do")
    .argument("[fields...]", `its input: ${FIELDS}`)
    .option("-m, --comment <text>", "why")
    .option("--expect <row_version>", "refused if the task has changed since this version", wholeNumber)
    .option("--lease <token>", "the lease's token, where the action is for its worker")
    .option("--key <client_event_id>", "the same key again does nothing again")
    .addHelpText("after", titled(ACT_HELP, surroundings))
    .action(async (id: string, action: string, fields: string[], options: object) => {
      leave(await actOnTask(surroundings, { id, action, fields, ...options }));
    });
}

function addWhy(command: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(command)
    .summary("tell why you may, or may not, do something with a task")
    .description(
      "Tells whether you may do something with a task now, and every reason why not. Without an action, tells it of all of them.",
    )
    .argument("<id>", ID)
    .argument("[action]", "what you would do")
    .addHelpText("after", titled(WHY_HELP, surroundings))
    .action(async (id: string, action: string | undefined, options: object) => {
      leave(await explainTask(surroundings, { id, ...(action === undefined ? {} : { action }), ...options }));
    });
}

function addWatch(command: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(command)
    .summary("see what happens to tasks, as it happens")
    .description(
      "In a terminal: the tasks under way, kept up to date. Elsewhere: a line for each event. Goes on until Ctrl-C.",
    )
    .option("-l, --lifecycle <name>", "of this lifecycle")
    .option("-p, --project <id>", "of this project")
    .option("--lines", "lines in a terminal too")
    .option("--after <position>", "lines, from this position of the feed on; 0 is the beginning", wholeNumber)
    .option("--count <events>", "lines, and end after so many", positiveNumber)
    .addHelpText("after", titled(WATCH_HELP, surroundings))
    .action(async (options: object) => {
      leave(await watchTasks(surroundings, options));
    });
}

const TASKS_HELP = `
Examples:
  pawl tasks list --status NEW,IN_PROGRESS --assignee me
  pawl tasks create board title="Draft the notes" description="Since 0.1"
  pawl tasks act 21bc7d04 claim --comment "on it"
  pawl why 21bc7d04 complete

A task is named by its id, or by the beginning or end of it where only one has it.`;

const LIST_HELP = `
Examples:
  pawl tasks list --assignee me
  pawl tasks list --lifecycle board --status NEW,BLOCKED
  pawl tasks list --all --json | jq '.tasks[].id'`;

const CREATE_HELP = `
Examples:
  pawl tasks create board title="Draft the notes" description="Since 0.1"
  pawl tasks create board title=Publish description=Now priority=high tags:='["docs"]'`;

const ACT_HELP = `
Examples:
  pawl tasks act 21bc7d04 claim --comment "on it"
  pawl tasks act 21bc7d04 complete result="12 pages" --lease 0d9c…

The exit code is 3 where it is refused; \`pawl why\` then tells every reason.`;

const WHY_HELP = `
Examples:
  pawl why 21bc7d04 complete
  pawl why 21bc7d04 --json | jq '.actions[] | select(.allowed) | .action'

With an action the exit code is 0 where you may, and 3 where you may not.`;

const WATCH_HELP = `
Examples:
  pawl watch
  pawl watch --lifecycle board | grep escalate
  pawl watch --after 0 --count 100 --json`;
