import {
  atServer,
  count,
  EXIT,
  CliError,
  findTaskId,
  oneLine,
  print,
  readTextFile,
} from "../../../plugin/index.ts";
import type { ExitCode, ConnectFlags, CliEnvironment } from "../../../plugin/index.ts";
import type { Client } from "../../../client/index.ts";
import { CODE_ROUTES } from "../api.ts";
import type { CodeTask } from "../api.ts";
import type { FiledTask } from "./task-file.ts";

export type AddOptions = ConnectFlags & {
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
  /** The repository that the tasks are for; false: any. */
  repo?: string | false;
  review?: boolean;
  project?: string;
  key?: string;
};

/** `pawl code add`: adds one task by its title, or all tasks of a file. */
export function addCodeTasks(environment: CliEnvironment, options: AddOptions): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, options, async ({ client }) => {
    const repository = await repositoryFor(options.repo);
    const common = { repository, ...(options.review === undefined ? {} : { review: options.review }) };
    const tasks = (await tasksOf(client, options)).map((task) => ({ ...common, ...task }));
    const body = { tasks, project_id: options.project, client_event_id: options.key };
    const created = await client.calls(CODE_ROUTES).createCodeTasks(body);
    return print(out, { json: options.json, value: created, text: () => textOf(created.tasks) });
  });
}

/** Returns the name of the repository of a folder, by default of the current one; null if there is none. */
export async function repositoryFor(path: string | false | undefined): Promise<string | null> {
  if (path === false) return null;
  const { findRepositoryName } = await import("../worker/repository-name.ts");
  const name = await findRepositoryName(path ?? ".");
  if (name === null && path !== undefined)
    throw new CliError(EXIT.usage, `${path} is not a git repository.`, {
      document: { code: "UNUSABLE_REPOSITORY" },
    });
  return name;
}

async function tasksOf(client: Client, options: AddOptions): Promise<FiledTask[]> {
  const { title, file } = options;
  if ((title === undefined) === (file === undefined))
    throw new CliError(EXIT.usage, "Give a title, or --file with a list of tasks.");
  if (title?.trim() === "") throw new CliError(EXIT.usage, "The title is empty.");
  const after = await Promise.all((options.after ?? []).map((typed) => existingTaskId(client, typed)));
  if (title !== undefined) {
    const { description, acceptance, priority = 0, maxAttempts, mayBeEmpty = false, onFailure } = options;
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
  const { name, text } = await readTextFile(file ?? "");
  // `--after` applies to every task of the file.
  return readTaskFile(name, text).map((task) => ({ ...task, blocked_by: [...task.blocked_by, ...after] }));
}

/** Refuses an unknown id by itself: within the request, it would be an invalid field. */
async function existingTaskId(client: Client, typed: string): Promise<string> {
  const { id } = await client.getTask({ id: await findTaskId(client, typed) });
  return id;
}

function textOf(tasks: readonly CodeTask[]): string {
  const lines = tasks.map(({ id, status, title }) => `${id}  ${status.padEnd(8)}  ${oneLine(title)}`);
  return tasks.length === 1 ? (lines[0] ?? "") : `${lines.join("\n")}\n${count(tasks.length, "task")} added.`;
}

/** `pawl code retry <id>` */
export function retryCodeTask(
  environment: CliEnvironment,
  { id: typed, maxAttempts, ...flags }: ConnectFlags & { json?: true; id: string; maxAttempts?: number },
): Promise<ExitCode> {
  const { out } = environment;
  return atServer(environment, flags, async ({ client }) => {
    const id = await findTaskId(client, typed);
    const task = await client.calls(CODE_ROUTES).retryCodeTask({ id, max_attempts: maxAttempts });
    const text = () => `${textOf([task])}\nIt replaces ${id}; tasks that waited for ${id} now wait for it.`;
    return print(out, { json: flags.json, value: task, text });
  });
}
