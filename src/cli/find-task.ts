import type { Client } from "../client/index.ts";
import type { TaskOnWire } from "../api/index.ts";
import { EXIT } from "./exit-code.ts";
import { Fault } from "./fault.ts";
import { oneLine } from "./display-width.ts";

const WHOLE = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const PART = /^[\da-f-]{4,}$/i;
const PAGE = 200;
/** The list is walked from its beginning: beyond this it is no longer cheap. */
const MOST_PAGES = 25;

/** What is shown in a terminal: the end of an id, which is all chance. Its beginning is a time, and alike in many. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** The id of the task that was meant: typed in full, or its beginning or end where only one has it. */
export async function findTaskId(client: Client, typed: string): Promise<string> {
  if (WHOLE.test(typed)) return typed.toLowerCase();
  if (!PART.test(typed))
    throw new Fault(
      EXIT.usage,
      `"${oneLine(typed)}" is no task id, nor the beginning or end of one (at least 4 digits).`,
    );
  const { found, complete } = await tasksWith(client, typed.toLowerCase());
  const [first, ...others] = found;
  if (first === undefined)
    throw new Fault(EXIT.refused, `There is no task whose id begins or ends with ${typed}.`, {
      more: complete
        ? ["`pawl tasks list` shows those that you may see."]
        : [`Only the first ${MOST_PAGES * PAGE} tasks were looked at: type the whole id.`],
      document: { code: "TASK_NOT_FOUND" },
    });
  if (others.length > 0)
    throw new Fault(EXIT.usage, `${typed} may be any of ${found.length} tasks: type more of its id.`, {
      more: found.slice(0, 5).map(({ id, title }) => `- ${id} ${oneLine(title)}`),
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
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await listTasks({ limit: PAGE, cursor });
    found.push(...answer.tasks.filter(({ id }) => id.startsWith(part) || id.endsWith(part)));
    if (answer.cursor === null) return { found, complete: true };
    cursor = answer.cursor;
  }
  return { found, complete: false };
}
