import { Option } from "commander";
import type { Command } from "commander";
import { jsonOption, numberFrom, positiveNumber, reaching, several, titled } from "../../../plugin/index.ts";
import type { AddCommands, Leave, Surroundings } from "../../../plugin/index.ts";
import { addCodeTasks, retryCodeTask } from "./add-tasks.ts";
import { drawCodeGraph, listCodeTasks, readCodeLog, showCodeTask } from "./look-at-tasks.ts";
import type { Running } from "./run-agents.ts";
import type { Looking } from "./worktrees.ts";
import { CODEX_AGENT, DEFAULT_AGENT } from "../worker/agent-command.ts";

/** An agent's token lasts no longer. */
const WEEK_MINUTES = 10_080;

const ID = "its id, or the beginning or end of it";

/** `pawl code …` */
export const addCodeCommands: AddCommands = (program, surroundings, leave) => {
  const code = program
    .command("code")
    .summary("coding tasks, and agents that work on them in git worktrees")
    .description(
      "Tasks for coding agents: each runs in a git worktree of its own, and is merged when it is done.",
    )
    .addHelpText("after", titled(CODE_HELP, surroundings));
  addAdd(code, surroundings, leave);
  addRun(code, surroundings, leave);
  addLooks(code, surroundings, leave);
  addWorktrees(code, surroundings, leave);
  addCatchUp(code, surroundings, leave);
};

function addAdd(code: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(code.command("add"))
    .description("Adds a task, or all those of a file.")
    .argument("[title]", "what is to be done")
    .option("-f, --file <path>", "tasks as YAML, with refs and dependencies")
    .option("-a, --after <ids>", "only when these are completed, separated by commas", several)
    .addOption(
      new Option("--on-failure <policy>", "when one of them fails").choices(["wait", "proceed", "fail"]),
    )
    .option("-d, --description <text>", "more about it")
    .option("--acceptance <text>", "when it is done")
    .option("--priority <number>", "higher goes first", numberFrom(-1_000_000, 1_000_000))
    .option("--max-attempts <count>", "how often it is tried again", positiveNumber)
    .option("--may-be-empty", "changing nothing is no failure")
    .option("-p, --project <id>", "in this project (default: main)")
    .option("--key <client_event_id>", "the same key again adds nothing again")
    .addHelpText("after", titled(ADD_HELP, surroundings))
    .action(async (title: string | undefined, options: object) => {
      leave(await addCodeTasks(surroundings, { ...options, ...(title === undefined ? {} : { title }) }));
    });
  reaching(code.command("retry"))
    .description("Tries a failed task again: as a copy, for what is finished stays so.")
    .argument("<id>", ID)
    .option("--max-attempts <count>", "how often the copy is tried again", positiveNumber)
    .action(async (id: string, options: object) => {
      leave(await retryCodeTask(surroundings, { id, ...options }));
    });
}

function inRepository(command: Command): Command {
  return command
    .option("--repo <path>", "the repository", ".")
    .option(
      "--target <branch>",
      "where work starts from and is merged into (default: the branch that is checked out)",
    )
    .addOption(
      new Option("--worktrees <folder>", "where worktrees and logs lie (default: <repo>.pawl beside it)").env(
        "PAWL_CODE_WORKTREES",
      ),
    );
}

function addRun(code: Command, surroundings: Surroundings, leave: Leave): void {
  inRepository(reaching(code.command("run")))
    .summary("run agents on tasks until Ctrl-C")
    .description(
      "Claims tasks and runs an agent on each, in a worktree of its own; what is done well is merged.",
    )
    .option("-w, --workers <count>", "so many agents at once", positiveNumber, 1)
    .addOption(
      new Option(
        "--agent <command>",
        "the agent; placeholders: {prompt} {prompt_file} {mcp_config} {mcp_url} {task_id} {worktree} {branch}",
      )
        .default(DEFAULT_AGENT, "Claude Code")
        .env("PAWL_CODE_AGENT"),
    )
    .addOption(
      new Option("--verify <command>", "must succeed on the work as replayed onto the target").env(
        "PAWL_CODE_VERIFY",
      ),
    )
    .option("-p, --project <id>", "of this project (default: main)")
    .option("--timeout <minutes>", "how long an agent may take", numberFrom(0.01, WEEK_MINUTES), 60)
    .option("--grace <seconds>", "how long agents may go on after Ctrl-C", numberFrom(0, 86_400), 30)
    .option("--no-hooks", "commit without the repository's own hooks")
    .option("--until-done", "end when nothing is left that could be done")
    .option("--lines", "lines in a terminal too")
    .addHelpText("after", titled(RUN_HELP, surroundings))
    .action(async (options: Running) => {
      const { runAgents } = await import("./run-agents.ts");
      leave(await runAgents(surroundings, options));
    });
}

function addLooks(code: Command, surroundings: Surroundings, leave: Leave): void {
  reaching(code.command("list"))
    .description("Lists tasks, oldest first.")
    .option("-s, --status <statuses>", "in one of these statuses, separated by commas", several)
    .option("-p, --project <id>", "of this project")
    .option("-n, --limit <count>", "so many at most (up to 200)", positiveNumber, 50)
    .action(async (options: { limit: number }) => {
      leave(await listCodeTasks(surroundings, options));
    });
  reaching(code.command("show"))
    .description("Shows a task with its attempts.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      leave(await showCodeTask(surroundings, { id, ...options }));
    });
  reaching(code.command("log"))
    .description("Prints what the agent of the last attempt said.")
    .argument("<id>", ID)
    .option("--run <number>", "of this attempt, as `pawl code show` lists it", positiveNumber)
    .option("-f, --follow", "go on as it is said")
    .action(async (id: string, options: object) => {
      leave(await readCodeLog(surroundings, { id, ...options }));
    });
  reaching(code.command("graph"))
    .description("Draws who waits for whom.")
    .option("-p, --project <id>", "of this project (default: main)")
    .option("--open", "only what is unfinished, and what it waits for")
    .action(async (options: object) => {
      leave(await drawCodeGraph(surroundings, options));
    });
}

function addWorktrees(code: Command, surroundings: Surroundings, leave: Leave): void {
  inRepository(reaching(code.command("worktrees")))
    .description("Lists worktrees, and work of attempts that was not merged.")
    .option("--reap", "remove those that nobody needs any more")
    .option(
      "--older-than <days>",
      "with --reap: those of failed tasks that are older",
      numberFrom(0, 36_500),
      14,
    )
    .option("--force", "with --reap: also work that was never merged")
    .action(async (options: Looking) => {
      const { lookAtWorktrees } = await import("./worktrees.ts");
      leave(await lookAtWorktrees(surroundings, options));
    });
}

function addCatchUp(code: Command, surroundings: Surroundings, leave: Leave): void {
  code
    .command("catch-up")
    .summary("bring your own checkout along to what was merged")
    .description(
      "Brings the files of a checkout along to where its branch was moved by merges. Changes of your own are kept; where they stand in the way, nothing is touched.",
    )
    .option("--repo <path>", "the checkout", ".")
    .addOption(jsonOption())
    .action(async (options: { repo: string; json?: true }) => {
      const { bringAlong } = await import("./catch-up.ts");
      leave(await bringAlong(surroundings, options));
    });
}

const CODE_HELP = `
Examples:
  pawl code add "Add a --json flag" --acceptance "pawl list --json prints JSON"
  pawl code add --file tasks.yaml
  pawl code run --repo . --workers 3 --verify "npm test"
  pawl code graph`;

const ADD_HELP = `
Examples:
  pawl code add "Write the parser"
  pawl code add "Write the printer" --after 21bc7d04
  pawl code add --file tasks.yaml

A file of tasks:
  - ref: parser
    title: Write the parser
    acceptance: npm test passes
  - title: Write the printer
    after: [parser]`;

const RUN_HELP = `
Examples:
  pawl code run --workers 3
  pawl code run --verify "npm test" --until-done

Agents:
  Claude Code is the default:
    ${DEFAULT_AGENT}
  Codex instead:
    pawl code run --agent "${CODEX_AGENT}"
  Both edit files in the worktree, run shell commands in a sandbox (no writes elsewhere, no network), and call Pawl's
  tools; other requests are denied. On Linux, Claude Code's sandbox needs bubblewrap and socat.

Your own checkout is never touched. Ctrl-C lets agents finish, and gives back what does not in time.`;
