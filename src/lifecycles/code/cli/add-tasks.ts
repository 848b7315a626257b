import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { atServer, count, EXIT, Fault, findTaskId, oneLine, print } from "../../../plugin/index.ts";
import type { ExitCode, ReachFlags, Surroundings } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeTask } from "../api.ts";
import type { FiledTask } from "./task-file.ts";

export type Adding = ReachFlags & {
  json?: true;
  title?: string;
  file?: string;
  after?: string[];
  onFailure?: "wait" | "proceed" | "fail";
  description?: string;
  acceptance?: string;
  priority?: number;
  maxAttempts?: number;
  mayBeEmpty?: true;
  project?: string;
  key?: string;
};

/** `pawl code add`: one task by its title, or those of a file. */
export function addCodeTasks(surroundings: Surroundings, adding: Adding): Promise<ExitCode> {
  const { out } = surroundings;
  return atServer(surroundings, adding, async ({ client }) => {
    const tasks = await tasksOf(client, adding);
    const body = { tasks, project_id: adding.project, client_event_id: adding.key };
    const made = await client.calls(CODE_ROUTES).createCodeTasks(body);
    return print(out, { json: adding.json, value: made, text: () => textOf(made.tasks) });
  });
}

async function tasksOf(client: Client, adding: Adding): Promise<FiledTask[]> {
  const { title, file } = adding;
  if ((title === undefined) === (file === undefined))
    throw new Fault(EXIT.usage, "Give a title, or --file with a list of tasks.");
  const after = await Promise.all((adding.after ?? []).map((typed) => findTaskId(client, typed)));
  if (title !== undefined) {
    const { description, acceptance, priority = 0, maxAttempts, mayBeEmpty = false, onFailure } = adding;
    return [
      {
        ...{ title, description, acceptance, priority, blocked_by: after, auto_unblock: true },
        max_attempts: maxAttempts,
        may_be_empty: mayBeEmpty,
        ...(onFailure === undefined ? {} : { on_failure: onFailure }),
      },
    ];
  }
  const { readTaskFile } = await import("./task-file.ts");
  const name = basename(file ?? "");
  const text = await readFile(file ?? "", "utf8").catch((error: unknown) => {
    throw new Fault(EXIT.usage, `${name} cannot be read: ${(error as Error).message}.`);
  });
  // What the command waits for, all of the file waits for.
  return readTaskFile(name, text).map((task) => ({ ...task, blocked_by: [...task.blocked_by, ...after] }));
}

function textOf(tasks: readonly CodeTask[]): string {
  const lines = tasks.map(({ id, status, title }) => `${id}  ${status.padEnd(8)}  ${oneLine(title)}`);
  return tasks.length === 1 ? (lines[0] ?? "") : `${lines.join("\n")}\n${count(tasks.length, "task")} added.`;
}

/** `pawl code retry <id>` */
export function retryCodeTask(
  surroundings: Surroundings,
  { id: typed, maxAttempts, ...flags }: ReachFlags & { json?: true; id: string; maxAttempts?: number },
): Promise<ExitCode> {
  const { out } = surroundings;
  return atServer(surroundings, flags, async ({ client }) => {
    const id = await findTaskId(client, typed);
    const task = await client.calls(CODE_ROUTES).retryCodeTask({ id, max_attempts: maxAttempts });
    const text = () => `${textOf([task])}\nIt takes the place of ${id}, also for those that waited for it.`;
    return print(out, { json: flags.json, value: task, text });
  });
}
