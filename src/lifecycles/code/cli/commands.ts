import { Option } from "commander";
import type { Command } from "commander";
import {
  jsonOption,
  numberBetween,
  positiveInteger,
  withServerOptions,
  commaSeparated,
  formatHelp,
} from "../../../plugin/index.ts";
import type { AddCommands, SetExitCode, CliEnvironment } from "../../../plugin/index.ts";
import { addCodeTasks, retryCodeTask } from "./add-tasks.ts";
import { drawCodeGraph, listCodeTasks, readCodeLog, showCodeTask } from "./show-code-tasks.ts";
import type { RunOptions } from "./run-agents.ts";
import { withSetupOptions } from "./setup-options.ts";
import { showUsage } from "./usage.ts";
import type { UsageOptions } from "./usage.ts";
import type { WorktreesOptions } from "./worktrees.ts";
import { DEFAULT_PRESET, PRESETS } from "../agents/index.ts";
import { ADD_HELP, CODE_HELP, IMPORT_HELP, RUN_HELP } from "./help-texts.ts";
import { addOperations, addReview, ID } from "./operation-commands.ts";

/** The maximum lifetime of an agent's token. */
const WEEK_MINUTES = 10_080;

/** `pawl code …` */
export const addCodeCommands: AddCommands = (program, environment, setExitCode) => {
  const code = program
    .command("code")
    .summary("manage coding tasks, and run agents on them in git worktrees")
    .description("Tasks for coding agents: each runs in its own git worktree and is merged when it is done.")
    .addHelpText("after", formatHelp(CODE_HELP, environment));
  addAdd(code, environment, setExitCode);
  addImport(code, environment, setExitCode);
  addRun(code, environment, setExitCode);
  addViews(code, environment, setExitCode);
  addUsage(code, environment, setExitCode);
  addOperations(code, environment, setExitCode);
  addReview(code, environment, setExitCode);
  addWorktrees(code, environment, setExitCode);
  addCatchUp(code, environment, setExitCode);
};

function addAdd(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("add"))
    .summary("add a task, or all tasks of a file")
    .description("Adds a task, or all tasks of a file.")
    .argument("[title]", "what to do")
    .option("-f, --file <path>", "tasks as YAML, with refs and dependencies")
    .option(
      "-a, --after <ids>",
      "ids of tasks that must be completed first, separated by commas",
      commaSeparated,
    )
    .addOption(
      new Option("--on-failure <policy>", "what to do if a task in --after fails").choices([
        "wait",
        "proceed",
        "fail",
      ]),
    )
    .option("-d, --description <text>", "details for the agent")
    .option("--acceptance <text>", "the conditions that the finished work must meet")
    .option("--priority <number>", "higher numbers go first", numberBetween(-1_000_000, 1_000_000))
    .option("--max-attempts <count>", "maximum number of retries", positiveInteger)
    .option("--may-be-empty", "accept work that changes no file")
    .option("--repo <path>", "the repository that the task is for (default: the one of this folder)")
    .option("--no-repo", "for any repository")
    .option("--review", "merge the work only after a person has approved it, whatever the project says")
    .option("--no-review", "merge the work without a review, whatever the project says")
    .option("-p, --project <id>", "the project of the task (default: main)")
    .option("--key <client_event_id>", "idempotency key: repeating it does not add the tasks again")
    .addHelpText("after", formatHelp(ADD_HELP, environment))
    .action(async (title: string | undefined, options: object) => {
      setExitCode(await addCodeTasks(environment, { ...options, ...(title === undefined ? {} : { title }) }));
    });
  withServerOptions(code.command("retry"))
    .summary("retry a failed task as a new task")
    .description("Retries a failed task as a new task, because a finished task never changes.")
    .argument("<id>", ID)
    .option("--max-attempts <count>", "maximum number of retries of the new task", positiveInteger)
    .action(async (id: string, options: object) => {
      setExitCode(await retryCodeTask(environment, { id, ...options }));
    });
}

function addImport(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("import"))
    .summary("create the tasks of a plan: a check list, JSON, or GitHub issues")
    .description("Shows the tasks of a plan and their dependencies, and creates them with --yes.")
    .argument("<file>", "plan.md, tasks.json or issues.json; - reads standard input")
    .option("-y, --yes", "create the tasks; those with the title of an existing task are left out")
    .option("--allow-unknown", "ignore references to tasks that are not in the file")
    .option("--repo <path>", "the repository that the tasks are for (default: the one of this folder)")
    .option("--no-repo", "for any repository")
    .option("--review", "merge the work only after a person has approved it, whatever the project says")
    .option("--no-review", "merge the work without a review, whatever the project says")
    .option("-p, --project <id>", "the project of the tasks (default: main)")
    .addHelpText("after", formatHelp(IMPORT_HELP, environment))
    .action(async (file: string, options: object) => {
      const { importPlan } = await import("./import-plan.ts");
      setExitCode(await importPlan(environment, { file, ...options }));
    });
}

function inRepository(command: Command): Command {
  return command
    .option("--repo <path>", "the repository", ".")
    .option(
      "--target <branch>",
      "the branch that work starts from and is merged into (default: the one checked out)",
    )
    .addOption(
      new Option(
        "--worktrees <folder>",
        "the folder for worktrees and logs (default: <repo>.pawl next to the repository)",
      ).env("PAWL_CODE_WORKTREES"),
    );
}

function addRun(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withSetupOptions(inRepository(withServerOptions(code.command("run"))))
    .summary("run agents on tasks until Ctrl-C")
    .description(
      "Claims tasks, runs an agent on each in its own worktree, and merges the work that succeeds.",
    )
    .option("-w, --workers <count>", "how many agents run at once", positiveInteger, 1)
    .addOption(
      new Option(
        "--agent <name>",
        `the agent: ${PRESETS.map(({ name }) => name).join(", ")}, or a command with these placeholders: {prompt} {prompt_file} {mcp_config} {mcp_url} {task_id} {worktree} {branch}`,
      )
        .default(DEFAULT_PRESET.name)
        .env("PAWL_CODE_AGENT"),
    )
    .option("--allow-everything", "run the agent without its sandbox and permission checks")
    .addOption(
      new Option(
        "--verify <command>",
        "a command that must succeed after the work is rebased onto the target",
      ).env("PAWL_CODE_VERIFY"),
    )
    .option("-p, --project <id>", "only tasks of this project (default: main)")
    .option("--timeout <minutes>", "how long an agent may run", numberBetween(0.01, WEEK_MINUTES), 60)
    .option("--grace <seconds>", "how long agents may continue after Ctrl-C", numberBetween(0, 86_400), 30)
    .addOption(
      new Option(
        "--merge <strategy>",
        "how work is merged (default: as in the project, else rebase)",
      ).choices(["rebase", "squash", "merge"]),
    )
    .option("--push <remote>", "push branches that wait for review, and the target after each merge")
    .option("--pull-requests", "with --push: open a pull request with gh for work that waits for review")
    .option("--no-hooks", "commit without the repository's own hooks")
    .option("--until-done", "stop when no task is ready or running")
    .option("--lines", "print one line per event, also in a terminal")
    .addHelpText("after", formatHelp(RUN_HELP, environment))
    .action(async (options: RunOptions) => {
      const { runAgents } = await import("./run-agents.ts");
      setExitCode(await runAgents(environment, options));
    });
}

function addViews(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("list"))
    .summary("list tasks, oldest first")
    .description("Lists tasks, oldest first.")
    .option("-s, --status <statuses>", "only tasks in these statuses, separated by commas", commaSeparated)
    .option("-p, --project <id>", "only tasks of this project")
    .option("-n, --limit <count>", "maximum number of tasks, up to 200", positiveInteger, 50)
    .action(async (options: { limit: number }) => {
      setExitCode(await listCodeTasks(environment, options));
    });
  withServerOptions(code.command("show"))
    .summary("show a task with its attempts")
    .description("Shows a task with its attempts.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      setExitCode(await showCodeTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("log"))
    .summary("print the output of the last attempt")
    .description("Prints the output of the last attempt.")
    .argument("<id>", ID)
    .option("--run <number>", "the number of another attempt, from `pawl code show`", positiveInteger)
    .option("-f, --follow", "keep printing new output")
    .action(async (id: string, options: object) => {
      setExitCode(await readCodeLog(environment, { id, ...options }));
    });
  withServerOptions(code.command("graph"))
    .summary("draw the tasks and their dependencies")
    .description("Draws the tasks and their dependencies.")
    .option("-p, --project <id>", "only tasks of this project (default: main)")
    .option("--open", "only unfinished tasks and their blockers")
    .action(async (options: object) => {
      setExitCode(await drawCodeGraph(environment, options));
    });
}

function addUsage(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("usage"))
    .summary("show the tokens and the cost of agents")
    .description("Shows the tokens and the cost that agents have reported.")
    .addOption(
      new Option("--by <what>", "sum by day (UTC), agent or task")
        .choices(["day", "agent", "task"])
        .default("day"),
    )
    .option("--days <count>", "only the last days", numberBetween(1, 3_650), 30)
    .option("-p, --project <id>", "only usage of this project (default: main)")
    .action(async (options: UsageOptions) => {
      setExitCode(await showUsage(environment, options));
    });
}

function addWorktrees(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  inRepository(withServerOptions(code.command("worktrees")))
    .summary("list worktrees and unmerged work")
    .description("Lists worktrees and unmerged work of earlier attempts.")
    .option("--reap", "remove worktrees that are no longer needed")
    .option("--older-than <days>", "with --reap: minimum age for failed tasks", numberBetween(0, 36_500), 14)
    .option("--force", "with --reap: also remove unmerged work")
    .action(async (options: WorktreesOptions) => {
      const { showWorktrees } = await import("./worktrees.ts");
      setExitCode(await showWorktrees(environment, options));
    });
}

function addCatchUp(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  code
    .command("catch-up")
    .summary("update your own checkout after merges")
    .description(
      "Updates the files of a checkout whose branch was moved by merges. Your own changes are kept; if they conflict, nothing is changed.",
    )
    .option("--repo <path>", "the checkout", ".")
    .addOption(jsonOption())
    .action(async (options: { repo: string; json?: true }) => {
      const { runCatchUp } = await import("./catch-up.ts");
      setExitCode(await runCatchUp(environment, options));
    });
}
