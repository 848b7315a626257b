import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LIFECYCLE_ROUTES } from "../../api/index.ts";
import { checking, describeLifecycle, lifecycleHint, mermaid, refuse } from "../../core/index.ts";
import type { CheckReport, Lifecycle, LifecycleDescription, Refusal } from "../../core/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Definitions, diagrams and checks of the lifecycles. */
export function serveLifecycles(
  lifecycles: readonly Lifecycle[],
  check: (lifecycle: Lifecycle) => Promise<CheckReport> = checkInSlices,
): RouteSet {
  const byName = new Map(lifecycles.map((lifecycle) => [lifecycle.name, lifecycle]));
  const unknown = (name: string): Refusal =>
    refuse("NOT_FOUND", `There is no lifecycle "${name}"${lifecycleHint(name, byName.keys()) || "."}`, {
      name,
    });
  const descriptions = new Map<string, LifecycleDescription>();
  const reports = new Map<string, Promise<CheckReport>>();
  const describe = (lifecycle: Lifecycle) => {
    const description = descriptions.get(lifecycle.name) ?? describeLifecycle(lifecycle);
    descriptions.set(lifecycle.name, description);
    return description;
  };
  const briefs = lifecycles.map(({ name, version, summary, statuses, actions, permissions, pool }) => ({
    name,
    version,
    summary,
    statuses: Object.keys(statuses),
    actions: Object.keys(actions),
    roles: rolesOf(permissions),
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
    checkLifecycle: async ({ params: { name } }) => {
      const lifecycle = byName.get(name);
      if (!lifecycle) return unknown(name);
      const report = reports.get(name) ?? check(lifecycle);
      // Definitions do not change while the server runs, so each is checked once; a check that failed is tried again.
      reports.set(name, report);
      report.catch(() => reports.delete(name));
      return answer(200, await report);
    },
  });
}

/** The roles that permissions name, sorted. */
function rolesOf(permissions: Lifecycle["permissions"]): string[] {
  return [
    ...new Set(Object.values(permissions).flatMap((roles) => (roles === "anyone" ? [] : roles))),
  ].sort();
}

const SLICE_MS = 10;

/** Checks a lifecycle in slices, so that other requests are not blocked: a large one takes a second. */
async function checkInSlices(lifecycle: Lifecycle): Promise<CheckReport> {
  const walking = checking(lifecycle);
  for (let begun = performance.now(); ;) {
    const { done, value } = walking.next();
    if (done) return value;
    if (performance.now() - begun < SLICE_MS) continue;
    await yieldToEventLoop();
    begun = performance.now();
  }
}
