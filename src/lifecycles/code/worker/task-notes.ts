import type { AnyClient } from "../../../client/index.ts";
import { retryUntilAnswered } from "../../../worker/index.ts";

/** A comment on a task, or an obstacle that an earlier attempt reported. */
export type Note = { author: string; text: string };

const PAGE_SIZE = 200;
const MAX_EVENTS = 2_000;

type Event = { row_version: number; action: string; actor_id: string | null; comment: string | null };
type Payload = { description?: unknown } | null;

/** Reads what people wrote on a task, with the questions they answered; oldest first. */
export async function readNotes(client: AnyClient, id: string, signal: AbortSignal): Promise<Note[]> {
  const events: (Event & { payload: Payload })[] = [];
  for (let after = 0; events.length < MAX_EVENTS;) {
    const page = await retryUntilAnswered(
      () => client.listTaskEvents({ id, after, limit: PAGE_SIZE }, { signal }),
      signal,
    );
    events.push(...(page.events as typeof events));
    if (page.events.length < PAGE_SIZE) break;
    after = events.at(-1)?.row_version ?? 0;
  }
  // Agents comment as their workers.
  const workers = new Set(events.filter(({ action }) => action === "start").map(({ actor_id }) => actor_id));
  return events.flatMap(({ action, actor_id, comment, payload }): Note[] => {
    if (action === "block" && typeof payload?.description === "string")
      return [{ author: "An earlier attempt", text: payload.description }];
    if (comment === null || actor_id === null || workers.has(actor_id)) return [];
    return [{ author: actor_id, text: comment }];
  });
}

/** Formats notes for a prompt; if they are too long, the oldest are left out. */
export function notesText(notes: readonly Note[], maxLength: number): string {
  const lines: string[] = [];
  let length = 0;
  for (const { author, text } of notes.toReversed()) {
    const line = `- ${author}: ${text.slice(0, maxLength).replaceAll("\n", "\n  ")}`;
    length += line.length;
    if (length > maxLength && lines.length > 0) break;
    lines.unshift(line);
  }
  return lines.join("\n");
}
