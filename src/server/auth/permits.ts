import { creationPermission, didYouMean, permissionOf, permissionRefusal, refuse } from "../../core/index.ts";
import type { Lifecycle, Refusal } from "../../core/index.ts";
import type { By } from "../../engine/index.ts";

type Lifecycles = ReadonlyMap<string, Lifecycle>;

/** A lifecycle that a body names and that there is not. */
export function unknownLifecycle(lifecycles: Lifecycles, name: string): Refusal | null {
  if (lifecycles.has(name)) return null;
  const meant = didYouMean(name, lifecycles.keys());
  return refuse("VALIDATION_ERROR", `There is no lifecycle "${name}"${meant || "."}`, {
    errors: [{ path: "lifecycle", message: `one of ${[...lifecycles.keys()].join(", ")}` }],
  });
}

/** A creation that is wrongly shaped: may this role create at all? */
export function creationRefusal(lifecycles: Lifecycles, by: By, body: unknown): Refusal | null {
  const lifecycle = named(lifecycles, body);
  return lifecycle && permissionRefusal(lifecycle, by.actor, creationPermission(lifecycle));
}

/** The same of many: may he create all that he names? */
export function creationsRefusal(lifecycles: Lifecycles, by: By, body: unknown): Refusal | null {
  const tasks: unknown = (body as { tasks?: unknown } | null | undefined)?.tasks;
  const refusals = Array.isArray(tasks) ? tasks.map((task) => creationRefusal(lifecycles, by, task)) : [];
  return refusals.find((refusal) => refusal !== null) ?? null;
}

/** A claim that is wrongly shaped: may this role claim at all? */
export function claimRefusal(lifecycles: Lifecycles, by: By, body: unknown): Refusal | null {
  const lifecycle = named(lifecycles, body);
  if (!lifecycle?.pool) return null;
  return permissionRefusal(lifecycle, by.actor, permissionOf(lifecycle, lifecycle.pool.action));
}

function named(lifecycles: Lifecycles, body: unknown): Lifecycle | null {
  const name: unknown = (body as { lifecycle?: unknown } | null | undefined)?.lifecycle;
  return typeof name === "string" ? (lifecycles.get(name) ?? null) : null;
}
