import { MAX_NAME_LENGTH, refuse, shorten } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";

/** Nobody may know whether a task that he cannot see exists. */
export function notFound(id: string): Refusal {
  const shown = shorten(id, MAX_NAME_LENGTH);
  return refuse("TASK_NOT_FOUND", `There is no task ${shown}.`, { id: shown });
}

export function unknownLifecycle(name: string): Refusal {
  return refuse("UNKNOWN_LIFECYCLE", `There is no lifecycle "${shorten(name, MAX_NAME_LENGTH)}".`);
}

export function usedForSomethingElse(client_event_id: string): Refusal {
  return refuse(
    "IDEMPOTENCY_CONFLICT",
    `The client_event_id "${client_event_id}" was used for another request; send a new one for a new intention.`,
    { client_event_id },
  );
}

/** What a database defence or index said, as the refusal of the command that met it. */
export function refusalOfViolation(constraint: string): Refusal {
  return refuse(
    "VERSION_CONFLICT",
    `Somebody else was first (${constraint.replaceAll("_", " ")}); read the task again.`,
    {
      constraint,
    },
  );
}

/** What the database could not write down, as the refusal of the command that sent it. */
export function refusalOfData(error: unknown): Refusal {
  const why = error instanceof Error ? error.message : String(error);
  return refuse("VALIDATION_ERROR", `The database cannot hold this: ${why}.`, { errors: [] });
}

/** One field of a request that cannot be as it is. */
export function wrongField(path: string, message: string): Refusal {
  return refuse("VALIDATION_ERROR", `${path}: ${message}.`, { errors: [{ path, message }] });
}
