import {
  creationPermission,
  lifecycleHint,
  permissionOf,
  permissionRefusal,
  refuse,
} from "../../core/index.ts";
import type { Lifecycle, Refusal } from "../../core/index.ts";
import type { Caller } from "../../engine/index.ts";

type Lifecycles = ReadonlyMap<string, Lifecycle>;

/** Refuses a body that names an unknown lifecycle. */
export function unknownLifecycle(lifecycles: Lifecycles, name: string): Refusal | null {
  if (lifecycles.has(name)) return null;
  const hint = lifecycleHint(name, lifecycles.keys());
  return refuse("VALIDATION_ERROR", `There is no lifecycle "${name}"${hint || "."}`, {
    errors: [{ path: "lifecycle", message: `must be one of ${[...lifecycles.keys()].join(", ")}` }],
  });
}

/** Refuses a creation by a role that may create no task of the named lifecycle. */
export function creationRefusal(lifecycles: Lifecycles, caller: Caller, body: unknown): Refusal | null {
  const lifecycle = named(lifecycles, body);
  return lifecycle && permissionRefusal(lifecycle, caller.actor, creationPermission(lifecycle));
}

/** Refuses many creations if the role may not create one of them. */
export function creationsRefusal(lifecycles: Lifecycles, caller: Caller, body: unknown): Refusal | null {
  const tasks = fieldOf(body, "tasks");
  const refusals = Array.isArray(tasks) ? tasks.map((task) => creationRefusal(lifecycles, caller, task)) : [];
  return refusals.find((refusal) => refusal !== null) ?? null;
}

/** Refuses a claim by a role that may not claim from the named lifecycle's pool. */
export function claimRefusal(lifecycles: Lifecycles, caller: Caller, body: unknown): Refusal | null {
  const lifecycle = named(lifecycles, body);
  return lifecycle?.pool ? actionRefusal(lifecycle, caller, { action: lifecycle.pool.action }) : null;
}

/** Refuses a move by a role that may not perform the named action; an unknown action is not refused here. */
export function actionRefusal(lifecycle: Lifecycle, caller: Caller, body: unknown): Refusal | null {
  const action = fieldOf(body, "action");
  if (typeof action !== "string" || !Object.hasOwn(lifecycle.actions, action)) return null;
  return permissionRefusal(lifecycle, caller.actor, permissionOf(lifecycle, action));
}

function named(lifecycles: Lifecycles, body: unknown): Lifecycle | null {
  const name = fieldOf(body, "lifecycle");
  return typeof name === "string" ? (lifecycles.get(name) ?? null) : null;
}

/** A field of a body whose shape is unknown. */
function fieldOf(body: unknown, field: string): unknown {
  return (body as Record<string, unknown> | null | undefined)?.[field];
}
