import type { Client } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";
import { EXIT } from "./exit-code.ts";
import { CliError } from "./cli-error.ts";
import { oneLine } from "./display-width.ts";

const FULL_ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const PARTIAL_ID = /^[\da-f-]{4,}$/i;
const PAGE_SIZE = 200;
/** Limits the search, which reads the list of tasks from its beginning. */
const MAX_PAGES = 25;

/** The id as shown in a terminal: its last characters are random, while the first ones are a time that many ids share. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** Resolves a typed id: a full one, or the beginning or end of exactly one id. */
export async function findTaskId(client: Client, typed: string): Promise<string> {
  if (FULL_ID.test(typed)) return typed.toLowerCase();
  if (!PARTIAL_ID.test(typed))
    throw new CliError(
      EXIT.usage,
      `"${oneLine(typed)}" is not a task id, nor the beginning or end of one (at least 4 characters).`,
    );
  const { found, complete } = await tasksWith(client, typed.toLowerCase());
  const [first, ...others] = found;
  if (first === undefined)
    throw new CliError(EXIT.refused, `There is no task whose id begins or ends with ${typed}.`, {
      hints: complete
        ? ["`pawl tasks list` shows the tasks that you may see."]
        : [`Only the first ${MAX_PAGES * PAGE_SIZE} tasks were searched: type the whole id.`],
      document: { code: "TASK_NOT_FOUND" },
    });
  if (others.length > 0)
    throw new CliError(EXIT.usage, `${typed} matches ${found.length} tasks: type more of the id.`, {
      hints: found.slice(0, 5).map(({ id, title }) => `- ${id} ${oneLine(title)}`),
      document: { code: "AMBIGUOUS_ID", ids: found.map(({ id }) => id) },
    });
  return first.id;
}

async function tasksWith(
  { listTasks }: Client,
  part: string,
): Promise<{ found: TaskOnWire[]; complete: boolean }> {
  const found: TaskOnWire[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await listTasks({ limit: PAGE_SIZE, cursor });
    found.push(...answer.tasks.filter(({ id }) => id.startsWith(part) || id.endsWith(part)));
    if (answer.cursor === null) return { found, complete: true };
    cursor = answer.cursor;
  }
  return { found, complete: false };
}
