import { didYouMean, PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";

/** Finds a lifecycle by name, or throws UNKNOWN_LIFECYCLE with the nearest name. */
export function findLifecycle(lifecycles: readonly Lifecycle[], name: string): Lifecycle {
  const found = lifecycles.find((lifecycle) => lifecycle.name === name);
  if (found) return found;
  const known = lifecycles.map((lifecycle) => lifecycle.name);
  const hint = didYouMean(name, known) || `; there are ${known.join(", ")}.`;
  throw new PawlError("UNKNOWN_LIFECYCLE", `There is no lifecycle "${name}"${hint}`, { known });
}
