import type { ActionOf } from "../../../client/index.ts";
import { atServer, CliError, EXIT, findTaskId, oneLine, print } from "../../../plugin/index.ts";
import type { CliEnvironment, ConnectFlags, ExitCode } from "../../../plugin/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeTask } from "../api.ts";
import type { code } from "../lifecycle.ts";

type Flags = ConnectFlags & { json?: true; id: string };

/** An action of a person on one task. */
type Operation = {
  action: ActionOf<typeof code>;
  payload?: Record<string, unknown>;
  comment?: string | undefined;
  /** The outcome, for people. */
  done: (task: CodeTask) => string;
};

/** Performs an action on a task and prints the task. */
function operate(
  environment: CliEnvironment,
  { id: typed, ...flags }: Flags,
  { action, payload, comment, done }: Operation,
): Promise<ExitCode> {
  return atServer(environment, flags, async ({ client }) => {
    const id = await findTaskId(client, typed);
    const request = { id, action, ...(payload && { payload }), ...(comment !== undefined && { comment }) };
    const { task } = await client.calls(CODE_ROUTES).moveCodeTask(request);
    const text = () => `${task.id}  ${task.status}  ${oneLine(task.title)}\n${done(task)}`;
    return print(environment.out, { json: flags.json, value: task, text });
  });
}

/** `pawl code withdraw <id> --reason <text>` */
export function withdrawTask(
  environment: CliEnvironment,
  { reason, ...flags }: Flags & { reason: string },
): Promise<ExitCode> {
  const done = () => "It is withdrawn. Tasks that wait for it follow their --on-failure policy.";
  return operate(environment, flags, { action: "withdraw", payload: { reason }, done });
}

type Edit = { title?: string; description?: string; acceptance?: string; priority?: number };

/** `pawl code edit <id>`: an empty text clears a field. */
export function editTask(
  environment: CliEnvironment,
  { title, description, acceptance, priority, ...flags }: Flags & Edit,
): Promise<ExitCode> {
  const clear = (text: string | undefined) => (text === "" ? null : text);
  const given = { title, description: clear(description), acceptance: clear(acceptance), priority };
  const payload = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (Object.keys(payload).length === 0)
    throw new CliError(
      EXIT.usage,
      "Name at least one field: --title, --description, --acceptance or --priority.",
    );
  return operate(environment, flags, { action: "edit", payload, done: () => "It is changed." });
}

/** `pawl code pause <id>` */
export function pauseTask(
  environment: CliEnvironment,
  { reason, ...flags }: Flags & { reason?: string },
): Promise<ExitCode> {
  const done = () => "It is paused: no worker claims it until `pawl code resume`.";
  return operate(environment, flags, { action: "pause", comment: reason, done });
}

/** `pawl code resume <id>` */
export function resumeTask(environment: CliEnvironment, flags: Flags): Promise<ExitCode> {
  return operate(environment, flags, { action: "resume", done: () => "It goes on." });
}

/** `pawl code stop <id>` */
export function stopTask(
  environment: CliEnvironment,
  { reason, ...flags }: Flags & { reason?: string },
): Promise<ExitCode> {
  const done = () => "Its agent is being stopped. The task stays paused until `pawl code resume`.";
  return operate(environment, flags, { action: "interrupt", comment: reason, done });
}

/** `pawl code answer <id> <text>` */
export function answerTask(
  environment: CliEnvironment,
  { text: comment, ...flags }: Flags & { text: string },
): Promise<ExitCode> {
  const done = () => "The answer is in the prompt of the next attempt.";
  return operate(environment, flags, { action: "clear_blocker", comment, done });
}

/** `pawl code approve <id>` */
export function approveTask(
  environment: CliEnvironment,
  { comment, ...flags }: Flags & { comment?: string },
): Promise<ExitCode> {
  const done = () => "It is approved: the next worker merges it.";
  return operate(environment, flags, { action: "approve", comment, done });
}

/** `pawl code request-changes <id> <text>` */
export function requestChanges(
  environment: CliEnvironment,
  { text: comment, ...flags }: Flags & { text: string },
): Promise<ExitCode> {
  const done = () => "The next attempt continues with this work and your comment.";
  return operate(environment, flags, { action: "request_changes", comment, done });
}
