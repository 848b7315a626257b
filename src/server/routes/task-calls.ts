import type { BodyRead, TASK_ROUTES } from "../../api/index.ts";
import { isRefusal } from "../../core/index.ts";
import type { JsonObject, Refusal } from "../../core/index.ts";
import type { By, CreatedTasks, Engine, NewTask, PerformRequest } from "../../engine/index.ts";
import { besideTask } from "../auth/confine-creations.ts";
import type { Call } from "../routing/route-set.ts";

/** A creation as the client sends it: times are texts, and null means absent. */
export type SentCreation = JsonObject & {
  lifecycle: string;
  project_id?: string | null | undefined;
  ref?: string | null | undefined;
  available_at?: string | null | undefined;
};

/** Creates all of the tasks or none; for a token of one task, beside that task. */
export async function createTasks(
  engine: Engine,
  by: By,
  sent: readonly SentCreation[],
  client_event_id: string | null,
): Promise<CreatedTasks | Refusal> {
  const beside = await besideTask(engine, by, sent);
  return isRefusal(beside) ? beside : engine.create(by, beside.map(newTask), { client_event_id });
}

/** The engine counts in milliseconds. */
function newTask({ project_id, ref, available_at, ...sent }: SentCreation): NewTask {
  return {
    ...sent,
    ...(project_id == null ? {} : { project_id }),
    ...(ref == null ? {} : { ref }),
    ...(available_at == null ? {} : { available_at: Date.parse(available_at) }),
  };
}

type SentMove = Partial<BodyRead<typeof TASK_ROUTES.moveTask>> & { action: string };

/** Absent fields become null, which means the same; requests of one shape are the cheapest to make and to read. */
export function performRequest(
  task_id: string,
  { action, payload = null, comment = null, lease_token = null }: SentMove,
  { client_event_id, expected_row_version }: Pick<Call, "client_event_id" | "expected_row_version">,
): PerformRequest & { action: string } {
  return { task_id, action, payload, comment, lease_token, client_event_id, expected_row_version };
}

/** In `assigned_to`, `me` is the caller. */
export function assignee({ actor }: By, assigned_to: string | undefined): string | undefined {
  return assigned_to === "me" ? (actor.id ?? undefined) : assigned_to;
}
