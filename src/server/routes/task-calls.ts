import type { BodyRead, TASK_ROUTES } from "../../api/index.ts";
import { isRefusal } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { newTaskOf } from "../../engine/index.ts";
import type { Caller, CreatedTasks, Engine, PerformRequest, SentCreation } from "../../engine/index.ts";
import { confineCreations } from "../auth/confine-creations.ts";
import type { Call } from "../routing/route-set.ts";

/** Creates all tasks or none, within the limits of a confined token. */
export async function createTasks(
  engine: Engine,
  caller: Caller,
  sent: readonly SentCreation[],
  client_event_id: string | null,
): Promise<CreatedTasks | Refusal> {
  const confined = await confineCreations(engine, caller, sent);
  return isRefusal(confined) ? confined : engine.create(caller, confined.map(newTaskOf), { client_event_id });
}

type SentMove = Partial<BodyRead<typeof TASK_ROUTES.moveTask>> & { action: string };

/** Builds the engine's request; absent fields become null, because objects of one shape are the fastest. */
export function performRequest(
  task_id: string,
  { action, payload = null, comment = null, lease_token = null }: SentMove,
  { client_event_id, expected_row_version }: Pick<Call, "client_event_id" | "expected_row_version">,
): PerformRequest & { action: string } {
  return { task_id, action, payload, comment, lease_token, client_event_id, expected_row_version };
}

/** Resolves `me` in `assigned_to` to the caller. */
export function assignee({ actor }: Caller, assigned_to: string | undefined): string | undefined {
  return assigned_to === "me" ? (actor.id ?? undefined) : assigned_to;
}
