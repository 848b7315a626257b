import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Desk, JournalEntry, Task } from "./desk.ts";

/** For how long the same action, comment or creation, sent again, counts as a repetition. */
const REPEATED_WITHIN_MS = 600_000;
/** How many events of a task are looked through for what the caller did last. */
const EVENTS_LOOKED_AT = 200;

type Move = {
  action: string;
  comment?: string | undefined;
  payload?: Record<string, unknown> | undefined;
};

/** The key of a call whose caller names it himself; what another member calls the same is another one. */
export function namedKey(memberId: string, tool: string, requestId: string): string {
  return printOf([memberId, tool, requestId]);
}

/** The same for calls that mean the same. */
export function printOf(meaning: unknown): string {
  return `mcp:${createHash("sha256").update(canonical(meaning)).digest("hex").slice(0, 40)}`;
}

/**
 * The key of a move whose caller gave no name for it: made of what he asks and of what he did with this task before.
 * If the last that he did was this very move, a moment ago, it is left out: then the key is the one that the move had, and
 * the server answers as it did. The same holds while the first is still under way; and after anything else he has done
 * the same words are a new intention, with a new key.
 */
export async function keyOfMove(desk: Desk, task: Task, move: Move): Promise<string> {
  const { id, row_version } = task;
  const [me, { rules }, { events }] = await Promise.all([
    desk.me(),
    desk.lifecycle(task.lifecycle),
    desk.client.listTaskEvents(
      { id, after: Math.max(0, row_version - EVENTS_LOOKED_AT), limit: EVENTS_LOOKED_AT },
      { signal: desk.signal },
    ),
  ]);
  // What only touches a task leaves no event and may be done again and again: it is how a task is kept alive.
  if (rules.some((rule) => rule.action === move.action && rule.outcome === "touched"))
    return `mcp:${randomUUID()}`;
  const mine = events.filter((event) => event.actor_id === me.id);
  while (mine.length > 0 && isSame(mine.at(-1) as JournalEntry, move, desk.now())) mine.pop();
  return printOf([me.id, "move", id, move, mine.at(-1)?.row_version ?? 0]);
}

function isSame(event: JournalEntry, { action, comment = "", payload = {} }: Move, now: number): boolean {
  return (
    event.action === action &&
    isAlike(event.comment ?? "", comment) &&
    now - Date.parse(event.created_at) < REPEATED_WITHIN_MS &&
    // What a lifecycle adds by itself stands in the journal too.
    Object.entries(payload).every(([name, value]) => isAlike(event.payload?.[name], value))
  );
}

/** Lifecycles mostly trim what they are told. */
function isAlike(one: unknown, other: unknown): boolean {
  return typeof one === "string" && typeof other === "string"
    ? one.trim() === other.trim()
    : isDeepStrictEqual(one, other);
}

type Creation = { lifecycle: string; title?: unknown };

/**
 * The key of a creation without a name, by the same thought: made of what is to be created and of the last task of that
 * title which the caller has created, unless that was a moment ago.
 */
export async function keyOfCreation(desk: Desk, tasks: readonly Creation[]): Promise<string> {
  const me = await desk.me();
  const before = await lastOfTitle(desk, me.id, tasks[0]);
  return printOf([me.id, "create", tasks, before ?? Math.floor(desk.now() / REPEATED_WITHIN_MS)]);
}

/** undefined: cannot be told, since titles are not what the caller gives, or too many tasks have this one. */
async function lastOfTitle(
  { client, signal, now }: Desk,
  me: string,
  first: Creation | undefined,
): Promise<string | undefined> {
  if (!first || typeof first.title !== "string" || first.title.trim() === "") return undefined;
  const title = first.title.trim();
  const query = { lifecycle: first.lifecycle, q: title.slice(0, 200), limit: 200 };
  const { tasks, cursor } = await client.listTasks(query, { signal });
  if (cursor !== null) return undefined;
  const older = tasks.filter(
    (task) =>
      task.created_by === me &&
      task.title.trim() === title &&
      now() - Date.parse(task.created_at) >= REPEATED_WITHIN_MS,
  );
  return older.at(-1)?.id ?? "none";
}

/** JSON with the names in order: the same arguments in another order mean the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
