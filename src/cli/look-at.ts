import { PawlError } from "../core/index.ts";
import type { Lifecycle } from "../core/index.ts";

/** Looks at a lifecycle. What a user's own schema or function throws meanwhile is a mistake of his, no bug of Pawl's. */
export function lookAt<T>(
  lifecycle: Lifecycle,
  shipped: readonly Lifecycle[],
  look: (lifecycle: Lifecycle) => T,
): T {
  try {
    return look(lifecycle);
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
