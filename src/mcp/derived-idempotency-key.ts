import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ToolContext, JournalEntry, Task } from "./tool-context.ts";

/** The same action, comment or creation counts as a repetition for this long. */
const REPEAT_WINDOW_MS = 600_000;
/** Maximum number of events that are searched for the caller's last action. */
const MAX_EVENTS_READ = 200;

type MoveRequest = {
  action: string;
  comment?: string | undefined;
  payload?: Record<string, unknown> | undefined;
};

/** The key of a call with a request_id; the same request_id of another member gives another key. */
export function requestKey(memberId: string, tool: string, requestId: string): string {
  return fingerprint([memberId, tool, requestId]);
}

/** A hash that is equal for calls with the same meaning. */
export function fingerprint(meaning: unknown): string {
  return `mcp:${createHash("sha256").update(canonicalJson(meaning)).digest("hex").slice(0, 40)}`;
}

/**
 * The key of a move without a request_id: a hash of the move and of the caller's last event on this task. Recent events
 * that are this same move are skipped, so a repetition gets the key of the first move, and the server answers as it did
 * then. This also works while the first move is still in progress. After any other action of the caller, the same move is
 * a new intention with a new key.
 */
export async function moveKey(context: ToolContext, task: Task, move: MoveRequest): Promise<string> {
  const { id, row_version } = task;
  const [me, { rules }, { events }] = await Promise.all([
    context.me(),
    context.lifecycle(task.lifecycle),
    context.client.listTaskEvents(
      { id, after: Math.max(0, row_version - MAX_EVENTS_READ), limit: MAX_EVENTS_READ },
      { signal: context.signal },
    ),
  ]);
  // An action that only touches the task records no event and is meant to be repeated, such as a heartbeat.
  if (rules.some((rule) => rule.action === move.action && rule.outcome === "touched"))
    return `mcp:${randomUUID()}`;
  const mine = events.filter((event) => event.actor_id === me.id);
  while (mine.length > 0 && isSameMove(mine.at(-1) as JournalEntry, move, context.now())) mine.pop();
  return fingerprint([me.id, "move", id, move, mine.at(-1)?.row_version ?? 0]);
}

function isSameMove(
  event: JournalEntry,
  { action, comment = "", payload = {} }: MoveRequest,
  now: number,
): boolean {
  return (
    event.action === action &&
    isEqualTrimmed(event.comment ?? "", comment) &&
    now - Date.parse(event.created_at) < REPEAT_WINDOW_MS &&
    // Compare only the fields that were sent: the lifecycle may add others to the event.
    Object.entries(payload).every(([name, value]) => isEqualTrimmed(event.payload?.[name], value))
  );
}

/** Compares texts trimmed, because most lifecycles trim their input. */
function isEqualTrimmed(one: unknown, other: unknown): boolean {
  return typeof one === "string" && typeof other === "string"
    ? one.trim() === other.trim()
    : isDeepStrictEqual(one, other);
}

type CreationRequest = { lifecycle: string; title?: unknown };

/**
 * The key of a creation without a request_id, by the same principle: a hash of the new tasks and of the last task with the
 * same title that the caller created before the repeat window.
 */
export async function creationKey(context: ToolContext, tasks: readonly CreationRequest[]): Promise<string> {
  const me = await context.me();
  const before = await lastCreatedWithTitle(context, me.id, tasks[0]);
  return fingerprint([me.id, "create", tasks, before ?? Math.floor(context.now() / REPEAT_WINDOW_MS)]);
}

/** undefined if unknown, because the input has no title or too many tasks have the same one. */
async function lastCreatedWithTitle(
  { client, signal, now }: ToolContext,
  me: string,
  first: CreationRequest | undefined,
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
      now() - Date.parse(task.created_at) >= REPEAT_WINDOW_MS,
  );
  return older.at(-1)?.id ?? "none";
}

/** JSON with sorted keys, so that the order of arguments does not matter. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
