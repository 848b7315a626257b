import { refuse } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";

/** Nobody may know whether a task that he cannot see exists. */
export function notFound(id: string): Refusal {
  return refuse("TASK_NOT_FOUND", `There is no task ${id}.`, { id });
}

export function usedForSomethingElse(client_event_id: string): Refusal {
  return refuse(
    "IDEMPOTENCY_CONFLICT",
    `The client_event_id "${client_event_id}" was used for another request; send a new one for a new intention.`,
    { client_event_id },
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
