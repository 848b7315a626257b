import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { stuckStatuses } from "../../core/index.ts";
import type { StatusPairs } from "../sql/count-open.ts";

/** The statuses of all lifecycles that only a person leads out of. */
export function stuckPairs({ lifecycles }: LifecycleRegistry): StatusPairs {
  const pairs = [...lifecycles.values()].flatMap((lifecycle) =>
    stuckStatuses(lifecycle).map((status) => ({ lifecycle: lifecycle.name, status })),
  );
  return {
    lifecycles: pairs.map(({ lifecycle }) => lifecycle),
    statuses: pairs.map(({ status }) => status),
  };
}
