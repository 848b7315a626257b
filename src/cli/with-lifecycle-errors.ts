import { PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";

/** Reports errors thrown by a user's schema or function as INVALID_LIFECYCLE instead of as a bug in Pawl. */
export function withLifecycleErrors<T>(
  lifecycle: Lifecycle,
  shipped: readonly Lifecycle[],
  work: (lifecycle: Lifecycle) => T,
): T {
  try {
    return work(lifecycle);
  } catch (error) {
    if (error instanceof PawlError || shipped.includes(lifecycle)) throw error;
    const [what = ""] = String(error).split("\n");
    throw new PawlError(
      "INVALID_LIFECYCLE",
      `Lifecycle "${lifecycle.name}": one of its schemas or functions throws ${what}`,
      { lifecycle: lifecycle.name },
      { cause: error },
    );
  }
}
