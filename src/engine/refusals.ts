import { lifecycleHint, MAX_NAME_LENGTH, refuse, shorten } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";

/** Refuses a task that does not exist or that the caller cannot see: callers must not learn which. */
export function notFound(id: string): Refusal {
  const shown = shorten(id, MAX_NAME_LENGTH);
  return refuse("TASK_NOT_FOUND", `There is no task ${shown}.`, { id: shown });
}

export function unknownLifecycle(name: string): Refusal {
  const hint = lifecycleHint(name, []) || ".";
  return refuse("UNKNOWN_LIFECYCLE", `There is no lifecycle "${shorten(name, MAX_NAME_LENGTH)}"${hint}`);
}

export function usedForSomethingElse(client_event_id: string): Refusal {
  return refuse(
    "IDEMPOTENCY_CONFLICT",
    `The client_event_id "${client_event_id}" was used for a different request. Use a new one for each new request.`,
    { client_event_id },
  );
}

/** Turns a violated constraint into a refusal. */
export function refusalOfViolation(constraint: string): Refusal {
  return refuse(
    "VERSION_CONFLICT",
    `Another request changed the data first (${constraint.replaceAll("_", " ")}). Read the task again.`,
    {
      constraint,
    },
  );
}

/** Turns a value that the database cannot store into a refusal. */
export function refusalOfData(error: unknown): Refusal {
  const reason = error instanceof Error ? error.message : String(error);
  return refuse("VALIDATION_ERROR", `The database cannot store this value: ${reason}.`, { errors: [] });
}

/** Refuses one invalid field of a request. */
export function wrongField(path: string, message: string): Refusal {
  return refuse("VALIDATION_ERROR", `${path}: ${message}.`, { errors: [{ path, message }] });
}
