import { LIFECYCLE_ROUTES } from "../../contract/index.ts";
import { describeLifecycle, didYouMean, mermaid, refuse } from "../../core/index.ts";
import type { Lifecycle, LifecycleDescription, Refusal } from "../../core/index.ts";
import { answer, serve } from "../route-set.ts";
import type { RouteSet } from "../route-set.ts";

/** What the lifecycles are. */
export function serveLifecycles(lifecycles: readonly Lifecycle[]): RouteSet {
  const byName = new Map(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle]));
  const unknown = (name: string): Refusal =>
    refuse("NOT_FOUND", `There is no lifecycle "${name}"${didYouMean(name, byName.keys()) || "."}`, { name });
  const descriptions = new Map<string, LifecycleDescription>();
  const describe = (lifecycle: Lifecycle) => {
    const description = descriptions.get(lifecycle.name) ?? describeLifecycle(lifecycle);
    descriptions.set(lifecycle.name, description);
    return description;
  };
  const briefs = lifecycles.map(({ name, version, summary, statuses, actions, pool }) => ({
    name,
    version,
    summary,
    statuses: Object.keys(statuses),
    actions: Object.keys(actions),
    has_pool: pool !== null,
  }));
  return serve(LIFECYCLE_ROUTES, {
    listLifecycles: () => answer(200, { lifecycles: briefs }),
    describeLifecycle: ({ params: { name } }) => {
      const lifecycle = byName.get(name);
      return lifecycle ? answer(200, describe(lifecycle)) : unknown(name);
    },
    drawLifecycle: ({ params: { name } }) => {
      const lifecycle = byName.get(name);
      return lifecycle ? answer(200, mermaid(lifecycle)) : unknown(name);
    },
  });
}
