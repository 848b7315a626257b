import type { Command } from "commander";
import { numberBetween, withServerOptions } from "../../../plugin/index.ts";
import type { CliEnvironment, SetExitCode } from "../../../plugin/index.ts";
import {
  answerTask,
  approveTask,
  editTask,
  pauseTask,
  requestChanges,
  resumeTask,
  stopTask,
  withdrawTask,
} from "./operate.ts";
import { showDiff } from "./show-diff.ts";

/** Describes the argument of commands that name a task. */
export const ID = "the task's id, or the beginning or end of it";

/** Commands that need the setting `operator_controls`, except `answer`. */
export function addOperations(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("withdraw"))
    .summary("give up a task that is not running")
    .description("Gives up a task that is not running. It ends as failed, with your reason.")
    .argument("<id>", ID)
    .requiredOption("--reason <text>", "why")
    .action(async (id: string, options: { reason: string }) => {
      setExitCode(await withdrawTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("edit"))
    .summary("change a task that is not running")
    .description(
      "Changes a task that is not running. An empty text clears the description or the acceptance.",
    )
    .argument("<id>", ID)
    .option("--title <text>", "what to do")
    .option("-d, --description <text>", "details for the agent")
    .option("--acceptance <text>", "the conditions that the finished work must meet")
    .option("--priority <number>", "higher numbers go first", numberBetween(-1_000_000, 1_000_000))
    .action(async (id: string, options: object) => {
      setExitCode(await editTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("pause"))
    .summary("keep a task from being claimed or moved")
    .description("Keeps a task that is not running from being claimed or moved.")
    .argument("<id>", ID)
    .option("--reason <text>", "why")
    .action(async (id: string, options: object) => {
      setExitCode(await pauseTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("resume"))
    .summary("let a paused or stopped task go on")
    .description("Lets a paused or stopped task go on.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      setExitCode(await resumeTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("stop"))
    .summary("stop the agent of a running task, and pause the task")
    .description(
      "Stops the agent of a running task within seconds, and pauses the task. No attempt is counted.",
    )
    .argument("<id>", ID)
    .option("--reason <text>", "why")
    .action(async (id: string, options: object) => {
      setExitCode(await stopTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("answer"))
    .summary("answer an agent's question, or clear its obstacle")
    .description(
      "Answers the question of an agent, or clears the obstacle that it met. The text is part of the next attempt's prompt.",
    )
    .argument("<id>", ID)
    .argument("<text>", "the answer")
    .action(async (id: string, text: string, options: object) => {
      setExitCode(await answerTask(environment, { id, text, ...options }));
    });
}

export function addReview(code: Command, environment: CliEnvironment, setExitCode: SetExitCode): void {
  withServerOptions(code.command("diff"))
    .summary("print the changes of the latest attempt")
    .description("Prints the changes of the latest attempt in git's format.")
    .argument("<id>", ID)
    .action(async (id: string, options: object) => {
      setExitCode(await showDiff(environment, { id, ...options }));
    });
  withServerOptions(code.command("approve"))
    .summary("approve work that waits for review; a worker merges it")
    .description("Approves work that waits for review. The next worker that is free merges it.")
    .argument("<id>", ID)
    .option("--comment <text>", "a comment for the journal")
    .action(async (id: string, options: object) => {
      setExitCode(await approveTask(environment, { id, ...options }));
    });
  withServerOptions(code.command("request-changes"))
    .summary("send work that waits for review back to its agent")
    .description(
      "Sends work that waits for review back: the next attempt continues with it and your comment.",
    )
    .argument("<id>", ID)
    .argument("<text>", "what to change")
    .action(async (id: string, text: string, options: object) => {
      setExitCode(await requestChanges(environment, { id, text, ...options }));
    });
}
